package main

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolevo/finetune/stored"
	"toolevo/mcts"
)

// TestDamagedRuns holds that no command walks a tree that goes in circles or out of itself, or
// reads something that is not a table.
func TestDamagedRuns(t *testing.T) {
	t.Parallel()

	tree := func(change func(*mcts.TreeRecord)) func(*testing.T, string, string) {
		return func(t *testing.T, run, question string) {
			r := reopened(t, run)

			record, ok, err := r.LoadTree(t.Context(), question, 0)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}

			change(record)

			if err := errors.Join(r.SaveTree(t.Context(), record), r.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	execute := func(queries ...string) func(*testing.T, string, string) {
		return func(t *testing.T, run, _ string) {
			db, err := sql.Open("sqlite3", filepath.Join(run, "run.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()

			for _, query := range queries {
				if _, err := db.Exec(query); err != nil {
					t.Fatal(err)
				}
			}
		}
	}

	for name, harm := range map[string]func(t *testing.T, run, question string){
		"a node that is its own parent": tree(func(r *mcts.TreeRecord) { r.Nodes[1].Parent = 1 }),
		"a parent out of range":         tree(func(r *mcts.TreeRecord) { r.Nodes[1].Parent = 1 << 40 }),
		"a depth out of range":          tree(func(r *mcts.TreeRecord) { r.Nodes[1].Depth = 1 << 40 }),
		"no nodes":                      tree(func(r *mcts.TreeRecord) { r.Nodes = nil }),
		"an endless view": execute(`ALTER TABLE trees RENAME TO other`,
			`CREATE VIEW trees AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n AS question, n AS tree, n AS record, n AS hash FROM r`),
		"flipped bits": execute(`UPDATE trees SET hash = hash + 1`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(run, os.DirFS(smallRun(t))); err != nil {
				t.Fatal(err)
			}

			v, err := stored.Open(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}

			question := v.Questions[0].ID
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}

			harm(t, run, question)

			for _, args := range [][]string{
				{"inspect", run, question, "0"},
				{"inspect", run, question, "0", "1"},
				{"inspect", run, question},
				{"inspect", run},
				{"check", run, "--data", smallData(t)},
				{"collect", "--resume", "--out", run, "--data", smallData(t), "--policy", "scripted:noisy"},
			} {
				r := cli(t, args...)
				if r.code != exitBad {
					t.Errorf("%s: exit %d, want %d\n%s", args, r.code, exitBad, r.err)
				}

				says(t, args[0], r.out+r.err, "damaged")
			}
		})
	}
}
