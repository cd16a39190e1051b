package disk

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockDescription locks the open file description, which all processes that inherited it share, as
// they share an flock.
func lockDescription(f *os.File, how int) error {
	kind := map[int]int16{
		syscall.LOCK_EX: syscall.F_WRLCK, syscall.LOCK_SH: syscall.F_RDLCK, syscall.LOCK_UN: syscall.F_UNLCK,
	}
	lock := syscall.Flock_t{Type: kind[how]}
	return syscall.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock)
}
