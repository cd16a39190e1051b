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
// NAME+BASELINE is the policy NAME with a baseline, in every table.
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

// BaselineOf returns the baseline of a policy, or "".
func BaselineOf(policy string) string {
	_, baseline := cutBaseline(policy)
	return baseline
}

// cutBaseline cuts the baseline off a policy's name.
func cutBaseline(policy string) (name, baseline string) {
	if i := strings.LastIndex(policy, "+"); i >= 0 && slices.Contains(Baselines(), policy[i+1:]) {
		return policy[:i], policy[i+1:]
	}
	return policy, ""
}

// splitName returns the kind of a policy and what it names, without its baseline.
func splitName(policy string) (kind, which string) {
	name, _ := cutBaseline(policy)
	kind, which, _ = strings.Cut(name, ":")
	return kind, which
}

// withoutBaselines returns the policies of the configuration without their baselines, each once.
func (m *Models) withoutBaselines() (all []string) {
	for _, policy := range m.Config.Policy {
		if name, _ := cutBaseline(policy); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}

	return all
}

// Told returns a history with what the baseline of a policy, if it has one, adds in a task that
// meets a version.
func (m *Models) Told(policy string, h envs.History, version string) envs.History {
	switch baseline := BaselineOf(policy); {
	case baseline == Rules:
		return h.Advise()
	case baseline == Documents && version != m.Config.Prompt:
		return h.Announce(version)
	}

	return h
}

// baselined is a policy with a baseline.
type baselined struct {
	mcts.Policy
	m       *Models
	name    string
	version func(question string) string // that a question meets
}

// Propose implements [mcts.Policy].
func (p *baselined) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if BaselineOf(p.name) == Retry && r.First == 0 && failedOnce(r.History) {
		last, _ := r.History.Last()
		return []mcts.Proposal{{Text: string(last.Action)}}, nil
	}

	r.History = p.m.Told(p.name, r.History, p.version(r.History.Task().ID))
	return p.Policy.Propose(ctx, r)
}

// Converse implements [mcts.Converser].
func (p *baselined) Converse() (mcts.Policy, func()) {
	next, end := mcts.Converse(p.Policy)
	return &baselined{next, p.m, p.name, p.version}, end
}

// failedOnce reports whether the last turn is a call that gave an error, passing faults included,
// and does not repeat the turn before.
func failedOnce(h envs.History) bool {
	turns := h.Turns()
	if len(turns) == 0 {
		return false
	}

	last := turns[len(turns)-1]
	repeats := len(turns) > 1 && turns[len(turns)-2].Action == last.Action
	return last.Call.Name != "" && (last.Outcome.IsError() || last.Outcome == envs.Unavailable) && !repeats
}
