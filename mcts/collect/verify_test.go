package collect_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
)

// A run that is as it was made has no problems, whoever looks and however often.
func TestVerifyACleanRun(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			path := database(t)
			s := open(t, path)
			o := options(config, &model{}, s)
			trees, calls := 0, 0

			for _, of := range collected(t, o) {
				for _, tree := range of {
					trees++
					calls += tree.Calls
				}
			}

			reader, err := store.OpenReadOnly(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()

			for _, workers := range []int{1, 8} {
				o := options(config, nil, reader)

				o.Workers = workers
				if diff := cmp.Diff(collect.Verification{Trees: trees, Calls: calls, Problems: []string{}},
					proven(t, o)); diff != "" {
					t.Errorf("%d workers (-want +got):\n%s", workers, diff)
				}
			}
		})
	}
}

// A verification that cannot fail proves nothing: each of these changes to the database is found.
// Most are made by the store itself, so that each row has the hash of what it holds.
func TestVerifyFindsTampering(t *testing.T) {
	type run struct {
		path  string
		store *store.Store
		asked map[string]mcts.Request // by key
	}
	tree := func(question string, index int, change func(*mcts.TreeRecord)) func(*testing.T, run) {
		return func(t *testing.T, r run) {
			record, ok, err := r.store.LoadTree(t.Context(), question, index)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}

			change(record)

			if err := r.store.SaveTree(t.Context(), record); err != nil {
				t.Fatal(err)
			}
		}
	}
	call := func(key string, change func(*mcts.Request), text string) func(*testing.T, run) {
		return func(t *testing.T, r run) {
			request := r.asked[key]
			tamper(t, r.path, `DELETE FROM calls WHERE path = '0' AND tree = 0 AND question =
				(SELECT id FROM questions WHERE name = '`+request.Node.Question+`')`)
			change(&request)

			says := &model{write: func(mcts.Request, int, *rand.Rand) string { return text }}

			p, err := r.store.Policy(t.Context(), request.Node.Question, 0, says)
			if err == nil {
				_, err = p.Propose(t.Context(), request)
			}

			if err != nil {
				t.Fatal(err)
			}
		}
	}
	query := func(query string) func(*testing.T, run) {
		return func(t *testing.T, r run) { tamper(t, r.path, query) }
	}

	for _, test := range []struct {
		name   string
		change func(*testing.T, run)
		want   string
	}{
		{"an observation", tree("hard-0", 1, func(t *mcts.TreeRecord) { t.Nodes[3].Observation += "!" }),
			"question hard-0, tree 1: node 3 is"},
		{"an action", tree("never-0", 0, func(t *mcts.TreeRecord) { t.Nodes[1].Action = "stop" }),
			"question never-0, tree 0: node 1 is"},
		{"a visit", tree("easy-1", 0, func(t *mcts.TreeRecord) { t.Nodes[0].Visits++ }),
			"question easy-1, tree 0: node 0 is"},
		{"a value", tree("easy-1", 0, func(t *mcts.TreeRecord) { t.Nodes[0].TotalValue -= 0.5 }), "node 0 is"},
		{"a prior", tree("hard-1", 0, func(t *mcts.TreeRecord) { t.Nodes[2].Prior /= 2 }),
			"question hard-1, tree 0: node 2 is"},
		{"a grade", tree("never-0", 1, func(t *mcts.TreeRecord) { t.Nodes[1].Grade.Strict = !t.Nodes[1].Grade.Strict }),
			"question never-0, tree 1: node 1 is"},
		{"a maker", tree("never-0", 1, func(t *mcts.TreeRecord) { t.Nodes[1].Maker = "nobody" }),
			"question never-0, tree 1: node 1 is"},
		{"a lost node", tree("hard-0", 0, func(t *mcts.TreeRecord) { t.Nodes = t.Nodes[:len(t.Nodes)-1] }),
			"nodes in the store"},
		{"a seed", tree("easy-0", 0, func(t *mcts.TreeRecord) { t.Seed++ }), "question easy-0, tree 0: is {"},
		{"a count", tree("easy-0", 0, func(t *mcts.TreeRecord) { t.Simulations-- }), "question easy-0, tree 0: is {"},
		{"a tree without nodes", tree("hard-0", 0, func(t *mcts.TreeRecord) { t.Nodes = nil }),
			"question hard-0, tree 0: the run's database is damaged"},

		{"an answer", call("hard-1/0/0+0", func(*mcts.Request) {}, "fly"), "question hard-1, tree 0:"},
		{"a call's seed", call("never-0/0/0+0", func(r *mcts.Request) { r.Seed++ }, "fly"), "another configuration"},
		{"what a call showed", call("never-0/0/0+0", func(r *mcts.Request) { r.History = r.History.Learn("a tool") },
			"fly"), "something other than the model would see now"},
		{"a lost call", query(`DELETE FROM calls WHERE tree = 1 AND path = '0' AND question = (SELECT id FROM questions WHERE name = 'never-0')`),
			"question never-0, tree 1: cannot be grown from the log"},

		{"a bit of a call", query(`UPDATE calls SET n = n + 1 WHERE question = 1 AND path = '0'`),
			"is not as it was written"},
		{"a bit of a tree", query(`UPDATE trees SET record = CAST(record || 'x' AS BLOB) WHERE question = 1`),
			"is not as it was written"},
		{"another question's calls", query(`UPDATE questions SET name = 'other' WHERE id = 1`),
			"question other, tree 0"},
	} {
		for preset, config := range presets() {
			t.Run(preset+"/"+test.name, func(t *testing.T) {
				path := database(t)
				var mu sync.Mutex
				r := run{path, open(t, path), map[string]mcts.Request{}}
				o := options(config, &model{asked: func(request mcts.Request, _ int) error {
					mu.Lock()
					defer mu.Unlock()

					r.asked[key(request)] = request
					return nil
				}}, r.store)
				collected(t, o)
				test.change(t, r)

				v, err := collect.Verify(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}

				if !strings.Contains(strings.Join(v.Problems, "\n"), test.want) {
					t.Errorf("problems are %q, want one with %q", v.Problems, test.want)
				}
			})
		}
	}
}

