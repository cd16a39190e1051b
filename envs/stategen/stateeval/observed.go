package stateeval

import (
	"errors"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
)

// known holds the values that a program has at a point, by name: it tells where handles and
// identifiers, which the service makes up, come from.
type known []envs.Arg

// observed returns what a program was seen to do as statements. What it took from a result refers
// to that part of the result.
func observed(p *stategen.Program, run code.Run) (path stategen.Path) {
	var have known

	for _, v := range p.Init {
		if v.Role == stategen.Loaded {
			have = append(have, envs.Arg{Name: v.Name, Value: v.Value.Any})
		}
	}

	for i, made := range run.Calls {
		name, call := fmt.Sprintf("r_%d", i+1), &stategen.Call{Tool: made.Tool}
		if made.Result != nil {
			call.Assign = name
		}

		for _, arg := range made.Args {
			if arg.Value != nil { // null means the same as leaving it out
				call.Args = append(call.Args, stategen.Named{Name: arg.Name, Expr: have.expr(arg.Value)})
			}
		}

		have = append(have, envs.Arg{Name: name, Value: made.Result})
		path.Stmts = append(path.Stmts, stategen.Stmt{Call: call})
	}

	path.Result = have.expr(run.Result)
	return path
}

// expr returns the expression of a value: a literal, as far as nothing in it is known.
func (k known) expr(v any) stategen.Expr {
	// Only handles and identifiers prove where a value comes from: equal numbers may be chance.
	bound := false
	part := func(v any) stategen.Expr {
		e := k.expr(v)
		bound = bound || e.Value == nil && e.Var != "RESULT"
		return e
	}

	var e stategen.Expr

	switch v := v.(type) {
	// The file of a task loses a null literal, but the variable RESULT is null throughout.
	case nil:
		return stategen.Var("RESULT")
	case string:
		for _, value := range k {
			if path, found := handleIn(value.Value, v); found {
				return stategen.Var(value.Name, path...)
			}
		}
	case []any:
		for _, item := range v {
			e.List = append(e.List, part(item))
		}
	case envs.Args:
		for _, m := range v {
			e.Object = append(e.Object, stategen.Named{Name: m.Name, Expr: part(m.Value)})
		}
	}

	if !bound {
		return stategen.Literal(v)
	}

	// A whole result is passed as its variable, rather than rebuilt from its parts.
	for _, value := range k {
		if stategen.Equal(value.Value, v) {
			return stategen.Var(value.Name)
		}
	}

	return e
}

// handleIn returns the place where a result has a text as a handle or an identifier.
func handleIn(result any, text string) ([]string, bool) {
	switch result := result.(type) {
	case []any:
		for i, item := range result {
			if path, found := handleIn(item, text); found {
				return append([]string{fmt.Sprint(i)}, path...), true
			}
		}
	case envs.Args:
		for _, member := range []string{"tensor", "speech", "id"} {
			if handle, has := result.Text(member); has && handle == text {
				return []string{member}, true
			}
		}
	}

	return nil, false
}

// join makes a program of what runs did: what the first case did if the variables are as the
// program says, else what the second did.
func join(t *stategen.Task, d stategen.Domain, runs []code.Run) error {
	p := &t.Program
	paths := make([]stategen.Path, len(runs))

	for i, run := range runs {
		paths[i] = observed(p, run)
	}

	switch len(paths) {
	case 1:
		p.Main, p.Result = paths[0].Stmts, &paths[0].Result
	case 2:
		// Any variable that differs will do as a condition: the replay checks its paths.
		differs := func(v stategen.Variable) bool { return t.Cases[1].Set[v.Name].Any != nil }
		i := slices.IndexFunc(p.Init, differs)
		if i < 0 {
			return unplayable("no variable tells its cases apart")
		}

		p.Branch = &stategen.Branch{Test: stategen.Test{
			Left: stategen.Var(p.Init[i].Name), Right: stategen.Literal(p.Init[i].Value.Any),
		}, If: paths[0], Else: paths[1]}
	default:
		return unplayable("it has %d cases, want one or two", len(paths))
	}

	// Bindings are guessed from values, so a replay has to prove that the statements do the same.
	for i, c := range t.Cases {
		o, err := stategen.Replay(d, p, c, nil)

		seen := stategen.Oracle{Result: runs[i].Content, Effects: runs[i].Effects}
		if err == nil && !stategen.Passes(d, o, seen) {
			err = errors.New("it leads to something else")
		}

		if err != nil {
			return unplayable("what it was seen to do cannot be done again: %v", err)
		}

		t.Cases[i].Path = o.Path
		t.Cases[i].Result.Any, t.Cases[i].Effects.Any = d.Record(o.Result), d.Record(o.Effects)
	}
	return nil
}
