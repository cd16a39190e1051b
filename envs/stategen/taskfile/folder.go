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
	"syscall"

	"github.com/zeebo/xxh3"

	"toolevo/envs/disk"
	"toolevo/envs/stategen"
)

// booksFile has the state of a folder: what is committed. It is sealed.
const booksFile = "books.json"

// committed is the durable state of a folder.
type committed struct {
	Books map[string]*stategen.Book `json:"books"`          // by domain
	Bytes map[string]int64          `json:"bytes"`          // of the tasks, by split
	Sums  map[string]string         `json:"sums"`           // SHA-256 of these bytes, by split
	APIs  string                    `json:"apis,omitempty"` // the set of APIs of all tasks
}

// APIs returns the set of APIs that the tasks of a data folder are for; see [stategen.Program].
func APIs(data string, splits []string) (string, error) {
	c, err := readCommitted(data)
	if err != nil {
		return "", err
	}
	return c.apis(data, splits), nil
}

// errSeen ends the reading of a split after its first task.
var errSeen = errors.New("the first task is seen")

// apis returns the set of APIs of all tasks: where nothing is committed, that of the first task
// that another program put there.
func (c *committed) apis(data string, splits []string) string {
	for _, size := range c.Bytes {
		if size > 0 {
			return c.APIs
		}
	}

	apis := c.APIs

	for _, split := range splits {
		file, err := Open(data, split, func(t *stategen.Task) error {
			apis = t.Program.APIs
			return errSeen
		})
		if errors.Is(err, errSeen) {
			return apis
		}

		// A split that cannot be read is an error for whoever opens it, not for the other splits.
		if err == nil {
			_ = file.Close()
		}
	}
	return apis
}

// readCommitted reads what a data folder has committed, which may be nothing.
func readCommitted(data string) (committed, error) {
	c := committed{Books: map[string]*stategen.Book{}, Bytes: map[string]int64{}, Sums: map[string]string{}}
	path := filepath.Join(folder(data), booksFile)

	text, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}

	if err == nil {
		text, err = disk.Unseal(text)
	}

	if err == nil {
		err = json.Unmarshal(text, &c)
	}

	if err != nil {
		err = fmt.Errorf("%s: %w: generate tasks in another data folder", path, err)
	}
	return c, err
}

// Folder holds the tasks of a data folder, to which one process adds others. It is not safe for
// concurrent use.
type Folder struct {
	path   string
	lock   *os.File
	state  committed
	counts map[string]map[string]int     // tasks, by split and domain
	known  map[xxh3.Uint128]xxh3.Uint128 // instructions, by program
	ids    map[string]map[string]bool    // of tasks, by split
	files  map[string]*appended          // the splits with added tasks
	sums   map[string]hash.Hash          // of the bytes of each split, including added ones

	// foreign are the splits that another program put there, so that the books on disk lack them.
	foreign map[string]bool
}

// appended is a split to which tasks are added.
type appended struct {
	file   *os.File
	buffer *bufio.Writer
	bytes  int64
}

// Edit opens a data folder to add tasks, and removes what was not committed. It is an error while
// another process has it open.
func Edit(data string, splits []string) (*Folder, error) {
	f := &Folder{
		path:    data,
		counts:  map[string]map[string]int{},
		known:   map[xxh3.Uint128]xxh3.Uint128{},
		ids:     map[string]map[string]bool{},
		files:   map[string]*appended{},
		sums:    map[string]hash.Hash{},
		foreign: map[string]bool{},
	}

	if err := os.MkdirAll(folder(data), 0o755); err != nil {
		return nil, fmt.Errorf("stategen: %w", err)
	}

	var err error
	if f.lock, err = os.Open(folder(data)); err != nil {
		return nil, fmt.Errorf("stategen: %w", err)
	}

	// On the folder itself, not on a file: the kernel releases the lock of a process however it
	// ends, so that no stale lock is left.
	switch err = disk.Lock(f.lock, syscall.LOCK_EX); {
	case errors.Is(err, disk.ErrNoLocks):
		err = fmt.Errorf("stategen: lock %s: %w", folder(data), err)
	case err != nil:
		err = fmt.Errorf("stategen: another process adds tasks to %s: wait for it: %w",
			folder(data), err)
	}

	if err == nil {
		err = f.read(splits)
	}

	if err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

// read reads what is committed.
func (f *Folder) read(splits []string) (err error) {
	if f.state, err = readCommitted(f.path); err != nil {
		return err
	}

	// Before splits of other programs are taken in, as if they were committed.
	f.state.APIs = f.state.apis(f.path, splits)

	for _, split := range splits {
		f.counts[split], f.sums[split] = map[string]int{}, sha256.New()
		f.ids[split] = map[string]bool{}

		if err := f.readSplit(split); err != nil {
			return err
		}
	}

	return nil
}

func (f *Folder) readSplit(split string) error {
	path := Path(f.path, split)

	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && f.state.Bytes[split] == 0 {
		return nil
	}

	size, hashed := f.state.Bytes[split]

	switch {
	case err != nil:
	case !hashed: // another program wrote it, so that all of it counts
		f.state.Bytes[split], f.foreign[split] = info.Size(), true
	case info.Size() < size:
		err = fmt.Errorf("it has %d bytes, want %d: %w", info.Size(), size, io.ErrUnexpectedEOF)
	default: // a killed process may have added more
		err = os.Truncate(path, size)
	}

	if err != nil {
		return fmt.Errorf("%s is %w: %w: generate tasks in another data folder",
			path, disk.ErrDamaged, err)
	}

	// All tasks are read now, because no program may be added twice.
	file, err := Open(f.path, split, func(t *stategen.Task) error {
		f.counts[split][t.Program.Domain]++
		f.known[identity(t.Program)] = identity(t.Instruction)
		f.ids[split][t.ID] = true
		return nil
	})
	if err != nil {
		return err
	}

	f.sums[split] = file.sum
	f.state.Sums[split] = file.SHA256
	return file.Close()
}

// identity identifies a program or an instruction: they are too few to collide by chance in 128
// bits.
func identity[T stategen.Program | stategen.Instruction](part T) xxh3.Uint128 {
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // it has nothing but what JSON can say
	}
	return xxh3.Hash128(text)
}