// A tree that is not finished is compared with the log, too, as far as the log goes.
func TestVerifyFindsAnotherHistoryInUnfinishedTrees(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			o := options(config, &model{}, open(t, database(t)))
			collected(t, o)

			for _, q := range o.Questions {
				if err := o.Store.DropTrees(t.Context(), q.Task.ID, 0); err != nil {
					t.Fatal(err)
				}
			}

			if v, err := collect.Verify(t.Context(), o); err != nil || len(v.Problems) > 0 || v.Trees > 0 {
				t.Fatal(v, err)
			}

			// A build that shows the model something else.
			o.Env = &estate{Maze: envtest.NewMaze(), teaches: true}

			v, err := collect.Verify(t.Context(), o)
			if err != nil || len(v.Problems) < len(o.Questions) {
				t.Errorf("problems are %q, %v, want one for each question at least", v.Problems, err)
			}
			// To go on with it is refused.
			if _, err := collect.Run(t.Context(), o); !errors.Is(err, store.ErrHistory) {
				t.Errorf("the run goes on: %v", err)
			}
		})
	}
}

// remote is an estate whose steps need a tool that is no pure function of anything.
type remote struct {
	*estate
	memory envs.Memory
	call   func() error
}

func (r remote) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	key := fmt.Sprint(s.History().Hash(), a)
	_, err := envs.Remembered(ctx, r.memory, key, func() (envs.Result, error) {
		return envs.Result{}, r.call()
	})
	if err != nil {
		return envs.Transition{}, envs.Fail(envs.StageTool, "call", err)
	}
	return r.estate.Step(ctx, s, a)
}

