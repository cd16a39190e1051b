//go:build linux && amd64

package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"toolevo/envs/disk"
	"toolevo/envs/faulttest"
	"toolevo/mcts/store"
)

// A run can be locked by either kind of lock; where there is none nobody can begin one, and those
// that are there can be looked at.
func TestLockWithout(t *testing.T) {
	for name, tt := range map[string]struct {
		lacks []string
		taken error
		again error
	}{
		"flock":        {[]string{faulttest.Flock}, nil, store.ErrLocked},
		"record locks": {[]string{faulttest.RecordLocks}, nil, store.ErrLocked},
		"both": {
			[]string{faulttest.Flock, faulttest.RecordLocks}, disk.ErrNoLocks, disk.ErrNoLocks,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a lock is waited for

			faulttest.Without(t, nil, func(dir string) {
				path := filepath.Join(dir, "run.lock")

				release, err := store.Lock(path)
				if !errors.Is(err, tt.taken) {
					t.Fatalf("%v, want %v", err, tt.taken)
				}

				busy := tt.again
				if err != nil {
					busy = nil
				}

				if err := store.Busy(dir); !errors.Is(err, busy) {
					t.Errorf("busy: %v, want %v", err, busy)
				}

				if err != nil {
					return
				}

				if _, err := store.Lock(path); !errors.Is(err, tt.again) {
					t.Errorf("a second one: %v, want %v", err, tt.again)
				}

				if err := errors.Join(release(), store.Busy(dir)); err != nil {
					t.Error(err)
				}
			}, tt.lacks...)
		})
	}
}
