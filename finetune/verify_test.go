package finetune_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// files writes the episodes of an evaluation, and returns the bytes of both files.
func files(t *testing.T, o finetune.Options, lost finetune.Lost, j finetune.Job) (parquet, lines []byte) {
	t.Helper()
	dir := t.TempDir()

	n, err := trajectories.WriteEpisodes(t.Context(), dir, episodes(o, lost, j))
	if err != nil || n != len(j.Tasks) {
		t.Fatalf("%d episodes written of %d, %v", n, len(j.Tasks), err)
	}

	if _, problem, err := trajectories.CompareEpisodes(dir, episodes(o, lost, j)); problem != "" || err != nil {
		t.Errorf("they are read as others: %s, %v", problem, err)
	}

	parquet, err = os.ReadFile(filepath.Join(dir, trajectories.EpisodesParquet))
	if err != nil {
		t.Fatal(err)
	}

	lines, err = os.ReadFile(filepath.Join(dir, trajectories.EpisodesJSONL))
	if err != nil {
		t.Fatal(err)
	}
	return parquet, lines
}

// One worker or eight, in one go or interrupted: the files hold the same bytes.
func TestFilesOfEpisodes(t *testing.T) {
	play := func(workers int, interruptions ...int) (parquet, lines []byte) {
		o := options(t)
		o.Workers = workers

		for _, after := range append(interruptions, 1000) {
			ctx, cancel := context.WithCancel(t.Context())
			w, of := mixed()
			w.asked = func(_ mcts.Request, before int) error {
				if before >= after {
					cancel()
					return context.Canceled
				}
				return nil
			}
			j := job(w, append(numbered(5), of...))
			lost, err := finetune.Evaluate(ctx, []finetune.Job{j}, o)

			cancel()

			if err == nil {
				return files(t, o, lost, j)
			}

			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}

		t.Fatal("not through")
		return nil, nil
	}

	parquet, lines := play(1)

	for name, again := range map[string]func() ([]byte, []byte){
		"eight workers": func() ([]byte, []byte) { return play(8) },
		"interrupted":   func() ([]byte, []byte) { return play(2, 3, 9) },
	} {
		p, l := again()
		if !bytes.Equal(parquet, p) || !bytes.Equal(lines, l) {
			t.Errorf("%s: other bytes", name)
		}
	}

	type line struct {
		QuestionID string `json:"question_id"`
		Status     *string
		Limit      *string
		Lost       *string
		Official   bool
		TurnCount  int `json:"turn_count"`
		Turns      []struct {
			Action  string
			Outcome envs.Outcome
		}
	}
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return *s
	}
	var got []string

	for one := range bytes.Lines(lines) {
		var l line
		if err := json.Unmarshal(one, &l); err != nil {
			t.Fatal(err)
		}

		if len(l.Turns) != l.TurnCount {
			t.Errorf("%d turns, said to be %d", len(l.Turns), l.TurnCount)
		}

		if l.QuestionID[:4] != "task" {
			got = append(got, strings.Join([]string{l.QuestionID, text(l.Status), text(l.Limit), text(l.Lost)}, ", "))
		}
	}

	want := []string{
		"right, terminated, null, null",
		"detour, terminated, null, null",
		"wrong, terminated, null, null",
		"endless, truncated, environment, null",
		"silent, truncated, silence, null",
		`nowhere, null, null, environment: reset to task "nowhere": unknown task`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVerify(t *testing.T) {
	w, of := mixed()
	o, j := options(t), job(w, of)
	evaluate(t, o, j)

	v, err := finetune.Verify(t.Context(), []finetune.Job{j}, o)

	want := finetune.Verification{Episodes: 5, Calls: 4 + 7 + 2 + 8 + 1, Missing: 1, Problems: []string{}}
	if diff := cmp.Diff(want, v); diff != "" || err != nil {
		t.Fatalf("%v, -want +got:\n%s", err, diff)
	}

	name := j.Episode(of[2])
	for what, change := range map[string]func(*mcts.TreeRecord){
		"its score":    func(b *mcts.TreeRecord) { b.Nodes[2].Official = true },
		"its answer":   func(b *mcts.TreeRecord) { b.Nodes[2].Answer = "another" },
		"what it saw":  func(b *mcts.TreeRecord) { b.Nodes[1].Observation += "!" },
		"its outcome":  func(b *mcts.TreeRecord) { b.Nodes[2].Outcome = envs.Correct },
		"a lost turn":  func(b *mcts.TreeRecord) { b.Nodes = b.Nodes[:2] },
		"how it ended": func(b *mcts.TreeRecord) { b.Nodes[2].Limit = mcts.LimitDepth },
	} {
		stored, _, err := o.Store.LoadTree(t.Context(), name, 0)
		if err != nil {
			t.Fatal(err)
		}

		changed := *stored
		changed.Nodes = append([]mcts.Record{}, stored.Nodes...)
		change(&changed)

		if err := o.Store.SaveTree(t.Context(), &changed); err != nil {
			t.Fatal(err)
		}

		v, err := finetune.Verify(t.Context(), []finetune.Job{j}, o)
		if err != nil || len(v.Problems) != 1 || !strings.HasPrefix(v.Problems[0], "episode "+name+": ") {
			t.Errorf("%s: %q, %v", what, v.Problems, err)
		}

		if err := o.Store.SaveTree(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
	}
}

// What is neither stored nor lost is no episode yet, and the log of what broke off is as far as it
// goes no problem. Damage and the user's wish end what reads episodes and what plays them.
func TestUnfinishedAndDamaged(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "run.db")
	o := finetune.Options{Store: open(t, path), Workers: 2, Retry: mcts.Retry{Attempts: 1}}
	w := &walker{}
	w.asked = func(r mcts.Request, _ int) error {
		if taskOf(r) == "task-2" && r.History.Len() == 2 {
			return errGone
		}
		return nil
	}
	three := job(w, numbered(3))
	evaluate(t, o, three) // the third is lost after two calls

	five := job(w, numbered(5))
	read := func() (ids []string, err error) {
		for e, err := range episodes(o, nil, five) {
			if err != nil {
				return ids, err
			}

			ids = append(ids, e.QuestionID)
		}
		return ids, nil
	}

	for range episodes(o, nil, five) {
		break // going on would panic
	}

	ids, err := read()
	if diff := cmp.Diff([]string{"task-0", "task-1"}, ids); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}

	v, err := finetune.Verify(ctx, []finetune.Job{five}, o)
	want := finetune.Verification{Episodes: 2, Missing: 3, Calls: 4 + 4 + 2, Problems: []string{}}

	if diff := cmp.Diff(want, v); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}

	stopped, stop := context.WithCancel(ctx)
	stop()

	midway, stopMidway := context.WithCancel(ctx)
	defer stopMidway()

	played := five
	played.Env = &estate{Maze: envtest.NewMaze(), stepped: func(envs.Action) error {
		stopMidway()
		return context.Canceled
	}}

	for name, ctx := range map[string]context.Context{"before": stopped, "midway": midway} {
		if v, err := finetune.Verify(ctx, []finetune.Job{played}, o); !errors.Is(err, context.Canceled) {
			t.Errorf("verified though the user has stopped it %s: %+v, %v", name, v, err)
		}
	}

	idle := finetune.Options{Store: o.Store}
	if _, err := finetune.Verify(ctx, []finetune.Job{five}, idle); err == nil {
		t.Error("verified by no workers")
	}

	for _, damage := range []string{
		`UPDATE trees SET hash = hash + 1
			WHERE question = (SELECT id FROM questions WHERE name LIKE '%task-1')`,
		`UPDATE calls SET hash = hash + 1`,
	} {
		db, err := sql.Open("sqlite3", path)
		if err == nil {
			_, err = db.Exec(damage)
		}

		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}

		if _, err := read(); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: read with %v", damage, err)
		}

		alone := o // others would play on until the damage is met
		alone.Workers = 1
		if _, err := finetune.Evaluate(ctx, []finetune.Job{five}, alone); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: gone on with %v", damage, err)
		}

		v, err := finetune.Verify(ctx, []finetune.Job{five}, o)
		if err != nil || len(v.Problems) == 0 || v.Episodes != 2 || v.Missing != 3 {
			t.Errorf("%s: verified as %+v, %v", damage, v, err)
		}
	}
}

// A process that is killed between an episode's last call and its storing leaves a log in which it
// is whole: it is missing, and nothing is wrong.
func TestKilledBeforeAnEpisodeIsStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	o := finetune.Options{Store: open(t, path), Workers: 2, Retry: mcts.Retry{Attempts: 1}}
	j := job(&walker{}, numbered(2))
	evaluate(t, o, j)

	db, err := sql.Open("sqlite3", path)
	if err == nil {
		_, err = db.Exec(`DELETE FROM trees WHERE question = (SELECT id FROM questions WHERE name LIKE '%task-1')`)
	}

	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	v, err := finetune.Verify(t.Context(), []finetune.Job{j}, o)
	want := finetune.Verification{Episodes: 1, Missing: 1, Calls: 4 + 4, Problems: []string{}}

	if diff := cmp.Diff(want, v); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
