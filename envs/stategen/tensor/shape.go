package tensor

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/stategen"
)

var refuseState = stategen.RefuseState

// shapeText writes a shape, e.g. "(2, 3)".
func shapeText(shape []int) string {
	all := make([]string, len(shape))
	for i, n := range shape {
		all[i] = strconv.Itoa(n)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// size returns the number of elements of a shape, or math.MaxInt if it overflows an int.
func size(shape ...int) int {
	if slices.Contains(shape, 0) {
		return 0
	}

	n := 1

	for _, dim := range shape {
		if n > math.MaxInt/dim {
			return math.MaxInt
		}

		n *= dim
	}
	return n
}

// permuted returns a shape whose dimensions are in another order.
func permuted(shape, dims []int) []int {
	result := make([]int, len(dims))
	for i, dim := range dims {
		result[i] = shape[dim]
	}
	return result
}

// swapped returns the order of rank dimensions in which two have changed places.
func swapped(rank, dim0, dim1 int) []int {
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = i
	}

	dims[dim0], dims[dim1] = dim1, dim0
	return dims
}

// resized returns a shape with another size of a dimension.
func resized(shape []int, dim, size int) []int {
	shape = slices.Clone(shape)
	shape[dim] = size
	return shape
}

// sizes returns the sizes of equal parts, the last perhaps smaller.
func sizes(whole, part int) []int {
	all := []int{min(whole, part)}
	for left := whole - part; left > 0; left -= part {
		all = append(all, min(left, part))
	}
	return all
}

// joined returns the shape of tensors joined along a dimension, which all need the rank of the
// first.
func joined(shapes [][]int, dim int) ([]int, error) {
	first := shapes[0]
	total := 0

	for i, shape := range shapes {
		if len(shape) != len(first) {
			return nil, refuseState("cat: tensors must have the same number of dimensions: "+
				"tensor 0 has %d and tensor %d has %d", len(first), i, len(shape))
		}

		if !slices.Equal(resized(shape, dim, 0), resized(first, dim, 0)) {
			return nil, refuseState("cat: the sizes of tensors must match except in dimension %d: "+
				"tensor 0 has shape %s and tensor %d has shape %s", dim, shapeText(first), i, shapeText(shape))
		}

		total += shape[dim]
	}
	return resized(first, dim, total), nil
}

// linearShape returns the shape of linear's result, and how many multiplications it takes.
func linearShape(input, weight []int) (shape []int, work int, err error) {
	if len(weight) != 2 {
		return nil, 0, refuseState("linear: the weight has shape %s, want (out_features, in_features)",
			shapeText(weight))
	}

	if len(input) == 0 || input[len(input)-1] != weight[1] {
		return nil, 0, refuseState("linear: an input of shape %s and a weight of shape %s cannot be "+
			"multiplied: the last dimension of the input has to equal the last one of the weight",
			shapeText(input), shapeText(weight))
	}

	return resized(input, len(input)-1, weight[0]), size(append(slices.Clone(input), weight[0])...), nil
}

// window says how a kernel moves over an input; the first of two numbers is the height's.
type window struct {
	stride, dilation [2]int
	before, after    [2]int // zeros around the input
}

// square returns the window of equal strides and dilations without padding.
func square(stride, dilation int) window {
	return window{stride: [2]int{stride, stride}, dilation: [2]int{dilation, dilation}}
}

// same pads so that the result is as high and wide as the input. An odd zero comes after it.
func (w *window) same(kernel []int) {
	for i := range 2 {
		zeros := w.dilation[i] * (kernel[i] - 1)
		w.before[i], w.after[i] = zeros/2, zeros-zeros/2
	}
}

// convShape returns the shape of conv2d's result, and how many multiplications it takes. Both
// shapes have four dimensions.
func convShape(input, weight []int, w window) (shape []int, work int, err error) {
	if size(input...) == 0 || size(weight...) == 0 {
		return nil, 0, refuseState("conv2d: an input of shape %s or a weight of shape %s has no elements",
			shapeText(input), shapeText(weight))
	}

	if input[1] != weight[1] {
		return nil, 0, refuseState("conv2d: a weight of shape %s expects an input of %d channels, "+
			"the input of shape %s has %d", shapeText(weight), weight[1], shapeText(input), input[1])
	}

	shape = []int{input[0], weight[0], 0, 0}

	for i := range 2 {
		padded := input[2+i] + w.before[i] + w.after[i]
		reach := w.dilation[i]*(weight[2+i]-1) + 1

		if reach > padded {
			return nil, 0, refuseState("conv2d: a kernel of size %d with dilation %d reaches over %d "+
				"elements and cannot be greater than the padded input, which has %d",
				weight[2+i], w.dilation[i], reach, padded)
		}

		shape[2+i] = (padded-reach)/w.stride[i] + 1
	}
	return shape, size(append(slices.Clone(shape), weight[1:]...)...), nil
}
