package serving

import (
	"context"
	"errors"
	"strings"
	"sync"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/server"
)

// At returns the models on the server of a target, and on no other.
func (m *Models) At(t Target) *Models {
	alone, servers := *m, *m.Servers
	servers.Addresses = t.Options.URL
	alone.Servers, alone.open = &servers, map[string]opened{}
	return &alone
}

// FirstTurns has the model of a target write the first turn of tasks, all at once, as a run asks
// for it, and returns the dialect in which its server takes that.
func (m *Models) FirstTurns(ctx context.Context, t Target, tasks []envs.Task) (
	turns []doctor.Turn, dialect server.Dialect, err error,
) {
	// On its own server alone: a run's policy would spread the tasks over all of them.
	alone := m.At(t)
	defer func() { err = errors.Join(err, alone.Close()) }()

	policy, err := alone.Policy(t.Policy)
	if err != nil {
		return nil, dialect, err
	}

	// Without a greeting all turns would be asked for in a dialect that the server may not take.
	served, asks := policy.(*server.Policy)
	if asks {
		if err := served.Greet(ctx, 1); err != nil {
			return nil, dialect, err
		}
	}

	turns = make([]doctor.Turn, len(tasks))
	errs := make([]error, len(tasks))
	var all sync.WaitGroup

	for i, task := range tasks {
		all.Go(func() { turns[i], errs[i] = m.firstTurn(ctx, policy, task) })
	}

	all.Wait()

	// Only now, because the requests themselves may have changed it.
	if asks {
		dialect = served.Dialects()[0]
	}
	return turns, dialect, errors.Join(errs...)
}

// firstTurn has a model write the first turn of a task.
func (m *Models) firstTurn(ctx context.Context, policy mcts.Policy, task envs.Task) (doctor.Turn, error) {
	proposals, err := policy.Propose(ctx, mcts.Request{
		Node:    mcts.NodeID{Question: task.ID},
		History: envs.NewHistory(task),
		N:       1,
		Seed:    m.Config.Seed,
	})

	var alone *server.RequestError
	if errors.As(err, &alone) {
		return doctor.Turn{Failed: alone}, nil
	} else if err != nil {
		return doctor.Turn{}, err
	}

	text := strings.ToValidUTF8(proposals[0].Text, "\uFFFD")
	_, unreadable := m.Config.Environment.ActionCodec().Parse(text)
	reasoning, _ := action.Part(text)
	return doctor.Turn{
		Text: text, Unreadable: unreadable != nil, Reasons: reasoning != "",
		Cut: proposals[0].Finish == mcts.FinishLength,
	}, nil
}

// Other is another way to ask a model and to read what it writes.
type Other struct{ Form, Codec string }

// Settings returns the settings that ask in this way, by key.
func (o Other) Settings() map[string]string {
	return map[string]string{"server.form": o.Form, "environment.codec": o.Codec}
}

// Dialect returns the one in which a target's server is asked, as a greeting found it.
func (m *Models) Dialect(t Target) server.Dialect {
	p, ok := m.open[t.Policy]
	if !ok {
		return server.Dialect{}
	}
	// The list of servers may have grown since the targets were named.
	if all := p.Dialects(); t.index < len(all) {
		return all[t.index]
	}
	return server.Dialect{}
}

// otherForms returns the ways to ask a model of a kind in which it may act although it does not in
// that of the configuration: with the server's own template or none, or with known templates of two
// families.
func otherForms(c *configs.Resolved, kind *Kind) (all []Other) {
	forms := []string{configs.FormFewShot, configs.FormChat}
	if kind.NoMessages != "" {
		forms = []string{configs.FormFewShot, "qwen", "llama3"}
	}

	for _, form := range forms {
		for _, codec := range []action.Codec{action.ReAct{}, action.FunctionCall{}, action.Tools{}} {
			o := Other{form, codec.String()}
			if form != c.Server.Form || o.Codec != c.Environment.Codec {
				all = append(all, o)
			}
		}
	}

	return all
}

// As returns the models, asked in another way.
func (m *Models) As(o Other) *Models {
	c := *m.Config
	c.Server.Form, c.Environment.Codec = o.Form, o.Codec
	return m.Under(&c)
}

// BetterForm returns the way to ask the model of a target in which most first turns of tasks can be
// read, and how many; the zero Other if none can be read in any way.
func (m *Models) BetterForm(ctx context.Context, t Target, tasks []envs.Task) (best Other, n int, err error) {
	kind := t.Options.Kind

	for _, o := range otherForms(m.Config, kind) {
		asked := m.As(o)
		if checkForm(asked.Config, kind) != nil {
			continue
		}

		turns, _, err := asked.FirstTurns(ctx, t, tasks)
		if ctx.Err() != nil {
			return best, n, ctx.Err()
		}

		if err != nil {
			continue // a server without a chat template, say
		}

		if read := doctor.Readable(turns); read > n {
			best, n = o, read
		}
	}
	return best, n, nil
}
