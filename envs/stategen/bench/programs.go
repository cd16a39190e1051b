package bench

import (
	"fmt"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// Codecs implements [suite.Programmer].
func (StateGen) Codecs() []action.Codec { return action.Codecs() }

// programs is the suite for models that answer with a program: a task is a generated task with all
// of its cases. It implements [suite.Suite], [suite.Planner] and [suite.Sandboxed].
type programs struct {
	*opened
	engine sandbox.Engine
}

// inCode reports whether tasks are answered with programs.
func (o *opened) inCode() bool { return o.choice.Environment.ActionCodec() == action.Python{} }

// surface returns how a program reaches the tools of its domain with an API version deployed.
func (o *opened) surface(p *stategen.Program, version string) (*code.Surface, error) {
	d, err := domains.Of(p)
	if err != nil {
		return nil, err
	}

	first, deployed, err := o.choice.Versions.Pair(base, version)
	return &code.Surface{Domain: d, Base: first, Deployed: deployed}, err
}

// allCases returns the task of all cases of a generated task.
func (o *opened) allCases(t *stategen.Task) (envs.Task, error) {
	s, err := o.surface(&t.Program, o.choice.Prompt)
	if err != nil {
		return envs.Task{}, err
	}
	return envs.Task{
		ID: t.ID, Labels: labels(t), Question: s.Question(t, o.choice.Ask(t.ID, t.Instruction.Text)),
	}, nil
}

// UseEngine implements [suite.Sandboxed].
func (p *programs) UseEngine(e sandbox.Engine) { p.engine = e }

// Environment implements [suite.Suite]. Verdicts are kept: a program can read the clock.
func (p *programs) Environment(version string, m envs.Memory) (envs.Environment, error) {
	first, deployed, err := p.choice.Versions.Pair(base, version)
	if err != nil {
		return nil, err
	}

	if cell := deployed.Cell(); version != base && cell != toolapi.ExplicitLasting {
		return nil, fmt.Errorf("%s is %s, which needs tasks that are played turn by turn, since a "+
			"program is written before any answer comes: choose another environment.codec than python",
			version, cell)
	}
	return code.New(code.Config{
		Domains: domains.With(p.apis), Base: first, Deployed: deployed, Tasks: p.task, Engine: p.engine,
		Limits: p.choice.Programs, Memory: m,
	})
}

// task returns the generated task of an ID.
func (p *programs) task(id string) (*stategen.Task, error) {
	at, ok := p.places[id]
	if !ok {
		return nil, fmt.Errorf("there is no task %q in the split %s", id, p.choice.Split)
	}
	return p.file.Task(at.task)
}

// Plan implements [suite.Planner]: the reference as Python.
func (p *programs) Plan(question string) (envs.Plan, bool) {
	id, ok := p.byQuestion[question]
	if !ok {
		return nil, false
	}
	return func([]string) (string, envs.Call, error) {
		t, err := p.task(id)
		if err != nil {
			return "", envs.Call{}, err
		}

		s, err := p.surface(&t.Program, base)
		if err != nil {
			return "", envs.Call{}, err
		}
		return s.Plan(t)
	}, true
}

var (
	_ suite.Programmer = StateGen{}
	_ suite.Suite      = (*programs)(nil)
	_ suite.Planner    = (*programs)(nil)
	_ suite.Sandboxed  = (*programs)(nil)
)
