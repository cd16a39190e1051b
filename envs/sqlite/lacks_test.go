//go:build linux && amd64

package sqlite_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"toolevo/envs/disk"
	"toolevo/envs/faulttest"
	"toolevo/envs/sqlite"
)

// Without shared memory a file is written and read at the same time, and without locks it is not
// written, and the error says so.
func TestOpenToWriteWithout(t *testing.T) {
	for name, tt := range map[string]struct {
		lacks  []string
		writes error
	}{
		"shared memory": {[]string{faulttest.SharedMemory}, nil},
		"record locks":  {[]string{faulttest.RecordLocks}, disk.ErrNoLocks},
		"both":          {[]string{faulttest.SharedMemory, faulttest.RecordLocks}, disk.ErrNoLocks},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some wait for locks

			faulttest.Without(t, nil, func(dir string) {
				path := filepath.Join(dir, "file.db")

				if err := sqlite.Create(t.Context(), path, makeTable); !errors.Is(err, tt.writes) {
					t.Fatalf("%v, want %v", err, tt.writes)
				}

				if tt.writes == nil {
					writeWhileItIsRead(t, path)
				}
			}, tt.lacks...)
		})
	}
}

// writeWhileItIsRead holds that a file can be written while others read it, and is one file when it
// is closed.
func writeWhileItIsRead(t *testing.T, path string) {
	db, err := sqlite.OpenToWrite(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if _, err := db.Exec(`INSERT INTO t VALUES ('more')`); err != nil {
					t.Error(err)
				}

				if rows, err := readRows(path); err != nil || len(rows) < 2 || rows[0] != "kept" {
					t.Errorf("%q, %v", rows, err)
				}
			}
		})
	}
	all.Wait()

	if err := errors.Join(sqlite.Fold(t.Context(), db), db.Close()); err != nil {
		t.Error(err)
	}

	if rows, err := readRows(path); err != nil || len(rows) != 41 {
		t.Errorf("%d rows, %v", len(rows), err)
	}

	if left := files(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left: %q", slices.Sorted(maps.Keys(left)))
	}
}

// A file that came from elsewhere is read, whatever is lacked, and whatever a process that was
// killed has left beside it.
func TestOpenToReadWithout(t *testing.T) {
	for _, lack := range []string{faulttest.SharedMemory, faulttest.RecordLocks} {
		for state, leave := range states {
			t.Run(lack+"/"+state, func(t *testing.T) {
				t.Parallel() // some wait for locks

				prepare := func(dir string) { leave(t, filepath.Join(dir, "file.db")) }

				faulttest.Without(t, prepare, func(dir string) {
					rows, err := readRows(filepath.Join(dir, "file.db"))
					if err != nil || !slices.Equal(rows, []string{"kept"}) {
						t.Errorf("%q, %v", rows, err)
					}
				}, lack)
			})
		}
	}
}
