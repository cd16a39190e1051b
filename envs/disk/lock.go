package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrNoLocks means that a file system, usually a network's, cannot keep processes apart.
var ErrNoLocks = errors.New("the file system has no file locks, without which two processes " +
	"could write at the same time: use a folder on a local disk, or have this one mounted with locks " +
	"(Lustre: -o flock)")

// Lock takes the lock of an open file or releases it. how is LOCK_EX, LOCK_SH or LOCK_UN. It does
// not wait: the error is EWOULDBLOCK while another process has the lock. The kernel releases the
// lock when the last process that has the file open ends in any way. If the file system has no
// flock, POSIX locks do the same for a file that is open for writing (LOCK_SH: reading). If it has
// no locks at all, the error wraps [ErrNoLocks].
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

// Release closes a file, and its lock ends at once. Closing alone may keep the lock for a moment: a
// process that is just being started has the file open, too, until it runs its program.
func Release(f *os.File) error {
	_ = Lock(f, syscall.LOCK_UN) // where it cannot be released it ends with the file
	return f.Close()
}

// lacksLocks reports whether an error comes from a file system without a kind of lock.
func lacksLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// HasRecordLocks reports whether files in a folder can be locked as SQLite locks them, by POSIX
// locks. It reports true if that cannot be tried.
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