// Book returns the book of a domain, which is committed with the tasks.
func (f *Folder) Book(domain string) *stategen.Book {
	if f.state.Books[domain] == nil {
		f.state.Books[domain] = new(stategen.Book)
	}
	return f.state.Books[domain]
}

// Count returns how many tasks of a domain a split has.
func (f *Folder) Count(split, domain string) int { return f.counts[split][domain] }

// Has reports whether the folder has the program of a task with its instruction.
func (f *Folder) Has(t *stategen.Task) bool {
	return f.known[identity(t.Program)] == identity(t.Instruction)
}

// Add adds a task to a split, and reports whether it did: a program that any split has is not
// added. All tasks of a folder are for one set of APIs, and those of a split have different IDs.
func (f *Folder) Add(split string, t *stategen.Task) (bool, error) {
	id := identity(t.Program)
	if _, known := f.known[id]; known {
		return false, nil
	}

	// The first task decides: versions of APIs, which a folder has one set of, cannot be mixed.
	if len(f.known) == 0 {
		f.state.APIs = t.Program.APIs
	}

	if t.Program.APIs != f.state.APIs {
		return false, fmt.Errorf("the task %s is for another set of APIs than those that %s has: "+
			"choose another data folder for it", t.ID, f.path)
	}

	// Nobody could play a split in which an ID means two tasks.
	if f.ids[split][t.ID] {
		return false, fmt.Errorf("the split %s of %s has another task that is called %s: choose "+
			"another split or data folder for this one", split, f.path, t.ID)
	}

	text, err := json.Marshal(t)
	if err != nil {
		return false, fmt.Errorf("stategen: %s: %w", t.ID, err)
	}

	a, err := f.appended(split)
	if err != nil {
		return false, err
	}

	text = append(text, '\n')

	// Without a commit it does not count: Edit removes what was added after the last one.
	n, err := a.buffer.Write(text)
	if err != nil {
		return false, fmt.Errorf("stategen: %w", err)
	}

	a.bytes += int64(n)
	f.sums[split].Write(text)
	f.known[id] = identity(t.Instruction)
	f.ids[split][t.ID] = true
	f.counts[split][t.Program.Domain]++
	return true, nil
}

// appended opens a split to add to it.
func (f *Folder) appended(split string) (*appended, error) {
	if a := f.files[split]; a != nil {
		return a, nil
	}

	_, counted := f.state.Bytes[split]
	if !counted {
		f.state.Bytes[split] = 0
		f.state.Sums[split] = hex.EncodeToString(f.sums[split].Sum(nil))
	}

	// From now on, what is not committed is removed, also after tasks of another program.
	if !counted || f.foreign[split] {
		if err := f.begin(); err != nil {
			return nil, err
		}
	}

	file, err := os.OpenFile(Path(f.path, split), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("stategen: %w", err)
	}

	a := &appended{file, bufio.NewWriterSize(file, 1<<16), f.state.Bytes[split]}
	f.files[split] = a
	return a, nil
}

// begin makes the sizes of the splits durable, and no books: these may count programs already whose
// tasks are not committed.
func (f *Folder) begin() error {
	c, err := readCommitted(f.path)
	if err != nil {
		return err
	}

	c.Bytes, c.Sums, c.APIs = f.state.Bytes, f.state.Sums, f.state.APIs
	return c.write(f.path)
}

// Commit makes the added tasks and the books durable.
func (f *Folder) Commit() error {
	for split, a := range f.files {
		if err := errors.Join(a.buffer.Flush(), a.file.Sync()); err != nil {
			return fmt.Errorf("stategen: %w", err)
		}

		f.state.Bytes[split] = a.bytes
		f.state.Sums[split] = hex.EncodeToString(f.sums[split].Sum(nil))
	}
	return f.state.write(f.path)
}

// write writes what a data folder has committed.
func (c *committed) write(data string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("stategen: %w", err)
	}
	return disk.WriteSealed(filepath.Join(folder(data), booksFile), append(text, '\n'))
}

// Close ends the editing. What was not committed is lost.
func (f *Folder) Close() (err error) {
	for _, a := range f.files {
		err = errors.Join(err, a.file.Close())
	}

	return errors.Join(err, disk.Release(f.lock))
}
