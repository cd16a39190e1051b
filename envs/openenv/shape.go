package openenv

import (
	"slices"

	"toolevo/envs"
)

// shaped is what shaped rewards depend on in an episode. It is a value: its lists are never
// changed in place.
type shaped struct {
	deprecated []string // tools with deprecated calls
	recovered  []string // those of them that were called successfully since
	learned    int      // descriptions that were rewarded
}

// shape notes a turn in the episode, and returns what it earns in addition to the answer, nil if no
// shapes are named.
func (s *Server) shape(e *episode, t envs.Transition) *float64 {
	if len(s.o.Shapes) == 0 {
		return nil
	}

	earned := 0.0

	for _, played := range t.Turn.Played() {
		earned += s.earned(e, played.Call, played.Outcome)
	}
	return &earned
}

// earned notes a call in the episode, and returns what it earns.
func (s *Server) earned(e *episode, c envs.Call, outcome envs.Outcome) float64 {
	switch {
	case outcome == envs.Deprecated:
		if !slices.Contains(e.shaped.deprecated, c.Tool) {
			e.shaped.deprecated = append(slices.Clip(e.shaped.deprecated), c.Tool)
		}
	case outcome != envs.OK:
	case c.Tool == envs.UpdateTool:
		if s.isRewarded(e, c) {
			e.shaped.learned++
			return s.o.Shapes[TruthfulUpdate]
		}
	case slices.Contains(e.shaped.deprecated, c.Tool) &&
		!slices.Contains(e.shaped.recovered, c.Tool):
		e.shaped.recovered = append(slices.Clip(e.shaped.recovered), c.Tool)
		return s.o.Shapes[RecoveredDeprecation]
	}

	return 0
}

// isRewarded reports whether a description by UpdateTool is rewarded.
func (s *Server) isRewarded(e *episode, c envs.Call) bool {
	if _, named := s.o.Shapes[TruthfulUpdate]; !named || len(c.Args) == 0 {
		return false
	}

	text, _ := c.Args[0].Value.(string)
	return e.shaped.learned < len(e.shaped.deprecated) &&
		s.o.IsTrue(text, s.deployed[e.version].Version) && !s.o.IsTrue(text, s.o.Prompt)
}
