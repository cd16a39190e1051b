package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// manifest returns the manifest of a run, and a data folder for it.
func manifest(t *testing.T, id string) store.Manifest {
	t.Helper()
	return store.Manifest{
		ID:         id,
		Kind:       "collect",
		ConfigHash: "h",
		Inputs:     map[string]string{"corpus coffee": "x"},
		Data:       t.TempDir(),
		Software:   "v1",
	}
}

// begin makes a run.
func begin(t *testing.T, dir string, m store.Manifest) *store.Run {
	t.Helper()

	r, err := store.StartRun(context.Background(), dir, m, "seed: 1\n")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// closed closes a run.
func closed(t *testing.T, r *store.Run) {
	t.Helper()

	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// asItIs agrees to go on with a run as it is.
func asItIs(_ context.Context, r *store.Run) (store.Manifest, string, error) {
	m := r.Manifest
	m.Data = m.DataFolder(r.Dir)
	return m, r.Config, nil
}

// called logs a call of a model.
func called(t *testing.T, s *store.Store) {
	t.Helper()

	p, err := s.Policy(context.Background(), "q", 0, &echo{text: "Thought: x\n"})
	if err == nil {
		_, err = p.Propose(context.Background(), mcts.Request{Node: mcts.NodeID{Question: "q", Path: "0"}, N: 1})
	}

	if err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestRunDirectory(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "run")
	m := manifest(t, "abc")

	r := begin(t, dir, m)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v: want it for its owner alone", info.Mode(), err)
	}

	if err := store.Busy(dir); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a run that is open: %v", err)
	}

	if err := store.Busy(dir + "/none"); err != nil {
		t.Errorf("no run: %v", err)
	}

	if _, err := store.ResumeRun(ctx, dir, asItIs); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second process got the run: %v", err)
	}

	if _, err := store.StartRun(ctx, dir, m, "seed: 1\n"); !errors.Is(err, store.ErrExists) {
		t.Errorf("a run was started over: %v", err)
	}

	look, err := store.OpenRun(ctx, dir)
	if err != nil {
		t.Fatalf("a running run cannot be looked at: %v", err)
	}

	if look.Config != "seed: 1\n" || look.Manifest.ID != "abc" || look.Manifest.Hash == "" {
		t.Errorf("opened %+v", look)
	}

	if got := look.Manifest.DataFolder(dir); got != m.Data || filepath.IsAbs(look.Manifest.Data) {
		t.Errorf("the data folder is %s, noted as %s, want %s", got, look.Manifest.Data, m.Data)
	}

	if err := look.SetMeta(ctx, "a", "b"); err == nil {
		t.Error("a run opened for reading was written")
	}

	closed(t, look)
	closed(t, r)

	want := []string{"run.db", "run.json", "run.lock", "run.yaml"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Errorf("the files of a closed run:\n%s", diff)
	}
}

// TestTheDataFolderMovesWithTheRun holds that a run and its data can be moved together, and that a
// run finds its data through a symbolic link to it.
func TestTheDataFolderMovesWithTheRun(t *testing.T) {
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	m := manifest(t, "abc")

	m.Data = filepath.Join(before, "data")
	if err := os.MkdirAll(m.Data, 0o755); err != nil {
		t.Fatal(err)
	}

	closed(t, begin(t, filepath.Join(before, "runs", "first"), m))

	if err := os.Rename(before, after); err != nil {
		t.Fatal(err)
	}

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(after, "runs", "first"), link); err != nil {
		t.Fatal(err)
	}

	for _, dir := range []string{filepath.Join(after, "runs", "first"), link} {
		m, err := store.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}

		if got, want := m.DataFolder(dir), filepath.Join(after, "data"); got != want {
			t.Errorf("%s: the data folder is %s, want %s", dir, got, want)
		}
	}
}

// TestResumeRun holds that a run goes on as was agreed, and stays as it is where it was refused.
func TestResumeRun(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "run")
	closed(t, begin(t, dir, manifest(t, "abc")))

	if _, err := store.ResumeRun(ctx, t.TempDir(), asItIs); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("there is no run: %v", err)
	}

	refusal := errors.New("no")

	_, err := store.ResumeRun(ctx, dir, func(_ context.Context, r *store.Run) (store.Manifest, string, error) {
		return store.Manifest{}, "seed: 2\n", refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("refused: %v", err)
	}

	r, err := store.ResumeRun(ctx, dir, asItIs)
	if err != nil {
		t.Fatal(err)
	}

	closed(t, r)

	r, err = store.ResumeRun(ctx, dir, func(ctx context.Context, r *store.Run) (store.Manifest, string, error) {
		m, _, err := asItIs(ctx, r)
		m.Inputs = map[string]string{"corpus coffee": "y"}
		return m, "limit: 2\n", err
	})
	if err != nil {
		t.Fatal(err)
	}

	was := r.Manifest.Hash
	closed(t, r)

	m, err := store.ReadManifest(dir)
	if err != nil || m.Inputs["corpus coffee"] != "y" || m.ID != "abc" || m.Hash != was {
		t.Errorf("the manifest is %+v, %v", m, err)
	}
}

