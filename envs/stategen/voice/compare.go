package voice

import (
	"math"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Content implements [stategen.Service]: a speech, or a handle of one, stands for what the speech is now.
func (Domain) Content(of stategen.State, v any) any { return content(of.(*state), v) }

func content(s *state, v any) any {
	switch v := v.(type) {
	case string:
		if at := s.find(v); at >= 0 {
			return s.speeches[at].content()
		}
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = content(s, item)
		}

		return list
	case envs.Args:
		if handle, ok := v.Text("speech"); ok {
			if at := s.find(handle); at >= 0 {
				return s.speeches[at].content()
			}
		}
	}

	return v
}

// Effects implements [stategen.Service]: the phone calls that were made.
func (Domain) Effects(of stategen.State) any {
	calls := of.(*state).calls

	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = envs.Args{{Name: "speech", Value: c.speech.content()}, {Name: "voice_name", Value: c.voice}}
	}

	return list
}

// Record implements [stategen.Service].
func (Domain) Record(content any) any { return content }

// tolerance is how far numbers that are the same may be apart (StateEval's).
const tolerance = 1e-6

// Same implements [stategen.Service]: the order of lists does not matter, but for that of a history.
func (Domain) Same(got, want any) bool { return same(got, want, false) }

func same(got, want any, ordered bool) bool {
	switch want := want.(type) {
	case envs.Number:
		got, ok := got.(envs.Number)
		return ok && sameNumber(got, want)
	case []any:
		got, ok := got.([]any)
		return ok && sameList(got, want, ordered)
	case envs.Args:
		got, ok := got.(envs.Args)
		return ok && sameObject(got, want)
	case string:
		return got == any(want)
	case bool:
		return got == any(want)
	}

	return got == nil && want == nil
}

func sameNumber(got, want envs.Number) bool {
	x, errX := strconv.ParseFloat(string(got), 64)
	y, errY := strconv.ParseFloat(string(want), 64)

	return errX == nil && errY == nil && math.Abs(x-y) <= tolerance
}

func sameList(got, want []any, ordered bool) bool {
	if ordered || len(got) != len(want) {
		return slices.EqualFunc(got, want, func(g, w any) bool { return same(g, w, false) })
	}

	left := slices.Clone(got)

	for _, w := range want {
		at := slices.IndexFunc(left, func(g any) bool { return same(g, w, false) })
		if at < 0 {
			return false
		}

		left = slices.Delete(left, at, at+1)
	}

	return true
}

func sameObject(got, want envs.Args) bool {
	if len(got) != len(want) {
		return false
	}

	return !slices.ContainsFunc(want, func(w envs.Arg) bool {
		g, ok := got.Get(w.Name)
		return !ok || !same(g, w.Value, w.Name == "history")
	})
}
