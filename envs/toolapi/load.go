package toolapi

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"toolevo/envs/names"
)

// Catalog is a set of versions that define the same tools.
type Catalog struct {
	versions map[string]*Version
	specs    map[string]*Spec
}

// File is a file of an API version.
type File struct {
	Path string `json:"path"` // by which errors name it
	Text string `json:"text"` // YAML
}

// Load reads every *.yaml file at the root of shipped, and the user's own files, and returns the catalog of them. An
// unknown key is an error that names the file and the position.
func Load(shipped fs.FS, own ...File) (*Catalog, error) {
	all, err := shippedFiles(shipped)
	if err != nil {
		return nil, err
	}

	var files []*Spec

	for _, f := range append(all, own...) {
		spec, err := Parse(f)
		if err != nil {
			return nil, err
		}

		files = append(files, spec)
	}

	return NewCatalog(files...)
}

// NewCatalog returns the catalog of versions, which keeps them. One of them all, the base, defines the tools. A version
// defined twice, or one that is not whole, is an error that names its file.
func NewCatalog(versions ...*Spec) (*Catalog, error) {
	files := slices.Clone(versions)

	byVersion := make(map[string]*Spec, len(files))
	for _, f := range files {
		if first, ok := byVersion[f.Version]; ok {
			return nil, fmt.Errorf("toolapi: %s: version %s is already defined in %s", f.path, f.Version, first.path)
		}

		byVersion[f.Version] = f
	}

	first := slices.IndexFunc(files, func(f *Spec) bool { return f.Base })
	if first < 0 {
		return nil, errors.New("toolapi: no file has base: true and so defines the tools")
	}

	// The base comes first, because the others refer to it.
	files[0], files[first] = files[first], files[0]
	c := &Catalog{versions: make(map[string]*Version, len(files)), specs: byVersion}

	var base *Version

	for i, f := range files {
		v, err := f.build(base)
		if err == nil && f.Base && i > 0 {
			err = fmt.Errorf("a second base beside %s", files[0].path)
		}

		if err != nil {
			return nil, fmt.Errorf("toolapi: %s: %w", f.path, err)
		}

		c.versions[f.Version] = v
		if i == 0 {
			base = v
		}
	}

	return c, c.link(files)
}

// Names returns the versions' names in alphabetical order.
func (c *Catalog) Names() []string { return slices.Sorted(maps.Keys(c.versions)) }

// Version returns the version called name; the error of an unknown name lists the valid ones.
func (c *Catalog) Version(name string) (*Version, error) {
	v, ok := c.versions[name]
	if !ok {
		return nil, names.Unknown("API version", name, c.Names())
	}

	return v, nil
}

// Spec returns the file of a version that the catalog has. It is not to be changed.
func (c *Catalog) Spec(name string) *Spec { return c.specs[name] }

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