// TestIDsAreUniqueAndOrdered holds what --run-id replaces, and that the hash knows nothing of it.
func TestIDsAreUniqueAndOrdered(t *testing.T) {
	var ids []string

	for range 1000 {
		id, err := store.NewID()
		if err != nil {
			t.Fatal(err)
		}

		ids = append(ids, id)
	}

	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("IDs are %s … %s", ids[0], ids[len(ids)-1])
	}

	a := begin(t, filepath.Join(t.TempDir(), "a"), manifest(t, "one"))

	b := begin(t, filepath.Join(t.TempDir(), "b"), manifest(t, "two"))
	if a.Manifest.Hash != b.Manifest.Hash || a.Manifest.Hash == "" {
		t.Errorf("hashes of equal runs are %q and %q", a.Manifest.Hash, b.Manifest.Hash)
	}

	closed(t, a)
	closed(t, b)
}

// TestFlippedBitsOfAManifest flips bits of every byte of run.json and of run.yaml, those among them
// that make another digit or a capital letter.
func TestFlippedBitsOfAManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	closed(t, begin(t, dir, manifest(t, "abc")))

	for _, name := range []string{"run.json", "run.yaml"} {
		path := filepath.Join(dir, name)

		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		for i := range whole {
			for _, bit := range []int{0, 5} {
				spoilt := slices.Clone(whole)

				spoilt[i] ^= 1 << bit
				if err := os.WriteFile(path, spoilt, 0o644); err != nil {
					t.Fatal(err)
				}

				if _, err := store.ReadManifest(dir); !errors.Is(err, store.ErrDamaged) {
					t.Fatalf("bit %d of byte %d of %s (%q): %v", bit, i, name, whole[i], err)
				}
			}
		}

		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}

		want := map[string]error{"run.json": store.ErrNoRun, "run.yaml": store.ErrDamaged}[name]
		if _, err := store.ReadManifest(dir); !errors.Is(err, want) {
			t.Errorf("without %s: %v", name, err)
		}

		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestADatabaseThatIsNotTheRuns holds that a run whose database is gone, empty, or of another run
// is damaged, for whoever opens it, and stays as it is.
func TestADatabaseThatIsNotTheRuns(t *testing.T) {
	ctx := context.Background()
	other := filepath.Join(t.TempDir(), "other")
	closed(t, begin(t, other, manifest(t, "other")))

	fewer := func(t *testing.T, dir string) {
		r, err := store.ResumeRun(ctx, dir, asItIs)
		if err == nil {
			err = r.DropTrees(ctx, "q", 0)
		}

		if err != nil {
			t.Fatal(err)
		}

		closed(t, r)
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, dir string)
		says  string
	}{
		"gone":  {func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "run.db")) }, "its log"},
		"empty": {func(t *testing.T, dir string) { _ = os.Truncate(filepath.Join(dir, "run.db"), 0) }, "its log"},
		"another run's": {func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(other, "run.db"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "run.db"), data, 0o644)
			}

			if err != nil {
				t.Fatal(err)
			}
		}, `belongs to run "other"`},
		"with fewer trees": {fewer, "it had 1 trees"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			r := begin(t, dir, manifest(t, "abc"))
			called(t, r.Store)

			if err := r.SaveTree(ctx, &mcts.TreeRecord{Question: "q"}); err != nil {
				t.Fatal(err)
			}

			if err := r.Finish(ctx, 1, "sum"); err != nil {
				t.Fatal(err)
			}

			closed(t, r)
			test.spoil(t, dir)
			before := names(t, dir)

			_, opened := store.OpenRun(ctx, dir)

			_, resumed := store.ResumeRun(ctx, dir, asItIs)
			for _, err := range []error{opened, resumed} {
				if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("error is %v, want damaged and %q", err, test.says)
				}
			}

			if diff := cmp.Diff(before, names(t, dir)); diff != "" {
				t.Errorf("the folder was touched:\n%s", diff)
			}
		})
	}
}

