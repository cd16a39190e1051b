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

// paperBounds are large enough for the published programs.
var paperBounds = bounds{elements: mostLoaded, work: 1 << 32}

// Programs stay within smaller bounds, so that thousands of them can be replayed. One in eight of
// the published initial shapes has more elements and is drawn again, and a fresh weight has fewer
// outputs if as many as published would take too much work; if even one takes too much, the call is
// no candidate.
const (
	programElements = 1 << 18 // of a tensor
	programWork     = 1 << 22 // multiplications of a call
)

// The named paddings.
const (
	samePadding  = "same"
	validPadding = "valid"
)
