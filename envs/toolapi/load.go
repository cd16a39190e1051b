package toolapi

import (
	"cmp"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// File is a file of an API version.
type File struct {
	Path string `json:"path"` // by which errors name it
	Text string `json:"text"` // YAML
}

// Load reads every *.yaml file at the root of shipped and the user's own files, and returns their
// catalog. An unknown key is an error that names the file and the position.
func Load(shipped fs.FS, own ...File) (*Catalog, error) {
	all, err := shippedFiles(shipped)
	if err != nil {
		return nil, err
	}
	return new(Catalog).WithFiles(append(all, own...)...)
}

// parseAll parses files.
func parseAll(files []File) ([]*Spec, error) {
	specs := make([]*Spec, len(files))
	return specs, each(len(files), func(i int) (err error) {
		specs[i], err = Parse(files[i])
		return err
	})
}

// each calls do for all numbers below n, side by side, and returns the error of the smallest number
// that has one.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)

	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))

	for i := range n {
		all.Go(func() error {
			errs[i] = do(i)
			return nil
		})
	}

	_ = all.Wait() // errs has them, in their order
	return cmp.Or(errs...)
}

// shippedFiles reads the *.yaml files at the root.
func shippedFiles(fsys fs.FS) ([]File, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("toolapi: API versions: %w", err)
	}

	var files []File

	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), ".yaml") {
			continue
		}

		text, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("toolapi: read %s: %w", entry.Name(), err)
		}

		files = append(files, File{entry.Name(), string(text)})
	}
	return files, nil
}
