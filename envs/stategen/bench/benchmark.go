package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/envs/names"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// StateGen is the benchmark. It implements [suite.Benchmark], [suite.Narrower], [suite.Lister],
// [suite.Configurable], [suite.Programmer] and [suite.Commander].
type StateGen struct{}

// Name implements [suite.Benchmark].
func (StateGen) Name() string { return "stategen" }

// Versions implements [suite.Benchmark]. The tools are from the set of APIs that the tasks of the
// data folder are for.
func (StateGen) Versions(data string, own ...toolapi.File) (*toolapi.Catalog, error) {
	apis := ""

	if data != "" {
		var err error
		if apis, err = taskfile.APIs(data, suite.Splits()); err != nil {
			return nil, err
		}
	}

	all, err := Catalog(apis)
	if err != nil || len(own) == 0 {
		return all, err
	}
	return all.WithFiles(own...)
}

// Tools implements [suite.Benchmark].
func (StateGen) Tools(v *toolapi.Version, _ []string) []*toolapi.API { return v.APIs }

// DatasetTools implements [suite.Narrower]. A task uses one service.
func (StateGen) DatasetTools() (tools map[string][]string, unasked bool) {
	all := map[string][]string{}

	for _, d := range domains.All() {
		all[d.Name()] = append(stategen.ToolNames(d.APIs()), envs.FinishTool, envs.UpdateTool)
	}
	return all, true
}

// Sections implements [suite.Configurable]: there are none.
func (StateGen) Sections() []suite.Section { return nil }

// Defaults implements [suite.Configurable].
func (StateGen) Defaults() []byte { return nil }

// Values implements [suite.Configurable].
func (StateGen) Values(setting string) []string {
	switch setting {
	case "dataset":
		return domains.Names()
	case "difficulty":
		return difficulties()
	case "split":
		return suite.Splits()
	}

	return nil
}

// Verify implements [suite.Verifier].
func (StateGen) Verify(ctx context.Context, data string) ([]suite.VerifiedFile, error) {
	return suite.VerifySplits(ctx, func(split string) (path, has string, err error) {
		path = taskfile.Path(data, split)

		f, err := taskfile.Open(data, split, func(*stategen.Task) error { return ctx.Err() })
		if err != nil {
			return path, "", err
		}

		has = fmt.Sprintf("%d tasks", f.Len())
		if !f.Hashed {
			has += ", without a hash: another program put them there"
		}
		return path, has, f.Close()
	})
}

// List implements [suite.Lister].
func (StateGen) List(data, split string) ([]envs.Task, error) {
	o := &opened{choice: suite.Choice{Data: data, Split: split}}

	err := o.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	tasks, _ := o.choice.Narrow(o.tasks)
	return tasks, o.Close()
}

// Open implements [suite.Benchmark].
func (StateGen) Open(_ context.Context, c suite.Choice) (suite.Suite, error) {
	o := &opened{choice: c, prepared: &memo.Recent[*episode]{Most: mostPrepared}}

	if o.choice.Versions == nil {
		var err error
		if o.choice.Versions, err = (StateGen{}).Versions(c.Data); err != nil {
			return nil, err
		}
	}

	err := o.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no tasks of the split %s in %s: `toolevo tasks generate` makes tasks",
			c.Split, c.Data)
	}

	if err != nil {
		return nil, err
	}

	// The file stays open: memory holds no programs, so each task is read again when it is played.
	if err := o.choose(); err != nil {
		return nil, errors.Join(err, o.Close())
	}

	// A program answers all cases of a generated task at once, which makes it another suite.
	if o.inCode() {
		return &programs{opened: o}, nil
	}
	return o, nil
}

// read reads the tasks of the split.
func (o *opened) read() error {
	o.places, o.byQuestion = map[string]place{}, map[string]string{}

	var err error
	number := 0

	o.file, err = taskfile.Open(o.choice.Data, o.choice.Split, func(t *stategen.Task) error {
		if _, err := domains.Of(&t.Program); err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}

		// All tasks of a folder are for the same set of APIs.
		if number == 0 {
			o.apis = t.Program.APIs
		}

		tasks, err := o.tasksOf(t)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}

		for i, task := range tasks {
			if _, twice := o.places[task.ID]; twice {
				return fmt.Errorf("two tasks are called %s", task.ID)
			}

			// A planner is given nothing but the question.
			o.tasks = append(o.tasks, task)
			o.places[task.ID], o.byQuestion[task.Question] = place{number, i}, task.ID
		}

		number++
		return nil
	})
	return err
}

// choose keeps only the tasks of the chosen domains and difficulties.
func (o *opened) choose() error {
	for _, d := range o.choice.Difficulties {
		if _, err := names.Parse("difficulty of generated tasks", d, difficulties()); err != nil {
			return err
		}
	}

	has := func(domain string) bool {
		isOf := func(t envs.Task) bool { return t.Labels[envs.LabelDataset] == domain }
		return slices.ContainsFunc(o.tasks, isOf)
	}

	for _, name := range o.choice.Datasets {
		if _, err := domains.Lookup(name); err != nil {
			return err
		}

		if !has(name) {
			return fmt.Errorf("no tasks of the domain %s in the split %s of %s: "+
				"`toolevo tasks generate` makes tasks", name, o.choice.Split, o.choice.Data)
		}
	}

	o.tasks, o.datasets = o.choice.Narrow(o.tasks)
	return nil
}
