package robustness

import (
	"cmp"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/finetune/table"
	"toolevo/trajectories"
)

// Kind is what a setting changes.
type Kind string

// The kinds of settings.
const (
	Baseline     Kind = "baseline"
	Versioning   Kind = "versioning"   // the deployed version
	Perturbation Kind = "perturbation" // the words of the questions
)

// Setting is what was changed.
type Setting struct {
	Kind Kind   `json:"kind"`    // "baseline", "versioning" or "perturbation"
	Name string `json:"setting"` // of the version, or family of versions, or of the perturbation; "baseline"
}

// Condition is what episodes were played under.
type Condition struct {
	Policy   string `json:"policy"`   // e.g. "scripted:reader"
	Feedback string `json:"feedback"` // what a call was told that was not taken: deprecation, invocation, generic or none
	Setting
}

// Results adds up episodes. The zero value has none.
type Results struct {
	conditions []Condition // in the order in which they came first
	sums       map[Condition]*sum
	places     map[questionKey]int // of a question among all
	questions  []questionKey       // in the order in which they came first
}

// questionKey tells questions apart.
type questionKey struct{ dataset, difficulty, id string }

// sum is what the episodes of a condition add up to.
type sum struct {
	statistics Statistics
	verdicts   map[int]verdict // by the place of the question
	lost       map[int]int     // episodes
	calls      []tally         // of each episode
	refused    []tally         // its tools
}

// verdict is what came of the episodes of a question that were not lost.
type verdict struct{ passed, measured int }

func (v verdict) share() float64 { return float64(v.passed) / float64(max(v.measured, 1)) }

// tally counts those of some that are good.
type tally struct{ good, all int }

// Add counts an episode.
func (r *Results) Add(c Condition, e *trajectories.Episode) {
	if r.sums == nil {
		r.sums, r.places = map[Condition]*sum{}, map[questionKey]int{}
	}

	if r.sums[c] == nil {
		r.sums[c] = &sum{
			statistics: Statistics{Condition: c, Outcomes: map[string]int{}},
			verdicts:   map[int]verdict{}, lost: map[int]int{},
		}
		r.conditions = append(r.conditions, c)
	}

	key := questionKey{e.Labels[envs.LabelDataset], e.Labels[envs.LabelDifficulty], e.QuestionID}

	place, ok := r.places[key]
	if !ok {
		place = len(r.questions)
		r.places[key] = place
		r.questions = append(r.questions, key)
	}

	r.sums[c].add(place, e)
}

func (s *sum) add(place int, e *trajectories.Episode) {
	if e.Lost != "" {
		s.lost[place]++
		return
	}

	v := s.verdicts[place]
	v.measured++

	if e.Official {
		v.passed++
	}

	s.verdicts[place] = v

	st := &s.statistics
	st.Episodes++
	st.turns += len(e.Turns)
	st.tokens += e.Tokens

	if e.Status == envs.Terminated.String() {
		st.Answered++
	}

	for _, t := range e.Turns {
		st.Outcomes[t.Outcome.String()]++
	}

	calls, tools := callsOf(e.Turns), refusedTools(e.Turns)
	s.calls, s.refused = append(s.calls, calls), append(s.refused, tools)

	if tools.all > 0 {
		st.Refused++
	}

	if tools.all > 0 && tools.good == tools.all {
		st.Recovered++
	}
}

// callsOf counts the calls of tools in an episode, and those of them that are valid.
func callsOf(turns []trajectories.Turn) (c tally) {
	for _, t := range turns {
		if t.Unreadable() || t.Tool == envs.FinishTool || t.Tool == envs.UpdateTool {
			continue
		}

		if c.all++; t.Outcome == envs.OK || t.Outcome == envs.ToolError {
			c.good++
		}
	}

	return c
}

// refusedTools counts the tools of which an episode had a call refused, and those of them that recovered.
func refusedTools(turns []trajectories.Turn) (c tally) {
	seen := map[string]bool{}

	for i, t := range turns {
		refused := t.Outcome == envs.Deprecated || t.Outcome == envs.InvocationError || t.Outcome == envs.InvalidAction
		if tool := t.Tool; !refused || tool == "" || tool == envs.FinishTool || tool == envs.UpdateTool || seen[tool] {
			continue
		}

		seen[t.Tool] = true
		c.all++

		if _, ok := trajectories.Recovery(turns, i); ok {
			c.good++
		}
	}

	return c
}

// sortedConditions are those by feedback, policy and setting, the baseline first; each in the order of its first
// episode.
func (r *Results) sortedConditions() []Condition {
	index := func(of func(Condition) string) func(Condition) int {
		names := table.Distinct(r.conditions, of)
		return func(c Condition) int { return slices.Index(names, of(c)) }
	}

	feedback := index(func(c Condition) string { return c.Feedback })
	policy := index(func(c Condition) string { return c.Policy })
	setting := index(func(c Condition) string { return c.Name })
	kinds := []Kind{Baseline, Versioning, Perturbation}

	return slices.SortedStableFunc(maps.Keys(r.sums), func(a, b Condition) int {
		return cmp.Or(cmp.Compare(feedback(a), feedback(b)), cmp.Compare(policy(a), policy(b)),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(setting(a), setting(b)))
	})
}