// An interruption between a model's answer and the tool call that it asks for leaves an answer in
// the log and no result: whoever looks at the run calls no tool for it.
func TestVerifyCallsNoTools(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := mcts.Interruptible(t.Context())
			path, calls := database(t), 0
			s := open(t, path)

			o := options(config, &model{}, s)
			o.Workers, o.Env = 1, remote{&estate{Maze: envtest.NewMaze()}, s, func() error {
				if calls++; calls == 5 {
					interrupt()
					return ctx.Err()
				}
				return nil
			}}

			if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || calls != 5 {
				t.Fatalf("%d calls, %v", calls, err)
			}

			reader, err := store.OpenReadOnly(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()

			o.Store, o.Policy = reader, nil
			o.Env = remote{&estate{Maze: envtest.NewMaze()}, reader, func() error {
				t.Error("a tool is called")
				return nil
			}}

			v, err := collect.Verify(t.Context(), o)
			if err != nil || len(v.Problems) > 0 || v.Calls == 0 {
				t.Errorf("%+v, %v; want no problem", v, err)
			}

			// What the interrupted tree lacks is an answer of the log's.
			if r, err := collect.Replay(t.Context(), o); err != nil || len(r.Lacking) == 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// tamper changes a database behind the store's back.
func tamper(t *testing.T, path, change string) {
	t.Helper()

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	r, err := db.Exec(change)
	if err != nil {
		t.Fatal(err)
	}

	if n, err := r.RowsAffected(); n == 0 || err != nil {
		t.Fatalf("%d rows were changed (%v): the test shows nothing", n, err)
	}
}

// Problems are told in the order of the questions and trees.
func TestVerifyOrder(t *testing.T) {
	o := options(paper(), &model{}, open(t, database(t)))
	for _, trees := range collected(t, o) {
		for _, tree := range trees[1:] {
			tree.Idle++
			if err := o.Store.SaveTree(t.Context(), tree); err != nil {
				t.Fatal(err)
			}
		}
	}

	o.Workers = 8

	v, err := collect.Verify(context.Background(), o)
	if err != nil || len(v.Problems) != 12 {
		t.Fatal(v.Problems, err)
	}

	for i, p := range v.Problems {
		want := "question " + o.Questions[i/2].Task.ID + ", tree " + []string{"1", "2"}[i%2]
		if !strings.HasPrefix(p, want) {
			t.Errorf("problem %d is %q, want that of %s", i, p, want)
		}
	}
}

// What is missing is counted: trees a run did not come to, and trees that it gave up.
func TestVerifyCountsMissingTrees(t *testing.T) {
	missing := func(t *testing.T, o collect.Options) int {
		t.Helper()

		v, err := collect.Verify(context.Background(), o)
		if err != nil || len(v.Problems) > 0 {
			t.Fatal(v.Problems, err)
		}
		return v.Missing
	}
	t.Run("paper", func(t *testing.T) {
		o := options(paper(), &model{}, open(t, database(t)))
		if n := missing(t, o); n != 18 {
			t.Errorf("before the run %d trees are missing, want 18", n)
		}

		collected(t, o)

		if err := o.Store.DropTrees(context.Background(), "hard-0", 1); err != nil {
			t.Fatal(err)
		}

		if n := missing(t, o); n != 2 {
			t.Errorf("%d trees are missing, two were dropped", n)
		}
	})
	t.Run("efficient", func(t *testing.T) {
		// Tree 0 of the first question is given up, its tree 1 finds enough; the second has a gap
		// among its shared trees.
		config := efficient()
		config.Enough, config.Trees = 1, 2
		s := open(t, database(t))
		m := solving(map[string]int{"easy-0": 1, "easy-1": 0, "easy-2": 0})
		m.asked = func(r mcts.Request, _ int) error {
			if treeOf(r) == "easy-0/0" {
				return errGone
			}
			return nil
		}
		o := options(config, m, s)

		o.Questions = questions("easy-0", "never-0")
		if _, err := collect.Run(context.Background(), o); err == nil {
			t.Fatal("nothing failed: the test shows nothing")
		}

		if n := missing(t, o); n != 1 {
			t.Errorf("%d trees are missing, one was given up", n)
		}

		o.Questions = questions("easy-1", "easy-2")
		if n := missing(t, o); n != 4 {
			t.Errorf("before the run %d trees are missing, want 4", n)
		}

		collected(t, o)

		if n := missing(t, o); n != 0 {
			t.Errorf("%d trees are missing, yet both questions have enough", n)
		}
	})
}
