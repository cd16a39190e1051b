package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs/kept"
	"toolevo/envs/suite"
)

// Model is a language model that is asked for something other than actions.
type Model struct {
	Model  string `yaml:"model"`            // as a policy is named, e.g. "openai:gpt-4o"
	Server string `yaml:"server,omitempty"` // its base URL; "" is the policies' own
}

// validate returns what is wrong with the model's name; what says what the model is for.
func (m *Model) validate(what string) error {
	if m == nil {
		return nil
	}

	if kind, model, _ := strings.Cut(m.Model, ":"); kind == "" || model == "" {
		return fmt.Errorf("%s: model is %q, want openai:MODEL or ollama:MODEL", what, m.Model)
	}
	return nil
}

// identity names the model, and how it is asked.
func (m *Model) identity(asked ...string) string { return m.Model + " " + kept.Key(asked...)[:12] }

// lazy returns the model, which is opened on first use.
func (o *opened) lazy(what string, m *Model, tokens int) *suite.LazyWriter {
	return o.choice.Lazy(what, m.Model, suite.WriterOptions{Server: m.Server, MaxTokens: tokens})
}

// Remote implements [suite.Preparer].
func (o *opened) Remote() bool { return o.judge != nil || o.standIn != nil }

// Live implements [suite.Live].
func (o *opened) Live() bool { return true }

// Prepare implements [suite.Preparer]: a model that cannot be asked stops a run before it begins.
func (o *opened) Prepare(context.Context) error {
	var all []error

	for _, w := range []*suite.LazyWriter{o.judge, o.standIn} {
		if w != nil {
			all = append(all, w.Open())
		}
	}

	return errors.Join(all...)
}
