package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// CreateTemp is [os.CreateTemp] for a file that is renamed when it is complete. The file is locked
// until it is closed, which tells [RemoveLeftovers] that somebody still writes it: the kernel
// releases the lock when the process ends in any way.
func CreateTemp(folder, pattern string) (*os.File, error) {
	return makeTemp(func() (*os.File, error) { return os.CreateTemp(folder, pattern) })
}

// MkdirTemp is CreateTemp for a folder, whose name is prefix, this host's name, a hyphen and
// digits. Closing the file releases the lock.
func MkdirTemp(folder, prefix string) (*os.File, error) {
	return makeTemp(func() (*os.File, error) {
		for {
			path, err := os.MkdirTemp(folder, prefix+onHost())
			if err != nil {
				return nil, err
			}

			// Until it is open and locked, it is a leftover to others.
			f, err := os.Open(path)
			if !errors.Is(err, os.ErrNotExist) {
				return f, err
			}
		}
	})
}

// hostname may be replaced in tests.
var hostname = os.Hostname

// onHost is the part of a temporary folder's name that says which host it is of. File systems that
// machines share keep the lock of a file for all of them, but that of a folder for its host alone.
func onHost() string {
	name, _ := hostname() // hosts without a name are as one
	return strings.Map(func(r rune) rune {
		if r == '*' || r == '/' { // which the name of a temporary folder cannot have
			return -1
		}
		return r
	}, name) + "-"
}

// makeTemp makes files until it has one that nobody removed before it was locked.
func makeTemp(create func() (*os.File, error)) (*os.File, error) {
	for {
		f, err := create()
		if err != nil {
			return nil, err
		}
		// Without locks, as on some network file systems, nothing counts as a leftover, either.
		if Lock(f, syscall.LOCK_EX) != nil || isAt(f, f.Name()) {
			return f, nil
		}

		f.Close()
	}
}

// isAt reports whether an open file is the one at path.
func isAt(f *os.File, path string) bool {
	opened, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(opened, there)
}

// ClaimFolder makes the folder beside dir in which its files are written until all are complete,
// and locks it until release removes it. What a killed process left in it is removed.
func ClaimFolder(dir string) (work string, release func() error, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, fmt.Errorf("make a temporary folder: %w", err)
	}

	work = filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+Unfinished)
	for {
		made := os.Mkdir(work, 0o755)
		if made != nil && !errors.Is(made, fs.ErrExist) {
			return "", nil, fmt.Errorf("make a temporary folder: %w", made)
		}

		f, err := os.Open(work)

		// Its last owner may have removed the folder in between, so it is made again.
		if errors.Is(err, os.ErrNotExist) {
			continue
		}

		if err != nil {
			return "", nil, fmt.Errorf("open a temporary folder: %w", err)
		}

		switch err := Lock(f, syscall.LOCK_EX); {
		case errors.Is(err, ErrNoLocks) && made == nil:
			// The process that made the folder has it: no other sign exists, and nobody else
			// removes it.
			return work, func() error { return errors.Join(os.RemoveAll(work), f.Close()) }, nil
		case errors.Is(err, ErrNoLocks):
			return "", nil, errors.Join(fmt.Errorf("another process is writing it, or was killed while "+
				"it did: remove %s if it was: %w", work, err), f.Close())
		case err != nil:
			return "", nil, errors.Join(fmt.Errorf("another process is writing it (%s)", work),
				f.Close())
		}

		// The lock may be that of a folder which its last owner has just removed.
		if !isAt(f, work) {
			f.Close()
			continue
		}
		release := func() error { return errors.Join(removeClaimed(work, f), f.Close()) }
		return work, release, clearFolder(work)
	}
}

// removeClaimed removes the claimed folder, or the one that got its name by [Exchange], unless
// another process has claimed that one.
func removeClaimed(work string, claimed *os.File) error {
	now, err := os.Open(work)
	if err != nil {
		return ignoreMissing(err)
	}
	defer now.Close()

	if !isAt(claimed, work) &&
		(Lock(now, syscall.LOCK_EX) != nil || !isAt(now, work)) {
		return nil
	}
	return os.RemoveAll(work)
}

func clearFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}

// RemoveLeftovers removes the temporary files and folders that killed programs left in folder, and
// which no process has locked: files whose names are prefix, the digits of [os.CreateTemp] and
// suffix, and folders that [MkdirTemp] made on this host. A folder that does not exist, or may not
// be changed, has none.
func RemoveLeftovers(folder, prefix, suffix string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ignoreAbsent(err)
	}

	for _, e := range entries {
		start, end := prefix, suffix
		if e.IsDir() {
			start, end = prefix+onHost(), ""
		}

		digits, ok := strings.CutPrefix(e.Name(), start)
		if ok {
			digits, ok = strings.CutSuffix(digits, end)
		}

		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" ||
			!e.IsDir() && !e.Type().IsRegular() {
			continue
		}

		if err := removeUnlocked(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// removeUnlocked removes a file or folder unless a process has locked it.
func removeUnlocked(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return ignoreAbsent(err)
	}
	defer f.Close()

	if Lock(f, syscall.LOCK_EX) != nil {
		return nil
	}
	return ignoreAbsent(os.RemoveAll(path))
}

// ignoreAbsent returns nil about a file that another program has removed, or that this one may not
// remove.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}
