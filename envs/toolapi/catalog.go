package toolapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"toolevo/envs/names"
)

// Catalog is a set of versions that define the same tools. It is safe for concurrent use.
type Catalog struct {
	base     *entry // the version that defines the tools
	versions map[string]*entry
}

// entry is a version of a catalog, made on first use.
type entry struct {
	path  string
	spec  func() (*Spec, error)
	built func() (*Version, error) // without deprecations
	whole func() (*Version, error)
}

// NewCatalog returns the catalog of versions, which keeps them. Exactly one, the base, defines the
// tools. A version that is defined twice or incomplete is an error that names its file.
func NewCatalog(versions ...*Spec) (*Catalog, error) {
	return new(Catalog).With(versions...)
}

// With returns a catalog of these versions and those of c, as [NewCatalog] does.
func (c *Catalog) With(versions ...*Spec) (*Catalog, error) {
	all := c.clone()

	for _, s := range versions {
		if first, ok := all.versions[s.Version]; ok {
			return nil, fmt.Errorf("toolapi: %s: version %s is already defined in %s: choose another name",
				s.path, s.Version, first.path)
		}

		e := all.add(s.Version, s.path, func() (*Spec, error) { return s, nil })
		if s.Base && all.base == nil {
			all.base = e
		}
	}

	if all.base == nil {
		return nil, errors.New("toolapi: no file has base: true and so defines the tools")
	}
	return all, each(len(versions), func(i int) error {
		_, err := all.versions[versions[i].Version].whole()
		return err
	})
}

// WithFiles is With for files.
func (c *Catalog) WithFiles(files ...File) (*Catalog, error) {
	specs, err := parseAll(files)
	if err != nil {
		return nil, err
	}
	return c.With(specs...)
}

// Promise returns a catalog with the versions of c and one more, which is made on first use.
func (c *Catalog) Promise(name string, spec func() (*Spec, error)) *Catalog {
	all := c.clone()
	all.add(name, name, spec)
	return all
}

func (c *Catalog) clone() *Catalog {
	all := &Catalog{c.base, make(map[string]*entry, len(c.versions))}
	maps.Copy(all.versions, c.versions)
	return all
}

// add adds a version, which may refer to others of the catalog.
func (c *Catalog) add(name, path string, spec func() (*Spec, error)) *entry {
	e := &entry{path: path, spec: sync.OnceValues(spec)}
	e.built = sync.OnceValues(func() (*Version, error) { return c.build(e) })
	e.whole = sync.OnceValues(func() (*Version, error) { return c.link(e) })
	c.versions[name] = e
	return e
}

// build makes a version without its deprecations.
func (c *Catalog) build(e *entry) (*Version, error) {
	s, err := e.spec()
	if err != nil {
		return nil, err
	}

	var base *Version

	if e != c.base {
		if base, err = c.base.built(); err != nil {
			return nil, err
		}

		if s.Base {
			return nil, fmt.Errorf("toolapi: %s: a second base beside %s", e.path, c.base.path)
		}
	}

	v, err := s.build(base)
	if err != nil {
		return nil, fmt.Errorf("toolapi: %s: %w", e.path, err)
	}
	return v, nil
}

// link fills in the names that a version answers with a notice: those of the versions that it
// deprecates and does not expose itself.
func (c *Catalog) link(e *entry) (*Version, error) {
	v, err := e.built()
	if err != nil {
		return nil, err
	}

	// By now every file is in the catalog, so a version may deprecate one that was listed after it.
	s, err := e.spec()
	if err != nil {
		return nil, err
	}

	for _, name := range s.Deprecates {
		old, err := c.entry(name)
		if err != nil {
			return nil, fmt.Errorf("toolapi: %s: deprecates: %w", e.path, err)
		}

		// Not whole: two versions that deprecate each other would wait for each other.
		deprecated, err := old.built()
		if err != nil {
			return nil, err
		}

		for _, a := range deprecated.APIs {
			if err := v.deprecate(a); err != nil {
				return nil, fmt.Errorf("toolapi: %s: %w", e.path, err)
			}
		}
	}

	return v, nil
}

// entry returns the version of a name. The error about an unknown name lists the valid ones.
func (c *Catalog) entry(name string) (*entry, error) {
	e, ok := c.versions[name]
	if !ok {
		return nil, names.Unknown("API version", name, c.Names())
	}
	return e, nil
}

// Names returns the versions' names in alphabetical order.
func (c *Catalog) Names() []string { return slices.Sorted(maps.Keys(c.versions)) }

// Version returns the version of a name. The error about an unknown name lists the valid ones.
func (c *Catalog) Version(name string) (*Version, error) {
	e, err := c.entry(name)
	if err != nil {
		return nil, err
	}
	return e.whole()
}

// Pair returns the version that a prompt shows and the one that is deployed.
func (c *Catalog) Pair(prompt, deployed string) (shown, enforced *Version, err error) {
	if shown, err = c.Version(prompt); err == nil {
		enforced, err = c.Version(deployed)
	}
	return shown, enforced, err
}

// Spec returns the file of a version, which must not be changed. The error is that of
// [Catalog.Version].
func (c *Catalog) Spec(name string) (*Spec, error) {
	e, err := c.entry(name)
	if err != nil {
		return nil, err
	}
	return e.spec()
}
