package stategen

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Oracle is what a case of a program leads to.
type Oracle struct {
	Path    string
	Result  any // the content of RESULT
	Effects any
}

// Replay runs a case of a program against a service. watch, which may be nil, sees every call
// before it is made. The error is a [Fault] or a *[Refusal] where the program is wrong.
func Replay(d Domain, p *Program, c Case, watch func(tool string, args envs.Args)) (Oracle, error) {
	o, _, err := replay(d, p, p.Values(c), watch)
	return o, err
}

// replay also returns what a condition compares with, where the program does not say: what it finds
// there.
func replay(d Domain, p *Program, values map[string]any, watch func(string, envs.Args)) (Oracle, any, error) {
	state, err := d.Begin(p, values)
	if err != nil {
		return Oracle{}, nil, err
	}

	apis := d.APIs()

	r := newRun(values, func(tool string, args envs.Args) (result any, err error) {
		if !slices.ContainsFunc(apis, func(a toolapi.APISpec) bool { return a.Name == tool }) {
			return nil, fault("there is no tool %s", tool)
		}

		if watch != nil {
			watch(tool, args)
		}

		state, result, err = d.Call(state, tool, args)
		return result, err
	})

	outcome, err := r.program(p)
	if err != nil {
		return Oracle{}, nil, err
	}
	return Oracle{outcome.Path, d.Content(state, outcome.Result), d.Effects(state)}, r.found, nil
}

// Passes reports whether two runs came to the same.
func Passes(d Service, got, want Oracle) bool {
	return d.Same(got.Result, want.Result) && d.Same(got.Effects, want.Effects)
}

// unfit is why a program is no task.
type unfit string

// Error implements error.
func (u unfit) Error() string { return string(u) }

// What makes a program no task.
const (
	errConstants unfit = "the condition compares what no call made"
	errUntouched unfit = "the result comes from no call"
	errEmpty     unfit = "the result is empty"
	errAlike     unfit = "both branches answer the same"
	errUnsteady  unfit = "the reference does not pass its own case"
)

// tests returns why a program tests nothing, as far as its text says.
func tests(p *Program) error {
	made := assigned(p.Main)

	if p.Branch == nil {
		return answers(*p.Result, made)
	}

	if !slices.Contains(made, p.Branch.Test.Left.variable()) {
		return errConstants
	}

	for _, path := range []Path{p.Branch.If, p.Branch.Else} {
		if err := answers(path.Result, slices.Concat(made, assigned(path.Stmts))); err != nil {
			return err
		}
	}

	return nil
}

// answers returns an error unless every variable of a result was assigned by a call.
func answers(result Expr, made []string) error {
	used := result.Variables()
	if len(used) == 0 || slices.ContainsFunc(used, func(name string) bool { return !slices.Contains(made, name) }) {
		return errUntouched
	}
	return nil
}

// assigned returns the variables that calls assign.
func assigned(all []Stmt) (names []string) {
	for _, s := range all {
		if s.Call != nil && s.Call.Assign != "" {
			names = append(names, s.Call.Assign)
		}
	}

	return names
}

// variable returns the first variable in an expression.
func (e Expr) variable() string {
	if names := e.Variables(); len(names) > 0 {
		return names[0]
	}
	return ""
}
