package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrNoLocks means that a file system, a network's mostly, keeps no processes apart.
var ErrNoLocks = errors.New("the file system has no file locks, without which two processes could write at the " +
	"same time: use a folder on a local disk, or have this one mounted with locks (Lustre: -o flock)")

// Lock takes the lock of an open file or releases it; how is one of LOCK_EX, LOCK_SH and LOCK_UN.
// It does not wait: the error is EWOULDBLOCK while another process has the lock. The kernel
// releases the lock when the last process that has the file open ends, however it ends. Where the
// file system has no flock, the locks of POSIX do the same for a file that is open for writing
// (LOCK_SH: reading); the error wraps [ErrNoLocks] where it has none of them.
func Lock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if !lacksLocks(err) {
		return err
	}

	other := lockDescription(f, how)
	if errors.Is(other, syscall.EWOULDBLOCK) || other == nil {
		return other
	}
	return fmt.Errorf("flock: %w: %w", err, ErrNoLocks)
}

// lacksLocks reports whether an error is that of a file system without a kind of lock.
func lacksLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// HasRecordLocks reports whether files in a folder can be locked as SQLite locks them, by the locks
// of POSIX. It reports true where that cannot be tried.
func HasRecordLocks(folder string) bool {
	f, err := os.CreateTemp(folder, ".toolevo-locks-*")
	if err != nil {
		return true
	}
	defer f.Close()
	defer os.Remove(f.Name())

	lock := syscall.Flock_t{Type: syscall.F_WRLCK}
	return !lacksLocks(syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock))
}
