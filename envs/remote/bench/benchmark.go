package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/drift"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// base is the version that prompts show.
const base = "p_c"

// Remote is the benchmark. It implements [suite.Benchmark], [suite.Lister], [suite.Verifier],
// [suite.Sourced], [suite.Asker] and [suite.Commander].
type Remote struct {
	// Recordings reads recorded runs as tasks, and returns nil for a file without any. A nil
	// function reads none.
	Recordings func(path string) (*Recordings, error)
}

// Name implements [suite.Benchmark].
func (Remote) Name() string { return "remote" }

// Versions implements [suite.Benchmark].
func (Remote) Versions(data string, own ...toolapi.File) (*toolapi.Catalog, error) {
	text, err := disk.ReadText(basePath(data))
	if err != nil {
		return nil, fmt.Errorf("no tools of your own in %s: `toolevo tools import` puts them "+
			"there: %w", data, err)
	}

	// p_s_in and p_s_ood are made from p_c as for any suite, so they have no files.
	all, err := drift.StandardOf(base, string(text), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", basePath(data), err)
	}

	// Every file in the folder is a version, such as what `tools next` wrote; no list names them.
	paths, err := filepath.Glob(filepath.Join(versionsPath(data), "*.yaml"))
	if err != nil {
		return nil, err
	}

	for _, path := range paths {
		text, err := disk.ReadText(path)
		if err != nil {
			return nil, err
		}

		own = append(own, toolapi.File{Path: path, Text: string(text)})
	}

	if len(own) == 0 {
		return all, nil
	}
	return all.WithFiles(own...)
}

// Tools implements [suite.Benchmark].
func (Remote) Tools(v *toolapi.Version, _ []string) []*toolapi.API { return v.APIs }

// Sources implements [suite.Sourced].
func (Remote) Sources(data string) (map[string]string, error) {
	sum, _, err := disk.Sum(basePath(data))
	if err != nil {
		return nil, err
	}

	toolset, err := readToolset(data)
	if err != nil {
		return nil, err
	}

	// Waiting times and the number of instances or requests change no answer, and neither does
	// where a model runs. The judge is named only where a task has a rubric, by openJudge.
	toolset.Instances, toolset.Timeout, toolset.Patience, toolset.Judge = 0, 0, 0, nil
	if toolset.OpenAPI != nil {
		toolset.OpenAPI.Rate, toolset.OpenAPI.Concurrent = 0, 0
	}

	if toolset.Simulated != nil {
		toolset.Simulated.Server = ""
	}

	text, err := yaml.Marshal(toolset)
	if err != nil {
		return nil, err
	}

	all := map[string]string{"tools": sum, "toolset": envs.SHA256(text)}

	// A document edited in place changes what the tools do, though tools.yaml stays the same.
	if o := toolset.OpenAPI; o != nil {
		all["document"], _, err = disk.Sum(filepath.Join(folder(data), o.Document))
	}
	return all, err
}

// Verify implements [suite.Verifier].
func (Remote) Verify(ctx context.Context, data string) ([]suite.VerifiedFile, error) {
	return suite.VerifySplits(ctx, func(split string) (path, has string, err error) {
		path = tasksPath(data, split)
		all, err := readSplit(data, split)
		return path, fmt.Sprintf("%d tasks", len(all)), err
	})
}

// List implements [suite.Lister].
func (Remote) List(data, split string) ([]envs.Task, error) {
	all, err := readSplit(data, split)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	tasks := make([]envs.Task, len(all))
	for i, t := range all {
		tasks[i] = t.env(t.Question)
	}

	tasks, _ = (&suite.Choice{}).Narrow(tasks)
	return tasks, err
}

// CountTasks implements [suite.Asker].
func (Remote) CountTasks(data, path string) (int, error) {
	all, err := readTasks(data, path)
	return len(all), err
}

// readSplit reads the tasks of a split. The error is [io/fs.ErrNotExist] if the split has no file.
func readSplit(data, split string) ([]*Task, error) {
	return readTasks(data, tasksPath(data, split))
}

