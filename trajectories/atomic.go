package trajectories

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// unfinished is what the name of a file or folder ends with until it is whole. There is one such name for each, so that
// what a killed process left is replaced by the next one.
const unfinished = ".new"

// atomically writes a file that appears whole or not at all: under another name in its folder, synced and renamed. One
// process at a time may write a file.
func atomically(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if err := errors.Join(fillAndSync(f, fill), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("rename to %s: %w", path, err), os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

func fillAndSync(f *os.File, fill func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(f, 1<<20)
	if err := fill(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", f.Name(), err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", f.Name(), err)
	}
	return nil
}

// syncDir makes renames in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open folder %s to sync it: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}

// claimFolder makes the folder in which the files of dir are written until all are whole, and locks it until release
// removes it. What a killed process left in it is removed.
func claimFolder(dir string) (work string, release func() error, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	work = filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+unfinished)
	for {
		if err := os.MkdirAll(work, 0o755); err != nil {
			return "", nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		f, err := os.Open(work)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, fmt.Errorf("open a temporary folder: %w", err)
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return "", nil, errors.Join(fmt.Errorf("another process is writing it (%s)", work), f.Close())
		}
		if !isAt(f, work) { // whoever had the lock before has removed it
			f.Close()
			continue
		}
		release = func() error { return errors.Join(os.RemoveAll(work), f.Close()) }
		return work, release, empty(work)
	}
}

func isAt(f *os.File, path string) bool {
	ours, err := f.Stat()
	there, statErr := os.Stat(path)
	return err == nil && statErr == nil && os.SameFile(ours, there)
}

func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}
