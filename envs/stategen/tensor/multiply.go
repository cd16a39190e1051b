package tensor

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// linear multiplies the last dimension of a tensor by a weight.
func linear(input, weight *Tensor, shape []int) *Tensor {
	out, in := weight.Shape[0], weight.Shape[1]
	data := make([]float32, size(shape...))

	if len(data) > 0 && in > 0 {
		rows := len(data) / out
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(rows, in, input.Data), matrix(out, in, weight.Data),
			0, matrix(rows, out, data))
	}

	return &Tensor{Shape: shape, Data: data}
}

// patchElements is roughly how many elements of patches are unfolded at a time: few enough for a
// processor's cache, so that a large kernel takes little memory.
const patchElements = 1 << 16

// conv2d convolves every image of a batch, by products of the weight and the unfolded patches of
// the image. A patch is the part of the image under the kernel; each of its elements is a row, with
// a column for every place of the kernel.
func conv2d(input, weight *Tensor, w window, shape []int) *Tensor {
	var (
		out, places = shape[1], shape[2] * shape[3]
		patch       = len(weight.Data) / out
		image       = len(input.Data) / input.Shape[0]
		rows        = max(1, min(patch, patchElements/places))
		unfolded    = make([]float32, rows*places)
		data        = make([]float32, size(shape...))
	)

	for n := range input.Shape[0] {
		result := matrix(out, places, data[n*out*places:][:out*places])

		for first := 0; first < patch; first += rows {
			count := min(rows, patch-first)
			for i := range count {
				w.unfold(unfolded[i*places:][:places], input, n*image, weight.Shape, first+i, shape)
			}

			part := blas32.General{Rows: out, Cols: count, Stride: patch, Data: weight.Data[first:]}
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, part, matrix(count, places, unfolded), 1, result)
		}
	}
	return &Tensor{Shape: shape, Data: data}
}

// unfold fills a row with what is under one element of the kernel, at every place of the kernel on
// an image.
//
//go:norace
func (w window) unfold(row []float32, input *Tensor, image int, kernel []int, element int, shape []int) {
	var (
		x             = element % kernel[3]
		y             = element / kernel[3] % kernel[2]
		channel       = element / kernel[3] / kernel[2]
		height, width = input.Shape[2], input.Shape[3]
		left          = x*w.dilation[1] - w.before[1]
	)

	for i := range shape[2] {
		places := row[i*shape[3]:][:shape[3]]
		line := i*w.stride[0] + y*w.dilation[0] - w.before[0]

		if line < 0 || line >= height {
			clear(places)
			continue
		}

		from := input.Data[image+(channel*height+line)*width:][:width]

		for j := range places {
			places[j] = 0
			if at := left + j*w.stride[1]; at >= 0 && at < width {
				places[j] = from[at]
			}
		}
	}
}

// matrix returns the first rows*cols elements as a matrix.
func matrix(rows, cols int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data[:rows*cols]}
}
