package tensor

// tools are the implementations of the tools. After a mistake their results are meaningless.
var tools = map[string]func(*arguments) []*Tensor{
	"permute":   (*arguments).permute,
	"transpose": (*arguments).transpose,
	"split":     (*arguments).split,
	"cat":       (*arguments).cat,
	"linear":    (*arguments).linear,
	"conv2d":    (*arguments).conv2d,
}

func (a *arguments) permute() []*Tensor {
	t, dims := a.tensor("input"), a.integers("dims")
	seen := make([]bool, len(t.Shape))

	if len(dims) != len(t.Shape) {
		a.refuseState("dims has length %d, the input of shape %s has %d dimensions", len(dims), shapeText(t.Shape),
			len(t.Shape))
	}

	for i, dim := range dims {
		dims[i] = a.dim("dims", dim, len(t.Shape))
		if a.err != nil {
			return nil
		}

		if seen[dims[i]] {
			a.refuse("dims has dimension %d twice", dims[i])
		}

		seen[dims[i]] = true
	}
	return a.single(func() *Tensor { return permute(t, dims) })
}

func (a *arguments) transpose() []*Tensor {
	t := a.tensor("input")
	rank := len(t.Shape)
	dim0, dim1 := a.dim("dim0", a.integer("dim0", 0), rank), a.dim("dim1", a.integer("dim1", 0), rank)
	return a.single(func() *Tensor { return permute(t, swapped(rank, dim0, dim1)) })
}

func (a *arguments) split() []*Tensor {
	t := a.tensor("input")

	dim := a.dim("dim", a.integer("dim", 0), len(t.Shape))
	if a.err != nil {
		return nil
	}

	parts := a.parts(t.Shape[dim], dim)
	if a.err != nil {
		return nil
	}
	return split(t, parts, dim)
}

// parts returns the sizes of the parts of a dimension.
func (a *arguments) parts(whole, dim int) []int {
	const name = "split_size_or_sections"

	v, _ := a.args.Get(name)
	if _, isList := v.([]any); !isList {
		part := a.integer(name, 0)

		// Checked before sizes makes a list that may have millions of elements.
		switch {
		case part < 1:
			a.refuse("%s is %s, want a positive number or a list of the sizes of the parts",
				name, shown(v))
			return nil
		case (whole-1)/part >= mostList:
			a.refuse("this would make more than %d parts", mostList)
			return nil
		}

		return sizes(whole, part)
	}

	parts := a.integers(name)
	total := 0

	// Whether sizes fit depends on the tensor, so these refusals are of the state.
	for _, n := range parts {
		if n < 0 || n > whole {
			a.refuseState("%s has a part of %d, want parts from 0 to %d", name, n, whole)
			return nil
		}

		total += n
	}

	if total != whole {
		a.refuseState("%s sums up to %d, want exactly the size of dimension %d, which is %d", name,
			total, dim, whole)
	}
	return parts
}

func (a *arguments) cat() []*Tensor {
	all := a.tensors("tensors")
	if a.err != nil {
		return nil
	}

	dim := a.dim("dim", a.integer("dim", 0), len(all[0].Shape))
	if a.err != nil {
		return nil
	}

	shapes := make([][]int, len(all))
	for i, t := range all {
		shapes[i] = t.Shape
	}

	shape, err := joined(shapes, dim)
	a.check(shape, 0, err)
	return a.single(func() *Tensor { return cat(all, dim, shape) })
}

func (a *arguments) linear() []*Tensor {
	input, weight := a.tensor("input"), a.tensor("weight")
	if a.err != nil {
		return nil
	}

	shape, work, err := linearShape(input.Shape, weight.Shape)
	a.check(shape, work, err)
	return a.single(func() *Tensor { return linear(input, weight, shape) })
}

func (a *arguments) conv2d() []*Tensor {
	input, weight := a.tensor("input"), a.tensor("weight")
	if a.err == nil && (len(input.Shape) != 4 || len(weight.Shape) != 4) {
		a.refuseState("the input has shape %s and the weight %s, want four dimensions each",
			shapeText(input.Shape), shapeText(weight.Shape))
	}

	if a.err != nil {
		return nil
	}

	w := a.window(weight.Shape[2:])
	if a.err != nil {
		return nil
	}

	shape, work, err := convShape(input.Shape, weight.Shape, w)
	a.check(shape, work, err)
	return a.single(func() *Tensor { return conv2d(input, weight, w, shape) })
}

// window returns how a kernel of a height and width moves.
func (a *arguments) window(kernel []int) window {
	w := window{stride: a.pair("stride", 1, 1), dilation: a.pair("dilation", 1, 1)}

	switch v, _ := a.args.Get("padding"); v {
	case samePadding:
		if w.stride != [2]int{1, 1} {
			a.refuse(`padding "same" is not supported with a stride other than 1`)
		}

		w.same(kernel)
	case validPadding:
	default:
		if _, isText := v.(string); isText {
			a.refuse("padding is %s, want %q, %q, a number or two of them", shown(v), validPadding, samePadding)
		}

		w.before = a.pair("padding", 0, 0)
		w.after = w.before
	}
	return w
}

// single returns the one result of do, or none after a mistake.
func (a *arguments) single(do func() *Tensor) []*Tensor {
	if a.err != nil {
		return nil
	}
	return []*Tensor{do()}
}

// check refuses results and work beyond the bounds, and keeps err.
func (a *arguments) check(shape []int, work int, err error) {
	switch {
	case a.err != nil:
	case err != nil:
		a.err = err
	case size(shape...) > a.state.bounds.elements:
		a.refuseState("the result would have shape %s, more than the %d elements that this service makes",
			shapeText(shape), a.state.bounds.elements)
	case work > a.state.bounds.work:
		a.refuseState("this would take more than the %d multiplications that this service makes",
			a.state.bounds.work)
	}
}
