package scripted

import (
	"reflect"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/wire"
)

// knowledge is what a policy knows of APIs that succeed and mean something else: from documents
// that it is shown, and from notes above answers.
type knowledge struct {
	*Policy
	h     envs.History
	known map[callee]silent.Changes // nil for an API that was not looked up yet

	// answered is the plan's call that was answered last.
	answered *envs.Turn

	// lacking is the turn of the plan's call while its answer lacks something that another tool
	// has, elsewhere; fill completes the answer with what that tool says.
	lacking   *envs.Turn
	elsewhere silent.Elsewhere
	fill      func(source any) any
}

// callee is an API: a name, and the tool behind it, of which a name may have several.
type callee struct{ name, tool string }

func calleeOf(c envs.Call) callee { return callee{c.Name, c.Tool} }

// changes returns what is known of the API of a call.
func (k *knowledge) changes(c envs.Call) silent.Changes {
	if !k.profile.ReadsHints && k.knows == nil {
		return nil
	}

	if all, ok := k.known[calleeOf(c)]; ok {
		return all
	}

	var all silent.Changes

	if k.documents != nil {
		if notes, shown := envs.Notes(k.documents, k.h, c); shown || k.profile.Knowing {
			all = withNotes(nil, notes)
		}
	}

	if k.known == nil {
		k.known = map[callee]silent.Changes{}
	}

	k.known[calleeOf(c)] = all
	return all
}

// withNotes returns changes with those of notes that are new.
func withNotes(all silent.Changes, notes []string) silent.Changes {
	for _, note := range notes {
		c, ok := silent.ParseNote(note)
		if ok && !slices.ContainsFunc(all, func(other silent.Change) bool { return reflect.DeepEqual(c, other) }) {
			all = append(all, c)
		}
	}

	return all
}

// read returns what the plan's tool would have answered, judging by an answer and the notes above
// it. ok is false if the call did not mean what the plan does, or if something is still missing.
func (k *knowledge) read(t *envs.Turn, answer string, notes []string) (result string, ok bool) {
	if before := k.changes(t.Call); k.profile.ReadsHints || k.knows != nil {
		if slices.Contains(notes, silent.Passing) {
			return "", false
		}

		now := withNotes(before, notes)
		k.known[calleeOf(t.Call)] = now

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

	// This is what another tool says about the call whose answer lacks something.
	k.answered, k.lacking = k.lacking, nil
	source, _ := pytext.DecodeStrict(answer)
	return pytext.JSON(k.fill(source)), true
}

// learn adds the notes above an error.
func (k *knowledge) learn(t *envs.Turn) {
	if before := k.changes(t.Call); k.known != nil {
		_, notes := silent.Cut(wire.ReadAnswer(t.Observation))
		k.known[calleeOf(t.Call)] = withNotes(before, notes)
	}
}

// lacks reports whether an answer lacks something that another tool has.
func (k *knowledge) lacks(t *envs.Turn, all silent.Changes, answer string) bool {
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

// removed reads a notice of a removed tool, and reports whether another one has what it answered.
func (k *knowledge) removed(t *envs.Turn) (ok bool) {
	if k.elsewhere, ok = silent.ParseRemoved(wire.ReadAnswer(t.Observation)); ok {
		k.lacking = t
		k.fill = func(source any) any { return k.elsewhere.Find(t.Call.Args, source) }
	}
	return ok
}

// ask returns the call for what the plan's call lacks.
func (k *knowledge) ask(planned envs.Call) envs.Call {
	return envs.Call{Tool: k.elsewhere.Source, Name: k.elsewhere.Source, Args: k.elsewhere.Ask(planned.Args)}
}
