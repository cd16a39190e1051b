package stategen

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Value holds what JSON can say, as [envs.Arg] does: nil, bool, [envs.Number], string, []any, or
// [envs.Args]. Objects keep the order of their members.
type Value struct{ Any any }

// MarshalJSON implements [json.Marshaler].
func (v Value) MarshalJSON() ([]byte, error) { return pytext.AppendJSON(nil, v.Any), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Value) UnmarshalJSON(text []byte) (err error) {
	v.Any, err = pytext.DecodeStrict(string(text))
	return err
}

// Handle returns the handle that a value is, or that an object has as a member, or "".
func Handle(v any, member string) string {
	switch v := v.(type) {
	case string:
		return v
	case envs.Args:
		handle, _ := v.Text(member)
		return handle
	}

	return ""
}

// Comparison says which values are the same, in addition to those that are [Equal]. The zero
// Comparison is Equal.
type Comparison struct {
	// Near compares numbers; nil compares them exactly.
	Near func(got, want float64) bool
	// Loose reports whether a list may be in any order, by the member of an object that it is, ""
	// if it is none.
	Loose func(member string) bool
	// Own compares what only a domain knows; ok is false for any other value. It may be nil.
	Own func(got, want any) (same, ok bool)
}

// Equal reports whether two values are equal: numbers by their value, objects in any order of their
// members.
func Equal(a, b any) bool { return Comparison{}.Same(a, b) }

// Same reports whether two values are the same.
func (c Comparison) Same(got, want any) bool { return c.same("", got, want) }

func (c Comparison) same(member string, got, want any) bool {
	if c.Own != nil {
		if same, ok := c.Own(got, want); ok {
			return same
		}
	}

	switch want := want.(type) {
	case envs.Number:
		return c.number(got, want)
	case []any:
		got, ok := got.([]any)
		return ok && c.list(got, want, c.Loose != nil && c.Loose(member))
	case envs.Args:
		got, ok := got.(envs.Args)
		return ok && len(got) == len(want) && !slices.ContainsFunc(want, func(m envs.Arg) bool {
			v, ok := got.Get(m.Name)
			return !ok || !c.same(m.Name, v, m.Value)
		})
	}

	return got == want
}

func (c Comparison) number(got any, want envs.Number) bool {
	x, isNumber := number(got)
	y, isWanted := number(want)

	switch {
	case !isNumber || !isWanted:
		return got == any(want)
	case c.Near != nil:
		return c.Near(x, y)
	}

	return x == y
}

func (c Comparison) list(got, want []any, loose bool) bool {
	same := func(got, want any) bool { return c.same("", got, want) }
	if !loose || len(got) != len(want) {
		return slices.EqualFunc(got, want, same)
	}

	left := slices.Clone(got)

	for _, w := range want {
		at := slices.IndexFunc(left, func(g any) bool { return same(g, w) })
		if at < 0 {
			return false
		}

		left = slices.Delete(left, at, at+1)
	}
	return true
}
