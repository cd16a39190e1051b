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

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/mcts/collect/cluster"
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
		if err != nil {
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

// fetchData gets from the coordinator what the data folder of this worker lacks, or has otherwise.
func (w *working) fetchData(ctx context.Context, member *cluster.Worker, dir string) error {
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

	fetched, size := 0, int64(0)

	// By their sums: a file that was changed here is another one.
	for _, f := range all {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if !filepath.IsLocal(f.Path) {
			return console.GaveUp(fmt.Errorf("the coordinator's data: %q is no path in a folder", f.Path))
		}

		if sum, _, err := disk.Sum(path); err == nil && sum == f.Sum {
			continue
		}

		if err := fetchFile(ctx, member, f, path); err != nil {
			return console.GaveUp(fmt.Errorf("the coordinator's data: %s: %w", f.Path, err))
		}

		fetched++
		size += f.Size
	}

	w.Say("Fetched %d files of data, %s, into %s.", fetched, display.Bytes(size), dir)
	return nil
}

// fetchFile gets a file from the coordinator, whole or not at all.
func fetchFile(ctx context.Context, member *cluster.Worker, f dataFile, path string) error {
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
