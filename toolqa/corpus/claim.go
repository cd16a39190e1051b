package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"toolevo/envs/disk"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// Claim lets nobody open the corpora of some datasets below a data folder until the claim is
// closed, which whoever replaces them needs. It fails where one is open: connections that a run
// opens later would read the new file, and its gold answers are of the old one.
func Claim(dir string, all ...toolqa.Dataset) (io.Closer, error) {
	claimed := claim{}

	for _, ds := range all {
		path := layout.Path(dir, ds)

		f, err := lock(path, syscall.LOCK_EX)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("corpus: %s is read by a toolevo that runs: end that first, or take "+
				"another data folder", path)
		}

		if err != nil {
			return nil, errors.Join(err, claimed.Close())
		}

		claimed = append(claimed, f)
	}
	return claimed, nil
}

// claim is the locked files.
type claim []*os.File

func (c claim) Close() error {
	var all []error
	for _, f := range c {
		all = append(all, disk.Release(f))
	}
	return errors.Join(all...)
}

// hold keeps others from claiming a corpus, until the file that it returns is closed.
func hold(path string) (*os.File, error) {
	f, err := lock(path, syscall.LOCK_SH)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("it is being replaced: try again when `toolevo data` has ended")
	}
	return f, err
}

// lock opens a file and takes its lock. Where a file system has no locks it goes without.
func lock(path string, how int) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	if err := disk.Lock(f, how); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
