// Package tensor is the domain of tensor operations (StateGen, IV-A): six functions of PyTorch, a
// service that computes them on its own, and the rules of programs that call them.
//
// # Words
//
// A tensor has a shape and float32 elements, in row-major order. Tools and programs pass it by its
// handle; the value of a tensor is an object of the handle, the dtype, the shape, the sum of the
// elements, and how many of them are above their mean. A loaded tensor is a variable of a program
// that exists from the start; a fresh one is loaded for a certain call, such as a weight. A
// contraction is a call that multiplies: linear, conv2d.
//
// # Numbers
//
// The elements of a loaded tensor come from a seed and are not stored. Block b of sixteen elements,
// counted from 0, is output b+1 of SplitMix64 with that seed; each of its sixteen hexadecimal
// digits, lowest first, is an element: the digit d means (2d-15)/16. testdata/run_torch.py does the
// same in Python.
//
// All elements are thus odd multiples of 1/16 between -1 and 1, sums of a few products are exact in
// float32, and programs compare above_mean only if every way of computing a tensor leads to the
// same elements. Otherwise an element could be above the mean in one library and not in another.
//
// # Programs
//
// Dimensions do not move twice in a row, which would be one move. A tensor may be split into pieces
// of the size of a dimension of another result.
//
// # Guarantees
//
//   - Results agree with PyTorch's within 1e-2; the tests hold a table that PyTorch filled in.
//   - A schema knows the shapes of what the service will compute, and the service refuses no call
//     of its programs.
//   - Whatever the arguments, a call makes at most 2^21 elements with at most 2^27 multiplications,
//     or is refused.
//
// # Caveats
//
//   - Programs use smaller tensors than the published ones: see bounds.go, which says what that
//     changes.
//   - Every tensor is computed in float32, and there is no bias, no group, and no weight of one
//     dimension. Tensors that [Paper] loads may have another dtype by name.
package tensor
