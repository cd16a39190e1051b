package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"toolevo/envs/disk"
)

// ErrLocked means that another process works on the run.
var ErrLocked = errors.New("another process is working on this run")

// Lock reserves the run for this process by locking a file, which it makes if need be. The kernel
// releases the lock when the process ends, however it ends. The returned function releases it.
func Lock(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}

	if err := acquire(f); err != nil {
		err = fmt.Errorf("lock %s: %w", path, lockedBy(f, err))
		return nil, errors.Join(err, f.Close())
	}

	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() error { return errors.Join(unlock(f), f.Close()) }, nil
}

// unlock releases the lock itself. Closing the file does so only once no process has it open, and a
// forked child has it open until it runs its own program.
func unlock(f *os.File) error { return disk.Lock(f, syscall.LOCK_UN) }

// A process that only asks (Busy) holds the lock for a moment: these are the pause between two
// tries to get it, and the longest wait in all.
const (
	askPause = time.Millisecond
	askLimit = 5 * time.Second
)

// acquire takes the exclusive lock of a file. A shared lock belongs to a process that only asks
// (Busy) and does not work on the run: acquire waits for it. Of several that want the exclusive
// lock one gets it.
func acquire(f *os.File) error {
	for waited := time.Duration(0); ; waited += askPause {
		err := disk.Lock(f, syscall.LOCK_EX)
		if !errors.Is(err, syscall.EWOULDBLOCK) || waited >= askLimit {
			return err
		}

		if err := disk.Lock(f, syscall.LOCK_SH); err != nil {
			return err
		}

		if err := unlock(f); err != nil {
			return err
		}

		<-time.After(askPause)
	}
}

// Busy returns an error that wraps [ErrLocked] if another process works on the run in dir right
// now. It is for finding out before something that takes long; only StartRun makes sure.
func Busy(dir string) error {
	path := filepath.Join(dir, LockFile)

	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()

	switch err := disk.Lock(f, syscall.LOCK_SH); {
	case errors.Is(err, disk.ErrNoLocks):
		return nil // no process can work on it here
	case err != nil:
		return fmt.Errorf("store: lock %s: %w", path, lockedBy(f, err))
	}

	return unlock(f)
}

// lockedBy names the process that holds a lock, if that is why it could not be taken.
func lockedBy(f *os.File, err error) error {
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}

	holder := make([]byte, 32)
	n, _ := f.Read(holder)
	return fmt.Errorf("%w (process %s)", ErrLocked, strings.TrimSpace(string(holder[:n])))
}

func writePID(f *os.File) error {
	_, err := fmt.Fprintln(f, os.Getpid())
	return err
}
