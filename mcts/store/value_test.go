package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"

	"toolevo/envs"
	"toolevo/mcts"
)

// Rows whose hashes are right, and whose values no program of ours wrote, are damage for whoever
// reads them and for Check, and never an empty answer.
func TestValuesThatNobodyWrote(t *testing.T) {
	alone := func(raw []byte) []byte { return append([]byte{packedAlone}, s2.Encode(nil, raw)...) }
	one := []head{{Seed: 1}}
	node := []mcts.Record{{Parent: mcts.NoParent}}
	whole := appendRows(appendRows(nil, one), node)

	for name, value := range map[string][]byte{
		"nothing":              {},
		"only its kind":        {packedAlone},
		"what is not packed":   {packedAlone, 0xff, 0xff},
		"what is cut":          alone(whole)[:10],
		"too much":             {packedAlone, 0x81, 0x80, 0x80, 0x80, 0x01}, // unpackedLimit and 1
		"without a dictionary": append([]byte{packedWithDictionary}, s2.Encode(nil, whole)...),
		"no columns":           alone([]byte{1, 3, 'a'}),
		"a column too many":    alone(appendRows(nil, []struct{ Unknown int }{{1}})),
		"no row":               alone(appendRows(appendRows(nil, []head{}), node)),
		"two rows":             alone(appendRows(appendRows(nil, append(one, one...)), node)),
	} {
		ctx := t.Context()

		s, err := Open(ctx, filepath.Join(t.TempDir(), "run.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()

		l := logged{n: 1, seed: 1, history: 2, proposals: value}

		err = s.write(ctx, func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO questions VALUES (1, 'q')`)
			_, errCall := tx.Exec(`INSERT INTO calls VALUES (1, 0, '0', 0, 1, 1, 2, ?, ?)`, value,
				l.hash("q", 0, callKey{"0", 0}))
			_, errTool := tx.Exec(`INSERT INTO tools VALUES ('k', ?, ?)`, value, toolHash("k", value))
			_, errTree := tx.Exec(`INSERT INTO trees VALUES (1, 0, ?, ?)`, value, treeHash("q", 0, value))

			return errors.Join(err, errCall, errTool, errTree)
		})
		if err != nil {
			t.Fatal(err)
		}

		if r, ok, err := s.Recall(ctx, "k"); !errors.Is(err, ErrDamaged) || ok || r != (envs.Result{}) {
			t.Errorf("%s is the result %+v, %v, %v", name, r, ok, err)
		}

		if tree, ok, err := s.LoadTree(ctx, "q", 0); !errors.Is(err, ErrDamaged) || ok || tree != nil {
			t.Errorf("%s is the tree %+v, %v, %v", name, tree, ok, err)
		}

		// How many proposals there are is the server's to say.
		n, err := s.CompletionTokens(ctx, "q", 0)
		if name != "no row" && (!errors.Is(err, ErrDamaged) || n != 0) {
			t.Errorf("%s is a call of %d tokens, %v", name, n, err)
		}

		if problems, err := s.Check(ctx); len(problems) < 2 || err != nil {
			t.Errorf("%s: Check says %q, %v", name, problems, err)
		}
	}
}

// Writes that wait at the same time share one commit, no more than maxGroup of them, and a write
// that nobody waits with has its own.
func TestWritesShareACommit(t *testing.T) {
	ctx := t.Context()

	s, err := Open(ctx, filepath.Join(t.TempDir(), "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	var group sync.WaitGroup
	var mu sync.Mutex

	began, free := make(chan struct{}), make(chan struct{})
	commits := map[*sql.Tx]int{}
	write := func(before func()) {
		group.Go(func() {
			err := s.write(ctx, func(tx *sql.Tx) error {
				before()
				mu.Lock()
				defer mu.Unlock()
				commits[tx]++
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}

	write(func() {
		close(began)
		<-free
	})
	<-began

	for range maxGroup {
		write(func() {})
	}

	for len(s.writer.queue) < maxGroup {
		runtime.Gosched()
	}

	write(func() {}) // waits for a place
	close(free)
	group.Wait()

	sizes := map[int]int{}
	for _, n := range commits {
		sizes[n]++
	}

	if len(commits) != 3 || sizes[1] != 2 || sizes[maxGroup] != 1 {
		t.Errorf("commits by how many writes they have: %v", sizes)
	}
}

// A write that fails alone is made once: only one that failed in company is tried by itself.
func TestAWriteThatFailsIsMadeOnce(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	no, made := errors.New("no"), 0

	err = s.write(t.Context(), func(*sql.Tx) error {
		made++
		return no
	})
	if !errors.Is(err, no) || made != 1 {
		t.Errorf("it was made %d times: %v", made, err)
	}
}

// A dictionary that is not one, or not as it was written, is damage before anything is read.
func TestDictionaryOfNobody(t *testing.T) {
	for name, query := range map[string]string{
		"too short to be one": `UPDATE meta SET value = x'00' WHERE key = 'dictionary'`,
		"another hash":        `UPDATE meta SET hash = 0 WHERE key = 'dictionary'`,
	} {
		path := filepath.Join(t.TempDir(), "run.db")

		s, err := Open(t.Context(), path)
		if err == nil {
			err = errors.Join(s.SetMeta(t.Context(), metaDictionary, "x"), s.Close())
		}

		if err != nil {
			t.Fatal(err)
		}

		db, err := sql.Open("sqlite3", path)
		if err == nil {
			_, err = db.Exec(query)
		}

		if name == "too short to be one" && err == nil {
			_, err = db.Exec(`UPDATE meta SET hash = ? WHERE key = 'dictionary'`,
				metaHash(metaDictionary, "\x00"))
		}

		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}

		if s, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: opened %v, %v", name, s, err)
		}
	}
}

// A data folder is told as seen from the run, unless they have nothing in common but the root.
func TestRelative(t *testing.T) {
	for _, test := range [][3]string{
		{"/nobody/runs/a", "/nobody/data", "../../data"},
		{"/nobody/runs/a", "/nobody/runs/a/data", "data"},
		{"/nobody/runs/a", "/another/data", "/another/data"},
		{"/nobody/runs/a", "", ""},
	} {
		got := relative(test[0], test[1])
		if got != test[2] {
			t.Errorf("%s seen from %s is %s, want %s", test[1], test[0], got, test[2])
		}

		m := Manifest{Data: got}
		if back := m.DataFolder(test[0]); back != test[1] {
			t.Errorf("%s is found at %s, want %s", got, back, test[1])
		}
	}
}
