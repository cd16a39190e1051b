package session

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// mostEdited is how many members of a copy may change before it is written.
const mostEdited = 2

// Candidates implements [stategen.Schema]. It is less choosy for a long path that has no other
// candidates left.
func (s *schema) Candidates(rng *rand.Rand, want stategen.Want) (all []stategen.Candidate) {
	for _, s.choosy = range []bool{true, false} {
		isLast := want.Left+want.After == 1
		all = slices.Concat(s.readers(rng), s.writers(rng), s.deleters(rng, isLast), s.editors(rng))
		all = slices.DeleteFunc(all, func(c stategen.Candidate) bool {
			return slices.Contains(s.made, c.Transition+c.Key) || !s.canEnd(c, want)
		})

		if len(all) > 0 {
			break
		}
	}
	return all
}

// canEnd reports whether a candidate leaves enough calls for what the path owes: a list that
// nothing has changed, to return or to compare, and a write of every pending copy. After a branch
// one call stays free, so that its ends differ.
func (s *schema) canEnd(c stategen.Candidate, want stategen.Want) bool {
	m := c.Params.(*move)
	owed := 0

	for _, h := range s.copies {
		if h == m.copy && c.Transition == edit || h != m.copy && h.pending() {
			owed++
		}
	}

	if c.Counts {
		want.Left--
	}

	isRead := c.Transition == List || c.Transition == Query
	isWhole := func(r read) bool { return !s.changed[r.name] && r.name != m.changes }

	if !isRead && !slices.ContainsFunc(s.reads, isWhole) {
		owed++

		if want.Left == 0 || !s.listable(c) {
			return false
		}
	}
	return owed <= want.Left+max(0, want.After-1)
}

// listable reports whether a candidate leaves sessions that the path can list.
func (s *schema) listable(c stategen.Candidate) bool {
	return slices.ContainsFunc(s.copies, func(h *held) bool {
		listed := slices.ContainsFunc(s.reads, func(r read) bool { return r.pair == h.pair && r.key == "" })
		live := len(s.live(h.pair))
		return !listed && (live > 1 || live == 1 && c.Transition != Delete)
	})
}

// readers returns the candidates that read: for each pair of source and type that the program
// knows, a list, a search for every text in the data of its sessions, and a search for a text of
// every copy.
func (s *schema) readers(rng *rand.Rand) (all []stategen.Candidate) {
	var done []pair

	for _, h := range s.copies {
		if !s.namesPair(h) || slices.Contains(done, h.pair) {
			continue
		}

		done = append(done, h.pair)

		// An empty list is no result, so programs read only where there is something.
		live := s.live(h.pair)
		if len(live) == 0 {
			continue
		}

		known := slices.DeleteFunc(slices.Clone(s.copies), func(k *held) bool {
			return k.pair != h.pair || !s.namesPair(k)
		})
		// A program that has read some of these sessions mostly continues with those.
		lead := slices.DeleteFunc(slices.Clone(known), func(k *held) bool { return k.local })
		if len(lead) == 0 || rng.IntN(3) == 0 {
			lead = known
		}

		all = append(all, s.list(stategen.Pick(rng, lead), live))

		for _, one := range live {
			for _, m := range one.data {
				if c, ok := s.search(stategen.Pick(rng, lead), live, m.Name, m.Value.(string), false); ok {
					all = append(all, c)
				}
			}
		}

		for _, k := range known {
			data := s.data(k)
			key := stategen.Pick(rng, data).Name

			if c, ok := s.search(k, live, key, textOf(data, key), true); ok {
				all = append(all, c)
			}
		}
	}

	return all
}

// namesPair reports whether reads name a copy's source and type: those of a local copy, or of the
// first element of a list, that was not deleted.
func (s *schema) namesPair(h *held) bool {
	return (!s.choosy || h.touched != Delete) && (h.local || h.path[0] == "0")
}

// list returns the candidate that lists the sessions of a copy's pair.
func (s *schema) list(h *held, live []session) stategen.Candidate {
	m := s.move(List, s.producers(h, live)...)
	m.place(h)
	return s.read(m, h.pair, "")
}

// search returns the candidate that searches a copy's pair for a text under a key of data: one that
// the user gives, or the copy's own if that finds another session.
func (s *schema) search(h *held, live []session, key, text string, own bool) (c stategen.Candidate, ok bool) {
	found := matching(live, key, text)
	another := func(one session) bool { return one.id != h.remote }

	unclear := own && (s.hasEdit(h.name, key) || !slices.ContainsFunc(found, another))
	if s.justKnown(found) || unclear {
		return c, false
	}

	m := s.move(Query, s.producers(h, found)...)
	m.place(h)
	m.arg("field", stategen.Literal(fieldPrefix+key), fieldPrefix+key)

	if own {
		m.part("value", h, "data", key)
	} else {
		m.arg("value", m.text(key, text), text)
	}

	return s.read(m, h.pair, key), true
}

