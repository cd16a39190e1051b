package tensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// The members of a tensor's value: its handle, and those of a loaded one.
const (
	handleMember = "tensor"
	shapeMember  = "shape"
	seedMember   = "seed"
)

// state holds the tensors of the service. It is immutable.
type state struct {
	objects []object
	results int // of calls so far
	bounds  bounds
}

type object struct {
	handle string
	tensor *Tensor
}

// find returns the tensor of a handle, or nil.
func (s *state) find(handle string) *Tensor {
	for _, o := range s.objects {
		if o.handle == handle {
			return o.tensor
		}
	}

	return nil
}

// example returns a handle to show, the newest.
func (s *state) example() string {
	if len(s.objects) == 0 {
		return resultHandle(1)
	}
	return s.objects[len(s.objects)-1].handle
}

// with returns the state with the results of a call, and their values.
func (s *state) with(results ...*Tensor) (*state, []any) {
	next := &state{slices.Clip(s.objects), s.results + len(results), s.bounds}
	values := make([]any, len(results))

	for i, t := range results {
		handle := resultHandle(s.results + i + 1)
		next.objects = append(next.objects, object{handle, t})
		values[i] = t.value(handle)
	}

	return next, values
}

func resultHandle(n int) string { return "tensor_" + strconv.Itoa(n) }

// Begin implements [stategen.Service]. Loaded variables have values like {"tensor":
// "user_tensor_0", "dtype": "float32", "shape": [2, 3], "seed": 7}, in which the handle is the
// variable's own name.
func (Domain) Begin(p *stategen.Program, values map[string]any) (stategen.State, error) {
	return begin(p, bounds{mostElements, mostWork}, func(name string) (*Tensor, error) {
		return load(values[name])
	})
}

// begin returns the state before the first call, with the loaded tensors of a program.
func begin(p *stategen.Program, b bounds, load func(name string) (*Tensor, error)) (
	stategen.State, error) {
	s := &state{bounds: b}
	total := 0

	for _, v := range p.Init {
		if v.Role != stategen.Loaded {
			continue
		}

		t, err := load(v.Name)
		if err != nil {
			return nil, fmt.Errorf("stategen: tensor %s: %w", v.Name, err)
		}

		if total += len(t.Data); total > mostLoaded {
			return nil, fmt.Errorf("stategen: the tensors of a program have more than %d elements",
				mostLoaded)
		}

		s.objects = append(s.objects, object{v.Name, t})
	}
	return s, nil
}

// load makes a loaded tensor.
func load(v any) (*Tensor, error) {
	value, _ := v.(envs.Args)

	a := &arguments{tool: "load", args: value}
	shape, seed := a.integers(shapeMember), a.integer(seedMember, -1)

	if a.err != nil {
		return nil, a.err
	}

	n := size(shape...)
	if n < 1 || n > mostElements || slices.Min(append(shape, 1)) < 1 || seed < 0 || seed > math.MaxUint32 {
		return nil, fmt.Errorf("its value is %s, want a shape of at most %d elements and a seed of 32 bits", shown(v),
			mostElements)
	}

	return &Tensor{Shape: shape, Data: elements(uint32(seed), n)}, nil
}

// Call implements [stategen.Service].
func (Domain) Call(s stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	a := &arguments{state: s.(*state), tool: tool, args: args}

	run, ok := tools[tool]
	if !ok {
		return nil, nil, fmt.Errorf("stategen: the tensor domain has no tool %q", tool)
	}

	results := run(a)
	if a.err != nil {
		return nil, nil, a.err
	}

	next, values := a.state.with(results...)
	if tool == "split" {
		return next, values, nil
	}
	return next, values[0], nil
}
