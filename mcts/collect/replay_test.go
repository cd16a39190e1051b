package collect_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
)

// fresh says of a run what a replay says, from what is stored.
func fresh(t *testing.T, o collect.Options, q collect.Question) collect.Replayed {
	t.Helper()

	r := collect.Replayed{Questions: 1, Whole: 1, Lacking: []collect.Lack{}}
	found := mcts.NewFound(q.Task, o.Accept)

	indices, err := o.Store.TreeIndices(t.Context(), q.Task.ID)
	if err != nil {
		t.Fatal(err)
	}

	for _, i := range indices {
		tree, ok, err := o.Store.LoadTree(t.Context(), q.Task.ID, i)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}

		found.Add(tree)

		r.Trees++
		r.Nodes += len(tree.Nodes)
		r.Calls += tree.Calls
		r.Samples += tree.Samples

		for _, n := range tree.Nodes {
			if n.Outcome == envs.Correct {
				r.Correct++
			}
		}
	}

	r.Accepted = found.Len()
	r.Solved = min(r.Accepted, 1)
	r.SolvedAtMost = r.Solved
	return r
}

// What a log is asked is answered as a fresh run of those settings would be, question by question;
// where the log does not suffice, the replay says so, and what it counts is no more than the fresh
// run has.
func TestReplayEqualsAFreshRun(t *testing.T) {
	for name, test := range map[string]struct {
		preset string
		change func(*mcts.Config)
		whole  string // for which questions the log suffices
	}{
		"as it was run":         {"paper", func(*mcts.Config) {}, "all"},
		"as it was run, lanes":  {"efficient", func(*mcts.Config) {}, "all"},
		"fewer trees":           {"paper", func(c *mcts.Config) { c.Trees = 1 }, "all"},
		"fewer trees, lanes":    {"efficient", func(c *mcts.Config) { c.Trees = 1 }, "all"},
		"fewer simulations":     {"paper", func(c *mcts.Config) { c.Simulations = 2 }, "all"},
		"other priors":          {"paper", func(c *mcts.Config) { c.CPUCT = 8 }, "some"},
		"another selection":     {"paper", func(c *mcts.Config) { c.RolloutNodes = mcts.Visible }, "some"},
		"another N(s)":          {"paper", func(c *mcts.Config) { c.ParentVisits = mcts.ChildVisits }, "all"},
		"one answer a question": {"efficient", func(c *mcts.Config) { c.Enough = 1 }, "some"},
		"an end of questions":   {"paper", func(c *mcts.Config) { c.Enough = 2 }, "none"},
		"no end of questions":   {"efficient", func(c *mcts.Config) { c.Enough, c.Barren, c.Widen = 0, 0, 0 }, "none"},
		"more trees":            {"paper", func(c *mcts.Config) { c.Trees = 4 }, "none"},
		"siblings merged":       {"paper", func(c *mcts.Config) { c.Duplicates = mcts.SameAction }, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			ran := options(presets()[test.preset], &model{}, open(t, database(t)))
			collected(t, ran)

			config := presets()[test.preset]
			test.change(&config)

			again := options(config, &model{}, open(t, database(t)))
			collected(t, again)

			whole := 0

			for _, q := range ran.Questions {
				o := options(config, nil, ran.Store)
				o.Questions = []collect.Question{q}

				got, err := collect.Replay(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}

				want := fresh(t, again, q)
				whole += got.Whole

				if got.Whole == 1 {
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Errorf("question %s (-fresh +replayed):\n%s", q.Task.ID, diff)
					}

					continue
				}

				checkLacking(t, got, want)
			}

			suffices := map[int]string{0: "none", len(ran.Questions): "all"}
			if got := cmp.Or(suffices[whole], "some"); got != test.whole {
				t.Errorf("the log suffices for %s, %d, of the questions, want %s", got, whole, test.whole)
			}
		})
	}
}

// checkLacking holds what is said of a question for which the log does not suffice against a fresh
// run.
func checkLacking(t *testing.T, got, want collect.Replayed) {
	t.Helper()

	if len(got.Lacking) == 0 || got.SolvedAtMost != 1 {
		t.Errorf("a question is not whole, and nothing is lacking: %+v", got)
	}

	if share := float64(len(got.Lacking)) / float64(got.Calls+len(got.Lacking)); got.LackedShare != share {
		t.Errorf("the log lacked %v of the answers, want %v", got.LackedShare, share)
	}

	if got.Solved > want.Solved || got.Accepted > want.Accepted || got.Correct > want.Correct ||
		got.Calls >= want.Calls || got.Nodes > want.Nodes || got.Trees > want.Trees {
		t.Errorf("a replay that lacks something has more than a fresh run (-fresh +replayed):\n%s",
			gocmp.Diff(want, got))
	}
}

// A log that lacks what a tool said within the prefix lacks its tree.
func TestReplayWithoutPrefix(t *testing.T) {
	o := options(paper(), nil, open(t, database(t)))
	o.Env = &estate{Maze: envtest.NewMaze(), stepped: func() error { return envs.ErrNotRemembered }}
	o.Questions = o.Questions[:1]
	o.Questions[0].Prefix = []envs.Action{"right"}

	r, err := collect.Replay(t.Context(), o)
	if err != nil || len(r.Lacking) != o.Search.Trees || r.Nodes != 0 || r.SolvedAtMost != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The number of workers does not change what a replay finds, and a log without answers gives none.
func TestReplayOfNothing(t *testing.T) {
	o := options(paper(), nil, open(t, database(t)))

	var results []collect.Replayed

	for _, workers := range []int{1, 8} {
		o.Workers = workers

		r, err := collect.Replay(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}

		results = append(results, r)
	}

	if diff := gocmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("8 workers (-1 +8):\n%s", diff)
	}

	r := results[0]
	if r.Whole != 0 || r.Solved != 0 || r.SolvedAtMost != len(o.Questions) || r.Calls != 0 || r.LackedShare != 1 {
		t.Errorf("an empty log gives %+v", r)
	}
}
