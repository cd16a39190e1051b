package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

// ToolBench is the benchmark; there is one in a program. It implements [suite.Benchmark], [suite.Planner],
// [suite.Lister], [suite.Deployer] and [suite.Commander].
type ToolBench struct {
	plans sync.Map // of opened tasks, by question: []envs.Call
}

// withoutData are the versions before any data is read, all of one folder or another.
var withoutData = sync.OnceValues(func() (*toolapi.Catalog, error) {
	v := newVersions(nil)
	return v.catalog(v.names...)
})

// Name implements [suite.Benchmark].
func (*ToolBench) Name() string { return "toolbench" }

// Versions implements [suite.Benchmark]. Their functions are in the data folder.
func (*ToolBench) Versions(own ...toolapi.File) (*toolapi.Catalog, error) {
	if len(own) > 0 {
		return nil, errors.New("suite toolbench: only p_c, p_s_in and p_s_ood can be deployed, no files and no factors")
	}

	return withoutData()
}

// Tools implements [suite.Benchmark]. Questions list the functions.
func (b *ToolBench) Tools(version string, _ []string) ([]*toolapi.API, error) {
	all, err := b.Versions()
	if err != nil {
		return nil, err
	}

	v, err := all.Version(version)
	if err != nil {
		return nil, err
	}

	return v.APIs, nil
}

// Plan implements [suite.Planner].
func (b *ToolBench) Plan(question string) (envs.Plan, bool) {
	calls, ok := b.plans.Load(question)
	if !ok {
		return nil, false
	}

	return planOf(calls.([]envs.Call)), true
}

// Commands implements [suite.Commander].
func (*ToolBench) Commands(p *console.Program) []*cobra.Command { return commands(p) }

// List implements [suite.Lister].
func (*ToolBench) List(data, split string) ([]envs.Task, error) {
	o, err := read(data, split)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	o.prompt = base

	return o.makeTasks()
}

// Deployed implements [suite.Deployer].
func (*ToolBench) Deployed(c suite.Choice, lineage map[string]string) (
	func(version, task string) (*toolapi.Version, error), error) {
	o, err := read(c.Data, c.Split)
	if err != nil {
		return nil, err
	}

	for _, name := range suite.Splits() {
		if key := lineageOf(name); o.lineage[key] != lineage[key] {
			return nil, fmt.Errorf("the %s in %s is another one than then", key, c.Data)
		}
	}

	o.prompt = c.Prompt

	queries := make(map[string]*toolbench.Query, len(o.collection.Queries))
	for i := range o.collection.Queries {
		q := &o.collection.Queries[i]
		queries[q.Name()] = q
	}

	return func(version, task string) (*toolapi.Version, error) {
		q, ok := queries[task]
		if !ok {
			return nil, fmt.Errorf("no query %s in the split %s of %s", task, c.Split, c.Data)
		}

		_, deployed, err := o.deployed(version, q)

		return deployed, err
	}, nil
}

// Open implements [suite.Benchmark].
func (b *ToolBench) Open(_ context.Context, c suite.Choice) (suite.Suite, error) {
	o, err := read(c.Data, c.Split)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no queries of the split %s in %s: run `toolevo toolbench import --split %s`", c.Split,
			c.Data, c.Split)
	}

	if err != nil {
		return nil, err
	}

	o.choice, o.prompt = c, c.Prompt

	if o.tasks, err = o.makeTasks(); err != nil {
		return nil, err
	}

	if err := o.choose(); err != nil {
		return nil, err
	}

	for _, t := range o.tasks {
		b.plans.Store(t.Question, o.planned(o.queries[t.ID]))
	}

	return o, nil
}

// lineageOf is what the lineage calls a split.
func lineageOf(split string) string { return "split " + split }

// read reads a split of a data folder, and the documents of the others: versions are made from all.
func read(data, split string) (*opened, error) {
	kept, err := toolbench.Open(data, split)
	if err != nil {
		return nil, err
	}

	o := &opened{queries: map[string]*toolbench.Query{}, lineage: map[string]string{lineageOf(split): kept.SHA256}}

	var others []*toolbench.Collection

	for _, name := range suite.Splits() {
		if name == split {
			continue
		}

		other, err := toolbench.Open(data, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return nil, err
		}

		others = append(others, other.Collection)
		o.lineage[lineageOf(name)] = other.SHA256
	}

	if o.collection, err = toolbench.Union(kept.Collection, others...); err != nil {
		return nil, err
	}

	functions, named, err := functionsOf(o.collection)
	if err != nil {
		return nil, err
	}

	o.versions, o.functions = newVersions(functions), named

	return o, nil
}

// choose leaves the tasks of the chosen groups and difficulties.
func (o *opened) choose() error {
	o.groups = o.collection.Groups()
	groups, difficulties := o.choice.Datasets, o.choice.Difficulties

	for _, group := range groups {
		if !slices.Contains(o.groups, group) {
			return fmt.Errorf("no group %s in the split %s: it has %v", group, o.choice.Split, o.groups)
		}
	}

	for _, d := range difficulties {
		if _, err := names.Parse("difficulty of ToolBench", d, []string{exposed, unexposed}); err != nil {
			return err
		}
	}

	unwanted := func(all []string, name string) bool { return all != nil && !slices.Contains(all, name) }
	o.groups = slices.DeleteFunc(o.groups, func(group string) bool { return unwanted(groups, group) })
	o.tasks = slices.DeleteFunc(o.tasks, func(t envs.Task) bool {
		return unwanted(groups, t.Labels[envs.LabelDataset]) || unwanted(difficulties, t.Labels[envs.LabelDifficulty])
	})

	return nil
}
