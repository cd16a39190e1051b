package bench

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// labelCategory is the category of the relevant APIs.
const labelCategory = "category"

// The difficulties of queries: whether a deployed version touches a relevant API.
const (
	exposed   = "exposed"
	unexposed = "unexposed"
)

// makeTasks returns the tasks of all queries, and notes which query each is.
func (o *opened) makeTasks() ([]envs.Task, error) {
	file, err := o.choice.Versions.Spec(o.choice.Prompt)
	if err != nil {
		return nil, err
	}

	// Many queries offer the same function, so each is described once.
	functions := make(map[string]envs.Args, len(file.APIs)) // by tool
	for _, a := range o.documented(file) {
		functions[a.ToolName()] = a.Function()
	}

	tasks := make([]envs.Task, len(o.collection.Queries))

	touched, err := o.touched()
	if err != nil {
		return nil, err
	}

	for i := range o.collection.Queries {
		q := &o.collection.Queries[i]

		var own []any
		for _, tool := range o.toolsOf(q.APIs) {
			own = append(own, functions[tool])
		}

		// Each query has functions of its own, so the task lists them and not the prompt.
		tasks[i] = envs.Task{
			ID:       q.Name(),
			Question: strings.TrimSpace(o.choice.Ask(q.Name(), q.Text)),
			Tools:    pytext.JSON(own),
			Labels: map[string]string{
				envs.LabelDataset: q.Group, envs.LabelDifficulty: unexposed,
				labelCategory: q.Relevant[0].Category,
			},
		}

		// Only a relevant function has to be called, so drift in others need not cost anything.
		isTouched := func(tool string) bool { return touched[tool] }
		if slices.ContainsFunc(o.toolsOf(q.Relevant), isTouched) {
			tasks[i].Labels[envs.LabelDifficulty] = exposed
		}

		o.queries[q.Name()] = q
	}
	return tasks, nil
}

// toolsOf returns the tools of the functions of some APIs.
func (o *opened) toolsOf(apis []toolbench.Key) []string {
	tools := make([]string, len(apis))
	for i, k := range apis {
		tools[i] = o.functions[k]
	}
	return tools
}

// touched returns the tools of which a deployed version refuses or mistakes a call of the prompt's
// version. If only the prompt's version is deployed, DynamicToolBench's first one decides.
func (o *opened) touched() (map[string]bool, error) {
	shown, err := o.choice.Versions.Version(o.choice.Prompt)
	if err != nil {
		return nil, err
	}

	isShown := func(version string) bool { return version == o.choice.Prompt }
	deployed := slices.DeleteFunc(slices.Clone(o.choice.Deployed), isShown)
	if len(deployed) == 0 {
		deployed = []string{drift.DTBv2}
	}

	touched := map[string]bool{}

	for _, name := range deployed {
		v, err := o.choice.Versions.Version(name)
		if err != nil {
			return nil, err
		}

		for _, a := range shown.APIs {
			touched[a.Tool] = touched[a.Tool] || v.Touches(a)
		}
	}
	return touched, nil
}
