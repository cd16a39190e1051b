package bench

import (
	"slices"
	"sync"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// opened is the benchmark over a split of a data folder. It implements [suite.Suite] and
// [suite.Planner].
type opened struct {
	choice     suite.Choice
	file       *taskfile.File
	apis       string // the set that the tasks are for
	datasets   []string
	tasks      []envs.Task
	places     map[string]place  // of the whole split, by ID of a task
	byQuestion map[string]string // IDs of tasks
	prepared   *memo.Recent[*episode]
}

// place is where a case is in the file.
type place struct{ task, number int }

// mostPrepared bounds how many cases each of two generations keeps ready: their services may hold
// large objects, and a machine of many processors plays that many at once.
const mostPrepared = 64

// episode is a case that can be played.
type episode struct {
	domain  stategen.Domain
	program *stategen.Program
	values  map[string]any // of its variables

	start  func() (stategen.State, error) // what the service has before the first call
	oracle func() (stategen.Oracle, error)
}

// episode returns the case with an ID. States of one case share the pointer, which they compare,
// while it is kept: a case that was forgotten is made again, which is slow, not wrong.
func (o *opened) episode(id string) (*episode, error) {
	if e, ok := o.prepared.Get(id); ok {
		return e, nil
	}

	at := o.places[id]

	t, err := o.file.Task(at.task)
	if err != nil {
		return nil, err
	}

	d, err := domains.Of(&t.Program)
	if err != nil {
		return nil, err
	}

	c := t.Cases[at.number]
	e := &episode{domain: d, program: &t.Program, values: t.Program.Values(c)}
	e.start = sync.OnceValues(func() (stategen.State, error) {
		return d.Begin(e.program, e.values)
	})
	e.oracle = sync.OnceValues(func() (stategen.Oracle, error) {
		return stategen.Replay(d, e.program, c, nil)
	})
	return o.prepared.Put(id, e), nil
}

// Tasks implements [suite.Suite].
func (o *opened) Tasks() []envs.Task { return slices.Clone(o.tasks) }

// Datasets implements [suite.Suite].
func (o *opened) Datasets() []string { return slices.Clone(o.datasets) }

// Lineage implements [suite.Suite].
func (o *opened) Lineage() map[string]string {
	return map[string]string{"split " + o.choice.Split: o.file.SHA256}
}

// Close implements [suite.Suite].
func (o *opened) Close() error { return o.file.Close() }
