package tensor

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// dtype is the default type of elements.
const dtype = "float32"

// Tensor has elements in row-major order. It is immutable.
type Tensor struct {
	Shape []int
	Data  []float32

	dtype string // its name; "" is float32. All are computed in float32.
}

// DType returns the type of the elements, e.g. "float32".
func (t *Tensor) DType() string { return cmp.Or(t.dtype, dtype) }

// sum adds all elements.
//
// The race detector need not watch every element here or in the other loops over elements: they
// read what does not change and write what nobody else has yet. With it they would take most of the
// tests' time.
//
//go:norace
func (t *Tensor) sum() float64 {
	data := t.Data

	var sums [4]float64 // additions that do not wait for each other

	for ; len(data) >= 4; data = data[4:] {
		sums[0] += float64(data[0])
		sums[1] += float64(data[1])
		sums[2] += float64(data[2])
		sums[3] += float64(data[3])
	}

	for _, x := range data {
		sums[0] += float64(x)
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// above returns how many elements are above a number.
//
//go:norace
func (t *Tensor) above(number float64) (n int) {
	// The sign of the difference is counted without a branch, which would be unpredictable.
	for _, x := range t.Data {
		n += int(math.Float64bits(number-float64(x)) >> 63)
	}
	return n
}

// near reports whether two tensors have the same shape, and elements within the tolerance.
//
//go:norace
func (t *Tensor) near(other *Tensor) bool {
	if !slices.Equal(t.Shape, other.Shape) {
		return false
	}

	for i, x := range t.Data {
		if !near(float64(x), float64(other.Data[i])) {
			return false
		}
	}

	return true
}

// value returns the value of a tensor, as callers see it.
func (t *Tensor) value(handle string) envs.Args {
	sum := t.sum()
	above := t.above(sum / float64(max(1, len(t.Data))))
	return envs.Object(
		handleMember, handle,
		"dtype", t.DType(),
		"shape", numbers(t.Shape),
		"sum", rounded(sum),
		"above_mean", number(above),
	)
}

// mostSamples is how many elements a record has.
const mostSamples = 8

// record returns a digest of a tensor: its shape, its sum, and elements at even distances.
func (t *Tensor) record() envs.Args {
	var samples []any

	for i := range min(mostSamples, len(t.Data)) {
		samples = append(samples, rounded(float64(t.Data[i*len(t.Data)/mostSamples])))
	}
	return envs.Object(
		"shape", numbers(t.Shape),
		"dtype", t.DType(),
		"sum", rounded(t.sum()),
		"samples", samples,
	)
}

// rounded returns a number with the digits that matter given a tolerance of 1e-2.
func rounded(f float64) envs.Number {
	return envs.Number(pytext.FormatFloat(pytext.Round(f, 4) + 0)) // + 0 turns -0 into 0
}

func number(n int) envs.Number { return envs.Number(strconv.Itoa(n)) }

func numbers(ints []int) []any {
	list := make([]any, len(ints))
	for i, n := range ints {
		list[i] = number(n)
	}
	return list
}
