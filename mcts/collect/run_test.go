package collect_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
)

// One worker and eight store the same trees, make the same calls, and count the same.
func TestWorkersChangeNothing(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			var want map[string][]*mcts.TreeRecord
			var calls map[string]int
			var counts collect.Snapshot

			for _, workers := range []int{1, 8, 2, 8} {
				m := &model{}
				o := options(config, m, open(t, database(t)))
				o.Workers = workers

				snapshot, err := collect.Run(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}

				got := stored(t, o)
				proven(t, o)

				if want == nil {
					want, calls, counts = got, m.answered, snapshot
					unlike(t, config, want)
					continue
				}

				same(t, want, got)

				if diff := cmp.Diff(calls, m.answered); diff != "" {
					t.Errorf("%d workers make other calls:\n%s", workers, diff)
				}

				if diff := cmp.Diff(counts, snapshot); diff != "" {
					t.Errorf("%d workers count otherwise:\n%s", workers, diff)
				}
			}
		})
	}
}

// unlike fails the test when the questions are not of the difficulties that a comparison needs to
// show anything.
func unlike(t *testing.T, c mcts.Config, trees map[string][]*mcts.TreeRecord) {
	t.Helper()

	fewest, most, solved := c.Trees, 0, 0
	for _, of := range trees {
		fewest, most = min(fewest, len(of)), max(most, len(of))
		if foundIn(of).Len() > 0 {
			solved++
		}
	}

	if solved == 0 || solved == len(trees) {
		t.Errorf("%d of %d questions are solved: the test shows nothing", solved, len(trees))
	}

	if c.Enough > 0 && fewest == most {
		t.Errorf("every question has %d trees: nothing depends on what was found", most)
	}

	if c.Enough == 0 && (fewest != c.Trees || most != c.Trees) {
		t.Errorf("questions have %d to %d trees, want %d", fewest, most, c.Trees)
	}
}

// solving is a policy whose tree number n of a question is the first to find the way; before, every
// answer is wrong.
func solving(first map[string]int) *model {
	return &model{write: func(r mcts.Request, _ int, _ *rand.Rand) string {
		if n, ok := first[r.Node.Question]; !ok || r.Node.Tree < n {
			return "stop"
		}
		return string(envtest.MazeSolutions()[0][r.History.Len()])
	}}
}

// foundIn is what the trees of a question found.
func foundIn(trees []*mcts.TreeRecord) *mcts.Found {
	found := mcts.NewFound(envs.Task{ID: trees[0].Question}, nil)
	for _, tree := range trees {
		found.Add(tree)
	}
	return found
}

// A question ends when it has enough; it is given up after so many trees in a row that found
// nothing new, and one more for each trajectory that it has; and no question has more trees than
// planned. None of it depends on other questions.
func TestWhenAQuestionEnds(t *testing.T) {
	const never = 99
	for _, test := range []struct {
		name                  string
		trees, enough, barren int
		first                 int // the tree that is the first to find the way; the later ones find the same
		want                  int
	}{
		{"enough at once", 9, 1, 2, 0, 1},
		{"enough in the last chance", 9, 1, 3, 2, 3},
		{"given up", 9, 1, 3, 3, 3},
		{"never given up", 9, 1, 0, never, 9},
		{"all trees", 2, 1, 3, never, 2},
		{"given up after an answer", 9, 2, 2, 1, 1 + 1 + 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := efficient()
			c.Trees, c.Enough, c.Barren = test.trees, test.enough, test.barren
			var grown []*mcts.TreeRecord

			for _, others := range [][]string{nil, {"another", "and another"}} {
				o := options(c, solving(map[string]int{"it": test.first, "another": 0}), open(t, database(t)))
				o.Questions = questions(append([]string{"it"}, others...)...)
				got := collected(t, o)["it"]
				proven(t, o)

				if len(got) != test.want {
					t.Errorf("%d trees, want %d", len(got), test.want)
				}

				if diff := cmp.Diff(grown, got); grown != nil && diff != "" {
					t.Errorf("beside other questions the trees are others:\n%s", diff)
				}

				grown = got
			}
		})
	}
}

func TestMaxDepthOfAQuestion(t *testing.T) {
	o := options(paper(), &model{}, open(t, database(t)))
	trees := collected(t, o)
	deepest := map[string]int{}

	for id, of := range trees {
		for _, tree := range of {
			for _, n := range tree.Nodes {
				deepest[id] = max(deepest[id], n.Depth)
			}
		}
	}

	if deepest["easy-1"] != 5 || deepest["hard-0"] != 6 {
		t.Errorf("the deepest nodes have %d and %d turns, want 5 (its own limit of 4) and 6", deepest["easy-1"],
			deepest["hard-0"])
	}
}

