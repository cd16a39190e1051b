package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// What a policy has returned is in the database: a process that opens it then finds the answer,
// though the one that wrote it has not closed it.
func TestAnAnswerIsCommittedWhenItIsReturned(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "run.db")

	s, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	p := policy(t, s, &echo{})

	var group sync.WaitGroup

	for i := range 20 {
		group.Go(func() {
			r := request(fmt.Sprintf("0.%d", i), 1)

			want, err := p.Propose(ctx, r)
			if err != nil {
				t.Error(err)
				return
			}

			other, err := store.OpenReadOnly(ctx, path)
			if err != nil {
				t.Error(err)
				return
			}
			defer other.Close()

			reader, err := other.Policy(ctx, "q", 2, nil)
			if err != nil {
				t.Error(err)
				return
			}

			if got, err := reader.Propose(ctx, r); err != nil || !cmp.Equal(want, got) {
				t.Errorf("call %d is %v, %v, want %v", i, got, err, want)
			}
		})
	}

	group.Wait()
}

// operations are all that can be asked of a store, but for what it writes.
var operations = map[string]func(context.Context, *store.Store) error{
	"Policy": func(ctx context.Context, s *store.Store) error {
		_, err := s.Policy(ctx, "q", 2, nil)
		return err
	},
	"CallCount": func(ctx context.Context, s *store.Store) error {
		_, err := s.CallCount(ctx)
		return err
	},
	"CompletionTokens": func(ctx context.Context, s *store.Store) error {
		_, err := s.CompletionTokens(ctx, "q", 2)
		return err
	},
	"Recall": func(ctx context.Context, s *store.Store) error {
		_, _, err := s.Recall(ctx, "program")
		return err
	},
	"TreeCount": func(ctx context.Context, s *store.Store) error {
		_, err := s.TreeCount(ctx)
		return err
	},
	"TreeCounts": func(ctx context.Context, s *store.Store) error {
		_, err := s.TreeCounts(ctx)
		return err
	},
	"TreeIndices": func(ctx context.Context, s *store.Store) error {
		_, err := s.TreeIndices(ctx, "q")
		return err
	},
	"LoggedTrees": func(ctx context.Context, s *store.Store) error {
		_, err := s.LoggedTrees(ctx, "q")
		return err
	},
	"LoadTree": func(ctx context.Context, s *store.Store) error {
		_, _, err := s.LoadTree(ctx, "q", 2)
		return err
	},
	"Meta": func(ctx context.Context, s *store.Store) error {
		_, err := s.Meta(ctx, "note")
		return err
	},
	"Intact": func(ctx context.Context, s *store.Store) error { return s.Intact(ctx) },
	"Check": func(ctx context.Context, s *store.Store) error {
		_, err := s.Check(ctx)
		return err
	},
}

// writes are what changes a store.
var writes = map[string]func(context.Context, *store.Store) error{
	"Remember": func(ctx context.Context, s *store.Store) error {
		return s.Remember(ctx, "another", envs.Result{Observation: "1"})
	},
	"SetMeta": func(ctx context.Context, s *store.Store) error {
		return s.SetMeta(ctx, "note", "x")
	},
	"SaveTree": func(ctx context.Context, s *store.Store) error {
		return s.SaveTree(ctx, tree("q", 3))
	},
	"SaveEpisode": func(ctx context.Context, s *store.Store) error {
		return s.SaveEpisode(ctx, nil, tree("q", 4))
	},
	"DropTrees": func(ctx context.Context, s *store.Store) error {
		return s.DropTrees(ctx, "q", 0)
	},
	"Propose": func(ctx context.Context, s *store.Store) error {
		p, err := s.Policy(ctx, "q", 2, &echo{})
		if err == nil {
			_, err = p.Propose(ctx, request("0.9.9", 1))
		}
		return err
	},
}

// filledStore has a call, a result, a tree and a note.
func filledStore(t *testing.T) (s *store.Store, dir string) {
	t.Helper()
	dir = t.TempDir()

	s, err := store.Open(t.Context(), filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = s.Close() })

	_, err = policy(t, s, &echo{}).Propose(t.Context(), request("0", 1))
	if err := errors.Join(err, s.SaveTree(t.Context(), tree("q", 2)),
		s.SetMeta(t.Context(), "note", "noted"),
		s.Remember(t.Context(), "program", envs.Result{Observation: "22.5"})); err != nil {
		t.Fatal(err)
	}

	return s, dir
}

