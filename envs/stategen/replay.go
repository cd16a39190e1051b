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
// before it is made. The error is a [Fault] or a *[Refusal] if the program is wrong.
func Replay(d Domain, p *Program, c Case, watch func(tool string, args envs.Args)) (Oracle, error) {
	o, _, err := replay(d, p, p.Values(c), watch)
	return o, err
}

// replay also returns the value of the condition's constant, if the program leaves it open: what
// the condition meets there.
func replay(d Domain, p *Program, values map[string]any, watch func(string, envs.Args)) (
	Oracle, any, error,
) {
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

// Passes reports whether two runs have the same result and effects.
func Passes(d Service, got, want Oracle) bool {
	return d.Same(got.Result, want.Result) && d.Same(got.Effects, want.Effects)
}

// unfit is the reason why a program makes no task.
type unfit string

// Error implements error.
func (u unfit) Error() string { return string(u) }

// The reasons to reject a program.
const (
	errConstants unfit = "the condition compares what no call made"
	errUntouched unfit = "the result comes from no call"
	errEmpty     unfit = "the result is empty"
	errAlike     unfit = "both branches answer the same"
	errUnsteady  unfit = "the reference does not pass its own case"
)

// checkTests returns why a program tests nothing, as far as its text tells.
func checkTests(p *Program) error {
	made := assigned(p.Main)

	if p.Branch == nil {
		return checkAnswer(*p.Result, made)
	}

	if !slices.Contains(made, p.Branch.Test.Left.variable()) {
		return errConstants
	}

	for _, path := range []Path{p.Branch.If, p.Branch.Else} {
		if err := checkAnswer(path.Result, slices.Concat(made, assigned(path.Stmts))); err != nil {
			return err
		}
	}

	return nil
}

// checkAnswer returns an error unless calls assigned every variable of a result.
func checkAnswer(result Expr, made []string) error {
	used := result.Variables()
	unmade := func(name string) bool { return !slices.Contains(made, name) }
	if len(used) == 0 || slices.ContainsFunc(used, unmade) {
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
