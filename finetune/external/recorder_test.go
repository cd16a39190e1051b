package external

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/openenv"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// played plays actions in an environment, as a client that then goes away, or answers.
func played(t *testing.T, env envs.Environment, task envs.Task, actions ...envs.Action) openenv.Episode {
	t.Helper()

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	e := openenv.Episode{Start: state, Version: "new", Env: env}

	for _, a := range actions {
		next, err := env.Step(t.Context(), state, a)
		if err != nil {
			t.Fatal(err)
		}

		state = next.State
		e.Turns = append(e.Turns, next)
	}

	e.Silent = state.Status() == envs.Running && len(actions) < maxTurns
	return e
}

const (
	maxTurns = 3
	price    = "Thought: \nAction: Price\nAction Input: {\"item\": \"pear\"}"
	quote    = "Thought: \nAction: Quote\nAction Input: {\"article\": \"pear\"}"
	answer   = "Thought: \nAction: Finish\nAction Input: {\"answer\": \"9\"}"
)

// What is recorded can be played again from the run, and goes on where an earlier recorder ended.
func TestRecorder(t *testing.T) {
	s, err := suitetest.Shop{}.Open(t.Context(), suite.Choice{
		Split: "train", Prompt: "old", Environment: dynamic.Settings{UpdateTool: true},
	})
	if err != nil {
		t.Fatal(err)
	}

	env, err := s.Environment("new", nil)
	if err != nil {
		t.Fatal(err)
	}

	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "run.db"))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})

	task := s.Tasks()[4]
	if task.ID != "fruit-train-pear-03" {
		t.Fatal(task.ID)
	}

	for i, actions := range [][]envs.Action{{price, quote, answer}, {price}, {"nonsense", price, price}} {
		r, err := NewRecorder(t.Context(), db, "external:me", maxTurns)
		if err != nil || r.Done() != int64(i) {
			t.Fatal(r.Done(), err)
		}

		if err := r.Record(t.Context(), played(t, env, task, actions...)); err != nil {
			t.Fatal(err)
		}
	}

	job := finetune.Job{
		Cell: finetune.CellOf("external:me", "new", task.Labels), Env: env, Tasks: []envs.Task{task},
		MaxTurns: maxTurns,
	}
	name := job.Episode(task)
	job.Played = map[string]int{name: 3}

	v, err := finetune.Verify(t.Context(), []finetune.Job{job},
		finetune.Options{Store: db, Workers: 1, Retry: mcts.Retry{Attempts: 1}})
	if err != nil || len(v.Problems) > 0 || v.Episodes != 3 || v.Missing != 0 {
		t.Errorf("%+v, %v", v, err)
	}

	var ends []string

	for i := range 3 {
		tree, ok, err := db.LoadTree(t.Context(), name, i)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}

		last := tree.Nodes[len(tree.Nodes)-1]
		ends = append(ends, last.Outcome.String()+" "+string(last.Limit))
	}

	if diff := cmp.Diff([]string{"correct ", "deprecated silence", "deprecated depth"}, ends); diff != "" {
		t.Error(diff)
	}
}

// What cannot be kept is an error, and leaves nothing: no episode, and no gap before the next.
func TestRecorderFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")

	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	r, err := NewRecorder(t.Context(), db, "external:me", maxTurns)
	if err != nil {
		t.Fatal(err)
	}

	s, err := suitetest.Shop{}.Open(context.Background(),
		suite.Choice{Split: "train", Prompt: "old"})
	if err != nil {
		t.Fatal(err)
	}

	env, err := s.Environment("new", nil)
	if err != nil {
		t.Fatal(err)
	}

	task := s.Tasks()[0]
	episode := played(t, env, task, price)

	other, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	// The disk is full for a moment.
	full := "CREATE TRIGGER full BEFORE INSERT ON trees BEGIN SELECT RAISE(ABORT, 'full'); END"
	if _, err := other.ExecContext(t.Context(), full); err != nil {
		t.Fatal(err)
	}

	if err := r.Record(t.Context(), episode); err == nil || r.Done() != 0 {
		t.Errorf("%v, %d recorded", err, r.Done())
	}

	if _, err := other.ExecContext(t.Context(), "DROP TRIGGER full"); err != nil {
		t.Fatal(err)
	}

	if err := r.Record(t.Context(), episode); err != nil || r.Done() != 1 {
		t.Errorf("%v, %d recorded", err, r.Done())
	}

	job := finetune.Job{Cell: finetune.CellOf("external:me", "new", task.Labels)}
	if _, first, err := db.LoadTree(t.Context(), job.Episode(task), 0); err != nil || !first {
		t.Errorf("the first episode is missing: %v", err)
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	if err := r.Record(t.Context(), episode); err == nil || r.Done() != 1 {
		t.Errorf("%v, %d recorded", err, r.Done())
	}
}
