package policy

import (
	"context"
	"fmt"
	"math"

	"toolevo/envs"
	"toolevo/mcts"
)

// Scripted simulates a language model: it recognises the question, follows a plan written for the prompt version, and
// writes each call as a model would, with the habits of its profile. It is safe for concurrent use.
type Scripted struct {
	profile Profile
	planFor func(question string) (envs.Plan, bool)

	plans   memo[planned] // by question
	notices memo[*usage]  // by the observation of a deprecated call; nil when it cannot be read
}

var _ mcts.Policy = (*Scripted)(nil)

type planned struct {
	plan envs.Plan
	ok   bool
}

// NewScripted returns a scripted policy. The profile must be valid. plan returns the solution of a question in the
// prompt version and whether it knows one; it and its plans are called from many goroutines.
func NewScripted(profile Profile, plan func(question string) (envs.Plan, bool)) *Scripted {
	return &Scripted{profile: profile, planFor: plan}
}

// Name returns what reports call the policy, e.g. "scripted:noisy": never the name of a model.
func (s *Scripted) Name() string { return "scripted:" + s.profile.Name }

// Propose writes r.N samples. Every one is scored.
func (s *Scripted) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if err := ctx.Err(); err != nil {
		return nil, envs.Fail(envs.StagePolicy, s.Name()+": propose", err)
	}
	if r.N < 1 {
		return nil, envs.Fail(envs.StagePolicy, s.Name()+": propose", fmt.Errorf("%d samples asked for, want at least 1", r.N))
	}
	sc := s.look(r.History)
	proposals := make([]mcts.Proposal, r.N)
	for i := range proposals {
		if r.Greedy {
			proposals[i] = sc.greedy()
		} else {
			proposals[i] = sc.sample(newDice(r.Seed+uint64(i)), s.profile.Rephrase, 1)
		}
	}
	return proposals, nil
}

// scene is one history as the policy sees it, and the move it takes for the right one.
type scene struct {
	*Scripted
	h     envs.History
	st    standing
	plan  envs.Plan // nil when the question is not recognised
	best  move
	input []byte // best's Action Input
}

func (s *Scripted) look(h envs.History) *scene {
	sc := &scene{Scripted: s, h: h, st: s.stand(h)}
	question := h.Task().Question
	if p := s.plans.get(question, s.planOf); p.ok {
		sc.plan = p.plan
	}
	sc.best = sc.decide()
	sc.input = sc.best.appendInput(nil)
	return sc
}

// planOf returns the plan of a question.
func (s *Scripted) planOf(question string) planned {
	plan, ok := s.planFor(question)
	return planned{plan, ok}
}

// greedy is the likeliest sample. Its mistakes depend on the question and the number of turns, so that a measured
// accuracy is that of an imperfect model, the same in every run.
func (sc *scene) greedy() mcts.Proposal {
	return sc.sample(questionDice(sc.h.Task().Question, len(sc.st.turns)), 0, sc.profile.Greedy)
}

// sample writes one completion; share is the part of the profile's rates that applies.
func (sc *scene) sample(d dice, rephrase, share float64) mcts.Proposal {
	m, input := sc.best, sc.input
	if share > 0 && sc.profile.Rates != (Rates{}) {
		if slipped, ok := sc.slip(&d, share); ok {
			m, input = slipped, slipped.appendInput(nil)
		}
	}
	w := m.likeliest()
	if d.chance(rephrase) {
		w = m.rephrased(&d)
	}
	text := string(m.appendText(make([]byte, 0, 256+len(m.thought)+len(input)), w, input))
	return mcts.Proposal{
		Text:    text,
		LogProb: math.Max(-1.2, -(0.05 + 0.12*d.float() + w.cost() + m.cost)),
		Scored:  true,
		Tokens:  (len(text) + 3) / 4, // about four letters to a token
	}
}
