package tensor

import (
	"math"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// tolerance is the published one, absolute and relative, as PyTorch's allclose adds them: for elements, and also for
// numbers. The published checker allows numbers no relative error, but a result may be a sum of millions, where float32
// itself is further apart.
const tolerance = 1e-2

// Content implements [stategen.Service]. The content of a handle, or of an object with a handle, is a [*Tensor].
func (d Domain) Content(s stategen.State, v any) any {
	switch v := v.(type) {
	case string:
		if t := s.(*state).find(v); t != nil {
			return t
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = d.Content(s, v[i])
		}

		return list
	case envs.Args:
		handle, _ := v.Text(handleMember)
		if t := s.(*state).find(handle); t != nil {
			return t
		}
	}

	return v
}

// Effects implements [stategen.Service]. Tensors have none.
func (Domain) Effects(stategen.State) any { return nil }

// Same implements [stategen.Service]: tensors of the same shape whose elements agree within the tolerance, numbers that
// do, and lists and objects of such. A tensor that overflowed is the same as nothing.
func (d Domain) Same(got, want any) bool {
	switch want := want.(type) {
	case *Tensor:
		got, ok := got.(*Tensor)
		return ok && want.near(got)
	case envs.Number:
		got, ok := got.(envs.Number)
		x, err := strconv.ParseFloat(string(got), 64)
		y, _ := strconv.ParseFloat(string(want), 64)

		return ok && err == nil && near(y, x)
	case []any:
		got, ok := got.([]any)
		return ok && slices.EqualFunc(got, want, d.Same)
	case envs.Args:
		got, ok := got.(envs.Args)

		return ok && len(got) == len(want) && !slices.ContainsFunc(want, func(m envs.Arg) bool {
			v, ok := got.Get(m.Name)
			return !ok || !d.Same(v, m.Value)
		})
	}

	return stategen.Equal(got, want)
}

func near(want, got float64) bool {
	return math.Abs(got-want) <= tolerance+tolerance*math.Abs(want)
}

// Record implements [stategen.Service].
func (d Domain) Record(content any) any {
	switch v := content.(type) {
	case *Tensor:
		return v.record()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = d.Record(v[i])
		}

		return list
	}

	return content
}