// read completes a candidate that returns sessions of a pair.
func (s *schema) read(m *move, p pair, key string) stategen.Candidate {
	m.keep()
	return m.call(func(result any) {
		s.reads = append(s.reads, read{m.assign, p, key})

		for i, v := range result.([]any) {
			id, _ := v.(envs.Args).Text("id")
			path := []string{strconv.Itoa(i)}
			s.touched[id] = m.transition

			s.copies = append(s.copies, &held{
				pair: p, name: m.assign, path: path, remote: id, id: stategen.Var(m.assign, path[0], "id"),
				change: s.changes[id], touched: m.transition,
			})
		}
	})
}

// producers returns what last touched a copy and some sessions.
func (s *schema) producers(h *held, sessions []session) []string {
	all := []string{h.touched}
	for _, one := range sessions {
		all = append(all, s.touched[one.id])
	}
	return all
}

// matching returns the sessions whose data has a text under a key.
func matching(live []session, key, text string) []session {
	return slices.DeleteFunc(slices.Clone(live), func(one session) bool { return !one.has(key, text) })
}

// justKnown reports whether the program found or wrote all of these sessions last.
func (s *schema) justKnown(found []session) bool {
	return !slices.ContainsFunc(found, func(one session) bool {
		by := s.touched[one.id]
		return by != Query && by != Add && by != Update
	})
}

// writers returns the candidates that write copies: pending ones, and local ones that were never
// written.
func (s *schema) writers(rng *rand.Rand) (all []stategen.Candidate) {
	for _, h := range s.copies {
		if !h.pending() && (!h.local || h.written) {
			continue
		}

		if h.remote != "" {
			all = append(all, s.update(h, h.remote, h.id))
			continue
		}

		all = append(all, s.add(h))

		if over := s.replaceable(h.pair); len(over) > 0 {
			e := stategen.Pick(rng, over)
			all = append(all, s.update(h, e.remote, e.id))
		}
	}

	return all
}

// replaceable returns the elements of lists whose sessions a local copy of a pair may replace: no
// call of the program has written them, and no copy of them is pending.
func (s *schema) replaceable(p pair) (all []*held) {
	for _, e := range s.copies {
		if e.remote != "" && !e.local && e.pair == p && !s.written(e.remote) && !s.waiting(e.remote) {
			all = append(all, e)
		}
	}

	return all
}

// waiting reports whether a copy of a session is pending.
func (s *schema) waiting(id string) bool {
	return slices.ContainsFunc(s.copies, func(h *held) bool { return h.remote == id && h.pending() })
}

// written reports whether the program wrote a session, which should stay as it is, at least until
// it is read.
func (s *schema) written(id string) bool {
	return s.touched[id] == Add || s.touched[id] == Update || s.choosy && s.changes[id] > 0
}

func (s *schema) add(h *held) stategen.Candidate {
	m := s.move(Add, h.touched)
	m.place(h)
	m.part("data", h, "data")
	m.keep()
	m.copy = h

	return m.call(func(result any) {
		id, _ := result.(envs.Args).Text("id")
		s.wrote(h, Add, id, stategen.Var(m.assign, "id"))
	})
}

func (s *schema) update(h *held, remote string, id stategen.Expr) stategen.Candidate {
	m := s.move(Update, h.touched, s.touched[remote])
	m.place(h)
	m.arg("id", id, remote)
	m.part("data", h, "data")
	m.copy, m.changes = h, id.Var

	return m.call(func(any) { s.wrote(h, Update, remote, id) })
}

// wrote notes that a session is now the same as a copy.
func (s *schema) wrote(h *held, by, id string, e stategen.Expr) {
	s.changes[id]++
	s.touched[id] = by

	h.remote, h.id, h.change = id, e, s.changes[id]
	h.edited, h.written, h.touched = nil, true, by
}

// deleters returns the candidates that delete a session that the program did not write. Only the
// last call may delete the last session.
func (s *schema) deleters(rng *rand.Rand, last bool) (all []stategen.Candidate) {
	if !last && len(s.State.(state).sessions) < 2 {
		return nil
	}

	var done []string

	for _, h := range slices.Backward(s.copies) {
		busy := s.written(h.remote) || s.waiting(h.remote)
		if h.remote == "" || busy || slices.Contains(done, h.remote) {
			continue
		}

		if c, ok := s.delete(rng, h); ok {
			done = append(done, h.remote)
			all = append(all, c)
		}
	}

	return all
}

