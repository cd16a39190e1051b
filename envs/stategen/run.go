package stategen

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Caller answers calls of tools: a service, or the observations of an agent.
type Caller func(tool string, args envs.Args) (any, error)

// The paths of a program.
const (
	pathMain = "main"
	pathIf   = "if"
	pathElse = "else"
)

// Outcome is what a program leads to.
type Outcome struct {
	Result any
	Path   string // "main", "if" or "else"
}

// Fault is a mistake of a program: an unknown variable, a key that an object lacks.
type Fault struct{ Text string }

// Error implements error.
func (f *Fault) Error() string { return f.Text }

func fault(format string, args ...any) error { return &Fault{fmt.Sprintf(format, args...)} }

// Values returns the values of a program's variables in a case.
func (p *Program) Values(c Case) map[string]any {
	values := make(map[string]any, len(p.Init))
	for _, v := range p.Init {
		values[v.Name] = v.Value.Any
	}

	for name, v := range c.Set {
		values[name] = v.Any
	}
	return values
}

// Run runs a program whose variables have these values. Errors are those of calls, and [Fault]s.
func (p *Program) Run(values map[string]any, call Caller) (Outcome, error) {
	return newRun(values, call).program(p)
}

// run is a running program.
type run struct {
	vars  map[string]any
	call  Caller
	found any // the left side of the condition
}

func newRun(values map[string]any, call Caller) *run {
	r := &run{vars: make(map[string]any, len(values)+8), call: call}
	maps.Copy(r.vars, values)
	return r
}

// Do runs statements on variables, which it changes. It replaces their values, but never changes a
// value in place.
func Do(vars map[string]any, call Caller, all ...Stmt) error {
	return (&run{vars: vars, call: call}).stmts(all)
}

// Eval returns the value of an expression of variables.
func Eval(vars map[string]any, e Expr) (any, error) { return (&run{vars: vars}).eval(e) }

func (r *run) program(p *Program) (Outcome, error) {
	if err := r.stmts(p.Main); err != nil {
		return Outcome{}, err
	}

	if p.Branch == nil {
		if p.Result == nil {
			return Outcome{}, fault("the program has no result")
		}

		result, err := r.eval(*p.Result)
		return Outcome{result, pathMain}, err
	}

	// The condition compares what calls in Main returned, so the path is not known before.
	taken, err := r.condition(p.Branch.Test)
	if err != nil {
		return Outcome{}, err
	}

	path, name := p.Branch.Else, pathElse
	if taken {
		path, name = p.Branch.If, pathIf
	}

	if err := r.stmts(path.Stmts); err != nil {
		return Outcome{}, err
	}

	result, err := r.eval(path.Result)
	return Outcome{result, name}, err
}

// condition tests what a branch depends on. A constant without a value takes that of the left side,
// or of its first element, and found keeps it.
func (r *run) condition(t Test) (bool, error) {
	if v, ok := r.vars[t.Right.Var]; ok && v == nil {
		left, err := r.eval(t.Left)
		if err == nil && t.Any != nil {
			left, err = At(left, append([]string{"0"}, t.Any...))
		}

		if err != nil {
			return false, err
		}

		r.found, r.vars[t.Right.Var] = left, left
	}
	return r.test(t)
}

func (r *run) stmts(all []Stmt) error {
	for _, s := range all {
		if err := r.stmt(s); err != nil {
			return err
		}
	}

	return nil
}

func (r *run) stmt(s Stmt) error {
	switch {
	case s.Call != nil:
		return r.doCall(*s.Call)
	case s.Edit != nil:
		return r.edit(*s.Edit)
	case s.Each != nil:
		return r.each(*s.Each)
	}

	return errors.New("stategen: an empty statement")
}

func (r *run) doCall(c Call) error {
	args := make(envs.Args, len(c.Args))

	for i, a := range c.Args {
		v, err := r.eval(a.Expr)
		if err != nil {
			return err
		}

		args[i] = envs.Arg{Name: a.Name, Value: v}
	}

	result, err := r.call(c.Tool, args)
	if err == nil && c.Assign != "" {
		r.vars[c.Assign] = result
	}
	return err
}

func (r *run) edit(e Edit) error {
	v, ok := r.vars[e.Var]
	if !ok {
		return fault("there is no variable %s", e.Var)
	}

	to, err := r.eval(e.To)
	if err != nil {
		return err
	}

	changed, err := set(v, e.Path, to)
	r.vars[e.Var] = changed
	return err
}

