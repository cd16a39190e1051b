package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
)

// subtle are the factors that are silent or pass, and that generated tasks have something of.
var subtle = []string{
	"scale-field", "permute-values", "quote-field", "rename-field", "move-field", "reverse-list", "shorten-list",
	"withhold-field", "half-answer", "stale-read", "rate-limit", "timeout",
}

// withFactors adds versions of factors to a catalog, and returns their names by factor.
func withFactors(t testing.TB, all *toolapi.Catalog, factors []string, n int) (*toolapi.Catalog, map[string][]string) {
	t.Helper()

	m, err := drift.NewMaker(all, base, nil, 7)
	if err != nil {
		t.Fatal(err)
	}

	names := map[string][]string{}

	for _, name := range factors {
		factor, err := drift.ParseFactor(name)
		if err != nil {
			t.Fatal(err)
		}

		for i := range n {
			made, changes := m.FactorVersion(factor, i)
			if len(changes) != 1 {
				t.Fatalf("%s changes %v", made.Version, changes)
			}

			if all, err = all.With(made); err != nil {
				t.Fatalf("%s: %v", changes, err)
			}

			names[name] = append(names[name], made.Version)
		}
	}
	return all, names
}

// solves reports whether a scripted policy solves a task.
func solves(t testing.TB, s suite.Suite, env envs.Environment, profile string, task envs.Task) bool {
	t.Helper()

	p, err := scripted.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}

	policy := scripted.New(p, suite.Plans(s)).In(env)

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	for turn := 0; ; turn++ {
		proposed, err := policy.Propose(t.Context(), mcts.Request{History: state.History(), N: 1, Greedy: true})
		if err != nil {
			t.Fatal(err)
		}

		next, err := env.Step(t.Context(), state, envs.Action(proposed[0].Text))
		if err != nil {
			t.Fatal(err)
		}

		if next.State.Status() != envs.Running || turn > 60 {
			return next.Reward == 1
		}

		state = next.State
	}
}

// Of each change that no call of before is refused for there is a task that who trusts every answer
// gets wrong, and none that who reads the documents, or knows, gets wrong. A fault that says that
// there is one misleads nobody.
func TestSilentDrift(t *testing.T) {
	t.Parallel()

	c := choice(t, 12)

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	var names map[string][]string
	c.Versions, names = withFactors(t, all, subtle, 4)

	for _, factor := range subtle {
		t.Run(factor, func(t *testing.T) {
			t.Parallel()

			misled := 0

			for _, version := range names[factor] {
				c := c
				c.Environment.Hint = dynamic.HintDocument
				s := open(t, c)
				env := environmentOf(t, s, version)

				if factor == "half-answer" || factor == "stale-read" { // no document says when
					c.Environment.Hint = dynamic.HintAnswer
					s = open(t, c)
					env = environmentOf(t, s, version)
				}

				for _, task := range s.Tasks() {
					if !solves(t, s, env, "reader", task) {
						misled++
					}

					for _, aware := range []string{"careful", "oracle"} {
						if !solves(t, s, env, aware, task) {
							t.Errorf("%s does not solve %s under %s", aware, task.ID, version)
						}
					}
				}
			}

			if explicit := factor == "rate-limit" || factor == "timeout"; explicit != (misled == 0) {
				t.Errorf("%d episodes of who trusts every answer are wrong", misled)
			}
		})
	}
}

// What the versions answer is a function of the path alone, from whatever state and in whatever
// order.
func TestSilentEnvironment(t *testing.T) {
	t.Parallel()

	c := choice(t, 1)
	c.Environment.Hint = dynamic.HintAnswer

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	var names map[string][]string
	c.Versions, names = withFactors(t, all, subtle, 1)
	s := open(t, c)

	for _, factor := range subtle {
		env := func() envs.Environment { return environmentOf(t, open(t, c), names[factor][0]) }

		for _, task := range s.Tasks() {
			_, calls := play(t, s, environmentOf(t, s, base), task, as)
			actions := []envs.Action{"Thought: hm", text(finish("nothing"))}

			for _, call := range calls[:2] {
				actions = append(actions, text(call))
			}

			t.Run(fmt.Sprint(factor, " ", task.ID), func(t *testing.T) {
				envtest.Run(t, env, []envs.Task{task}, actions)
			})
		}
	}
}

// A passing fault ends after as many calls as its version says, is no error of the agent, and is
// met again on every path that is equal.
func TestFaultsPass(t *testing.T) {
	t.Parallel()

	c := choice(t, 4)

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	made := baseSpec(t, all)
	made.Faults = []toolapi.Fault{{Kind: toolapi.RateLimit, Share: 1, Calls: 3}}

	if c.Versions, err = all.With(made); err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	env := environmentOf(t, s, made.Version)

	for _, task := range s.Tasks() {
		_, calls := play(t, s, environmentOf(t, s, base), task, as)

		state, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		var outcomes []string

		for range 6 {
			next, err := env.Step(t.Context(), state, text(calls[0]))
			if err != nil {
				t.Fatal(err)
			}

			outcome := next.Turn.Outcome
			if outcome == envs.Unavailable && (outcome.IsError() || envs.Alike(env, state, next.State)) {
				t.Error("a fault that passes is taken for an error that stays")
			}

			if next.Turn.Outcome != envs.Unavailable {
				outcome = envs.OK // or what the call says where it was made before
			}

			outcomes, state = append(outcomes, outcome.String()), next.State
		}

		if n := len(slices.DeleteFunc(slices.Clone(outcomes), func(o string) bool { return o == "ok" })); n != 3 {
			t.Errorf("%s: %s", task.ID, strings.Join(outcomes, ", "))
		}
	}
}

// baseSpec is the base as the file of another version, in which nothing is different yet.
func baseSpec(t testing.TB, all *toolapi.Catalog) *toolapi.Spec {
	t.Helper()

	m, err := drift.NewMaker(all, base, nil, 7)
	if err != nil {
		t.Fatal(err)
	}

	made, _ := m.Applied("same", nil, 0)
	return made
}

// Half of the tasks and tools that a fault is about meet it.
func TestShareOfFaults(t *testing.T) {
	t.Parallel()

	c := choice(t, 40)

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	made := baseSpec(t, all)
	made.Faults = []toolapi.Fault{{Kind: toolapi.Timeout, Share: 0.5, Calls: 10}}

	if c.Versions, err = all.With(made); err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	env := environmentOf(t, s, made.Version)
	met := 0

	for _, task := range s.Tasks() {
		_, calls := play(t, s, environmentOf(t, s, base), task, as)

		state, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		for range 3 {
			next, err := env.Step(t.Context(), state, text(calls[0]))
			if err != nil {
				t.Fatal(err)
			}

			if next.Turn.Outcome == envs.Unavailable {
				met++
				break
			}

			state = next.State
		}
	}

	if share := float64(met) / float64(len(s.Tasks())); cmp.Compare(share, 0.35) < 0 || share > 0.65 {
		t.Errorf("%d of %d tasks meet the fault", met, len(s.Tasks()))
	}
}
