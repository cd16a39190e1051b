package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
)

// mostObservation is how many characters of a response an agent sees (MirrorAPI, section 5).
const mostObservation = 2048

// Environment implements [suite.Suite].
func (o *opened) Environment(version string, memory envs.Memory) (envs.Environment, error) {
	if _, err := o.choice.Versions.Spec(version); err != nil {
		return nil, err
	}

	if o.isPure() {
		memory = nil
	}

	e := &environment{
		codec: o.choice.Environment.ActionCodec(), tasks: make(map[string]taskEnvironment, len(o.tasks)),
	}

	if e.codec == (action.ReAct{}) {
		e.codec = action.ReAct{EmptyInput: true} // many functions have no parameters
	}

	for _, t := range o.tasks {
		q := o.queries[t.ID]
		e.tasks[t.ID] = sync.OnceValues(func() (*dynamic.Environment[struct{}], error) {
			return o.environment(version, q, memory)
		})
	}

	return e, nil
}

// environment deploys a version in which every task has its own functions. It implements
// [envs.Environment], [envs.Canonicalizer], [envs.Comparer] and [envs.Lifter].
type environment struct {
	codec action.Codec
	tasks map[string]taskEnvironment // by ID
}

// taskEnvironment returns the environment of one task, which is made on demand.
type taskEnvironment func() (*dynamic.Environment[struct{}], error)

// Reset implements [envs.Environment].
func (e *environment) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	env, err := e.taskEnv(t, "reset to")
	if err != nil {
		return nil, err
	}
	return env.Reset(ctx, t)
}

// Step implements [envs.Environment].
func (e *environment) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	if s == nil {
		return envs.Transition{}, envs.Fail(envs.StageEnvironment, "step", errors.New("there is no state"))
	}

	env, err := e.taskEnv(s.History().Task(), "step in")
	if err != nil {
		return envs.Transition{}, err
	}
	return env.Step(ctx, s, a)
}

// Canonical implements [envs.Canonicalizer].
func (e *environment) Canonical(a envs.Action) string {
	return action.Key(e.codec, string(a))
}

// Alike implements [envs.Comparer]: functions remember nothing.
func (e *environment) Alike(a, b envs.State) bool {
	env, err := e.taskEnv(a.History().Task(), "compare states of")
	return err == nil && env.Alike(a, b)
}

// Lift implements [envs.Lifter].
func (e *environment) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	env, err := e.taskEnv(so.Task(), "lift a call of")
	if err != nil {
		return envs.Call{}, err
	}
	return env.Lift(so, c)
}

func (e *environment) taskEnv(t envs.Task, op string) (*dynamic.Environment[struct{}], error) {
	env, err := (*dynamic.Environment[struct{}])(nil), errors.New("unknown task")
	if open, ok := e.tasks[t.ID]; ok {
		env, err = open()
	}
	return env, envs.Fail(envs.StageEnvironment, fmt.Sprintf("%s task %q", op, t.ID), err)
}

// environment returns the environment of one query.
func (o *opened) environment(version string, q *toolbench.Query, memory envs.Memory) (
	*dynamic.Environment[struct{}], error) {
	return o.deploy(version, q.APIs, rule{q, o.functions}, func(d *toolbench.Document) function {
		return function{d, o.apis.Under(version), mostObservation, memory, version}
	}, o.choice.Environment.ObservationWords)
}

// deploy returns an environment of some APIs under a version.
func (o *opened) deploy(version string, apis []toolbench.Key, grader dynamic.Grader[struct{}],
	behind func(*toolbench.Document) function, words int) (*dynamic.Environment[struct{}], error) {
	tools := o.toolsOf(apis)

	// No other functions than those of the task can be called, so the catalog is cut down to them.
	c, err := part(o.choice.Versions, tools, base, o.choice.Prompt, version)
	if err != nil {
		return nil, err
	}

	prompt, deployed, err := c.Pair(o.choice.Prompt, version)
	if err != nil {
		return nil, err
	}

	published, err := c.Version(base)
	if err != nil {
		return nil, err
	}

	run := make(map[string]dynamic.Tool[struct{}], len(tools))

	for i, k := range apis {
		d, _ := o.collection.Document(k) // a collection has those of its queries
		// A model in place of the API reads the document that the agent's call was made against.
		run[tools[i]] = behind(documentUnder(deployed, published, tools[i], d))
	}

	// No call is a load of data, and functions keep no state.
	settings := o.choice.Environment
	settings.MaxLoads, settings.ObservationWords = 0, words
	return dynamic.New(dynamic.Config[struct{}]{
		Prompt:   prompt,
		Deployed: deployed,
		Tools:    run,
		Grader:   grader,
		Same:     func(_, _ struct{}) bool { return true },
		Options:  dynamic.Options{Settings: settings, EmptyInput: true},
	})
}

// rule is the reward of a query. It implements [dynamic.Grader].
type rule struct {
	query     *toolbench.Query
	functions map[toolbench.Key]string
}

// Known implements [dynamic.Grader].
func (r rule) Known(t envs.Task) bool { return t.ID == r.query.Name() }

// Grade implements [dynamic.Grader].
func (r rule) Grade(_ context.Context, _ struct{}, done envs.History, answer string) (envs.Grade, error) {
	turns := done.Turns()
	right := strings.TrimSpace(answer) != ""

	for _, k := range r.query.Relevant {
		right = right && slices.ContainsFunc(turns, func(t envs.Turn) bool {
			return slices.ContainsFunc(t.Played(), func(t envs.Turn) bool {
				return t.Outcome == envs.OK && t.Call.Tool == r.functions[k]
			})
		})
	}

	return envs.Grade{Answer: answer, Official: right, Strict: right}, nil
}

var (
	_ suite.Benchmark    = ToolBench{}
	_ suite.Lister       = ToolBench{}
	_ suite.Commander    = ToolBench{}
	_ suite.Suite        = (*opened)(nil)
	_ suite.Planner      = (*opened)(nil)
	_ envs.Environment   = (*environment)(nil)
	_ envs.Canonicalizer = (*environment)(nil)
	_ envs.Lifter        = (*environment)(nil)
)
