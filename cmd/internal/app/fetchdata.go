package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/mcts"
)

// dataQuestion is what a worker asks about the coordinator's data folder: what is in it, or, with a
// file, a part of that.
type dataQuestion struct {
	Data   bool   `json:"data"`
	File   string `json:"file,omitempty"`
	Offset int64  `json:"offset,omitempty"`
}

// dataFile is a file of a data folder.
type dataFile struct {
	Path string `json:"path"` // in the folder, with slashes
	Size int64  `json:"size"` // bytes
	Sum  string `json:"sha256"`
}

// dataPart is how many bytes of a file go into one answer.
const dataPart = 512 << 10

// dataShelf answers questions about a data folder, and other ones by what else does.
type dataShelf struct {
	dir  string
	list func() ([]dataFile, error) // read once, when somebody asks
	next func(context.Context, []byte) ([]byte, error)
}

func newDataShelf(dir string, next func(context.Context, []byte) ([]byte, error)) *dataShelf {
	return &dataShelf{dir, sync.OnceValues(func() ([]dataFile, error) { return listData(dir) }), next}
}

// listData lists the files of a data folder.
func listData(dir string) (all []dataFile, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}

	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}

		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == fetchLock {
			return err
		}

		sum, size, err := disk.Sum(path)
		all = append(all, dataFile{filepath.ToSlash(rel), size, sum})
		return err
	})
	return all, err
}

// answer is a cluster.Options.Ask.
func (d *dataShelf) answer(ctx context.Context, question []byte) ([]byte, error) {
	var q dataQuestion
	if err := json.Unmarshal(question, &q); err != nil || !q.Data {
		return d.next(ctx, question)
	}

	if q.File == "" {
		all, err := d.list()
		if err != nil {
			return nil, err
		}
		return json.Marshal(all)
	}

	// No name leads out of the folder, and no link in it.
	f, err := os.OpenInRoot(d.dir, filepath.FromSlash(q.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()

	part := make([]byte, dataPart)

	n, err := f.ReadAt(part, q.Offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return part[:n], err
}

// asker asks the coordinator, as a worker of package cluster does.
type asker interface {
	Ask(ctx context.Context, question []byte) (answer []byte, err error)
}

// fetchData gets from the coordinator what the data folder of this worker lacks, or has otherwise.
func (w *working) fetchData(ctx context.Context, member asker, dir string) error {
	defer w.Step("Fetching data")()

	text, err := json.Marshal(dataQuestion{Data: true})
	if err == nil {
		text, err = member.Ask(ctx, text)
	}

	var all []dataFile
	if err == nil {
		err = json.Unmarshal(text, &all)
	}

	if err != nil {
		return console.GaveUp(fmt.Errorf("the coordinator's data: %w", err))
	}

	// Whoever answers in the coordinator's place must not write elsewhere on this machine.
	for _, f := range all {
		if !filepath.IsLocal(f.Path) {
			return console.GaveUp(fmt.Errorf("the coordinator's data: %q is no path in a folder",
				f.Path))
		}
	}

	fetched, err := w.fetchLacking(ctx, member, dir, all)
	if err != nil {
		return err
	}

	size := int64(0)
	for _, f := range fetched {
		size += f.Size
	}

	w.Say("Fetched %d files of data, %s, into %s.", len(fetched), display.Bytes(size), dir)
	return nil
}

// fetchLacking gets the files that a data folder lacks, or has otherwise, and returns them.
func (w *working) fetchLacking(ctx context.Context, member asker, dir string, all []dataFile) (
	lacks []dataFile, err error) {
	// A folder that lacks nothing need not be one that can be written.
	if lacks = lacking(dir, all); len(lacks) == 0 {
		return nil, nil
	}

	lock, err := w.lockData(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer disk.Release(lock)

	// Another worker may have fetched them while this one waited.
	lacks = lacking(dir, lacks)

	// Either all or none: a corpus and its questions belong together.
	held, err := holdFiles(dir, lacks)
	defer held.release()

	if err != nil {
		return nil, err
	}

	for _, f := range lacks {
		if err := fetchFile(ctx, member, f, f.in(dir)); err != nil {
			return nil, console.GaveUp(fmt.Errorf("the coordinator's data: %s: %w", f.Path, err))
		}
	}
	return lacks, nil
}

// heldFiles are locked: no toolevo opens them as its data.
type heldFiles []*os.File

func (h heldFiles) release() {
	for _, f := range h {
		_ = disk.Release(f) // only read
	}
}

// holdFiles locks the files of a data folder that are replaced, and returns those also with an
// error. A run that has a corpus open would open the new one the next time, and its gold answers
// are of the old one.
func holdFiles(dir string, all []dataFile) (held heldFiles, err error) {
	for _, f := range all {
		there, err := disk.Open(f.in(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return held, console.GaveUp(err)
		}

		held = append(held, there)

		if errors.Is(disk.Lock(there, syscall.LOCK_EX), syscall.EWOULDBLOCK) {
			return held, console.Usage("%s differs from the coordinator's, and is read by a "+
				"toolevo that runs: end that first, or take another folder with ‹data›",
				there.Name())
		}
	}
	return held, nil
}

// fetchLock is the file of a data folder that is locked while somebody fetches. It stays there, and
// is nobody's data.
const fetchLock = ".fetch.lock"

// lockData waits until nobody else fetches into a folder. Where a file system has no locks it goes
// without.
func (w *working) lockData(ctx context.Context, dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, console.GaveUp(err)
	}

	f, err := os.OpenFile(filepath.Join(dir, fetchLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	for told := false; errors.Is(disk.Lock(f, syscall.LOCK_EX), syscall.EWOULDBLOCK); told = true {
		if !told {
			w.Say("Waiting for another worker that fetches into %s.", dir)
		}

		if err := mcts.Wait(ctx, again); err != nil {
			return nil, errors.Join(endedWork(ctx, err), f.Close())
		}
	}
	return f, nil
}

// in returns the path of a file in a data folder.
func (f dataFile) in(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Path)) }

// lacking returns the files that a data folder lacks, or has otherwise by their sums.
func lacking(dir string, all []dataFile) (lacks []dataFile) {
	for _, f := range all {
		if sum, _, err := disk.Sum(f.in(dir)); err != nil || sum != f.Sum {
			lacks = append(lacks, f)
		}
	}
	return lacks
}

// fetchFile gets a file from the coordinator, whole or not at all.
func fetchFile(ctx context.Context, member asker, f dataFile, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return disk.WriteFile(path, func(to io.Writer) error {
		sum := sha256.New()

		for offset := int64(0); offset < f.Size; {
			question, err := json.Marshal(dataQuestion{true, f.Path, offset})
			if err != nil {
				return err
			}

			part, err := member.Ask(ctx, question)
			if err != nil {
				return err
			}

			if len(part) == 0 {
				return errors.New("it is shorter than it was")
			}

			offset += int64(len(part))
			_, _ = sum.Write(part) // never fails

			if _, err := to.Write(part); err != nil {
				return err
			}
		}

		if fmt.Sprintf("%x", sum.Sum(nil)) != f.Sum {
			return errors.New("what arrived is not what the coordinator has: has its data changed meanwhile?")
		}
		return nil
	})
}
