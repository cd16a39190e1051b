package tensor

// permute returns a tensor whose dimension i is dimension dims[i] of another one.
//
//go:norace
func permute(t *Tensor, dims []int) *Tensor {
	// A tensor without dimensions has no rows to fill.
	if len(dims) == 0 {
		return t
	}

	strides := make([]int, len(t.Shape))
	for i, step := len(t.Shape)-1, 1; i >= 0; i-- {
		strides[i] = step
		step *= t.Shape[i]
	}

	shape, steps := permuted(t.Shape, dims), permuted(strides, dims)
	data := make([]float32, len(t.Data))

	// Rows of the result are filled one by one; index and from say where the row begins. Counting
	// them up like an odometer saves a division for each dimension.
	last := len(shape) - 1
	index := make([]int, last)
	from := 0

	for row := data; len(row) > 0; row = row[shape[last]:] {
		for i, at := 0, from; i < shape[last]; i, at = i+1, at+steps[last] {
			row[i] = t.Data[at]
		}

		for d := last - 1; d >= 0; d-- {
			index[d]++
			from += steps[d]

			if index[d] < shape[d] {
				break
			}

			from -= index[d] * steps[d]
			index[d] = 0
		}
	}
	return &Tensor{Shape: shape, Data: data}
}

// split returns the parts of a tensor along a dimension; together they are the whole.
func split(t *Tensor, parts []int, dim int) []*Tensor {
	inner := size(t.Shape[dim+1:]...)
	stride := t.Shape[dim] * inner
	all := make([]*Tensor, len(parts))
	start := 0

	for i, n := range parts {
		data := make([]float32, 0, len(t.Data)/max(1, t.Shape[dim])*n)
		for at := start; at < len(t.Data); at += stride {
			data = append(data, t.Data[at:at+n*inner]...)
		}

		all[i] = &Tensor{Shape: resized(t.Shape, dim, n), Data: data}
		start += n * inner
	}
	return all
}

// cat joins tensors along a dimension, into the shape that they have together.
func cat(all []*Tensor, dim int, shape []int) *Tensor {
	data := make([]float32, 0, size(shape...))

	for i := range size(shape[:dim]...) {
		for _, t := range all {
			n := size(t.Shape[dim:]...)
			data = append(data, t.Data[i*n:(i+1)*n]...)
		}
	}

	return &Tensor{Shape: shape, Data: data}
}