// set returns a copy of a value with another one at a path: a member of an object, which may be
// new, or an element.
func set(v any, path []string, to any) (any, error) {
	if len(path) == 0 {
		return to, nil
	}

	object, isObject := v.(envs.Args)

	old, err := At(v, path[:1])
	// A member may be new, but not an element.
	if err != nil && !isObject {
		return nil, err
	}

	part, err := set(old, path[1:], to)
	if err != nil {
		return nil, err
	}

	// Copied at every level: the program's own values are shared by all its runs.
	if list, ok := v.([]any); ok {
		i, _ := strconv.Atoi(path[0])
		list = slices.Clone(list)
		list[i] = part
		return list, nil
	}

	object = slices.Clone(object)

	if i := slices.Index(object.Names(), path[0]); i >= 0 {
		object[i].Value = part
		return object, nil
	}
	return object.With(path[0], part), nil
}

func (r *run) each(e Each) error {
	v, err := r.eval(e.In)
	if err != nil {
		return err
	}

	list, ok := v.([]any)
	if !ok {
		return fault("%s is not a list", pytext.Repr(v))
	}

	for _, item := range list {
		r.vars[e.Item] = item

		passes, err := r.test(e.Where)
		if err == nil && passes {
			err = r.doCall(e.Do)
		}

		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) test(t Test) (bool, error) {
	left, err := r.eval(t.Left)
	if err != nil {
		return false, err
	}

	right, err := r.eval(t.Right)
	if err != nil || t.Any == nil {
		return Equal(left, right), err
	}

	list, ok := left.([]any)
	if !ok {
		return false, fault("%s is not a list", pytext.Repr(left))
	}
	return slices.ContainsFunc(list, func(item any) bool {
		part, err := At(item, t.Any)
		return err == nil && Equal(part, right)
	}), nil
}

func (r *run) eval(e Expr) (any, error) {
	switch {
	case e.Value != nil:
		return e.Value.Any, nil
	case e.Var != "":
		v, ok := r.vars[e.Var]
		if !ok {
			return nil, fault("there is no variable %s", e.Var)
		}
		return At(v, e.Path)
	case e.Object != nil:
		object := make(envs.Args, len(e.Object))

		for i, m := range e.Object {
			v, err := r.eval(m.Expr)
			if err != nil {
				return nil, err
			}

			object[i] = envs.Arg{Name: m.Name, Value: v}
		}
		return object, nil
	}

	// What is left is a list: the value itself, even if it is empty, or the arguments of Func.
	list := make([]any, len(e.List))

	for i, item := range e.List {
		v, err := r.eval(item)
		if err != nil {
			return nil, err
		}

		list[i] = v
	}

	if e.Func == "" {
		return list, nil
	}
	return apply(e.Func, list)
}

// At returns the part of a value at a path.
func At(v any, path []string) (any, error) {
	for _, key := range path {
		switch whole := v.(type) {
		case envs.Args:
			part, ok := whole.Get(key)
			if !ok {
				return nil, fault("no member %s in %s", key, pytext.Repr(v))
			}

			v = part
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(whole) {
				return nil, fault("no element %s in a list of %d", key, len(whole))
			}

			v = whole[i]
		default:
			return nil, fault("no member %s in %s", key, pytext.Repr(v))
		}
	}

	return v, nil
}

// apply applies a function to its arguments.
func apply(f Func, args []any) (any, error) {
	if len(args) != 1 {
		return nil, fault("%s of %d values", f, len(args))
	}

	switch v := args[0].(type) {
	case []any:
		if f == Length {
			return Number(float64(len(v))), nil
		}
	case string:
		if f == Sentences {
			return Number(float64(sentences(v))), nil
		}
	}

	return nil, fault("%s of %s", f, pytext.Repr(args[0]))
}

// sentences counts the runs of text that end with a mark.
func sentences(text string) int {
	n := 0

	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?", r) }) {
		if strings.TrimSpace(part) != "" {
			n++
		}
	}

	return n
}

// mostPlain is the bound below which numbers are written without an exponent.
const mostPlain = 1e15

// Number returns a number as a value.
func Number(f float64) envs.Number {
	if math.Abs(f) < mostPlain {
		return envs.Number(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return envs.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

func number(v any) (float64, bool) {
	n, ok := v.(envs.Number)
	if !ok {
		return 0, false
	}

	f, err := strconv.ParseFloat(string(n), 64)
	return f, err == nil
}