// A directory is a run once it is noted what the run is made from.
func TestStartRunNotes(t *testing.T) {
	ctx, dir, failed := t.Context(), filepath.Join(t.TempDir(), "run"), errors.New("the disk is full")

	_, err := store.StartRun(ctx, dir, manifest(t, "id"), "", func(*store.Run) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("error is %v", err)
	}

	if _, err := store.OpenRun(ctx, dir); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("a run that noted nothing: %v", err)
	}

	r, err := store.StartRun(ctx, dir, manifest(t, "id"), "", func(r *store.Run) error {
		return r.SetMeta(ctx, "questions", "all")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()

	if noted, err := r.Meta(ctx, "questions"); noted != "all" || err != nil {
		t.Errorf("noted is %q, %v", noted, err)
	}
}

// TestALogWithoutAManifest holds that a folder with the log of a run is not a place for another
// one, and that one with what a process left that was killed as it began is.
func TestALogWithoutAManifest(t *testing.T) {
	ctx := context.Background()

	for _, calls := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "run")

		r := begin(t, dir, manifest(t, "abc"))
		if calls {
			called(t, r.Store)
		}

		closed(t, r)

		for _, name := range []string{"run.json", "run.yaml"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}

		for _, name := range []string{"run.yaml.new", "run.db.new", "run.db.new-wal"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644); err != nil {
				t.Fatal(err)
			}
		}

		r, err := store.StartRun(ctx, dir, manifest(t, "new"), "seed: 1\n")
		if calls {
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "has the log of a run") {
				t.Errorf("a run was begun over the log of another: %v", err)
			}

			continue
		}

		if err != nil {
			t.Fatal(err)
		}

		closed(t, r)

		want := []string{"run.db", "run.json", "run.lock", "run.yaml"}
		if diff := cmp.Diff(want, names(t, dir)); diff != "" {
			t.Errorf("the files of a run in a folder of a killed one:\n%s", diff)
		}
	}
}

// TestKilledWhileARunIsChanged holds that a run whose manifest and configuration were being changed
// is the old one or the new one, whatever had been renamed when the process was killed.
func TestKilledWhileARunIsChanged(t *testing.T) {
	ctx := context.Background()
	was, now := filepath.Join(t.TempDir(), "was"), filepath.Join(t.TempDir(), "now")
	m := manifest(t, "abc")
	closed(t, begin(t, was, m))
	m.Inputs = map[string]string{"corpus coffee": "y"}

	r, err := store.StartRun(ctx, now, m, "seed: 2\n")
	if err != nil {
		t.Fatal(err)
	}

	closed(t, r)

	for _, test := range []struct {
		renamed map[string]string // file of the folder, file of the new run
		want    string
	}{
		{map[string]string{"run.yaml.new": "run.yaml"}, "seed: 1\n"},
		{map[string]string{"run.yaml.new": "run.yaml", "run.json.new": "run.json"}, "seed: 1\n"},
		{map[string]string{"run.yaml.new": "run.yaml", "run.json": "run.json"}, "seed: 2\n"},
		{map[string]string{"run.yaml": "run.yaml", "run.json": "run.json"}, "seed: 2\n"},
		{map[string]string{"run.yaml": "", "run.yaml.new": "run.yaml", "run.json": "run.json"},
			"seed: 2\n"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS(was)); err != nil {
			t.Fatal(err)
		}

		for to, from := range test.renamed {
			if from == "" {
				if err := os.Remove(filepath.Join(dir, to)); err != nil {
					t.Fatal(err)
				}

				continue
			}

			data, err := os.ReadFile(filepath.Join(now, from))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, to), data, 0o644)
			}

			if err != nil {
				t.Fatal(err)
			}
		}

		config, err := store.ReadConfig(dir)
		if config != test.want || err != nil {
			t.Errorf("%v: the configuration is %q, %v, want %q", test.renamed, config, err, test.want)
		}

		r, err := store.ResumeRun(ctx, dir, asItIs)
		if err != nil {
			t.Fatalf("%v: %v", test.renamed, err)
		}

		closed(t, r)

		text, err := os.ReadFile(filepath.Join(dir, "run.yaml"))
		if string(text) != test.want || err != nil || len(names(t, dir)) != 4 {
			t.Errorf("%v: run.yaml is %q, %v, beside %v", test.renamed, text, err, names(t, dir))
		}
	}
}

// A configuration may be empty, and is then missed, or put in its place, like any other.
func TestAnEmptyConfiguration(t *testing.T) {
	dir := filledRun(t)
	path := filepath.Join(dir, "run.yaml")

	if err := os.Rename(path, path+".new"); err != nil {
		t.Fatal(err)
	}

	r, err := resume(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}

	closed(t, r)

	if text, err := os.ReadFile(path); len(text) > 0 || err != nil {
		t.Errorf("the configuration is %q, %v", text, err)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	if config, err := store.ReadConfig(dir); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("the configuration that is gone is %q, %v", config, err)
	}
}
