package mirror

import (
	"context"
	"errors"
	"strings"

	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Model asks a language model.
type Model struct {
	Writer  kept.Writer
	Seed    uint64
	Tries   int // how often it is asked until a text can be read, at least 1
	Workers int // texts that are asked for at the same time
	Prompts kept.Prompts

	// Done is called with how many of all texts are done; it may be nil.
	Done func(done, total int)
}

// refusal says why a readable text is of no use. Any other error says why a text cannot be read.
type refusal string

// Error implements error.
func (r refusal) Error() string { return string(r) }

var errUnreadable = errors.New("unreadable")

// answer is what was read from a model's text. refused says what was wrong with the last text, if
// none was of use.
type answer[T any] struct {
	read    T
	refused error
}

// ask asks with a prompt until a text can be read. An error is a failure of the infrastructure.
func ask[T any](ctx context.Context, m *Model, p kept.Prompt, request string, number int,
	read func(text string) (T, error)) (a answer[T], err error) {
	instructions, request := m.Prompts.Asked(p, request)

	a.read, a.refused, err = kept.Ask(ctx, m.Writer, kept.Asking{
		Instructions: instructions, Request: request,
		Seed: m.Seed + uint64(number*m.Tries), Tries: m.Tries, Expendable: true,
	}, read)
	return a, err
}

// written calls write for n things, some at a time, and returns those that were not refused. The
// report counts the others.
func written[T any](ctx context.Context, m *Model, n int, r *Report,
	write func(ctx context.Context, i int) (answer[T], error)) ([]T, error) {
	answers, err := kept.All(ctx, n, m.Workers, m.Done, write)
	if err != nil {
		return nil, err
	}

	var all []T

	for _, a := range answers {
		if a.refused != nil {
			r.refuse(a.refused)
			continue
		}

		all = append(all, a.read)
	}
	return all, nil
}

// check drops the pairs that do not follow their document by the model's verdict, and those without
// a verdict.
func (m *Model) check(ctx context.Context, pairs []Pair, r *Report) ([]Pair, error) {
	judge := func(ctx context.Context, i int) (answer[bool], error) {
		return ask(ctx, m, checkPrompt, described(&pairs[i]), i, verdict)
	}

	verdicts, err := kept.All(ctx, len(pairs), m.Workers, m.Done, judge)
	if err != nil {
		return nil, err
	}

	var follow []Pair

	for i, v := range verdicts {
		if v.refused != nil {
			r.drop(unjudged)
			continue
		}

		r.Written.Verdicts++

		if v.read {
			follow = append(follow, pairs[i])
		} else {
			r.drop(offDocument)
		}
	}

	return follow, nil
}

// verdict reads whether a pair follows its document.
func verdict(text string) (follows bool, err error) {
	said, err := kept.Decision(text, "overall_eval")
	if err != nil {
		return false, err
	}

	switch said {
	case "1", "True":
		return true, nil
	case "0", "False":
		return false, nil
	}

	return false, errUnreadable
}

// shownDocument returns a document in the form shown to models that write a request for it.
func shownDocument(d *toolbench.Document) string {
	return strings.TrimSuffix(virtual.SFT.Request(d, nil, nil), "\n\nRequest:\n{}")
}

// described returns a pair in the form shown to models: the document, the request and the answer.
func described(p *Pair) string {
	return virtual.SFT.Request(p.Document, p.Input, nil) + "\n\nAnswer:\n" + p.Answer.Text()
}
