package scripted

import (
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/silent"
	"toolevo/envs/wire"
)

// standing is how far a history has come: what the plan's calls have answered so far, and what went
// wrong since.
type standing struct {
	turns     []envs.Turn
	results   []string   // the observations of the plan's calls, in order
	usages    [][]*usage // inferred from each of the notices so far, in order
	knowledge knowledge  // of answers that are no longer what they were

	lastOK  int // index in turns of the last call of the plan that succeeded, -1 before the first
	errors  int // errors in a row since, without deprecations that can be read
	ignored int // deprecations in a row since
	updated int // index in turns of the last UpdateTool, -1 before the first
}

// readHistory reads a history. The plan's calls are the ones that succeeded, except UpdateTool and
// exact repetitions of the call before: those answer the same and do not advance the plan.
func (s *Policy) readHistory(h envs.History) standing {
	st := standing{turns: h.Turns(), lastOK: -1, updated: -1, knowledge: knowledge{Policy: s, h: h}}

	st.results = make([]string, 0, len(st.turns))
	for i := range st.turns {
		t := &st.turns[i]
		switch {
		case t.Call.Name == envs.UpdateTool:
			st.updated = i
			if t.Outcome == envs.OK {
				st.errors, st.ignored = 0, 0
			} else {
				st.errors++
			}
		case t.Outcome == envs.OK:
			st.errors, st.ignored = 0, 0
			last := st.knowledge.answered
			if st.knowledge.lacking == nil && last != nil && sameCall(last.Call, t.Call) {
				continue
			}

			// A success that means something else, or lacks something, is not the plan's result.
			answer, notes := silent.Cut(wire.ReadAnswer(t.Observation))
			if result, ok := st.knowledge.read(t, answer, notes); ok {
				st.lastOK = i
				st.results = append(st.results, result)
			}
		case t.Outcome == envs.Deprecated && s.profile.ReadsNotices:
			st.ignored++
			// A notice that names no successor may still name another tool.
			if all := s.readNotice(t.Observation); all != nil {
				st.usages = append(st.usages, all)
			} else if !st.knowledge.removed(t) {
				st.errors++
			}
		default:
			st.errors++
			st.knowledge.learn(t)
		}
	}

	return st
}

func (st *standing) last() *envs.Turn {
	if len(st.turns) == 0 {
		return nil
	}
	return &st.turns[len(st.turns)-1]
}

// readNotice returns the usages that a notice teaches. They are kept, because notices are few and
// read again at every node below them.
func (s *Policy) readNotice(notice string) []*usage {
	return s.notices.Get(notice, func(notice string) []*usage { return parseNotices(wire.ReadAnswer(notice)) })
}

// successor returns how to write a call of a tool now: as the notices of this history say, followed
// from name to name while the successor is deprecated, too; else as a learned description says;
// else nil.
func (st *standing) successor(h envs.History, tool string, args envs.Args) *usage {
	var found *usage

	name := tool
	// Bounded, because notices may name each other in a circle.
	for range len(st.usages) {
		next := st.noticed(name, args)
		if next == nil {
			break
		}

		found, name = next, next.name
	}

	if found != nil {
		// Calls are looked up by the old name, however many names are in between.
		if found.old != tool {
			chained := *found
			chained.old, chained.oldParams = tool, st.noticed(tool, args).oldParams
			return &chained
		}

		return found
	}

	// The latest description counts.
	for _, text := range h.Learned() {
		if strings.Contains(text, updatedVersion+tool) {
			if u, ok := parseLearned(text, len(args)); ok && u.old == tool {
				found = u
			}
		}
	}

	return found
}

// noticed returns what the last notice of a deprecated name says about a call with some arguments.
func (st *standing) noticed(name string, args envs.Args) *usage {
	for _, all := range slices.Backward(st.usages) {
		if all[0].old == name {
			return fitting(all, args)
		}
	}

	return nil
}

// reached returns the last usage that leads to a name.
func (st *standing) reached(name string) *usage {
	for _, all := range slices.Backward(st.usages) {
		for _, u := range all {
			if u.name == name {
				return u
			}
		}
	}

	return nil
}

// updateDue returns the successful call that UpdateTool should now describe, and its usage: the
// first call that reached a new tool, with only unreadable text after it.
func (st *standing) updateDue() (*usage, *envs.Turn) {
	if st.lastOK < 0 || st.updated > st.lastOK {
		return nil, nil
	}

	t := &st.turns[st.lastOK]

	u := st.reached(t.Call.Name)
	if u == nil {
		return nil, nil
	}

	for i := range st.turns {
		other := &st.turns[i]
		before := i < st.lastOK && other.Outcome == envs.OK && other.Call.Name == t.Call.Name

		after := i > st.lastOK && other.Outcome != envs.Malformed
		if before || after {
			return nil, nil
		}
	}

	return u, t
}

func sameCall(a, b envs.Call) bool {
	if a.Name != b.Name || len(a.Args) != len(b.Args) {
		return false
	}

	for i := range a.Args {
		if a.Args[i].Name != b.Args[i].Name {
			return false
		}

		x, y := a.Args[i].Value, b.Args[i].Value
		if s, ok := x.(string); ok {
			if t, ok := y.(string); !ok || s != t {
				return false
			}
		} else if !reflect.DeepEqual(x, y) {
			return false
		}
	}

	return true
}