// An error of the database is an error of whatever was asked of it, and says that it is the
// store's: nothing is taken for empty, and nothing is lost in silence.
func TestErrorsAreTold(t *testing.T) {
	all := map[string]func(context.Context, *store.Store) error{}

	for name, ask := range operations {
		all[name] = ask
	}

	for name, change := range writes {
		all[name] = change
	}

	s, _ := filledStore(t)
	for name, ask := range all {
		if err := ask(t.Context(), s); err != nil {
			t.Fatalf("%s of a whole store: %v", name, err)
		}
	}

	closed, _ := filledStore(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}

	for name, ask := range all {
		err := ask(t.Context(), closed)
		stage, _ := envs.FailedStage(err)

		if stage != envs.StageStore || errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s of a closed store: %v", name, err)
		}
	}

	// Of each table, those that need it.
	for table, needed := range map[string][]string{
		"calls": {"Policy", "CallCount", "CompletionTokens", "LoggedTrees", "Check", "Propose"},
		"tools": {"Recall", "Check", "Remember"},
		"trees": {"TreeCount", "TreeCounts", "TreeIndices", "LoadTree", "Check", "SaveTree",
			"SaveEpisode", "DropTrees"},
		"meta":      {"Meta", "Check", "SetMeta"},
		"questions": {"Policy", "TreeCounts", "TreeIndices", "LoadTree", "Check", "Propose", "SaveTree"},
	} {
		s, dir := filledStore(t)
		alter(t, dir, `DROP TABLE `+table)

		for _, name := range needed {
			if stage, _ := envs.FailedStage(all[name](t.Context(), s)); stage != envs.StageStore {
				t.Errorf("%s without %s: %v", name, table, all[name](t.Context(), s))
			}
		}
	}
}

// A write that the database refuses, as that of a disk that is full, is an error: nobody takes for
// logged what is not, and a run that cannot be sealed is not closed in silence.
func TestAFullDiskIsTold(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		for table, needed := range map[string][]string{
			"calls": {"Propose"}, "tools": {"Remember"}, "trees": {"SaveTree", "SaveEpisode", "DropTrees"},
			"meta": {"SetMeta"}, "questions": {"SaveTree"},
		} {
			s, dir := filledStore(t)
			if sealed { // a run that is gone on with
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}

				var err error
				if s, err = store.Open(t.Context(), filepath.Join(dir, "run.db")); err != nil {
					t.Fatal(err)
				}
			}

			for _, event := range []string{"INSERT", "DELETE"} {
				alter(t, dir, fmt.Sprintf(`CREATE TRIGGER %[1]s_%[2]s BEFORE %[1]s ON %[2]s
					BEGIN SELECT RAISE(ABORT, 'full'); END`, event, table))
			}

			for _, name := range needed {
				change := writes[name]
				if table == "questions" {
					change = func(ctx context.Context, s *store.Store) error {
						return s.SaveTree(ctx, tree("another", 0))
					}
				}

				if stage, _ := envs.FailedStage(change(t.Context(), s)); stage != envs.StageStore {
					t.Errorf("%s where %s is full: %v", name, table, change(t.Context(), s))
				}
			}

			// A run that is sealed needs no other seal.
			if err := s.Close(); (err != nil) != (table == "meta" && !sealed) {
				t.Errorf("closed where %s is full: %v", table, err)
			}
		}
	}
}

// A run that cannot be sealed says so when it is closed, and another process can have it all the
// same.
func TestARunThatCannotBeSealed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	closed(t, begin(t, dir, manifest(t, "abc")))

	r, err := store.ResumeRun(t.Context(), dir, asItIs)
	if err != nil {
		t.Fatal(err)
	}

	called(t, r.Store)
	alter(t, dir, `CREATE TRIGGER more BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'full'); END`)

	if err := r.Close(); err == nil {
		t.Error("it was closed")
	}

	alter(t, dir, `DROP TRIGGER more`)

	if r, err = store.ResumeRun(t.Context(), dir, asItIs); err != nil {
		t.Fatal(err)
	}

	closed(t, r)
}

// Whoever opened a run for reading changes nothing of it; a tool's result is not missed.
func TestReadersWriteNothing(t *testing.T) {
	whole, dir := filledStore(t)
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "run.db")

	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	s, err := store.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	for name, change := range writes {
		if err := change(t.Context(), s); (err == nil) != (name == "Remember") {
			t.Errorf("%s: %v", name, err)
		}
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}

	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed (%v)", err)
	}
}

