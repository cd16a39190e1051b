package rundir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/mcts/store"
)

// List reads the runs at and below some folders, and the experiments that these are part of. The
// error wraps fs.ErrNotExist for a folder that does not exist.
func List(ctx context.Context, folders []string) ([]Run, error) {
	var dirs []string

	for _, folder := range folders {
		found, err := Find(folder, Deep)
		if err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}

		dirs = append(dirs, found...)
	}
	return ReadAll(ctx, dirs)
}

// ReadAll reads some runs, and adds each experiment that they are part of before the first of its
// runs.
func ReadAll(ctx context.Context, dirs []string) ([]Run, error) {
	all := []Run{}
	experiments := map[string][]int{} // places of their runs, by folder

	for _, dir := range dirs {
		r, err := Read(ctx, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}

		if err != nil {
			return nil, err
		}

		if above, e := experimentAbove(dir); above != "" {
			if experiments[above] == nil {
				all = append(all, e.row(above))
				experiments[above] = []int{len(all) - 1}
			}

			r.Parent = above
			experiments[above] = append(experiments[above], len(all))
		}

		all = append(all, r)
	}

	// Its settings are those that all of its runs share, so they are known only now.
	for _, places := range experiments {
		e := &all[places[0]]
		for _, i := range places[1:] {
			e.addPart(&all[i])
		}
	}

	return all, nil
}

// Listing says which runs of a list are shown, and in which order.
type Listing struct {
	Where []string // each KEY=TEXT, for a column with TEXT in it, or a TEXT that any column has
	Sort  string   // the name of a column; "" puts the newest run first
}

// Of returns the runs that are shown. Those of an experiment follow it.
func (l Listing) Of(all []Run) ([]Run, error) {
	by, err := columnOf(cmp.Or(l.Sort, started))
	if err != nil {
		return nil, err
	}

	shown := make([]Run, 0, len(all))

	for _, r := range all {
		ok, err := l.matches(&r)
		if err != nil {
			return nil, err
		}

		if ok {
			shown = append(shown, r)
		}
	}

	// Sorted before they are nested, so that the runs of an experiment are sorted among themselves,
	// too.
	slices.SortStableFunc(shown, func(a, b Run) int { return by.compare(&a, &b) })

	// If an experiment is not shown, its runs stand by themselves.
	below := map[string][]Run{}
	for _, r := range shown {
		below[r.Dir] = nil
	}

	top := make([]Run, 0, len(shown))

	for _, r := range shown {
		if _, ok := below[r.Parent]; ok && r.Parent != "" {
			below[r.Parent] = append(below[r.Parent], r)
			continue
		}

		r.Parent = ""
		top = append(top, r)
	}

	all = make([]Run, 0, len(shown))
	for _, r := range top {
		all = append(append(all, r), below[r.Dir]...)
	}
	return all, nil
}

// matches reports whether a run is shown.
func (l Listing) matches(r *Run) (bool, error) {
	for _, wanted := range l.Where {
		key, text, named := strings.Cut(wanted, "=")
		columns := Columns()

		if named {
			c, err := columnOf(key)
			if err != nil {
				return false, err
			}

			columns = []Column{*c}
		} else {
			text = wanted
		}

		has := func(c Column) bool {
			return strings.Contains(strings.ToLower(c.Text(r)), strings.ToLower(text))
		}
		if !slices.ContainsFunc(columns, has) {
			return false, nil
		}
	}

	return true, nil
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Shorts returns the abbreviations of a name that consists of a kind and the ID of a run, the
// shortest first: with the time to about a minute, to a millisecond, and in full. Any other name
// has only itself.
func Shorts(name string) []string {
	kind, id, ok := strings.Cut(name, "-")
	if !ok || store.TimeOf(id).IsZero() {
		return []string{name}
	}
	return []string{kind + "-" + id[:8], kind + "-" + id[:13], name}
}

// Named returns the run directory that a word means: the path, else the run in folder with the word
// as its name, or the only one whose name, made from its ID, begins with the word. A word that
// means none is returned as it is; one that may mean several is an error.
func Named(folder, word string) (string, error) {
	if exists(word) || word == "" || filepath.IsAbs(word) {
		return word, nil
	}

	if in := filepath.Join(folder, word); exists(in) {
		return in, nil
	}

	in, begins := filepath.Split(filepath.Join(folder, word))
	found, _ := Find(filepath.Clean(in), 1)
	found = slices.DeleteFunc(found, func(dir string) bool {
		name := filepath.Base(dir)
		return !strings.HasPrefix(name, begins) || len(Shorts(name)) == 1
	})

	switch len(found) {
	case 0:
		return word, nil
	case 1:
		return found[0], nil
	}

	return "", fmt.Errorf("%q may mean %s: write more of the name", word,
		strings.Join(found, " or "))
}
