package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/store"
)

// Who wants a run pauses while somebody only asks about it: in a bubble time passes only while all
// its goroutines wait. Somebody who asks forever, a process that was stopped, is waited for in
// vain.
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

// A run that was released can be taken, also while a process that was forked meanwhile still has
// its file open.
func TestReleasedWhereverItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")

	release, err := store.Lock(path)
	if err != nil {
		t.Fatal(err)
	}

	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(open) == 0 {
		t.Skip("no /proc to find the open file in")
	}

	copies := 0

	for _, link := range open {
		if target, err := os.Readlink(link); err != nil || target != path {
			continue
		}

		fd, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			t.Fatal(err)
		}

		forked, err := syscall.Dup(fd)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(forked)

		copies++
	}

	if copies == 0 {
		t.Fatal("the lock's file is not open")
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}

	again, err := store.Lock(path)
	if err != nil {
		t.Fatal(err)
	}

	if err := again(); err != nil {
		t.Error(err)
	}
}