// readTasks reads the tasks of a file, a table (.csv) or JSON lines, for the tools of a data
// folder.
func readTasks(data, path string) ([]*Task, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}

	spec, err := readBase(data)
	if err != nil {
		return nil, fmt.Errorf("the tools of the tasks: %w: `toolevo tools import` puts them there",
			err)
	}

	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return readTable(path, toolsOf(spec))
	}
	return ReadTasks(path, toolsOf(spec))
}

// readBase reads the version of the tools as they are.
func readBase(data string) (*toolapi.Spec, error) {
	text, err := disk.ReadText(basePath(data))
	if err != nil {
		return nil, err
	}
	return toolapi.Parse(toolapi.File{Path: basePath(data), Text: string(text)})
}

// writeVersion writes the file of a version.
func writeVersion(path string, spec *toolapi.Spec) error {
	text, err := spec.Encode()
	if err != nil {
		return err
	}

	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return disk.Write(path, text)
}

// toolsOf returns the tools of a version without those of the environment.
func toolsOf(spec *toolapi.Spec) (tools []string) {
	for _, a := range spec.APIs {
		if !envs.IsSystem(a.ToolName()) {
			tools = append(tools, a.ToolName())
		}
	}

	return tools
}

// Open implements [suite.Benchmark].
func (r Remote) Open(_ context.Context, c suite.Choice) (suite.Suite, error) {
	o := &opened{choice: c, byID: map[string]*Task{}, plans: map[string]envs.Plan{}}

	var err error
	if o.choice.Versions == nil {
		if o.choice.Versions, err = r.Versions(c.Data); err != nil {
			return nil, err
		}
	}

	if err := o.openTools(); err != nil {
		return nil, err
	}
	return o, o.openTasks()
}

// openTools reads what calls the tools.
func (o *opened) openTools() (err error) {
	if o.lineage, err = (Remote{}).Sources(o.choice.Data); err != nil {
		return err
	}

	if o.toolset, err = readToolset(o.choice.Data); err != nil {
		return err
	}

	whole, err := o.choice.Versions.Spec(base)
	if err != nil {
		return err
	}

	if err := o.toolset.check(whole); err != nil {
		return fmt.Errorf("%s: %w", toolsetPath(o.choice.Data), err)
	}

	o.service, err = o.toolset.service(o.openSource(whole))
	return err
}

// openTasks reads the tasks of the choice.
func (o *opened) openTasks() error {
	c := &o.choice
	path, split := tasksPath(c.Data, c.Split), c.Split

	// A user's own file replaces the split, and the lineage has to tell the two apart.
	if c.Own != "" {
		path, split = c.Own, suite.OwnSplit
	}

	all, err := readTasks(c.Data, path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no tasks of the split %s in %s: `toolevo tasks add FILE --split %s` "+
			"puts them there", c.Split, c.Data, c.Split)
	}

	if err != nil {
		return err
	}

	if o.lineage["split "+split], _, err = disk.Sum(path); err != nil {
		return err
	}

	for _, t := range all {
		// The choice may rephrase a question. Policies see that one, so solutions are found by it.
		question := c.Ask(t.ID, t.Question)
		o.byID[t.ID] = t
		o.tasks = append(o.tasks, t.env(question))

		if plan := t.plan(); plan != nil {
			o.plans[question] = plan
		}
	}

	// Only the tasks name the datasets, so a wrong choice is not known earlier.
	_, datasets := (&suite.Choice{}).Narrow(o.tasks)
	for _, name := range c.Datasets {
		if !slices.Contains(datasets, name) {
			return fmt.Errorf("no tasks of %s in %s: it has those of %v", name, path, datasets)
		}
	}

	o.tasks, o.datasets = c.Narrow(o.tasks)
	return o.openJudge()
}

var (
	_ suite.Benchmark = Remote{}
	_ suite.Lister    = Remote{}
	_ suite.Verifier  = Remote{}
	_ suite.Sourced   = Remote{}
	_ suite.Asker     = Remote{}
	_ suite.Planner   = (*opened)(nil)
	_ suite.Answerer  = (*opened)(nil)
	_ suite.Preparer  = (*opened)(nil)
	_ suite.Harmless  = (*opened)(nil)
)
