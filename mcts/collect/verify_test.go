package collect_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				if diff := cmp.Diff(collect.Verification{Trees: trees, Calls: calls, Problems: []string{}}, proven(t, o)); diff != "" {
					t.Errorf("%d workers (-want +got):\n%s", workers, diff)
				}
			}
		})
	}
}

// A verification that cannot fail proves nothing: each of these changes to the database is found.
func TestVerifyFindsTampering(t *testing.T) {
	for _, test := range []struct{ name, change, want string }{
		{"an observation", `UPDATE nodes SET observation = observation || '!' WHERE question = 'hard-0' AND tree = 1 AND id = 3`, "question hard-0, tree 1: node 3 is"},
		{"an action", `UPDATE nodes SET action = 'stop' WHERE question = 'never-0' AND tree = 0 AND id = 1`, "question never-0, tree 0: node 1 is"},
		{"a visit", `UPDATE nodes SET visits = visits + 1 WHERE question = 'easy-1' AND tree = 0 AND id = 0`, "question easy-1, tree 0: node 0 is"},
		{"a value", `UPDATE nodes SET total_value = -total_value - 1 WHERE question = 'easy-1' AND tree = 0 AND id = 0`, "node 0 is"},
		{"a prior", `UPDATE nodes SET prior = prior / 2 WHERE question = 'hard-1' AND tree = 0 AND id = 2`, "question hard-1, tree 0: node 2 is"},
		{"a grade", `UPDATE nodes SET strict = 1 - strict WHERE question = 'never-0' AND tree = 2 AND id = 1`, "question never-0, tree 2: node 1 is"},
		{"a lost node", `DELETE FROM nodes WHERE question = 'hard-0' AND tree = 0 AND id = (SELECT max(id) FROM nodes WHERE question = 'hard-0' AND tree = 0)`, "nodes in the store"},
		{"a tree without nodes", `DELETE FROM nodes WHERE question = 'hard-0' AND tree = 0`, "has 0 nodes in the store"},
		{"a seed", `UPDATE trees SET seed = seed + 1 WHERE question = 'easy-0' AND tree = 0`, "question easy-0, tree 0: is {"},
		{"a count", `UPDATE trees SET simulations = simulations - 1 WHERE question = 'easy-0' AND tree = 0`, "question easy-0, tree 0: is {"},
		{"a lost call", `DELETE FROM calls WHERE question = 'never-0' AND tree = 1 AND path = '0'`, "question never-0, tree 1: cannot be grown from the log"},
		{"an answer", `UPDATE calls SET proposals = replace(proposals, '"text":"', '"text":"fly ') WHERE question = 'hard-1' AND tree = 0 AND path = '0'`, "question hard-1, tree 0:"},
		{"an answer that is none", `UPDATE calls SET proposals = '[' WHERE question = 'hard-1' AND tree = 0 AND path = '0'`, "cannot be grown from the log"},
		{"a call's seed", `UPDATE calls SET seed = seed + 1 WHERE question = 'never-0' AND tree = 0 AND path = '0'`, "another configuration"},
	} {
		for preset, config := range presets() {
			t.Run(preset+"/"+test.name, func(t *testing.T) {
				path := database(t)
				s := open(t, path)
				o := options(config, &model{}, s)
				collected(t, o)
				tamper(t, path, test.change)
				v, err := collect.Verify(context.Background(), o)
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

// A row that cannot be read is a failure to verify.
func TestVerifyUnreadableRows(t *testing.T) {
	path := database(t)
	o := options(paper(), &model{}, open(t, path))
	collected(t, o)
	tamper(t, path, `UPDATE nodes SET outcome = 'splendid' WHERE question = 'easy-0' AND tree = 0 AND id = 1`)
	if _, err := collect.Verify(context.Background(), o); err == nil || !strings.Contains(err.Error(), "splendid") {
		t.Errorf("error is %v", err)
	}
}

// Problems are told in the order of the questions and trees.
func TestVerifyOrder(t *testing.T) {
	path := database(t)
	o := options(paper(), &model{}, open(t, path))
	collected(t, o)
	tamper(t, path, `UPDATE trees SET idle = idle + 1 WHERE tree IN (1, 2)`)
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
		// Tree 0 of the first question is given up, its tree 1 finds enough; the second has a gap among its shared trees.
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
