// Package disk reads and replaces files so that nothing is lost and nothing hangs.
//
// Files are replaced atomically: a reader finds the whole old file or the whole new one. They are
// opened for reading only if they are regular: a pipe might block forever, and a device might never
// end. A text file that would be read as another text is refused, with the line. Files that are
// shipped with the program are found by their names.
//
// # Words
//
// A file being written is unfinished: [Unfinished] is appended to its name. Each file has only one
// such name, so the next process replaces what a killed one left behind.
//
// # Guarantees
//
// What these functions write or rename without an error survives a power cut, including the name:
// the file is synced before it is renamed, and its folder afterwards.
//
// # Caveats
//
// One process at a time may write a file. On a file system that cannot sync a folder they fail.
package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrDamaged means that a file is not what was written. Packages that can detect this wrap it.
var ErrDamaged = errors.New("damaged")

// Unfinished ends the name of a file until the file is complete.
const Unfinished = ".new"

// WriteFile replaces the file at path with what fill writes.
func WriteFile(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path+Unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}

	if err := errors.Join(fillAndSync(f, fill), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}

	if err := Rename(f.Name(), path); err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(f.Name())))
	}
	return nil
}

// Write replaces the file at path with a text.
func Write(path string, text []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func fillAndSync(f *os.File, fill func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(f, 1<<16)
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

// Rename gives a file or folder, which is synced, another name.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return Sync(filepath.Dir(to))
}

// Sync makes the content of a file, or the names in a folder, durable.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open to sync: %w", err)
	}

	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

// ignoreMissing returns nil about a missing file: it was renamed before its folder failed to be
// synced.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
