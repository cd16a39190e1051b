package bench

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

// labelCategory is the category of the relevant APIs.
const labelCategory = "category"

// makeTasks returns the tasks of all queries, and notes which query each is.
func (o *opened) makeTasks() ([]envs.Task, error) {
	file, err := o.versions.file(o.prompt)
	if err != nil {
		return nil, err
	}

	lines := make(map[string]string, len(file.APIs)) // by tool
	for _, a := range file.APIs {
		lines[toolOf(a)] = functionLine(a)
	}

	tasks := make([]envs.Task, len(o.collection.Queries))

	for i := range o.collection.Queries {
		q := &o.collection.Queries[i]

		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\n%s", strings.TrimSpace(o.choice.Ask(q.Name(), q.Text)), offer)

		for _, tool := range o.toolsOf(q) {
			b.WriteString("\n" + lines[tool])
		}

		tasks[i] = envs.Task{
			ID: q.Name(), Question: b.String(),
			Labels: map[string]string{envs.LabelDataset: q.Group, labelCategory: q.Relevant[0].Category},
		}
		o.queries[q.Name()] = q
	}

	slices.SortStableFunc(tasks, func(a, b envs.Task) int {
		return strings.Compare(a.Labels[envs.LabelDataset], b.Labels[envs.LabelDataset])
	})

	return tasks, nil
}

// offer stands between a query and the functions.
const offer = "These functions may help. The parameters of each are a JSON Schema."

// functionLine describes a function as models with function calls are shown it.
func functionLine(a toolapi.APISpec) string {
	return string(pytext.AppendJSON(nil, envs.Args{
		{Name: "name", Value: a.Name},
		{Name: "description", Value: a.Description},
		{Name: "parameters", Value: a.Parameters.Schema()},
	}))
}

// toolsOf returns the tools of the functions that a query offers.
func (o *opened) toolsOf(q *toolbench.Query) []string {
	tools := make([]string, len(q.APIs))
	for i, k := range q.APIs {
		tools[i] = o.functions[k]
	}

	return tools
}
