package disk

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Exchange gives two folders of one file system each other's names at once: either name always
// leads to one of them. The error wraps [errors.ErrUnsupported] if the file system cannot do that,
// or if a folder is the root of one.
func Exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if err == nil {
		return errors.Join(Sync(filepath.Dir(a)), Sync(filepath.Dir(b)))
	}

	cannot := []error{unix.EINVAL, unix.ENOSYS, unix.EXDEV, unix.EBUSY, unix.ENOTSUP, unix.EPERM, unix.EACCES}
	if slices.Contains(cannot, err) {
		return fmt.Errorf("exchange %s and %s: %w: %w", a, b, errors.ErrUnsupported, err)
	}
	return fmt.Errorf("exchange %s and %s: %w", a, b, err)
}
