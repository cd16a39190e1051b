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
	known map[string]silent.Changes // by the name that is called; nil of an API that nobody asked about

	// answered is the plan's call that was answered last.
	answered *envs.Turn

	// lacking is the turn of the plan's call while its answer lacks something that another tool
	// has, elsewhere; fill makes the answer of what that tool says.
	lacking   *envs.Turn
	elsewhere silent.Elsewhere
	fill      func(source any) any
}

// changes returns what is known of an API.
func (k *heed) changes(name string) silent.Changes {
	if !k.profile.ReadsHints && k.knows == nil {
		return nil
	}

	if all, ok := k.known[name]; ok {
		return all
	}

	var all silent.Changes

	if k.told != nil {
		if notes, shown := envs.Notes(k.told, k.h, name); shown || k.profile.Knowing {
			all = taking(nil, notes)
		}
	}

	if k.known == nil {
		k.known = map[string]silent.Changes{}
	}

	k.known[name] = all

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
	if k.lacking != nil {
		return k.filled(answer)
	}

	before := k.changes(t.Call.Name)
	if !k.profile.ReadsHints && k.knows == nil {
		k.answered = t
		return answer, true
	}

	if slices.Contains(notes, silent.Passing) {
		return "", false
	}

	now := taking(before, notes)
	k.known[t.Call.Name] = now

	planned := before.Lower(t.Call.Args)
	if !reflect.DeepEqual(now.Lift(planned), before.Lift(planned)) {
		return "", false
	}

	if k.lacks(t, now, answer) {
		return "", false
	}

	k.answered = t

	return now.Restore(answer), true
}

// learn takes the notes above an error.
func (k *heed) learn(t *envs.Turn) {
	if before := k.changes(t.Call.Name); k.known != nil {
		_, notes := silent.Cut(wire.ReadAnswer(t.Observation))
		k.known[t.Call.Name] = taking(before, notes)
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

// ask is the call for what is missing.
func (k *heed) ask() envs.Call {
	return envs.Call{Tool: k.elsewhere.Source, Name: k.elsewhere.Source, Args: k.elsewhere.Ask(k.lacking.Call.Args)}
}

// filled is the answer that lacked something, with what another tool says.
func (k *heed) filled(answer string) (string, bool) {
	lacking := k.lacking
	k.answered, k.lacking = lacking, nil

	source, _ := pytext.DecodeStrict(answer)

	return k.changes(lacking.Call.Name).Restore(pytext.JSON(k.fill(source))), true
}
