package tensor

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs/stategen"
)

// plan is a call that could come next.
type plan struct {
	tool     string
	inputs   []int  // the variables that it takes
	fresh    []int  // the shape of the fresh tensor that it takes after them, or nil
	seed     uint32 // of the fresh tensor
	args     []stategen.Named
	shapes   [][]int // of its results
	elements exactness
	moved    bool  // see [variable]
	names    bool  // the program names a number among the arguments
	sized    []int // the variable with a dimension that is the size of its parts, if any
}

// arguments returns the arguments of the call, with the given tensors.
func (p plan) arguments(tensors []stategen.Expr) []stategen.Named {
	if p.tool == "cat" {
		return append([]stategen.Named{{Name: "tensors", Expr: stategen.Expr{List: tensors}}}, p.args...)
	}

	var all []stategen.Named
	for i, t := range tensors {
		all = append(all, stategen.Named{Name: []string{"input", "weight"}[i], Expr: t})
	}
	return append(all, p.args...)
}

func named(name string, value any) stategen.Named {
	return stategen.Named{Name: name, Expr: stategen.Literal(value)}
}

func integer(name string, n int) stategen.Named { return named(name, number(n)) }

// draws draw a call of each tool whose first argument is a variable, if there is such a call.
var draws = []func(s *schema, rng *rand.Rand, i int) (plan, bool){
	(*schema).permute, (*schema).transpose, (*schema).split, (*schema).cat, (*schema).linear, (*schema).conv2d,
}

// permute moves dimensions.
func (s *schema) permute(rng *rand.Rand, i int) (plan, bool) {
	dims := rng.Perm(len(s.vars[i].shape))
	return s.moved(plan{tool: "permute", args: []stategen.Named{named("dims", numbers(dims))}}, i, dims)
}

// transpose swaps two dimensions.
func (s *schema) transpose(rng *rand.Rand, i int) (plan, bool) {
	rank := len(s.vars[i].shape)
	if rank < 2 {
		return plan{}, false
	}

	dims := rng.Perm(rank)[:2]
	slices.Sort(dims)

	p := plan{tool: "transpose", args: []stategen.Named{integer("dim0", dims[0]), integer("dim1", dims[1])}}
	return s.moved(p, i, swapped(rank, dims[0], dims[1]))
}

// moved completes a plan that moves the dimensions of a variable. There is none if they stay where
// they are, or if they have just been moved: two moves are one.
func (s *schema) moved(p plan, i int, dims []int) (plan, bool) {
	v := &s.vars[i]
	p.inputs, p.elements, p.moved = []int{i}, v.elements, true
	p.shapes = [][]int{permuted(v.shape, dims)}
	return p, !v.moved && !slices.IsSorted(dims)
}

// mostSections is how many parts a split of a program may have.
const mostSections = 4

// split makes two to four parts: all of one size except the last, which may be the size of another
// variable's dimension, or of sizes that differ by one.
func (s *schema) split(rng *rand.Rand, i int) (plan, bool) {
	v := &s.vars[i]

	var dims []int

	for d, n := range v.shape {
		if n > 1 {
			dims = append(dims, d)
		}
	}

	if len(dims) == 0 {
		return plan{}, false
	}

	dim := dims[rng.IntN(len(dims))]
	whole := v.shape[dim]
	count := 2 + rng.IntN(min(mostSections, whole)-1)
	// Rounded up, so that the last part is the smaller one.
	part := (whole + count - 1) / count

	parts := sizes(whole, part)
	args := []stategen.Named{integer("split_size_or_sections", part), integer("dim", dim)}

	j, isSized := s.other(rng, i, func(w *variable) bool {
		return w.made && w.name != v.name && slices.ContainsFunc(w.shape, fits(whole))
	})

	// A size that comes from another result binds the call to that result.
	if isSized {
		w := &s.vars[j]
		d := slices.IndexFunc(w.shape, fits(whole))
		parts = sizes(whole, w.shape[d])
		args[0].Expr = w.expr(shapeMember, strconv.Itoa(d))
	} else if rng.IntN(2) == 0 {
		parts = make([]int, count)
		for i := range parts {
			parts[i] = (whole + i) / count
		}

		args[0] = named("split_size_or_sections", numbers(parts))
	}

	p := plan{tool: "split", inputs: []int{i}, args: args, elements: v.elements}
	if isSized {
		p.sized = []int{j}
	}

	for _, n := range parts {
		p.shapes = append(p.shapes, resized(v.shape, dim, n))
	}
	return p, true
}

// fits reports whether a size of parts makes at least two and at most mostSections of a whole.
func fits(whole int) func(int) bool {
	return func(n int) bool { return n < whole && n*mostSections >= whole }
}

