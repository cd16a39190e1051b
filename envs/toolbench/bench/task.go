package bench

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/answers"
)

// labelCategory is the category of the relevant APIs.
const labelCategory = "category"

// The difficulties of queries: whether DynamicToolBench's drift changes an API that is relevant.
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

	lines := make(map[string]string, len(file.APIs)) // by tool
	for _, a := range file.APIs {
		lines[a.ToolName()] = functionLine(a)
	}

	tasks := make([]envs.Task, len(o.collection.Queries))
	drifting := o.collection.Exposed()

	for i := range o.collection.Queries {
		q := &o.collection.Queries[i]

		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\n%s", strings.TrimSpace(o.choice.Ask(q.Name(), q.Text)), answers.Offer)

		for _, tool := range o.toolsOf(q.APIs) {
			b.WriteString("\n" + lines[tool])
		}

		tasks[i] = envs.Task{
			ID: q.Name(), Question: b.String(),
			Labels: map[string]string{
				envs.LabelDataset: q.Group, envs.LabelDifficulty: unexposed, labelCategory: q.Relevant[0].Category,
			},
		}

		if slices.ContainsFunc(q.Relevant, func(k toolbench.Key) bool { return drifting[k] }) {
			tasks[i].Labels[envs.LabelDifficulty] = exposed
		}

		o.queries[q.Name()] = q
	}

	return tasks, nil
}

// functionLine describes a function as models with function calls are shown it.
func functionLine(a toolapi.APISpec) string {
	return pytext.JSON(envs.Object(
		"name", a.Name,
		"description", a.Description,
		"parameters", a.Parameters.Schema(),
	))
}

// toolsOf returns the tools of the functions of some APIs.
func (o *opened) toolsOf(apis []toolbench.Key) []string {
	tools := make([]string, len(apis))
	for i, k := range apis {
		tools[i] = o.functions[k]
	}

	return tools
}
