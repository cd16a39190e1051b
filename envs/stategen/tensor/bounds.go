package tensor

// The service refuses calls beyond these bounds.
const (
	mostElements = 1 << 21 // of all results of a call
	mostWork     = 1 << 27 // multiplications of a call

	mostLoaded    = 1 << 24 // elements of all loaded tensors of a program
	mostList      = 128     // elements of a list in an argument, and parts of a tensor
	mostParameter = 1 << 16 // of stride, padding and dilation
)

// bounds are those of one call.
type bounds struct{ elements, work int }

// paperBounds hold what the published programs compute.
var paperBounds = bounds{elements: mostLoaded, work: 1 << 32}

// Programs stay below smaller bounds, so that thousands of them can be replayed. Of the published
// initial shapes, those with more elements, one in eight, are drawn again, and a fresh weight has
// fewer outputs where as many as published would take too much work; where even one takes too much,
// the call is no candidate.
const (
	programElements = 1 << 18 // of a tensor
	programWork     = 1 << 22 // multiplications of a call
)

// The paddings that have a name.
const (
	samePadding  = "same"
	validPadding = "valid"
)
