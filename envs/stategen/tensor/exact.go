package tensor

// exactness says whether every way of computing a tensor leads to the same elements. They are
// multiples of a grid; as long as all sums stay below 2^24 steps of it, float32 rounds nothing.
type exactness struct {
	grid  float64
	bound float64 // of the absolute values
}

// loadedElements is the exactness of elements from a seed.
var loadedElements = exactness{grid: 1. / 16, bound: mostSixteenths / 16.}

func (e exactness) exact() bool { return e.bound <= e.grid*(1<<24) }

// joined returns the exactness of elements of both together.
func (e exactness) joined(other exactness) exactness {
	return exactness{min(e.grid, other.grid), max(e.bound, other.bound)}
}

// contracted returns the exactness of sums of n products.
func (e exactness) contracted(n int, other exactness) exactness {
	return exactness{e.grid * other.grid, float64(n) * e.bound * other.bound}
}
