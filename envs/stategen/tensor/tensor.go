package tensor

import (
	"math"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// dtype is the type of all elements.
const dtype = "float32"

// Tensor has elements in row-major order. It does not change.
type Tensor struct {
	Shape []int
	Data  []float32

	sum   float64
	above int // elements above the mean
}

// newTensor returns the tensor of a shape with these elements, as many as the shape has.
func newTensor(shape []int, data []float32) *Tensor {
	t := &Tensor{Shape: shape, Data: data}

	// Four partial sums do not wait for each other.
	var s [4]float64

	for ; len(data) >= 4; data = data[4:] {
		s[0] += float64(data[0])
		s[1] += float64(data[1])
		s[2] += float64(data[2])
		s[3] += float64(data[3])
	}

	for _, x := range data {
		s[0] += float64(x)
	}

	t.sum = s[0] + s[1] + s[2] + s[3]
	mean := t.sum / float64(len(t.Data))

	// The sign of a difference counts without a branch, which nobody could predict.
	for _, x := range t.Data {
		t.above += int(math.Float64bits(mean-float64(x)) >> 63)
	}

	return t
}

// rearranged returns a tensor of the same elements in another order.
func (t *Tensor) rearranged(shape []int, data []float32) *Tensor {
	return &Tensor{Shape: shape, Data: data, sum: t.sum, above: t.above}
}

// value returns what a caller sees of a tensor.
func (t *Tensor) value(handle string) envs.Args {
	return envs.Args{
		{Name: handleMember, Value: handle},
		{Name: "dtype", Value: dtype},
		{Name: "shape", Value: numbers(t.Shape)},
		{Name: "sum", Value: rounded(t.sum)},
		{Name: "above_mean", Value: number(t.above)},
	}
}

// mostSamples is how many elements stand in a record.
const mostSamples = 8

// record returns a digest of a tensor: its shape, its sum, and elements at even distances.
func (t *Tensor) record() envs.Args {
	var samples []any

	for i := range min(mostSamples, len(t.Data)) {
		samples = append(samples, rounded(float64(t.Data[i*len(t.Data)/mostSamples])))
	}

	return envs.Args{
		{Name: "shape", Value: numbers(t.Shape)},
		{Name: "dtype", Value: dtype},
		{Name: "sum", Value: rounded(t.sum)},
		{Name: "samples", Value: samples},
	}
}

// rounded returns a number with the digits that mean something beside a tolerance of 1e-2.
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
