package tensor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// schema is a growing program. It knows the shapes of its tensors.
type schema struct {
	stategen.Growing
	vars []variable // the newest last
}

// variable is a tensor that a program has: a loaded one, the result of a call, or a part of such a
// result.
type variable struct {
	name     string
	part     []string // the path of the part; nil is the whole
	shape    []int
	before   []int // the shape of the first tensor that it was made from
	elements exactness
	moved    bool   // its last call only moved its dimensions
	last     string // the last tool that made or took it
	made     bool   // by a call
	consumed bool   // by a call
}

// expr returns the expression of a member of the tensor's value.
func (v *variable) expr(path ...string) stategen.Expr {
	return stategen.Var(v.name, slices.Concat(v.part, path)...)
}

// load adds a loaded tensor.
func (s *schema) load(shape []int, seed uint32) {
	name := s.NextVariable("user_tensor", 0)

	s.Declare(loadedVariable(name, shape, seed))
	s.vars = append(s.vars, variable{name: name, shape: shape, elements: loadedElements, last: stategen.None})
}

// loadedVariable returns the variable of a loaded tensor.
func loadedVariable(name string, shape []int, seed uint32) stategen.Variable {
	return stategen.Variable{
		Name: name,
		Role: stategen.Loaded,
		Type: "a tensor of shape " + shapeText(shape),
		Value: stategen.Value{Any: envs.Object(
			handleMember, name,
			"dtype", dtype,
			shapeMember, numbers(shape),
			seedMember, number(int(seed)),
		)},
	}
}

// Candidates implements [stategen.Schema]. If a call can take a tensor that no call has taken, it
// returns only such calls.
func (s *schema) Candidates(rng *rand.Rand, _ stategen.Want) []stategen.Candidate {
	var all, using []stategen.Candidate

	for i := range s.vars {
		for _, draw := range draws {
			p, ok := draw(s, rng, i)
			if !ok {
				continue
			}

			p.names = rng.IntN(3) == 0
			c := s.candidate(p)
			all = append(all, c)

			if slices.ContainsFunc(p.inputs, func(i int) bool { return !s.vars[i].consumed }) {
				using = append(using, c)
			}
		}
	}

	if len(using) > 0 {
		return using
	}
	return all
}

// candidate returns a call as a candidate.
func (s *schema) candidate(p plan) stategen.Candidate {
	c := stategen.Candidate{Transition: p.tool, Counts: true, Params: p}

	var producers []string

	for _, i := range p.inputs {
		v := &s.vars[i]
		c.Key += fmt.Sprint(v.name, v.part, " ")
		producers = append(producers, v.last)
	}

	if p.fresh != nil {
		c.Key += shapeText(p.fresh)
		producers = append(producers, stategen.None)
	}

	for _, i := range p.sized {
		producers = append(producers, s.vars[i].last)
	}

	// Splits into the same parts are the same, whether a number, a list or another result says so.
	if p.tool == "split" {
		c.Key += fmt.Sprint(p.shapes)
	} else {
		for _, a := range p.args {
			c.Key += fmt.Sprint(" ", a.Expr.Value.Any)
		}
	}

	slices.Sort(producers)
	c.Pairs = stategen.Pairs(p.tool, producers...)
	return c
}

// Apply implements [stategen.Schema].
func (s *schema) Apply(c stategen.Candidate) {
	p := c.Params.(plan)
	inputs := p.inputs

	// Loaded only now: candidates that are not taken leave no variable.
	if p.fresh != nil {
		s.load(p.fresh, p.seed)
		inputs = append(slices.Clone(inputs), len(s.vars)-1)
	}

	tensors := make([]stategen.Expr, len(inputs))

	for i, input := range inputs {
		v := &s.vars[input]
		v.consumed, v.last = true, p.tool
		tensors[i] = v.expr(handleMember)
	}

	if p.names {
		p.args = s.nameNumber(p.args)
	}

	call := &stategen.Call{Assign: s.NextResult(), Tool: p.tool, Args: p.arguments(tensors)}
	s.Add(stategen.Stmt{Call: call})

	for i, shape := range p.shapes {
		v := variable{
			name: call.Assign, shape: shape, before: s.vars[inputs[0]].shape,
			elements: p.elements, moved: p.moved, last: p.tool, made: true,
		}
		// Its result is a list, and each part is an element of it.
		if p.tool == "split" {
			v.part = []string{strconv.Itoa(i)}
		}

		s.vars = append(s.vars, v)
	}
}

// meanings describes the arguments that a program may name.
var meanings = map[string]string{
	"dim": "a dimension, counted from 0", "dim0": "a dimension, counted from 0",
	"split_size_or_sections": "the size of a piece", "stride": "a stride",
}

// nameNumber returns arguments with the first number replaced by a new variable.
func (s *schema) nameNumber(args []stategen.Named) []stategen.Named {
	i := slices.IndexFunc(args, func(a stategen.Named) bool {
		if a.Expr.Value == nil || meanings[a.Name] == "" {
			return false
		}

		_, isNumber := a.Expr.Value.Any.(envs.Number)
		return isNumber
	})
	if i < 0 {
		return args
	}

	args = slices.Clone(args)
	name := s.NextVariable("user_number", 0)

	s.Declare(stategen.Variable{
		Name: name, Role: stategen.User, Type: meanings[args[i].Name], Value: *args[i].Expr.Value,
	})
	args[i].Expr = stategen.Var(name)
	return args
}

// Condition implements [stategen.Schema]: it compares the shape of the newest result, a dimension
// that its call changed, or the number of elements above the mean, if that is the same however the
// tensor is computed. Published programs also test the rank or the dtype, which no call changes.
func (s *schema) Condition(rng *rand.Rand) (stategen.Test, stategen.Variable, bool) {
	v := &s.vars[len(s.vars)-1]
	if !v.made {
		return stategen.Test{}, stategen.Variable{}, false
	}

	type kind struct {
		name string
		left stategen.Expr
	}

	kinds := []kind{{"a shape", v.expr(shapeMember)}}

	if d := rng.IntN(len(v.shape)); v.shape[d] != v.before[d] {
		kinds = append(kinds, kind{"a number", v.expr(shapeMember, strconv.Itoa(d))})
	}

	if v.elements.exact() {
		kinds = append(kinds, kind{"a number", v.expr("above_mean")})
	}

	drawn := kinds[rng.IntN(len(kinds))]
	return stategen.Compared(drawn.name, drawn.left)
}

// Result implements [stategen.Schema]: the only result that no call has taken, or the list of all
// such results. The published result is the sum of their sums, which stays the same however a
// tensor is split and moved, and so would not test those calls.
func (s *schema) Result() (stategen.Expr, bool) {
	var open []stategen.Expr

	for i := range s.vars {
		if v := &s.vars[i]; v.made && !v.consumed {
			open = append(open, v.expr(handleMember))
		}
	}

	return stategen.OneOrAll(open)
}

// Clone implements [stategen.Schema].
func (s *schema) Clone() stategen.Schema {
	return &schema{s.Growing.Clone(), slices.Clone(s.vars)}
}
