package stategen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// toy is a domain of numbered boxes: new makes one with a number in it, double makes one with twice
// the number of another, keep puts one aside for good.
type toy struct{}

func (toy) Name() string { return "toy" }

func (toy) APIs() []toolapi.APISpec {
	all := make([]toolapi.APISpec, len(toy{}.Counted()))
	for i, name := range (toy{}).Counted() {
		all[i].Name = name
	}
	return all
}

func (toy) Counted() []string            { return []string{"new", "double", "keep"} }
func (toy) Splits(n int) []int           { return []int{1, 2, n - 1} }
func (toy) Same(a, b any) bool           { return stategen.Equal(a, b) }
func (toy) Record(v any) any             { return v }
func (toy) Effects(s stategen.State) any { return s.(boxes).kept }

// boxes are the numbers in boxes, and those kept.
type boxes struct {
	numbers []int
	kept    []any
}

func (toy) Begin(*stategen.Program, map[string]any) (stategen.State, error) {
	return boxes{kept: []any{}}, nil
}

func (toy) Call(s stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	b := s.(boxes)
	b.numbers, b.kept = slices.Clone(b.numbers), slices.Clone(b.kept)

	n := 0

	if tool == "new" {
		text, _ := args.Text("number")
		n, _ = strconv.Atoi(text)
	} else {
		i := box(args[0].Value)
		if i < 0 || i >= len(b.numbers) {
			return nil, nil, &stategen.Refusal{Text: fmt.Sprint("there is no box ", args[0].Value)}
		}

		n = b.numbers[i]
	}

	if tool == "keep" {
		b.kept = append(b.kept, stategen.Number(float64(n)))
		return b, nil, nil
	}

	if tool == "double" {
		n *= 2
	}

	b.numbers = append(b.numbers, n)
	return b, envs.Args{
		{Name: "box", Value: fmt.Sprint("box_", len(b.numbers))},
		{Name: "number", Value: stategen.Number(float64(n))},
	}, nil
}

func (toy) Content(s stategen.State, v any) any {
	if i := box(v); i >= 0 && i < len(s.(boxes).numbers) {
		return stategen.Number(float64(s.(boxes).numbers[i]))
	}
	return v
}

func box(v any) int {
	text, _ := v.(string)

	var i int
	if _, err := fmt.Sscanf(text, "box_%d", &i); err != nil {
		return -1
	}
	return i - 1
}

// shelf is the schema of a program of boxes.
type shelf struct {
	program stategen.Program
	made    []string          // variables, the newest last
	by      map[string]string // the transition that touched a box last
	kept    map[string]bool
}

func (toy) Init(*rand.Rand) stategen.Schema {
	return &shelf{program: stategen.Program{Domain: "toy"}, by: map[string]string{}, kept: map[string]bool{}}
}

func (s *shelf) Candidates(rng *rand.Rand, _ stategen.Want) (all []stategen.Candidate) {
	all = append(all, stategen.Candidate{
		Transition: "new", Key: strconv.Itoa(1 + rng.IntN(90)), Counts: true,
		Pairs: []stategen.Pair{{Producer: stategen.None, Consumer: "new"}},
	})

	for _, name := range s.made {
		for _, tool := range []string{"double", "keep"} {
			if !s.kept[name] {
				all = append(all, stategen.Candidate{
					Transition: tool, Key: name, Counts: true,
					Pairs: []stategen.Pair{{Producer: s.by[name], Consumer: tool}},
				})
			}
		}
	}

	return all
}

func (s *shelf) Apply(c stategen.Candidate) {
	call := &stategen.Call{Tool: c.Transition}

	if c.Transition == "keep" {
		s.kept[c.Key] = true
	} else {
		call.Assign = fmt.Sprint("r_", len(s.made)+1)
		s.made = append(s.made, call.Assign)
		s.by[call.Assign] = c.Transition
	}

	if c.Transition == "new" {
		name := fmt.Sprint("user_variable_", len(s.program.Init))
		s.program.Init = append(s.program.Init, stategen.Variable{
			Name: name, Role: stategen.User, Type: "a text", Value: stategen.Value{Any: c.Key},
		})
		call.Args = []stategen.Named{{Name: "number", Expr: stategen.Var(name)}}
	} else {
		call.Args = []stategen.Named{{Name: "box", Expr: stategen.Var(c.Key, "box")}}
	}

	s.program.Main = append(s.program.Main, stategen.Stmt{Call: call})
}

func (s *shelf) Condition(*rand.Rand) (stategen.Test, stategen.Variable, bool) {
	constant := stategen.Variable{Name: "user_constant_0", Role: stategen.Constant, Type: "a number"}
	return stategen.Test{
		Left: stategen.Var(s.made[len(s.made)-1], "number"), Right: stategen.Var(constant.Name),
	}, constant, true
}

func (s *shelf) Result() (stategen.Expr, bool) {
	return stategen.Var(s.made[len(s.made)-1], "box"), true
}

func (s *shelf) Program() stategen.Program {
	p := s.program
	p.Init, p.Main = slices.Clone(p.Init), slices.Clone(p.Main)
	return p
}

func (s *shelf) Clone() stategen.Schema {
	c := &shelf{program: s.Program(), made: slices.Clone(s.made), by: map[string]string{}, kept: map[string]bool{}}
	for name := range s.by {
		c.by[name] = s.by[name]
	}

	for name := range s.kept {
		c.kept[name] = true
	}
	return c
}
