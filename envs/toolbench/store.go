package toolbench

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"toolevo/envs/disk"
)

// format is the version of the files in the data folder.
const format = 1

// Path returns the file of a split in a data folder.
func Path(data, split string) string { return filepath.Join(data, "toolbench", split+".json") }

// Save keeps the files in the data folder as those of a split, in place of what it had. A query
// that another of the splits has is an error: nobody is trained on what others are measured by. So
// is an API that another split describes differently, because the documents of all splits are read
// together.
func (p *Published) Save(data, split string, splits []string) (written string, err error) {
	var others []*Collection
	var differs error // from the first of the others

	for _, other := range splits {
		if other == split {
			continue
		}

		c, err := Open(data, other)
		// A data folder need not have all splits.
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return "", err
		}

		if q, shared := p.Collection.shares(c.Collection); shared {
			return "", fmt.Errorf("toolbench: %s is a query of the split %s already: import it "+
				"into that one, or remove %s", q, other, Path(data, other))
		}

		others = append(others, c.Collection)
		if _, err := Union(p.Collection, c.Collection); err != nil && differs == nil {
			differs = fmt.Errorf("%w: the other split is %s: import both from the same files, or "+
				"remove that one", err, Path(data, other))
		}
	}

	// What two splits say of a tool may give way to what the queries of a third one say.
	if _, err := Union(p.Collection, others...); err != nil {
		return "", cmp.Or(differs, err)
	}

	if err := os.MkdirAll(filepath.Dir(Path(data, split)), 0o755); err != nil {
		return "", fmt.Errorf("toolbench: %w", err)
	}

	p.archive.Format = format

	text, err := json.Marshal(p.archive)
	if err != nil {
		return "", fmt.Errorf("toolbench: %w", err)
	}
	// The seal lets Open find a file that is cut off or was changed.
	return Path(data, split), disk.WriteSealed(Path(data, split), append(text, '\n'))
}

// shares returns a query that both collections have.
func (c *Collection) shares(other *Collection) (name string, ok bool) {
	has := map[string]bool{}
	for _, q := range other.Queries {
		has[q.Name()] = true
	}

	for _, q := range c.Queries {
		if has[q.Name()] {
			return q.Name(), true
		}
	}

	return "", false
}

// Kept is a split in the data folder.
type Kept struct {
	*Collection
	SHA256 string // of its text below the first line, which is this hash, too
}

// OpenAll reads those of some splits that a data folder has, by split.
func OpenAll(data string, splits []string) (map[string]*Kept, error) {
	all := map[string]*Kept{}

	for _, split := range splits {
		kept, err := Open(data, split)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return nil, err
		}

		all[split] = kept
	}
	return all, nil
}

// lastRead has the splits that were read, by path. A command that plays several evaluations opens
// the same split several times for each of them.
var lastRead sync.Map

// Open reads a split of a data folder, which callers share and do not change. The error is
// [fs.ErrNotExist] if the folder does not have it.
func Open(data, split string) (*Kept, error) {
	text, err := disk.ReadFile(Path(data, split))
	if err != nil {
		return nil, fmt.Errorf("toolbench: %w", err)
	}

	if text, err = disk.Unseal(text); err != nil {
		return nil, fmt.Errorf("%s is %w: run `toolevo toolbench import` again",
			Path(data, split), err)
	}

	hash := fmt.Sprintf("%x", sha256.Sum256(text))

	// A text with a known hash was checked when it was first read.
	if known, ok := lastRead.Load(Path(data, split)); ok && known.(*Kept).SHA256 == hash {
		return known.(*Kept), nil
	}

	// The format comes first: a file of another program version is not damaged.
	if err := disk.CheckJSON(Path(data, split), text, "format", format); err != nil {
		return nil, fmt.Errorf("toolbench: %w", err)
	}

	var a archive
	var c *Collection
	if err = json.Unmarshal(text, &a); err == nil {
		c, err = a.collection()
	}

	if err != nil {
		return nil, fmt.Errorf("%s is %w: %w: run `toolevo toolbench import` again",
			Path(data, split), disk.ErrDamaged, err)
	}

	kept := &Kept{c, hash}
	lastRead.Store(Path(data, split), kept)
	return kept, nil
}

// Union returns a collection of all documents, and of the queries of the first. What queries say of
// an API has precedence over the document of its tool, also in another split.
func Union(first *Collection, others ...*Collection) (*Collection, error) {
	b := newBuilder()

	// Tool documents name the folder of a category.
	named := func(k Key) Key { return Key{CategoryName(k.Category), k.Tool, k.API} }
	offered := map[Key]Key{} // by the name

	var ofTools []Document

	for _, c := range append([]*Collection{first}, others...) {
		own := map[Key]bool{}
		for _, q := range c.Queries {
			for _, k := range q.APIs {
				own[k], offered[named(k)] = true, k
			}
		}

		for _, d := range c.Documents {
			if !own[d.Key] {
				ofTools = append(ofTools, d)
			} else if err := b.add(d, "another split"); err != nil {
				return nil, fmt.Errorf("toolbench: %w", err)
			}
		}
	}

	for _, d := range ofTools {
		if k, ok := offered[named(d.Key)]; ok {
			b.tell(k, d.ToolDescription)
		} else if err := b.add(d, "another split"); err != nil {
			return nil, fmt.Errorf("toolbench: %w", err)
		}
	}

	all := b.collection()
	all.Queries, all.Missing = first.Queries, first.Missing
	return all, nil
}

// Groups returns the groups of the queries, in alphabetical order.
func (c *Collection) Groups() []string {
	groups := map[string]bool{}
	for _, q := range c.Queries {
		groups[q.Group] = true
	}
	return slices.Sorted(maps.Keys(groups))
}
