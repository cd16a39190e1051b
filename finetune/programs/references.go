package programs

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
)

// References knows what the references of the tasks of a split call. The file is read again for
// each that is asked for.
type References struct {
	split  *taskfile.File
	places map[string]int // by the ID of the task
}

// OpenReferences reads a split of a data folder. The error is [io/fs.ErrNotExist] if the folder has
// no such split.
func OpenReferences(data, split string) (*References, error) {
	r := &References{places: map[string]int{}}

	var err error
	r.split, err = taskfile.Open(data, split, func(t *stategen.Task) error {
		r.places[t.ID] = len(r.places)
		return nil
	})

	return r, err
}

// SHA256 returns the hash of the split's bytes.
func (r *References) SHA256() string { return r.split.SHA256 }

// Close closes the file.
func (r *References) Close() error { return r.split.Close() }

// tools returns the tools that the reference of a case calls, by the ID of its episode: sorted, and
// each as often as it is called. For what is no case of the split it returns none.
func (r *References) tools(id string) ([]string, error) {
	taskID, path := splitCase(id)

	place, ok := r.places[taskID]
	if !ok {
		return nil, nil
	}

	// Read anew each time: only failed tasks are looked up, and a split may be large.
	t, err := r.split.Task(place)
	if err != nil {
		return nil, err
	}

	i := slices.IndexFunc(t.Cases, func(c stategen.Case) bool { return string(c.Path) == path })
	if i < 0 {
		return nil, nil
	}

	d, err := domains.Of(&t.Program)
	if err != nil {
		return nil, err
	}

	var called []string

	// Which tools a case calls depends on its path, so the program is run.
	note := func(tool string, _ envs.Args) { called = append(called, tool) }
	_, err = stategen.Replay(d, &t.Program, t.Cases[i], note)
	slices.Sort(called)
	return called, err
}