// delete returns the candidate that deletes the session of a copy. An element among others is told
// from them by its data.
func (s *schema) delete(rng *rand.Rand, h *held) (c stategen.Candidate, ok bool) {
	m := s.move(Delete, h.touched, s.touched[h.remote])
	m.changes = h.id.Var

	after := func(any) {
		// The session's other copies no longer have a session.
		for _, k := range s.copies {
			if k.remote == h.remote && k != h {
				k.remote, k.touched = "", Delete
			}
		}

		h.remote, h.touched = "", Delete
	}

	var list []any
	if !h.local {
		list = s.Values[h.name].([]any)
	}

	// A local copy, or the only element of a list, needs no test to be told from others.
	if len(list) < 2 {
		m.place(h)
		m.arg("id", h.id, h.remote)
		return m.call(after), true
	}

	key, text := s.distinction(rng, h, list)
	if key == "" {
		return c, false
	}

	const item = "item"

	// The candidate's key has the arguments of the one call that the loop makes.
	m.given = envs.Object("source", h.source, "type", h.kind, "id", h.remote)
	do := stategen.Call{Tool: Delete}

	for _, name := range m.given.Names() {
		do.Args = append(do.Args, stategen.Named{Name: name, Expr: stategen.Var(item, name)})
	}

	m.stmt.Each = &stategen.Each{
		Item: item, In: stategen.Var(h.name), Do: do,
		Where: stategen.Test{Left: stategen.Var(item, "data", key), Right: m.text(key, text)},
	}
	m.after = after

	return m.candidate(true), true
}

// distinction returns a key that the data of every element of a list has, and a text that only one
// element's data has there.
func (s *schema) distinction(rng *rand.Rand, h *held, list []any) (key, text string) {
	data := s.data(h)
	names := data.Names()

	for _, i := range rng.Perm(len(names)) {
		if s.hasEdit(h.name, names[i]) {
			continue
		}

		text, _ = data.Text(names[i])
		same := 0

		for k := range list {
			part := stategen.Var(h.name, strconv.Itoa(k), "data", names[i])
			v, err := stategen.Eval(s.Values, part)
			if err != nil || v == text {
				same++ // an element without the key cannot be tested
			}
		}

		if same == 1 {
			return names[i], text
		}
	}
	return "", ""
}

// hasEdit reports whether a variable has a session with an edit of a key that the service does not
// know: an instruction about that text could mean the service's.
func (s *schema) hasEdit(name, key string) bool {
	return slices.ContainsFunc(s.copies, func(h *held) bool {
		return h.name == name && slices.Contains(h.edited, key)
	})
}

// editors returns the candidates that change a copy: a local one and an element of a list, at
// random. If possible they leave alone what the program wrote: it could have been edited before.
func (s *schema) editors(rng *rand.Rand) (all []stategen.Candidate) {
	var locals, elements []*held

	for _, h := range s.copies {
		busy := h.remote != "" &&
			(s.choosy && s.changes[h.remote] > 0 || !h.pending() && s.waiting(h.remote))

		switch {
		case busy || len(h.edited) >= mostEdited:
		case h.local && (h.remote == "" || !s.stale(h)):
			locals = append(locals, h)
		case !h.local && h.remote != "" && !s.stale(h):
			elements = append(elements, h)
		}
	}

	for _, from := range [][]*held{locals, elements} {
		if len(from) > 0 {
			all = append(all, s.edit(rng, stategen.Pick(rng, from)))
		}
	}

	return all
}

// edit returns the candidate that changes a member of a copy, one that was not changed since the
// copy was last written.
func (s *schema) edit(rng *rand.Rand, h *held) stategen.Candidate {
	isEdited := func(key string) bool { return slices.Contains(h.edited, key) }
	key := stategen.Pick(rng, slices.DeleteFunc(s.data(h).Names(), isEdited))
	was, _ := s.data(h).Text(key)

	text := s.text(rng, key)
	for text == was {
		text = s.text(rng, key)
	}

	m := s.move(edit, h.touched)
	to, name := stategen.Expr{}, ""

	// Half of the changes copy a text from a session that was read, and so depend on that read.
	if from, ok := s.source(rng, h, key); ok && rng.IntN(2) == 0 {
		text, to, name = textOf(s.data(from), key), from.expr("data", key), m.variable(h)
		m.pairs, m.reads = stategen.Pairs(edit, h.touched, from.touched), from.name
	} else {
		name, to = m.variable(h), m.text(key, text)
	}

	path := slices.Concat(h.path, []string{"data", key})
	m.stmt.Edit = &stategen.Edit{Var: name, Path: path, To: to}
	m.copy, m.changes = h, name

	m.given = envs.Object(strings.Join(append([]string{name}, path...), "."), text)
	m.after = func(any) {
		h.edited, h.touched = append(slices.Clip(h.edited), key), edit

		// Titles tell sessions apart, so no later one may be drawn again.
		if key == title {
			s.titles = append(s.titles, text)
		}
	}
	return m.candidate(false)
}

// source returns an element of a list, not a deleted one, whose data differs from a copy's under a
// key, to copy it; no two sessions get the same title.
func (s *schema) source(rng *rand.Rand, h *held, key string) (*held, bool) {
	var all []*held

	for _, e := range s.copies {
		isOther := !e.local && e.remote != "" && e.remote != h.remote
		text := textOf(s.data(e), key)
		differs := text != "" && text != textOf(s.data(h), key)

		if isOther && differs && !s.hasEdit(e.name, key) && key != title {
			all = append(all, e)
		}
	}

	if len(all) == 0 {
		return nil, false
	}
	return stategen.Pick(rng, all), true
}

func textOf(data envs.Args, key string) string {
	text, _ := data.Text(key)
	return text
}