// The counters agree with the store, with what the model saw, and with each other.
func TestSnapshot(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			m, progress := &model{}, &collect.Progress{}
			o := options(config, m, open(t, database(t)))
			o.Progress = progress

			first, err := collect.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}

			want := collect.Snapshot{Questions: 6, QuestionsDone: 6, Asked: int64(m.calls), Samples: int64(m.samples)}
			trees, calls := 0, 0

			for _, of := range stored(t, o) {
				for _, tree := range of {
					trees++
					calls += tree.Calls
					want.Turns += int64(len(tree.Nodes) - 1)

					for _, n := range tree.Nodes {
						if n.Outcome == envs.Correct {
							want.Correct++
						}
					}
				}

				found := foundIn(of)

				want.Accepted += int64(found.Len())
				if found.Len() > 0 {
					want.Solved++
				}
			}

			want.Trees, want.TreesPlanned, want.TreesDone = int64(trees), first.TreesPlanned, first.TreesPlanned
			if diff := cmp.Diff(want, first); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}

			if first.Asked != int64(calls) || first.TreesPlanned < int64(trees) {
				t.Errorf("%d calls and %d trees planned, the trees have %d calls and are %d", first.Asked,
					first.TreesPlanned, calls, trees)
			}

			if progress.Snapshot() != first {
				t.Errorf("the progress says %+v, the run returned %+v", progress.Snapshot(), first)
			}

			o.Progress = nil

			again, err := collect.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}

			want.Asked, want.Samples, want.TreesLoaded, want.QuestionsReplayed = 0, 0, int64(trees), 6
			if diff := cmp.Diff(want, again); diff != "" {
				t.Errorf("run again, -want +got:\n%s", diff)
			}

			for _, q := range o.Questions {
				if err := o.Store.DropTrees(context.Background(), q.Task.ID, 0); err != nil {
					t.Fatal(err)
				}
			}

			folded, err := collect.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}

			want.Replayed, want.TreesLoaded = int64(calls), 0
			if diff := cmp.Diff(want, folded); diff != "" {
				t.Errorf("grown again from the log, -want +got:\n%s", diff)
			}
		})
	}
}

// An interruption begins no call, and waits for the four that a server is answering: they are
// logged, their trees are not there yet, and the next run goes on from the log.
func TestInterrupted(t *testing.T) {
	whole := collected(t, options(paper(), &model{}, open(t, database(t))))
	ctx, interrupt := mcts.Interruptible(t.Context())
	all := make(chan struct{})
	var mu sync.Mutex
	asked := 0
	m := &model{}
	m.asked = func(mcts.Request, int) error {
		mu.Lock()
		if asked++; asked == 4 {
			interrupt()
			close(all)
		}
		mu.Unlock()
		<-all // every worker has asked

		return nil
	}

	path := database(t)
	o := options(paper(), m, open(t, path))

	snapshot, err := collect.Run(ctx, o)
	if !errors.Is(err, context.Canceled) || asked != 4 || m.running != 0 {
		t.Fatalf("%d calls, %d still running, error %v; want 4, 0, cancelled", asked, m.running, err)
	}

	if n := len(logged(t, path)); n != 4 || len(stored(t, o)) != 0 || snapshot.TreesDone != 0 {
		t.Errorf("%d calls logged, %d questions with trees, %d trees counted; want 4, 0, 0", n, len(stored(t, o)),
			snapshot.TreesDone)
	}

	o.Policy = &model{}
	same(t, whole, collected(t, o))
}

func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	m := &model{}

	o := options(efficient(), m, open(t, database(t)))
	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || m.calls != 0 {
		t.Errorf("%d calls and %v", m.calls, err)
	}

	if _, err := collect.Verify(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("verified: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	s := open(t, database(t))
	for _, test := range []struct {
		name, want string
		change     func(*collect.Options)
	}{
		{"search", "trees is 0", func(o *collect.Options) { o.Search.Trees = 0 }},
		{"workers", "workers is 0", func(o *collect.Options) { o.Workers = 0 }},
		{"attempts", "attempts is -1", func(o *collect.Options) { o.Retry.Attempts = -1 }},
		{"no ID", `"" is empty or occurs twice`, func(o *collect.Options) { o.Questions = questions("a", "") }},
		{"an ID twice", `"a" is empty or occurs twice`,
			func(o *collect.Options) { o.Questions = questions("a", "b", "a") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &model{}
			o := options(paper(), m, s)
			test.change(&o)
			_, runs := collect.Run(context.Background(), o)

			_, verifies := collect.Verify(context.Background(), o)
			for _, err := range []error{runs, verifies} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error is %v, want one with %q", err, test.want)
				}
			}

			if m.calls != 0 {
				t.Errorf("%d calls were made", m.calls)
			}
		})
	}
}

// Whatever a model writes is stored, and the log gives the same tree again.
func TestHostileText(t *testing.T) {
	texts := []string{"\xff\xfe", "right \xc3", "\x00", "", " \n\t", strings.Repeat("[", 1<<20), "climb\r\n", "right",
		"stop"}

	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			config.Simulations, config.Trees = 2, 1
			m := &model{write: func(_ mcts.Request, _ int,
				rng *rand.Rand) string {
				return texts[rng.IntN(len(texts))]
			}}
			o := options(config, m, open(t, database(t)))
			o.Questions = o.Questions[:3]
			trees := collected(t, o)
			proven(t, o)

			actions := map[string]bool{}

			for _, of := range trees {
				for _, tree := range of {
					for _, n := range tree.Nodes {
						actions[n.Action] = true
						if n.Outcome == envs.OK && strings.HasPrefix(n.Action, "[") {
							t.Error("a megabyte of brackets is a move")
						}
					}
				}
			}

			for _, want := range []string{"\uFFFD", "right \uFFFD", "\x00", strings.Repeat("[", 1<<20)} {
				if !actions[want] {
					t.Errorf("%.20q was never tried: the test shows nothing", want)
				}
			}
		})
	}
}
