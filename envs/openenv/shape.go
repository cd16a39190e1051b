package openenv

import (
	"toolevo/envs"
)

// shaped is what of an episode shaped rewards depend on. It is a value.
type shaped struct {
	deprecated *toolList // tools whose calls were deprecated
	recovered  *toolList // those of them that were called with success since
	learned    int       // descriptions that were rewarded
}

// toolList is an immutable list of tools.
type toolList struct {
	tool string
	rest *toolList
}

func (l *toolList) has(tool string) bool {
	for ; l != nil; l = l.rest {
		if l.tool == tool {
			return true
		}
	}

	return false
}

func (l *toolList) length() (n int) {
	for ; l != nil; l = l.rest {
		n++
	}

	return n
}

// shape notes a turn in the episode, and returns what it earns beside the answer, nil where nothing is named.
func (s *Server) shape(e *episode, t envs.Transition) *float64 {
	if len(s.o.Shapes) == 0 {
		return nil
	}

	earned := 0.0
	tool := t.Turn.Call.Tool

	switch {
	case t.Turn.Outcome == envs.Deprecated:
		if !e.shaped.deprecated.has(tool) {
			e.shaped.deprecated = &toolList{tool, e.shaped.deprecated}
		}
	case t.Turn.Outcome != envs.OK:
	case tool == envs.UpdateTool:
		if s.learns(e, t.Turn.Call) {
			e.shaped.learned++
			earned = s.o.Shapes[TruthfulUpdate]
		}
	case e.shaped.deprecated.has(tool) && !e.shaped.recovered.has(tool):
		e.shaped.recovered = &toolList{tool, e.shaped.recovered}
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

	return e.shaped.learned < e.shaped.deprecated.length() &&
		s.o.IsTrue(text, s.deployed[e.version].Version) && !s.o.IsTrue(text, s.o.Prompt)
}
