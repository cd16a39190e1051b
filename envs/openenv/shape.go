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
	tool := t.Turn.Call.Tool

	switch {
	case t.Turn.Outcome == envs.Deprecated:
		if !slices.Contains(e.shaped.deprecated, tool) {
			e.shaped.deprecated = append(slices.Clip(e.shaped.deprecated), tool)
		}
	case t.Turn.Outcome != envs.OK:
	case tool == envs.UpdateTool:
		if s.isRewarded(e, t.Turn.Call) {
			e.shaped.learned++
			earned = s.o.Shapes[TruthfulUpdate]
		}
	case slices.Contains(e.shaped.deprecated, tool) && !slices.Contains(e.shaped.recovered, tool):
		e.shaped.recovered = append(slices.Clip(e.shaped.recovered), tool)
		earned = s.o.Shapes[RecoveredDeprecation]
	}

	return &earned
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
