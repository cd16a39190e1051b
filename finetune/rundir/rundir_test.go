package rundir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/store"
)

// begin makes a run directory and returns it open.
func begin(t *testing.T, dir, kind string) *store.Run {
	t.Helper()

	run, err := store.StartRun(t.Context(), dir, store.Manifest{ID: filepath.Base(dir), Kind: kind, Software: "v1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// agree has a run noted as finished.
func agree(f *store.Finished) func(context.Context, *store.Run) (store.Manifest, string, error) {
	return func(_ context.Context, run *store.Run) (store.Manifest, string, error) {
		m := run.Manifest
		m.Finished = f
		return m, run.Config, nil
	}
}

func closed(t *testing.T, run *store.Run) {
	t.Helper()

	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir string) Run {
	t.Helper()

	r, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run is running while its lock is held, then interrupted, and finished once it says so; until it
// is extended.
func TestStates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	run := begin(t, dir, "collect")

	if got := read(t, dir); got.State != Running || got.ID != "run" || got.Kind != "collect" || got.Bytes == 0 {
		t.Errorf("%+v", got)
	}

	closed(t, run)

	if got := read(t, dir).State; got != Interrupted {
		t.Errorf("%s", got)
	}

	for _, extended := range []bool{false, true} {
		run, err := store.ResumeRun(t.Context(), dir, agree(&store.Finished{Rows: 3, Extended: extended}))
		if err != nil {
			t.Fatal(err)
		}

		closed(t, run)

		want := Finished
		if extended {
			want = Interrupted
		}

		if got := read(t, dir).State; got != want {
			t.Errorf("extended %v: %s, want %s", extended, got, want)
		}
	}

	if err := os.WriteFile(filepath.Join(dir, store.ManifestFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}

	if got := read(t, dir); got.State != Damaged || !strings.Contains(got.Problem, store.ManifestFile) {
		t.Errorf("%+v", got)
	}
}

// The last note of a run is what it says of its progress, and one that cannot be read is as good as
// none.
func TestNote(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	run := begin(t, dir, "collect")
	want := Progress{Done: 3, Total: 8, Questions: 2, Solved: count(1), Correct: count(5), Unresolved: count(0)}

	if err := Note(dir, func() Progress { return want })(); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, read(t, dir).Progress); diff != "" {
		t.Error(diff)
	}

	for _, text := range []string{"", "{", `{"done": -1}`, `[]`} {
		if err := os.WriteFile(filepath.Join(dir, noteFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(Progress{}, read(t, dir).Progress); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}

	closed(t, run)
}

// An evaluation's report says how many episodes were correct and lost: 0.75 of 4 and 0.5 of 2
// questions that were played twice are 5.
func TestReportOfAnEvaluation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	closed(t, begin(t, dir, "eval"))

	report := `{"rows":[{"n":4,"measured":4,"lost":1,"official":0.75},
		{"n":2,"measured":4,"lost":2,"official":0.5}]}`
	if err := os.WriteFile(filepath.Join(dir, ReportFile), []byte(report), 0o644); err != nil {
		t.Fatal(err)
	}

	want := Progress{Correct: count(5), Unresolved: count(3)}
	if diff := cmp.Diff(want, read(t, dir).Progress); diff != "" {
		t.Error(diff)
	}
}

// A folder may be a run or hold some, at any depth; what is not a run in it is passed over.
func TestList(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()

	for _, name := range []string{"b", "a", "more/rounds/c", "a/inside"} {
		closed(t, begin(t, filepath.Join(folder, name), "collect"))
	}

	if err := os.Mkdir(filepath.Join(folder, "data"), 0o755); err != nil {
		t.Fatal(err)
	}

	all, err := List(t.Context(), []string{filepath.Join(folder, "b"), folder})
	if err != nil {
		t.Fatal(err)
	}

	var dirs []string
	for _, r := range all {
		rel, err := filepath.Rel(folder, r.Dir)
		if err != nil {
			t.Fatal(err)
		}

		dirs = append(dirs, rel)
	}

	if diff := cmp.Diff([]string{"b", "a", "a/inside", "b", "more/rounds/c"}, dirs); diff != "" {
		t.Error(diff)
	}

	if _, err := List(t.Context(), []string{filepath.Join(folder, "none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
