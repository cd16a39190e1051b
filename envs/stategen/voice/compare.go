package voice

import (
	"math"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Content implements [stategen.Service]: a speech, or its handle, means what the speech is now.
func (Domain) Content(of stategen.State, v any) any {
	s := of.(*state)
	return envs.Map(v, func(part any) (any, bool) {
		if at := s.find(stategen.Handle(part, "speech")); at >= 0 {
			return s.speeches[at].content(), true
		}

		_, isList := part.([]any)
		return part, !isList
	})
}

// Effects implements [stategen.Service]: the phone calls.
func (Domain) Effects(of stategen.State) any {
	calls := of.(*state).calls

	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = envs.Object("speech", c.speech.content(), "voice_name", c.voice)
	}
	return list
}

// Record implements [stategen.Service].
func (Domain) Record(content any) any { return content }

// tolerance is how much numbers that count as the same may differ (StateEval's).
const tolerance = 1e-6

// Same implements [stategen.Service]: the order of lists does not matter, except in a history or in
// transitions.
func (Domain) Same(got, want any) bool { return comparison.Same(got, want) }

var comparison = stategen.Comparison{
	Near:  func(got, want float64) bool { return math.Abs(got-want) <= tolerance },
	Loose: func(member string) bool { return member != "history" && member != "transitions" },
}
