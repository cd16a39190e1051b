package taskfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/envs/stategen"
)

// folder returns the folder of the tasks in a data folder.
func folder(data string) string { return filepath.Join(data, "stategen") }

// Path returns the file of a split in a data folder.
func Path(data, split string) string { return filepath.Join(folder(data), split+".jsonl") }

// File is a split of a data folder. It is safe for concurrent use.
type File struct {
	SHA256 string // of its bytes
	Hashed bool   // whether the folder has the hash: it has none of other programs' files

	sum   hash.Hash
	path  string
	file  *os.File
	lines []line
}

// line is the place of a task.
type line struct{ offset, length int64 }

// Open reads a split of a data folder, and calls visit, which may be nil, with each task in order.
// The error is [io/fs.ErrNotExist] if the folder has no such split.
func Open(data, split string, visit func(t *stategen.Task) error) (*File, error) {
	f := &File{path: Path(data, split), sum: sha256.New()}

	state, err := readCommitted(data)
	if err != nil {
		return nil, err
	}

	size, hashed := state.Bytes[split]

	// Callers pass over a split that does not exist, so a committed one must not look like that.
	f.file, err = disk.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) && size > 0 {
		err = fmt.Errorf("%s is %w: it is gone: generate tasks in another data folder",
			f.path, disk.ErrDamaged)
	}

	if err != nil {
		return nil, fmt.Errorf("stategen: %w", err)
	}

	// After the committed bytes there may be some that another process is adding now.
	from := io.Reader(f.file)
	if hashed {
		from = io.LimitReader(from, size)
	}

	err = scan(from, f.sum, func(at line, text []byte) error {
		f.lines = append(f.lines, at)

		t, err := decode(text)
		if err != nil {
			return f.damaged(len(f.lines), err)
		}

		if visit != nil {
			return visit(t)
		}
		return nil
	})
	if err == io.ErrUnexpectedEOF { // scan's own
		err = f.damaged(len(f.lines)+1, err)
	}

	if err != nil {
		return nil, errors.Join(err, f.file.Close())
	}

	// Checked last: visit has seen tasks that count only if Open succeeds.
	f.SHA256, f.Hashed = hex.EncodeToString(f.sum.Sum(nil)), hashed
	if hashed && f.SHA256 != state.Sums[split] {
		err := fmt.Errorf("%s is %w: its hash is not the one in %s: "+
			"generate tasks in another data folder", f.path, disk.ErrDamaged, booksFile)
		return nil, errors.Join(err, f.file.Close())
	}
	return f, nil
}

// Len returns the number of tasks.
func (f *File) Len() int { return len(f.lines) }

// Task reads the i-th task.
func (f *File) Task(i int) (*stategen.Task, error) {
	text := make([]byte, f.lines[i].length)
	if _, err := f.file.ReadAt(text, f.lines[i].offset); err != nil {
		return nil, f.damaged(i+1, err)
	}

	t, err := decode(text)
	if err != nil {
		return nil, f.damaged(i+1, err)
	}
	return t, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

func (f *File) damaged(number int, err error) error {
	return fmt.Errorf("%s is %w: line %d: %w: generate tasks in another data folder",
		f.path, disk.ErrDamaged, number, err)
}

// decode reads a task.
func decode(text []byte) (*stategen.Task, error) {
	t := new(stategen.Task)
	if err := json.Unmarshal(text, t); err != nil {
		return nil, err
	}

	if t.ID == "" || len(t.Cases) == 0 {
		return nil, errors.New("a task without an id or without cases")
	}
	return t, nil
}

// scan calls visit with each line of a file, and adds its bytes to a hash. The error for a last
// line without an end is [io.ErrUnexpectedEOF].
func scan(from io.Reader, sum hash.Hash, visit func(at line, text []byte) error) error {
	lines := bufio.NewReaderSize(io.TeeReader(from, sum), 1<<16)

	for at := (line{}); ; at.offset += at.length {
		text, err := lines.ReadBytes('\n')
		at.length = int64(len(text))

		switch {
		case errors.Is(err, io.EOF) && len(text) == 0:
			return nil
		case errors.Is(err, io.EOF):
			err = io.ErrUnexpectedEOF
		}

		if err != nil {
			return err
		}

		if err := visit(at, text); err != nil {
			return err
		}
	}
}
