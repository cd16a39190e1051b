package bench

import (
	"context"
	"errors"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/remote"
	"toolevo/envs/suite"
)

// opened is the benchmark over a split of a data folder. It implements [suite.Suite],
// [suite.Planner], [suite.Answerer], [suite.Preparer] and [suite.Harmless].
type opened struct {
	choice   suite.Choice
	toolset  *Toolset
	service  *remote.Service
	judge    *suite.LazyWriter // nil if no task has a rubric
	standIn  *suite.LazyWriter // in place of the tools; nil if these are called
	unjudged bool              // rubrics count as met, and no judge is asked
	datasets []string
	tasks    []envs.Task
	byID     map[string]*Task
	plans    map[string]envs.Plan // by question
	lineage  map[string]string
}

// Tasks implements [suite.Suite].
func (o *opened) Tasks() []envs.Task { return slices.Clone(o.tasks) }

// Datasets implements [suite.Suite].
func (o *opened) Datasets() []string { return slices.Clone(o.datasets) }

// Lineage implements [suite.Suite].
func (o *opened) Lineage() map[string]string { return maps.Clone(o.lineage) }

// Close implements [suite.Suite].
func (o *opened) Close() error {
	return errors.Join(o.service.Close(), o.judge.Close(), o.standIn.Close())
}

// Plan implements [suite.Planner].
func (o *opened) Plan(question string) (envs.Plan, bool) {
	plan, ok := o.plans[question]
	return plan, ok
}

// Answer implements [suite.Answerer].
func (o *opened) Answer(task string) string { return o.byID[task].Answer }

// IsHarmless implements [suite.Harmless].
func (o *opened) IsHarmless(task string) bool {
	if o.standIn != nil || o.toolset.startsInstances() {
		return true
	}

	t := o.byID[task]

	steps := slices.Clone(t.Solution)
	for _, q := range t.After {
		steps = append(steps, q.Step)
	}

	changes := func(s Step) bool { return !slices.Contains(o.toolset.Reads, s.Tool) }
	return !slices.ContainsFunc(steps, changes)
}

// Environment implements [suite.Suite].
func (o *opened) Environment(version string, memory envs.Memory) (envs.Environment, error) {
	prompt, deployed, err := o.choice.Versions.Pair(o.choice.Prompt, version)
	if err != nil {
		return nil, err
	}

	// Tools are called by their names in p_c, whichever version is deployed.
	whole, err := o.choice.Versions.Spec(base)
	if err != nil {
		return nil, err
	}

	tools := map[string]dynamic.Tool[remote.Log]{}

	for _, a := range whole.APIs {
		if tool := a.ToolName(); !envs.IsSystem(tool) {
			tools[tool] = o.tool(tool, memory)
		}
	}

	// No call loads data, so there is nothing to limit.
	settings := o.choice.Environment
	settings.MaxLoads = 0

	// A user's tools may have no parameters, so {} has to be an input.
	return dynamic.New(dynamic.Config[remote.Log]{
		Prompt:   prompt,
		Deployed: deployed,
		Tools:    tools,
		Grader:   grader{o, memory},
		Same:     remote.Same,
		Options:  dynamic.Options{Settings: settings, EmptyInput: true},
	})
}

// tool returns the function that calls a tool.
func (o *opened) tool(name string, memory envs.Memory) dynamic.Tool[remote.Log] {
	return dynamic.ToolFunc[remote.Log](
		func(ctx context.Context, s remote.Log, args envs.Args) (remote.Log, envs.Result, error) {
			return o.call(ctx, memory, s, name, args)
		})
}

// call calls a tool in the state that a log leads to.
func (o *opened) call(
	ctx context.Context, memory envs.Memory, s remote.Log, tool string, args envs.Args,
) (remote.Log, envs.Result, error) {
	name, wireArgs := o.toolset.wire(tool, args)
	return o.service.Call(ctx, memory, s, name, wireArgs)
}