// cat joins a variable with another one that fits, or with a fresh tensor of the same shape.
func (s *schema) cat(rng *rand.Rand, i int) (plan, bool) {
	v := &s.vars[i]
	if len(v.shape) == 0 {
		return plan{}, false
	}

	dim := rng.IntN(len(v.shape))

	p := plan{tool: "cat", inputs: []int{i}, args: []stategen.Named{integer("dim", dim)}}
	// Twice the size, as for a fresh tensor, which has the same shape.
	p.shapes = [][]int{resized(v.shape, dim, 2*v.shape[dim])}
	p.elements = v.elements.joined(loadedElements)

	j, ok := s.other(rng, i, func(w *variable) bool {
		shape, err := joined([][]int{v.shape, w.shape}, dim)
		return err == nil && size(shape...) <= programElements
	})

	if ok {
		w := &s.vars[j]
		p.inputs = append(p.inputs, j)
		p.elements = v.elements.joined(w.elements)
		p.shapes[0][dim] = v.shape[dim] + w.shape[dim]
		return p, true
	}

	p.fresh, p.seed = v.shape, rng.Uint32()
	return p, size(p.shapes[0]...) <= programElements
}

// other mostly returns another variable that fits, if there is one, and otherwise -1.
func (s *schema) other(rng *rand.Rand, i int, fits func(w *variable) bool) (j int, ok bool) {
	if rng.IntN(4) == 0 {
		return -1, false
	}

	var all []int

	for j := range s.vars {
		if j != i && fits(&s.vars[j]) {
			all = append(all, j)
		}
	}

	if len(all) == 0 {
		return -1, false
	}
	return all[rng.IntN(len(all))], true
}

// The sizes of fresh weights.
const (
	mostOutputs = 32 // features or channels
	mostKernel  = 7
	mostGrowth  = 4 // outputs of linear for each of its inputs
)

// linear multiplies by another variable, or by a fresh weight.
func (s *schema) linear(rng *rand.Rand, i int) (plan, bool) {
	v := &s.vars[i]
	if len(v.shape) < 2 {
		return plan{}, false
	}

	in := v.shape[len(v.shape)-1]
	j, _ := s.other(rng, i, func(w *variable) bool { return len(w.shape) == 2 && w.shape[1] == in })
	return s.contraction(rng, plan{tool: "linear", inputs: []int{i}}, j, []int{min(mostGrowth*in, mostOutputs), in},
		func(weight []int) ([]int, int, error) { return linearShape(v.shape, weight) })
}

// The largest arguments of conv2d in programs; the published ones allow strides up to the size of
// the image, which would leave little of it.
const (
	mostStride   = 3
	mostDilation = 3
)

// conv2d convolves with another variable whose kernel is a small square, or with a fresh weight.
func (s *schema) conv2d(rng *rand.Rand, i int) (plan, bool) {
	v := &s.vars[i]
	if len(v.shape) != 4 {
		return plan{}, false
	}

	side := min(v.shape[2], v.shape[3])
	kernel := 1 + rng.IntN(min(mostKernel, side))

	j, ok := s.other(rng, i, func(w *variable) bool {
		return len(w.shape) == 4 && w.shape[1] == v.shape[1] && w.shape[2] == w.shape[3] &&
			w.shape[2] <= min(mostKernel, side)
	})
	// The dilation below has to suit the kernel that is used.
	if ok {
		kernel = s.vars[j].shape[2]
	}

	dilation := 1

	// The kernel has to fit into the image together with its gaps.
	if kernel > 1 {
		dilation += rng.IntN(min(mostDilation, (side-1)/(kernel-1)))
	}

	// PyTorch pads to the same size only with a stride of 1.
	padding, stride := samePadding, 1
	if rng.IntN(2) == 0 {
		padding, stride = validPadding, 1+rng.IntN(min(mostStride, side))
	}

	p := plan{tool: "conv2d", inputs: []int{i}, args: []stategen.Named{
		integer("stride", stride), named("padding", padding), integer("dilation", dilation),
	}}
	return s.contraction(rng, p, j, []int{mostOutputs, v.shape[1], kernel, kernel},
		func(weight []int) ([]int, int, error) {
			w := square(stride, dilation)
			if padding == samePadding {
				w.same(weight[2:])
			}
			return convShape(v.shape, weight, w)
		})
}

// contraction completes a plan with the second of its tensors: variable j, unless it is -1 or too
// large, or else a fresh one of the shape of the largest weight, with as many outputs or fewer.
// shape returns the shape of the result with a weight, and the work.
func (s *schema) contraction(rng *rand.Rand, p plan, j int, weight []int,
	shape func(weight []int) ([]int, int, error)) (plan, bool) {
	within := func(weight []int) bool {
		result, work, err := shape(weight)
		return err == nil && work <= programWork && size(result...) <= programElements
	}

	second := loadedElements

	if j >= 0 && within(s.vars[j].shape) {
		p.inputs = append(p.inputs, j)
		weight, second = s.vars[j].shape, s.vars[j].elements
	} else {
		// Fewer outputs than published if those would take too much work: see bounds.go.
		most := weight[0]
		for most > 0 && !within(resized(weight, 0, most)) {
			most--
		}

		if most == 0 {
			return plan{}, false
		}

		weight = resized(weight, 0, 1+rng.IntN(most))
		p.fresh, p.seed = weight, rng.Uint32()
	}

	result, _, _ := shape(weight) // within says that there is one
	p.shapes = [][]int{result}
	// Each element is a sum of as many products as the weight has elements for one output.
	p.elements = s.vars[p.inputs[0]].elements.contracted(size(weight[1:]...), second)
	return p, true
}
