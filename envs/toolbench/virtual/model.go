package virtual

import (
	"context"
	"fmt"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
)

// mostAttempts is how often a model is asked for one answer.
const mostAttempts = 3

// Model is a [toolbench.Simulator] that asks a language model. If a reply cannot be read, it asks
// again, with the reason and another seed; if no reply can be read, the error is [ErrReply].
type Model struct {
	writer    kept.Writer
	name      string
	mode      Mode
	prompts   kept.Prompts
	published *published // the words of a published mode
	examples  func(context.Context, toolbench.Key) ([]Example, error)
	counts    *counts
}

// NewModel returns a simulator that asks the model of that name in a mode. For a published mode,
// Tell has to give its words.
func NewModel(w kept.Writer, name string, mode Mode) *Model {
	return &Model{writer: w, name: name, mode: mode, counts: &counts{}}
}

// Tell replaces the built-in prompts with a user's. It is an error if the words of a published mode
// are not among them.
func (m *Model) Tell(p kept.Prompts) (err error) {
	m.prompts = p
	if m.mode.IsPublished() {
		m.published, err = publishedWords(p, m.mode)
	}
	return err
}

// Name says what answers and how it is asked, e.g. "sft openai:mirror".
func (m *Model) Name() string { return string(m.mode) + " " + m.name }

// Identity is the name and a hash of the prompts: other words may give other answers.
func (m *Model) Identity() string { return m.Name() + " " + m.promptHash() }

// promptHash is a hash of the words that a model is asked with.
func (m *Model) promptHash() string {
	if m.published != nil {
		return hash(m.published.instructions + "\n" + m.published.request)
	}
	return hash(m.mode.Instructions(m.prompts))
}

// texts returns the system's and the user's text for a call.
func (m *Model) texts(d *toolbench.Document, args envs.Args, examples []Example) (
	instructions, request string) {
	if m.published != nil {
		return m.published.instructions, m.published.fill(d, args)
	}
	return m.prompts.Asked(prompts[m.mode], m.mode.Request(d, args, examples))
}

// Simulate implements [toolbench.Simulator].
func (m *Model) Simulate(ctx context.Context, d *toolbench.Document, args envs.Args) (
	toolbench.Answer, error) {
	var examples []Example

	if m.examples != nil {
		var err error
		if examples, err = m.examples(ctx, d.Key); err != nil {
			return toolbench.Answer{}, err
		}
	}

	// Examples are spelled like the document that the model reads, which may be a version's.
	for i := range examples {
		_, examples[i].Args = d.Shown(examples[i].Args)
	}

	shown, written := d.Shown(args)
	instructions, request := m.texts(shown, written, examples)

	// The seed is that of the request, so a run that is repeated gets the same answers.
	a, refused, err := kept.Ask(ctx, m.writer, kept.Asking{
		Instructions: instructions, Request: request,
		Seed: xxh3.HashString(request), Tries: mostAttempts,
	}, func(reply string) (toolbench.Answer, error) {
		a, err := ReadReply(reply)
		if err != nil {
			m.counts.add(&m.counts.Spoilt)
		}

		a.Maker = m.Name()
		return a, err
	})

	// err is a failure of the server; refused means that it answered, but never readably.
	if refused == nil {
		return a, err
	}
	return toolbench.Answer{}, &kept.Lost{Reason: "the model made up no answer", Err: fmt.Errorf(
		"%s answered a call of %s %d times in vain: %w: try another model, mode or temperature",
		m.Name(), d.Key, mostAttempts, refused)}
}
