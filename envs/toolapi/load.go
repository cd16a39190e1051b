package toolapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/names"
)

// Catalog is a set of versions that define the same tools.
type Catalog struct {
	versions map[string]*Version
}

// Load reads every *.yaml file at the root of shipped and of the directories, which may hold versions of the user's
// own. One of the files, the base, defines the tools. An unknown key, a version defined twice, or a version that is not
// whole is an error that names the file and, for YAML, the position.
func Load(shipped fs.FS, dirs ...string) (*Catalog, error) {
	files, err := readAll(shipped, "")
	if err != nil {
		return nil, err
	}

	for _, dir := range dirs {
		more, err := readAll(os.DirFS(dir), dir+"/")
		if err != nil {
			return nil, err
		}

		files = append(files, more...)
	}

	byVersion := make(map[string]*file, len(files))
	for _, f := range files {
		if first, ok := byVersion[f.Version]; ok {
			return nil, fmt.Errorf("toolapi: %s: version %s is already defined in %s", f.path, f.Version, first.path)
		}

		byVersion[f.Version] = f
	}

	first := slices.IndexFunc(files, func(f *file) bool { return f.Base })
	if first < 0 {
		return nil, errors.New("toolapi: no file has base: true and so defines the tools")
	}

	// The base comes first, because the others refer to it.
	files[0], files[first] = files[first], files[0]
	c := &Catalog{versions: make(map[string]*Version, len(files))}

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

// file is the YAML form of a version.
type file struct {
	path string

	Version    string   `yaml:"version"`
	About      string   `yaml:"about"`
	Base       bool     `yaml:"base"` // it defines the tools
	Deprecates []string `yaml:"deprecates"`
	Messages   struct {
		Deprecated string `yaml:"deprecated"` // those of the base when empty
		Invalid    string `yaml:"invalid"`
	} `yaml:"messages"`
	APIs []apiFile `yaml:"apis"`
}

type apiFile struct {
	Name        string        `yaml:"name"`
	Tool        string        `yaml:"tool"` // Name when empty
	Parameters  any           `yaml:"parameters"`
	Description string        `yaml:"description"` // that of the base when empty
	Adapters    []adapterFile `yaml:"adapters"`
	Errors      struct {
		Arguments string `yaml:"arguments"`
		Value     string `yaml:"value"` // Arguments when empty
	} `yaml:"errors"`
	Notice struct {
		Signature string `yaml:"signature"` // the API's own when empty
		Example   string `yaml:"example"`
		Published struct {
			Signature *string `yaml:"signature"`
			Example   *string `yaml:"example"`
		} `yaml:"published"`
	} `yaml:"notice"`
}

// adapterFile has exactly one of its fields.
type adapterFile struct {
	Rename    Rename    `yaml:"rename"`
	Ignored   *Ignored  `yaml:"ignored"`
	Numbered  *Numbered `yaml:"numbered"`
	Flag      *Flag     `yaml:"flag"`
	Prefix    *Prefix   `yaml:"prefix"`
	Bracketed *struct {
		Parameter string  `yaml:"parameter"`
		Fields    []Field `yaml:"fields"`
	} `yaml:"bracketed"`
}

func readAll(fsys fs.FS, prefix string) ([]*file, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("toolapi: API versions in %q: %w", prefix, err)
	}
	var files []*file

	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), ".yaml") {
			continue
		}

		path := prefix + entry.Name()

		data, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("toolapi: read %s: %w", path, err)
		}

		f := &file{path: path}
		if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict(), yaml.UseOrderedMap()).Decode(f); err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the file is empty")
			}

			return nil, fmt.Errorf("toolapi: %s: %w", path, err)
		}

		files = append(files, f)
	}

	return files, nil
}
