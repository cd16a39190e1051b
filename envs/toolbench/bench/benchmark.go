package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

// ToolBench is the benchmark. It implements [suite.Benchmark], [suite.Lister], [suite.Verifier],
// [suite.Sourced], [suite.Configurable] and [suite.Commander].
type ToolBench struct{}

// Name implements [suite.Benchmark].
func (ToolBench) Name() string { return "toolbench" }

// Versions implements [suite.Benchmark]. They are of the functions of all splits.
func (ToolBench) Versions(data string, own ...toolapi.File) (*toolapi.Catalog, error) {
	splits, err := toolbench.OpenAll(data, suite.Splits())
	if err != nil {
		return nil, err
	}

	if len(splits) == 0 {
		return nil, fmt.Errorf("no queries of ToolBench in %s: run `toolevo toolbench import`", data)
	}

	hashes := fmt.Sprint(sources(splits))
	known, ok := versions.Load(hashes)

	if !ok {
		o := &opened{}
		if err := o.take(splits, slices.Min(slices.Collect(maps.Keys(splits)))); err != nil {
			return nil, err
		}

		known, _ = versions.LoadOrStore(hashes, o.choice.Versions)
	}
	return known.(*toolapi.Catalog).WithFiles(own...)
}

// versions has the catalogs of splits, by their hashes. A command that plays several evaluations
// needs one for each.
var versions sync.Map

// Tools implements [suite.Benchmark]. The functions are those of the tasks.
func (ToolBench) Tools(v *toolapi.Version, _ []string) []*toolapi.API {
	return slices.DeleteFunc(slices.Clone(v.APIs), func(a *toolapi.API) bool { return !envs.IsSystem(a.Tool) })
}

// Sources implements [suite.Sourced].
func (ToolBench) Sources(data string) (map[string]string, error) {
	splits, err := toolbench.OpenAll(data, suite.Splits())
	if err != nil {
		return nil, err
	}
	return sources(splits), nil
}

// sources returns the hashes of splits, as a lineage has them.
func sources(splits map[string]*toolbench.Kept) map[string]string {
	all := map[string]string{}
	for name, kept := range splits {
		all["split "+name] = kept.SHA256
	}
	return all
}

// Verify implements [suite.Verifier].
func (ToolBench) Verify(ctx context.Context, data string) ([]suite.VerifiedFile, error) {
	return suite.VerifySplits(ctx, func(split string) (path, has string, err error) {
		path = toolbench.Path(data, split)

		kept, err := toolbench.Open(data, split)
		if err == nil {
			has = fmt.Sprintf("%d queries, %d documents", len(kept.Queries), len(kept.Documents))
		}
		return path, has, err
	})
}

// MakeExamples implements [suite.ExampleMaker].
func (ToolBench) MakeExamples(_ context.Context, data string) error {
	return toolbench.MakeExamples(data, suite.Examples, suite.Splits())
}

// List implements [suite.Lister].
func (ToolBench) List(data, split string) ([]envs.Task, error) {
	splits, err := toolbench.OpenAll(data, suite.Splits())
	if err != nil || splits[split] == nil {
		return nil, err
	}

	o := &opened{choice: suite.Choice{Prompt: base}}
	if err := o.take(splits, split); err != nil {
		return nil, err
	}

	all, err := o.makeTasks()
	tasks, _ := o.choice.Narrow(all)
	return tasks, err
}

// Open implements [suite.Benchmark].
func (ToolBench) Open(ctx context.Context, c suite.Choice) (suite.Suite, error) {
	splits, err := toolbench.OpenAll(c.Data, suite.Splits())
	if err != nil {
		return nil, err
	}

	if splits[c.Split] == nil {
		return nil, fmt.Errorf("no queries of the split %s in %s: run `toolevo toolbench import` "+
			"for it", c.Split, c.Data)
	}

	o := &opened{choice: c, plans: map[string][]envs.Call{}}
	if err := o.take(splits, c.Split); err != nil {
		return nil, err
	}

	if o.tasks, err = o.makeTasks(); err != nil {
		return nil, err
	}

	// The choice goes by labels, which tasks have from here on.
	if err := o.choose(); err != nil {
		return nil, err
	}

	// The cache and the model come last: no error above has to close them.
	if err := o.openAPIs(ctx); err != nil {
		return nil, err
	}

	// Scripted policies know a task by its question only.
	for _, t := range o.tasks {
		o.plans[t.Question] = o.planned(o.queries[t.ID])
	}
	return o, nil
}

// take takes the queries of a split and the documents of all splits, from which it makes versions
// if the choice has none.
func (o *opened) take(splits map[string]*toolbench.Kept, split string) error {
	o.queries, o.lineage = map[string]*toolbench.Query{}, sources(splits)

	// A function must change in the same way in all splits, so versions need all documents.
	var others []*toolbench.Collection

	for _, name := range suite.Splits() {
		if kept := splits[name]; kept != nil && name != split {
			others = append(others, kept.Collection)
		}
	}

	var err error
	if o.collection, err = toolbench.Union(splits[split].Collection, others...); err != nil {
		return err
	}

	functions, named, err := functionsOf(o.collection)
	if err != nil {
		return err
	}

	o.functions = named
	// The versions of a choice were made from the same documents, and may have files beside them.
	if o.choice.Versions == nil {
		if o.choice.Versions, err = drift.StandardOf(base, baseText, functions); err == nil {
			o.choice.Versions = drift.Published(o.choice.Versions, base)
		}
	}

	return err
}

// choose keeps the tasks of the chosen groups and difficulties.
func (o *opened) choose() error {
	groups := o.collection.Groups()

	for _, group := range o.choice.Datasets {
		if !slices.Contains(groups, group) {
			return fmt.Errorf("no group %s in the split %s: it has %v", group, o.choice.Split, groups)
		}
	}

	for _, d := range o.choice.Difficulties {
		if _, err := names.Parse("difficulty of ToolBench", d, []string{exposed, unexposed}); err != nil {
			return err
		}
	}

	o.tasks, o.groups = o.choice.Narrow(o.tasks)
	return nil
}