// An episode that somebody else played is stored with its calls or not at all, and is then as one
// of ours: it is played again from the log.
func TestEpisodesAreStoredWhole(t *testing.T) {
	ctx, s := t.Context(), open(t)
	two := []mcts.Proposal{{Text: "a", Tokens: 2}, {Text: "b", Tokens: 5}}
	calls := []store.Call{
		{Request: request("0", 1), Proposals: two},
		{Request: request("0.0", 9), Proposals: []mcts.Proposal{{Text: "c"}}},
	}

	if err := s.SaveEpisode(ctx, calls, tree("q", 2)); err != nil {
		t.Fatal(err)
	}

	p := policy(t, s, nil)
	for _, c := range calls {
		got, err := p.Propose(ctx, c.Request)
		if diff := cmp.Diff(c.Proposals, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}

	// The second call is there already, so neither the first nor the tree is stored.
	again := []store.Call{{Request: request("0.7", 1), Proposals: calls[0].Proposals}, calls[1]}
	if err := s.SaveEpisode(ctx, again, tree("q", 7)); err == nil {
		t.Error("a call was logged twice")
	}

	logged, err := s.LoggedTrees(ctx, "q")
	if diff := cmp.Diff([]int{2}, logged); diff != "" || err != nil {
		t.Error(err, diff)
	}

	if n, err := s.CallCount(ctx); n != 2 || err != nil {
		t.Errorf("%d calls, %v", n, err)
	}

	if err := s.SaveTree(ctx, tree("other", 3)); err != nil {
		t.Fatal(err)
	}

	counts, err := s.TreeCounts(ctx)
	if diff := cmp.Diff(map[string]int{"q": 3, "other": 4}, counts); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// What a run is made of is written before it is used, or the error says that it was not, and the
// run is what it was.
func TestAManifestThatCannotBeWritten(t *testing.T) {
	for _, name := range []string{"run.yaml.new", "run.json.new"} {
		dir := filepath.Join(t.TempDir(), "run")
		r := begin(t, dir, manifest(t, "abc"))

		if err := os.MkdirAll(filepath.Join(dir, name, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := r.Finish(t.Context(), 1, "sum"); err == nil {
			t.Errorf("%s cannot be written, and the run is finished", name)
		}

		closed(t, r)

		if m, err := store.ReadManifest(dir); err != nil || m.Finished != nil {
			t.Errorf("the manifest is %+v, %v", m, err)
		}

		// Nobody goes on, and nobody begins, where files cannot be made.
		if r, err := store.ResumeRun(t.Context(), dir, asItIs); err == nil {
			t.Errorf("resumed %v", r)
		}
	}

	for _, name := range []string{"run.db.new", "run.db-wal", "run.yaml.new", "run.lock"} {
		taken := filepath.Join(t.TempDir(), "run")
		if err := os.MkdirAll(filepath.Join(taken, name, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}

		if r, err := store.StartRun(t.Context(), taken, manifest(t, "abc"), ""); err == nil {
			t.Errorf("started %v where %s is in the way", r, name)
		}
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}

	below := filepath.Join(file, "run")
	if r, err := store.StartRun(t.Context(), below, manifest(t, "abc"), ""); err == nil {
		t.Errorf("started %v below a file", r)
	}
}

// A run that goes on with another configuration, or another manifest, has that from then on; one
// that goes on as it was is not written.
func TestWhatIsAgreedIsWritten(t *testing.T) {
	for name, test := range map[string]struct {
		agree  func(m *store.Manifest, config *string)
		writes bool
	}{
		"nothing":           {func(*store.Manifest, *string) {}, false},
		"the configuration": {func(_ *store.Manifest, config *string) { *config = "seed: 2\n" }, true},
		"the version":       {func(m *store.Manifest, _ *string) { m.Software = "v2" }, true},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		closed(t, begin(t, dir, manifest(t, "abc")))

		path := filepath.Join(dir, "run.json")
		before, err := os.Stat(path)

		if err != nil {
			t.Fatal(err)
		}

		var want string

		agree := func(ctx context.Context, r *store.Run) (store.Manifest, string, error) {
			m, config, err := asItIs(ctx, r)
			test.agree(&m, &config)
			want = m.Software + config
			return m, config, err
		}

		r, err := store.ResumeRun(t.Context(), dir, agree)
		if err != nil {
			t.Fatal(err)
		}

		closed(t, r)

		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}

		config, err := store.ReadConfig(dir)
		m, errM := store.ReadManifest(dir)

		if got := m.Software + config; got != want || err != nil || errM != nil {
			t.Errorf("%s changes: %q, %v, want %q", name, got, errors.Join(err, errM), want)
		}

		if written := !os.SameFile(before, after); written != test.writes { // it is renamed
			t.Errorf("%s changes: written: %v", name, written)
		}
	}
}

// A run that is finished again, with other rows, is noted so.
func TestFinishedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := begin(t, dir, manifest(t, "abc"))

	for rows := range 3 {
		for range 2 {
			if err := r.Finish(t.Context(), rows, "sum"); err != nil {
				t.Fatal(err)
			}
		}

		m, err := store.ReadManifest(dir)
		if want := (store.Finished{Rows: rows, SHA256: "sum"}); err != nil || *m.Finished != want {
			t.Errorf("%+v, %v, want %+v", m.Finished, err, want)
		}
	}

	closed(t, r)
}

// The hash of a run is the same in every version: runs are compared by it.
func TestHashOfARun(t *testing.T) {
	r := begin(t, filepath.Join(t.TempDir(), "run"), store.Manifest{
		ID: "abc", Kind: "collect", ConfigHash: "h", Inputs: map[string]string{"b": "2", "a": "1"},
	})
	closed(t, r)

	if want := "999c7d658a5028b0"; r.Manifest.Hash != want {
		t.Errorf("the hash is %s, want %s", r.Manifest.Hash, want)
	}
}

// Who holds a run is named by its process, whatever stood in the file of the lock before.
func TestLockNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	if err := os.WriteFile(path, []byte("12345678901234567890\nand more\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	release, err := store.Lock(path)
	if err != nil {
		t.Fatal(err)
	}

	text, err := os.ReadFile(path)
	if want := fmt.Sprintln(os.Getpid()); string(text) != want || err != nil {
		t.Errorf("the lock says %q, %v, want %q", text, err, want)
	}

	if err := release(); err != nil {
		t.Error(err)
	}
}

// A run is closed while somebody reads it, and can be read and gone on with then.
func TestClosedWhileSomebodyReads(t *testing.T) {
	s, dir := filledStore(t)
	path := filepath.Join(dir, "run.db")

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}

	var n int
	if err := tx.QueryRow("SELECT count(*) FROM calls").Scan(&n); n != 1 || err != nil {
		t.Fatal(n, err)
	}

	if err := s.Close(); err != nil {
		t.Errorf("it is read: %v", err)
	}

	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}

	if s, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	if problems, err := s.Check(t.Context()); len(problems) > 0 || err != nil {
		t.Error(problems, err)
	}
}

// The ID of a run says when it began; one that somebody chose does not.
func TestBegan(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)

	id, err := store.NewID()
	if err != nil {
		t.Fatal(err)
	}

	began := (&store.Manifest{ID: id}).Began()
	if began.Before(before) || began.After(time.Now()) || began.Location() != time.UTC {
		t.Errorf("it began at %v, want after %v", began, before)
	}

	for _, old := range []string{"", "0123456789abcdef", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"} {
		if at := store.TimeOf(old); !at.IsZero() {
			t.Errorf("%q says that it began at %v", old, at)
		}
	}
}

// Trees are dropped from an index on, of one question, and those that are not there are no error.
func TestDropTreesOfOneQuestion(t *testing.T) {
	ctx, s := t.Context(), open(t)
	for i := range 3 {
		err := errors.Join(s.SaveTree(ctx, tree("q", i)), s.SaveTree(ctx, tree("other", i)))
		if err != nil {
			t.Fatal(err)
		}
	}

	for _, test := range []struct {
		question    string
		first, left int
	}{{"q", 3, 6}, {"nobody's", 0, 6}, {"q", 2, 5}, {"other", 0, 2}} {
		if err := s.DropTrees(ctx, test.question, test.first); err != nil {
			t.Fatal(err)
		}

		if n, err := s.TreeCount(ctx); n != test.left || err != nil {
			t.Errorf("from %s/%d on: %d trees are left, %v, want %d", test.question, test.first, n, err,
				test.left)
		}
	}
}

// Memory does not grow with the number of questions: what 1,500 of them take that are written and
// read, and whose names alone are 3 MB, is less than one.
func TestMemoryDoesNotGrowWithQuestions(t *testing.T) {
	ctx, s := t.Context(), open(t)
	heap := func() int64 {
		var m runtime.MemStats

		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	use := func(from, to int) {
		var group errgroup.Group
		group.SetLimit(64)

		for i := from; i < to; i++ {
			group.Go(func() error {
				name := fmt.Sprint(i, strings.Repeat("x", 2000))
				p, err := s.Policy(ctx, name, 0, &echo{})
				r := mcts.Request{Node: mcts.NodeID{Question: name, Path: "0"}, N: 1}

				if err == nil {
					_, err = p.Propose(ctx, r)
				}

				err = errors.Join(err, s.SaveTree(ctx, tree(name, 0)))
				_, _, errLoad := s.LoadTree(ctx, name, 0)
				return errors.Join(err, errLoad)
			})
		}

		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
	}

	use(0, 200)

	before := heap()
	use(200, 1700)

	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("memory has grown by %d bytes", grown)
	}
}
