package bench

import (
	"errors"
	"io/fs"
	"slices"
	"sync"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/score"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/toolqa"
	"toolevo/toolqa/datacmd"
	"toolevo/toolqa/pytool"
	"toolevo/toolqa/questions"
)

func init() { suite.Register(ToolQA{}) }

// programTool is the tool that runs the model's programs.
const programTool = "PythonInterpreter"

// ToolQA is the benchmark ToolQA-D. It implements [suite.Benchmark] and all its optional
// interfaces.
type ToolQA struct{}

// versions parses the shipped API versions once per process, when a command first needs them.
var versions = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(apis.FS()) })

// Name implements [suite.Benchmark].
func (ToolQA) Name() string { return "toolqa" }

// Versions implements [suite.Benchmark]. The tools are the same in every data folder.
func (ToolQA) Versions(_ string, own ...toolapi.File) (*toolapi.Catalog, error) {
	shipped, err := versions()
	if err != nil || len(own) == 0 {
		return shipped, err
	}
	return shipped.WithFiles(own...)
}

// Tools implements [suite.Benchmark]. Which modules can be imported is said in the
// description of the API that runs Python, whatever the version.
func (ToolQA) Tools(v *toolapi.Version, modules []string) []*toolapi.API {
	tools := slices.Clone(v.APIs)
	for i, api := range tools {
		if api.Tool == programTool && modules != nil {
			described := *api
			described.Description += " " + pytool.Describe(modules)
			tools[i] = &described
		}
	}

	return tools
}

// Plans implements [suite.WordPlanner].
func (ToolQA) Plans() func(question string) (envs.Plan, bool) { return questions.Plan }

// Commands implements [suite.Commander].
func (ToolQA) Commands() []suite.Command { return datacmd.Commands() }

// CountTasks implements [suite.Asker].
func (ToolQA) CountTasks(_, path string) (int, error) {
	qs, err := questions.ReadOwn(path)
	return len(qs), err
}

// Matchers implements [suite.Matcher].
func (ToolQA) Matchers() map[string]func(gold, answer string) bool {
	return map[string]func(gold, answer string) bool{"official": score.Official, "strict": score.Strict}
}

// List implements [suite.Lister].
func (ToolQA) List(data, split string) ([]envs.Task, error) {
	var tasks []envs.Task

	for _, ds := range toolqa.Datasets() {
		for _, d := range toolqa.Difficulties() {
			qs, err := questions.Read(data, ds, d, toolqa.Split(split))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}

			for _, q := range qs {
				tasks = append(tasks, q.Task())
			}
		}
	}

	return tasks, nil
}

// Values implements [suite.Configurable].
func (ToolQA) Values(setting string) []string {
	switch setting {
	case "dataset":
		return texts(toolqa.Datasets())
	case "difficulty":
		return texts(toolqa.Difficulties())
	case "template":
		return templateNames()
	case "split":
		return texts(toolqa.Splits())
	case "environment.compat":
		return defectNames()
	}

	return nil
}

func templateNames() []string {
	var names []string

	for _, ds := range toolqa.Datasets() {
		for _, d := range toolqa.Difficulties() {
			for _, t := range questions.Templates(ds, d) {
				names = append(names, t.Name)
			}
		}
	}

	return names
}

func texts[T ~string](all []T) []string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = string(v)
	}
	return names
}
