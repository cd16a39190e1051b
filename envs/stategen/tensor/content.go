package tensor

import (
	"math"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// tolerance is the published one, absolute and relative, added as PyTorch's allclose does: for
// elements, and also for numbers. The published checker allows numbers no relative error, but a
// result may be a sum of millions, where float32 itself is less precise.
const tolerance = 1e-2

// Content implements [stategen.Service]. The content of a handle, or of an object with a handle, is
// a [*Tensor].
func (Domain) Content(s stategen.State, v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		if t := s.(*state).find(stategen.Handle(part, handleMember)); t != nil {
			return t, true
		}

		_, isList := part.([]any)
		return part, !isList
	})
}

// Effects implements [stategen.Service]. Tensors have none.
func (Domain) Effects(stategen.State) any { return nil }

// Same implements [stategen.Service]: tensors of the same shape are the same if their elements
// agree within the tolerance, as are numbers, and lists and objects of both. A tensor that
// overflowed equals nothing.
func (Domain) Same(got, want any) bool { return comparison.Same(got, want) }

var comparison = stategen.Comparison{
	Near: func(got, want float64) bool { return near(want, got) },
	Own: func(got, want any) (same, ok bool) {
		tensor, ok := want.(*Tensor)
		other, isTensor := got.(*Tensor)
		return ok && isTensor && tensor.near(other), ok
	},
}

func near(want, got float64) bool {
	return math.Abs(got-want) <= tolerance+float64(tolerance*math.Abs(want))
}

// Record implements [stategen.Service].
func (Domain) Record(content any) any {
	return envs.Map(content, func(part any) (any, bool) {
		if t, ok := part.(*Tensor); ok {
			return t.record(), true
		}
		return part, false
	})
}
