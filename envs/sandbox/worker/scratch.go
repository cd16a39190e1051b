package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
)

const scratchPrefix = "toolevo-scratch-"

// Scratch is a folder for the files of one child. nil has none; all methods accept it.
type Scratch struct {
	Path string
	lock *os.File // held for as long as this process lives
}

// newScratch makes a scratch folder in a folder for temporary files, and removes those whose owners
// were killed.
func newScratch(parent string) (*Scratch, error) {
	if err := disk.RemoveLeftovers(parent, scratchPrefix, ""); err != nil {
		return nil, fmt.Errorf("worker: remove scratch folders that are left: %w", err)
	}

	lock, err := disk.MkdirTemp(parent, scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("worker: make a scratch folder: %w", err)
	}
	return &Scratch{Path: lock.Name(), lock: lock}, nil
}

// size returns the bytes of the files in the folder.
func (s *Scratch) size() (int64, error) { return s.each(func(string) error { return nil }) }

// empty removes the files in the folder, and returns how many bytes they had.
func (s *Scratch) empty() (int64, error) { return s.each(os.Remove) }

// each does something with every file in the folder, and returns how many bytes all have.
func (s *Scratch) each(do func(path string) error) (total int64, err error) {
	if s == nil {
		return 0, nil
	}

	entries, err := os.ReadDir(s.Path)

	for _, e := range entries {
		info, failed := e.Info()
		if errors.Is(failed, fs.ErrNotExist) {
			continue
		}

		if failed == nil {
			total += info.Size()
			failed = do(filepath.Join(s.Path, e.Name()))
		}

		err = errors.Join(err, failed)
	}

	if err != nil {
		return 0, fmt.Errorf("worker: look at a scratch folder: %w", err)
	}
	return total, nil
}

// remove removes the folder. What cannot be removed is left to the next program.
func (s *Scratch) remove() {
	if s != nil {
		os.RemoveAll(s.Path)
		s.lock.Close()
	}
}
