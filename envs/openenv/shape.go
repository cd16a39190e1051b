package openenv

import (
	"slices"

	"toolevo/envs"
)

// shaped is what of an episode shaped rewards depend on. It is a value: what its lists hold does
// not change.
type shaped struct {
	deprecated []string // tools whose calls were deprecated
	recovered  []string // those of them that were called with success since
	learned    int      // descriptions that were rewarded
}

// shape notes a turn in the episode, and returns what it earns beside the answer, nil where nothing
// is named.
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
		if s.learns(e, t.Turn.Call) {
			e.shaped.learned++
			earned = s.o.Shapes[TruthfulUpdate]
		}
	case slices.Contains(e.shaped.deprecated, tool) && !slices.Contains(e.shaped.recovered, tool):
		e.shaped.recovered = append(slices.Clip(e.shaped.recovered), tool)
		earned = s.o.Shapes[RecoveredDeprecation]
	}

	return &earned
}

// learns reports whether a description is rewarded.
func (s *Server) learns(e *episode, c envs.Call) bool {
	if _, named := s.o.Shapes[TruthfulUpdate]; !named || len(c.Args) == 0 {
		return false
	}

	text, _ := c.Args[0].Value.(string)
	return e.shaped.learned < len(e.shaped.deprecated) &&
		s.o.IsTrue(text, s.deployed[e.version].Version) && !s.o.IsTrue(text, s.o.Prompt)
}
