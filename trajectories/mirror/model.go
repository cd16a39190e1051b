package mirror

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench/virtual"
)

// Writer is a language model that answers a text with a text. It is safe for concurrent use.
type Writer interface {
	// Write returns what the model answers to instructions (the system text) and a request (the user's). Other seeds
	// may give other texts. The error is ours (the server's), never the model's.
	Write(ctx context.Context, instructions, request string, seed uint64) (string, error)
}

// Model asks a language model.
type Model struct {
	Writer  Writer
	Seed    uint64
	Tries   int // of a text that cannot be read, at least 1
	Workers int // texts that are asked for at the same time

	// Done is told how many of all texts are done; it may be nil.
	Done func(done, total int)
}

var (
	//go:embed prompts/check.txt
	checkPrompt string
	//go:embed prompts/rationale.txt
	rationalePrompt string
	//go:embed prompts/augment.txt
	augmentPrompt string
)

// errUnreadable is why a text that could not be read in any try is refused.
var errUnreadable = errors.New("unreadable")

// each does something for every number below n, some at a time, until one fails.
func (m *Model) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return kept.Each(ctx, n, m.Workers, m.Done, do)
}

// ask asks until a text can be read. refused is what was wrong with the last one, err a failure of ours.
func (m *Model) ask(ctx context.Context, instructions, request string, number int,
	read func(text string) error) (refused, err error) {
	for try := range m.Tries {
		text, err := m.Writer.Write(ctx, strings.TrimSpace(instructions), request,
			m.Seed+uint64(number*m.Tries+try))
		if err != nil {
			return nil, err
		}

		if refused = read(text); refused == nil {
			return nil, nil
		}
	}

	return refused, nil
}

// objectIn returns the first JSON object of a text: models put fences and remarks around it.
func objectIn(text string) (envs.Args, error) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return nil, errUnreadable
	}

	object, _, err := pytext.DecodeObject(text[start:])
	if err != nil {
		return nil, errUnreadable
	}

	return object, nil
}

// Check drops the pairs that do not follow their document, by the model's verdict, and those without one.
func (m *Model) Check(ctx context.Context, pairs []Pair, r *Report) ([]Pair, error) {
	reasons := make([]string, len(pairs)) // for which pairs are dropped

	err := m.each(ctx, len(pairs), func(ctx context.Context, i int) error {
		refused, err := m.ask(ctx, checkPrompt, described(&pairs[i]), i, func(text string) error {
			follows, err := verdict(text)
			if err == nil && !follows {
				reasons[i] = offDocument
			}

			return err
		})
		if refused != nil {
			reasons[i] = unjudged
		}

		return err
	})
	if err != nil {
		return nil, err
	}

	var kept []Pair

	for i, reason := range reasons {
		if reason != unjudged {
			r.Written.Verdicts++
		}

		if reason == "" {
			kept = append(kept, pairs[i])
		} else {
			r.drop(reason)
		}
	}

	return kept, nil
}

// verdict reads whether a pair follows its document.
func verdict(text string) (follows bool, err error) {
	object, err := objectIn(text)
	if err != nil {
		return false, err
	}

	value, _ := object.Get("overall_eval")

	switch fmt.Sprint(value) {
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}

	return false, errUnreadable
}

// described is a pair as models are asked about it: the document, the request and the answer.
func described(p *Pair) string {
	return virtual.SFT.Request(p.Document, p.Input, nil) + "\n\nAnswer:\n" + p.Answer.Text()
}
