package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/store"
)

// Who wants a run pauses while somebody only asks about it: in a bubble time passes only while all
// its goroutines wait. Somebody who asks forever, a process that was stopped, is waited for in vain.
func TestLockWaitsForWhoOnlyAsks(t *testing.T) {
	for name, tt := range map[string]struct {
		asks time.Duration
		want error
	}{
		"for a moment": {20 * time.Millisecond, nil},
		"for ever":     {time.Hour, store.ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.lock")

			asking, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer asking.Close()

			if err := syscall.Flock(int(asking.Fd()), syscall.LOCK_SH); err != nil {
				t.Fatal(err)
			}

			synctest.Test(t, func(t *testing.T) {
				answered := time.AfterFunc(tt.asks, func() { asking.Close() })
				defer answered.Stop()

				release, err := store.Lock(path)
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}

				if err == nil {
					err = release()
				}

				if tt.want == nil && err != nil {
					t.Error(err)
				}
			})
		})
	}
}
