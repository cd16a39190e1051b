package scripted

import (
	"reflect"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/wire"
)

// heed is what a policy knows of APIs that succeed and mean something else: from documents that it
// is shown, and from notes above answers.
type heed struct {
	*Policy
	h     envs.History
	known map[callee]silent.Changes // nil of an API that nobody asked about

	// answered is the plan's call that was answered last.
	answered *envs.Turn

	// lacking is the turn of the plan's call while its answer lacks something that another tool
	// has, elsewhere; fill makes the answer of what that tool says.
	lacking   *envs.Turn
	elsewhere silent.Elsewhere
	fill      func(source any) any
}

// callee is an API: a name, and the tool that is called by it, of which a name may have several.
type callee struct{ name, tool string }

func by(c envs.Call) callee { return callee{c.Name, c.Tool} }

// changes returns what is known of the API that a call is of.
func (k *heed) changes(c envs.Call) silent.Changes {
	if !k.profile.ReadsHints && k.knows == nil {
		return nil
	}

	if all, ok := k.known[by(c)]; ok {
		return all
	}

	var all silent.Changes

	if k.told != nil {
		if notes, shown := envs.Notes(k.told, k.h, c); shown || k.profile.Knowing {
			all = taking(nil, notes)
		}
	}

	if k.known == nil {
		k.known = map[callee]silent.Changes{}
	}

	k.known[by(c)] = all
	return all
}

// taking is all with what notes say that is new.
func taking(all silent.Changes, notes []string) silent.Changes {
	for _, note := range notes {
		c, ok := silent.ParseNote(note)
		if ok && !slices.ContainsFunc(all, func(other silent.Change) bool { return reflect.DeepEqual(c, other) }) {
			all = append(all, c)
		}
	}

	return all
}

// read returns what the tool of the plan answered, as far as anybody can tell from an answer and
// the notes above it. ok is false where the call did not mean what the plan does, or where
// something is still missing.
func (k *heed) read(t *envs.Turn, answer string, notes []string) (result string, ok bool) {
	if before := k.changes(t.Call); k.profile.ReadsHints || k.knows != nil {
		if slices.Contains(notes, silent.Passing) {
			return "", false
		}

		now := taking(before, notes)
		k.known[by(t.Call)] = now

		planned := before.Lower(t.Call.Args)
		if !reflect.DeepEqual(now.Lift(planned), before.Lift(planned)) {
			return "", false
		}

		if answer = now.Restore(answer); k.lacking == nil && k.lacks(t, now, answer) {
			return "", false
		}
	}

	if k.lacking == nil {
		k.answered = t
		return answer, true
	}

	// It is what another tool says of the call that lacks something.
	k.answered, k.lacking = k.lacking, nil
	source, _ := pytext.DecodeStrict(answer)
	return pytext.JSON(k.fill(source)), true
}

// learn takes the notes above an error.
func (k *heed) learn(t *envs.Turn) {
	if before := k.changes(t.Call); k.known != nil {
		_, notes := silent.Cut(wire.ReadAnswer(t.Observation))
		k.known[by(t.Call)] = taking(before, notes)
	}
}

// lacks reports whether something is missing from an answer that another tool has.
func (k *heed) lacks(t *envs.Turn, all silent.Changes, answer string) bool {
	value, err := pytext.DecodeStrict(answer)

	for i := range all {
		if w := all[i].Withheld; w != nil && err == nil && w.Lacks(value) {
			k.lacking, k.elsewhere = t, w.Elsewhere
			k.fill = func(source any) any { return w.Fill(value, source) }
			return true
		}
	}
	return false
}

// removed takes a notice of a tool that is gone, and reports whether another one has what it
// answered.
func (k *heed) removed(t *envs.Turn) (ok bool) {
	if k.elsewhere, ok = silent.ParseRemoved(wire.ReadAnswer(t.Observation)); ok {
		k.lacking = t
		k.fill = func(source any) any { return k.elsewhere.Find(t.Call.Args, source) }
	}
	return ok
}

// ask is the call for what the plan's call lacks.
func (k *heed) ask(planned envs.Call) envs.Call {
	return envs.Call{Tool: k.elsewhere.Source, Name: k.elsewhere.Source, Args: k.elsewhere.Ask(planned.Args)}
}
