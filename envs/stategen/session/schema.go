package session

import (
	"fmt"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// schema is a growing program. It runs the program's statements, so that it knows what the next
// call would do.
type schema struct {
	drawer
	stategen.Growing

	copies []*held  // of sessions; the newest last
	reads  []read   // the newest last
	made   []string // the transitions with their parameters
	choosy bool     // it leaves alone what the program wrote, and does not mention what it deleted

	used    map[string]bool // variables of which a statement used more than source and type
	changed map[string]bool // variables of which one edited, replaced or deleted an element

	// The last transition that touched a session of the service ("": it was there from the start),
	// and the number of times it was written, by id.
	touched map[string]string
	changes map[string]int
}

// held is a copy of a session that the program has.
type held struct {
	pair
	draft envs.Args // the value of a local one before a statement names it, which declares it
	name  string    // of the variable
	path  []string  // in the variable, of an element of a list

	remote string        // the id of the session of which it is a copy; "" if it has none (any more)
	id     stategen.Expr // by which the program knows the id
	change int           // of the session, when it was copied or written

	local   bool     // a variable of its own
	edited  []string // keys that were changed since it was last written
	written bool
	touched string // the transition that touched it last
}

// read is a variable with sessions that the service returned.
type read struct {
	name string
	pair pair
	key  string // of the query; "" of a list
}

// pending reports whether there are edits that the service does not know.
func (h *held) pending() bool { return len(h.edited) > 0 }

// expr returns the expression of a part of the copy.
func (h *held) expr(path ...string) stategen.Expr {
	return stategen.Var(h.name, slices.Concat(h.path, path)...)
}

// stale reports whether the session has changed since the copy was made or written.
func (s *schema) stale(h *held) bool { return h.change != s.changes[h.remote] }

// value returns the current value of a copy.
func (s *schema) value(h *held) envs.Args {
	if h.name == "" {
		return h.draft
	}
	return s.eval(h.expr()).(envs.Args)
}

// data returns the data of a copy.
func (s *schema) data(h *held) envs.Args { return s.value(h).Object("data") }

func (s *schema) eval(e stategen.Expr) any {
	v, err := stategen.Eval(s.Values, e)
	if err != nil {
		panic(fmt.Sprintf("session: a statement that does not fit its program: %v", err))
	}
	return v
}

// live returns the sessions of a pair in the service.
func (s *schema) live(p pair) (all []session) {
	for _, one := range s.State.(state).sessions {
		if one.isOf(p.source, p.kind) {
			all = append(all, one)
		}
	}

	return all
}

// Clone implements [stategen.Schema].
func (s *schema) Clone() stategen.Schema {
	c := *s
	c.Growing = s.Growing.Clone()
	c.titles = slices.Clone(s.titles)
	c.touched, c.changes = maps.Clone(s.touched), maps.Clone(s.changes)
	c.reads, c.made = slices.Clone(s.reads), slices.Clone(s.made)
	c.used, c.changed = maps.Clone(s.used), maps.Clone(s.changed)

	c.copies = make([]*held, len(s.copies))
	for i, h := range s.copies {
		other := *h
		other.edited = slices.Clone(h.edited)
		c.copies[i] = &other
	}

	return &c
}

// Result implements [stategen.Schema]: the lists of the service that no statement used, or else the
// newest that no statement changed.
func (s *schema) Result() (stategen.Expr, bool) {
	var unused []stategen.Expr

	for _, r := range s.reads {
		if !s.used[r.name] {
			unused = append(unused, stategen.Var(r.name))
		}
	}

	if len(unused) > 0 {
		return stategen.OneOrAll(unused)
	}

	r, ok := s.newest()
	return stategen.Var(r.name), ok
}

// newest returns the newest list that no statement changed.
func (s *schema) newest() (read, bool) {
	for _, r := range slices.Backward(s.reads) {
		if !s.changed[r.name] {
			return r, true
		}
	}

	return read{}, false
}
