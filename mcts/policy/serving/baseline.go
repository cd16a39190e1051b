package serving

import (
	"context"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/mcts"
)

// The baselines: simple means against drift, with which a method is compared. The policy
// NAME+BASELINE is the policy NAME with that, in every table.
const (
	Documents = "documents" // prompts also show the documents of the deployed version
	Retry     = "retry"     // a call that gave an error is made once more before the policy is asked
	Rules     = "rules"     // prompts also show a fixed text on tools that change
)

// Baselines lists the baselines.
func Baselines() []string { return []string{Documents, Retry, Rules} }

// Beside returns policies, each with every one of some baselines behind it.
func Beside(policies, baselines []string) (all []string, err error) {
	for _, b := range baselines {
		if _, err := names.Parse("baseline", b, Baselines()); err != nil {
			return nil, err
		}
	}

	for _, name := range policies {
		all = append(all, name)

		for _, b := range baselines {
			if with := name + "+" + b; BaselineOf(name) == "" && !slices.Contains(policies, with) {
				all = append(all, with)
			}
		}
	}

	return all, nil
}

// BaselineOf returns the baseline of a policy, "" for none.
func BaselineOf(policy string) string {
	_, baseline := cutLast(policy)
	return baseline
}

// cutLast cuts the baseline off a policy's name.
func cutLast(policy string) (name, baseline string) {
	if at := strings.LastIndex(policy, "+"); at >= 0 && slices.Contains(Baselines(), policy[at+1:]) {
		return policy[:at], policy[at+1:]
	}
	return policy, ""
}

// parted returns the kind of a policy and what it names, without its baseline.
func parted(policy string) (kind, which string) {
	name, _ := cutLast(policy)
	kind, which, _ = strings.Cut(name, ":")
	return kind, which
}

// plain are the policies of the configuration without their baselines, each once.
func (m *Models) plain() (all []string) {
	for _, policy := range m.Config.Policy {
		if name, _ := cutLast(policy); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}

	return all
}

// Told is a history with what the baseline of a policy, if it has one, tells in a task that meets a
// version.
func (m *Models) Told(policy string, h envs.History, version string) envs.History {
	switch baseline := BaselineOf(policy); {
	case baseline == Rules:
		return h.Advise()
	case baseline == Documents && version != m.Config.Prompt:
		return h.Announce(version)
	}

	return h
}

// helped is a policy with a baseline.
type helped struct {
	mcts.Policy
	m       *Models
	name    string
	version func(question string) string // that a question meets
}

// Propose implements [mcts.Policy].
func (p *helped) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if BaselineOf(p.name) == Retry && r.First == 0 && failedOnce(r.History) {
		last, _ := r.History.Last()
		return []mcts.Proposal{{Text: string(last.Action)}}, nil
	}

	r.History = p.m.Told(p.name, r.History, p.version(r.History.Task().ID))
	return p.Policy.Propose(ctx, r)
}

// Converse implements [mcts.Converser].
func (p *helped) Converse() (mcts.Policy, func()) {
	next, end := mcts.Converse(p.Policy)
	return &helped{next, p.m, p.name, p.version}, end
}

// failedOnce reports whether the last turn is a call that gave an error, of a fault that passes,
// too, and not one that repeats the turn before.
func failedOnce(h envs.History) bool {
	turns := h.Turns()
	if len(turns) == 0 {
		return false
	}

	last := turns[len(turns)-1]
	repeats := len(turns) > 1 && turns[len(turns)-2].Action == last.Action
	return last.Call.Name != "" && (last.Outcome.IsError() || last.Outcome == envs.Unavailable) && !repeats
}
