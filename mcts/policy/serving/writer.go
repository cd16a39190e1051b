package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// Writer is a model that answers a text with a text, for what models do beside acting: judge,
// rephrase, stand in for an API. It tries again, waits and fails over as a policy does, and is safe
// for concurrent use. Close it when it is no longer used.
type Writer struct {
	policy   *server.Policy
	sampling server.Sampling
	template *chat.Template // nil if the server applies the model's own
	clean    *chat.Sanitizer
}

// Writer opens the model of a policy's name as a writer. It is sent messages, or text in the chat
// template that the setting server.form names; Ollama takes only the latter.
func (m *Models) Writer(name string, o suite.WriterOptions) (*Writer, error) {
	kind, model, _ := strings.Cut(name, ":")
	if kind == Scripted {
		return nil, fmt.Errorf("%s writes no texts: want %s", name, Offers())
	}

	// It is from a configuration, which may be somebody else's.
	if s := sourceOf(o.Server); s != nil && s.name == sourceCommand {
		return nil, errors.New("a command does not belong in a file: name it in ‹server›")
	}

	asked := m.asWriter(o.Server)
	form := asked.Config.Server.Form

	k := server.FindKind(kind)
	// Said before CheckPolicy does, which would offer few-shot: writers have no such form.
	if k != nil && k.NoMessages != "" && form == configs.FormChat {
		return nil, fmt.Errorf("%s writes texts in its model's chat template alone: set server.form to one of %v", name,
			chat.Templates())
	}

	if err := CheckPolicy(asked.Config, name); err != nil {
		return nil, err
	}

	w := &Writer{
		sampling: server.Sampling{
			Temperature: o.Temperature, TopP: 1, RepetitionPenalty: 1, MaxTokens: o.MaxTokens,
		},
	}

	// A server that is sent plain text knows no end of a message: the template's stops are needed.
	if form != configs.FormChat {
		template, err := chat.ParseTemplate(form)
		if err != nil {
			return nil, err
		}

		w.template, w.sampling.Stop = &template, template.Stops()
	}

	var err error
	if w.clean, err = chat.NewSanitizer(); err != nil {
		return nil, err
	}

	w.policy, err = asked.openWriter(k, model, w)
	return w, err
}

// asWriter returns the models as they are asked for texts: without log-probabilities and token ids,
// and as a chat if policies continue a plain text.
func (m *Models) asWriter(urls string) *Models {
	c := *m.Config
	c.Server.LogProbs, c.Server.TokenIDs = false, false

	if c.Server.Form == configs.FormFewShot {
		c.Server.Form = configs.FormChat
	}

	asked := m.Under(&c)
	servers := *m.Servers
	servers.Addresses = cmp.Or(urls, servers.Addresses)
	asked.Servers = &servers
	return asked
}

// openWriter returns the policy of a model that is asked for a writer's texts.
func (m *Models) openWriter(kind *Kind, model string, w *Writer) (*server.Policy, error) {
	limit, err := m.Servers.limit()
	if err != nil {
		return nil, err
	}

	backends, err := m.backends(kind, model, w.template != nil && w.template.AddSpecialTokens())
	if err != nil {
		return nil, err
	}
	return server.New(server.Options{
		Backends: backends, Sampling: w.sampling, Single: kind.Single, AllTaken: kind.AllTaken,
		Limit:   limit,
		Retry:   m.Servers.retry(),
		Timeout: m.Servers.Timeout, Log: m.Servers.Log, LeaveOut: m.Config.Server.LeaveOut,
		Account: m.Servers.Account.Of(kind.Name + ":" + model),
	})
}

// Write returns what the model answers to instructions (the system text) and a request (the
// user's), cut at MaxTokens. Other seeds may give other texts, unless the temperature is 0. The
// error names envs.StagePolicy, or is the context's.
func (w *Writer) Write(ctx context.Context, instructions, request string, seed uint64) (string, error) {
	c := server.Completion{N: 1, Seed: seed, Sampling: w.sampling}
	instructions, request = w.clean.Clean(instructions), w.clean.Clean(request)

	if w.template != nil {
		c.Prompt = w.template.System(instructions) + w.template.User(request)
	} else {
		c.Messages = slices.DeleteFunc([]chat.Message{
			{Role: chat.SystemRole, Content: instructions}, {Role: chat.UserRole, Content: request},
		}, func(m chat.Message) bool { return m.Content == "" })
	}

	choices, err := w.policy.Complete(ctx, request, c)
	if err != nil {
		return "", envs.Fail(envs.StagePolicy, "write a text", err)
	}
	return choices[0].Text, nil
}

// Close ends the reading of the servers' gauges.
func (w *Writer) Close() error { return w.policy.Close() }
