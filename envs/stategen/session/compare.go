package session

import (
	"bytes"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// Content implements [stategen.Service]: ids and checksums are the service's own.
func (*Domain) Content(_ stategen.State, v any) any { return content(v) }

func content(v any) any {
	isMade := func(m envs.Arg) bool { return m.Name == "id" || m.Name == "checksum" }
	return envs.Map(v, func(part any) (any, bool) {
		if object, ok := part.(envs.Args); ok && slices.ContainsFunc(object, isMade) {
			part = slices.DeleteFunc(slices.Clone(object), isMade)
		}
		return part, false
	})
}

// Effects implements [stategen.Service]: all sessions without what the service made up, in an order
// that does not depend on the calls.
func (*Domain) Effects(s stategen.State) any {
	all := content(s.(state).find(func(*session) bool { return true })).([]any)

	slices.SortFunc(all, func(a, b any) int {
		return bytes.Compare(pytext.AppendCanonical(nil, a), pytext.AppendCanonical(nil, b))
	})
	return all
}

// Same implements [stategen.Service]. Every session matches another one, and every member of both
// objects counts. An object without members is what is left of an id: it tells nothing, and equals
// nothing.
func (*Domain) Same(got, want any) bool {
	if object, ok := got.(envs.Args); ok && len(object) == 0 {
		return false
	}
	return stategen.Equal(got, want)
}

// Record implements [stategen.Service].
func (*Domain) Record(content any) any { return content }
