package scripted

import (
	"context"
	"errors"
	"fmt"
	"math"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/memo"
	"toolevo/mcts"
)

// Policy simulates a language model: it recognises the question, follows a plan written for the
// prompt version, and writes each call as a model would, with the habits of its profile. It is safe
// for concurrent use.
type Policy struct {
	profile Profile
	planFor func(question string) (envs.Plan, bool)
	knows   envs.Environment // tells how calls are written; nil for a profile that is not told

	documents envs.Environment // whose documents it may be shown; nil for a profile that reads none

	plans   memo.Memo[planned]  // by question
	notices memo.Memo[[]*usage] // by the observation of a deprecated call; nil when it cannot be read
}

var _ mcts.Policy = (*Policy)(nil)

type planned struct {
	plan     envs.Plan
	ok       bool
	hopeless bool
}

// New returns a scripted policy. The profile must be valid. plan returns the solution of a question
// in the prompt version and whether it knows one; it and its plans are called from many goroutines.
func New(profile Profile, plan func(question string) (envs.Plan, bool)) *Policy {
	return &Policy{profile: profile, planFor: plan}
}

// In returns the policy for episodes in an environment. One that is Knowing is told how its calls
// are written there and which answers differ, and nothing else; it cannot play without that. One
// that reads hints is shown the documents, if agents are. Any other is the same everywhere.
func (s *Policy) In(env envs.Environment) *Policy {
	if !s.profile.Knowing && !s.profile.ReadsHints {
		return s
	}

	p := New(s.profile, s.planFor)
	p.documents = env

	if s.profile.Knowing {
		p.knows = env
	}
	return p
}

// Name returns what reports call the policy, e.g. "scripted:noisy": never the name of a model.
func (s *Policy) Name() string { return "scripted:" + s.profile.Name }

// Propose writes r.N samples. Every one is scored.
func (s *Policy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if err := ctx.Err(); err != nil {
		return nil, envs.Fail(envs.StagePolicy, s.Name()+": propose", err)
	}

	if r.N < 1 {
		return nil, envs.Fail(envs.StagePolicy, s.Name()+": propose",
			fmt.Errorf("%d samples asked for, want at least 1", r.N))
	}

	if s.profile.Knowing && s.knows == nil {
		return nil, envs.Fail(envs.StagePolicy, s.Name()+": propose", errors.New("it was not told what is deployed: "+
			"give the same command another policy, such as scripted:reader"))
	}

	sc := s.newScene(r.History)

	proposals := make([]mcts.Proposal, r.N)
	for i := range proposals {
		if r.Greedy {
			proposals[i] = sc.greedy()
		} else {
			proposals[i] = sc.sample(newDice(r.Seed + uint64(i)))
		}
	}

	return proposals, nil
}

// scene is one history as the policy sees it, and the move that it thinks right.
type scene struct {
	*Policy
	h    envs.History
	st   standing
	plan envs.Plan // nil when the question is not recognised
	best move

	hopeless bool // see Profile.Hopeless
}

// hopeless reports whether a question is one of those that the profile never solves.
func (s *Policy) hopeless(question string) bool {
	d := questionDice(question, "hopeless")
	return d.chance(s.profile.Hopeless)
}

func (s *Policy) newScene(h envs.History) *scene {
	sc := &scene{Policy: s, h: h, st: s.readHistory(h)}

	question := h.Task().Question
	if p := s.plans.Get(question, s.planOf); p.ok {
		sc.plan, sc.hopeless = p.plan, p.hopeless
	}

	sc.best = sc.decide()
	return sc
}

// planOf returns the plan of a question.
func (s *Policy) planOf(question string) planned {
	plan, ok := s.planFor(question)
	return planned{plan, ok, s.hopeless(question)}
}

// greedy is the likeliest sample. Its mistakes are an imperfect model's, the same in every run.
// Those in the task depend on the question, the step of its plan and the tries of that step, and so
// are the same in every API version; those that drift makes possible depend on the turn and are
// additional. So no accuracy is better under drift than without.
func (sc *scene) greedy() mcts.Proposal {
	question := sc.h.Task().Question
	step := questionDice(question, fmt.Sprintf("step %d, try %d", len(sc.st.results), sc.st.errors))
	turn := questionDice(question, fmt.Sprintf("turn %d", len(sc.st.turns)))

	forgetting, drift, task, _ := sc.profile.Rates.slips()

	if m, ok := sc.slip(forgetting, &turn, sc.profile.Greedy); ok {
		sc.best = m
	}

	m, ok := sc.best, false
	if sc.stepping() {
		m, ok = sc.slip(task, &step, sc.profile.Greedy)
	}

	if !ok {
		m, ok = sc.slip(drift, &turn, sc.profile.Greedy)
	}

	if !ok {
		m = sc.best
	}
	return sc.write(m, turn, 0)
}

// sample writes one completion.
func (sc *scene) sample(d dice) mcts.Proposal {
	_, _, _, all := sc.profile.Rates.slips()

	m, ok := sc.slip(all, &d, 1)
	if !ok {
		m = sc.best
	}
	return sc.write(m, d, sc.profile.Rephrase)
}

// write puts a move into words.
func (sc *scene) write(m move, d dice, rephrase float64) mcts.Proposal {
	if sc.hopeless && m.call.Name == envs.FinishTool {
		m = giveUp()
	}

	w := m.likeliest()
	if d.chance(rephrase) {
		w = m.rephrased(&d)
	}

	text := m.text(action.OrDefault(sc.profile.Codec), w)
	return mcts.Proposal{
		Text:    text,
		LogProb: math.Max(-1.2, -(0.05 + float64(0.12*d.float()) + w.cost() + m.cost)),
		Scored:  true,
		Tokens:  (len(text) + 3) / 4, // about four letters to a token
	}
}
