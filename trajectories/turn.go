package trajectories

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// UnknownTool returns the name that a turn called if it is neither deployed nor deprecated. ok is
// false for any other turn, and for a text whose several actions were read as one name.
func (t *Turn) UnknownTool() (name string, ok bool) {
	several := strings.Contains(t.API, "\n") || strings.Contains(t.API, action.ActionMarker)
	if t.Outcome != envs.InvalidAction || several {
		return "", false
	}
	return t.API, true
}

// Unreadable reports whether no action could be read from a turn's text; see [envs.Unreadable].
func (t *Turn) Unreadable() bool { return envs.Unreadable(t.API, t.Outcome) }

// IsUpdate reports whether a turn took a description of a tool into the prompt (section 3.3).
func (t *Turn) IsUpdate() bool { return t.Outcome == envs.OK && t.Tool == envs.UpdateTool }

// Description returns the description that a turn gave to UpdateTool. ok is false for any other
// turn.
func (t *Turn) Description() (text string, ok bool) {
	if !t.IsUpdate() {
		return "", false
	}

	last := t.Key[strings.LastIndex(t.Key, "\n")+1:] // a key of several calls has one per line

	args, _, err := pytext.DecodeObject(strings.TrimSpace(strings.TrimPrefix(last, t.API)))
	if err != nil || len(args) == 0 {
		return "", false
	}

	text, ok = args[0].Value.(string)
	return text, ok
}

// Call is a call of a turn that was played.
type Call struct {
	Key     string       // its line of the turn's
	Tool    string       // the tool meant, by its name in the prompt version, or ""
	API     string       // the API name as written
	Outcome envs.Outcome // OK of all but the last
}

// Calls returns the calls of a turn that were played, one if it has none. What a turn says of its
// call is about the last of them; toolOf returns the tools of the others, nil if nobody knows them.
func (t *Turn) Calls(toolOf func(envs.Call) string) []Call {
	lines, _ := action.Played(t.Key, t.Observation, t.Outcome)
	calls := make([]Call, len(lines))
	last := len(lines) - 1

	for i, line := range lines[:last] {
		c := action.ReadKey(line)
		if calls[i] = (Call{Key: line, API: c.Name}); toolOf != nil {
			calls[i].Tool = toolOf(c)
		}
	}

	calls[last] = Call{lines[last], t.Tool, t.API, t.Outcome}
	return calls
}

// Words returns the words in a text that could name an API: runs of letters, digits and
// underscores.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// Recovery returns after how many turns the tool of turn i is called with success, 1 for the next
// turn. Finish succeeds by ending the task. ok is false if that never happens. toolOf is as for
// [Turn.Calls]; without it calls before the last of a turn only count if they name the API of turn
// i.
func Recovery(turns []Turn, i int, toolOf func(envs.Call) string) (after int, ok bool) {
	failed := &turns[i]
	if failed.Tool == "" {
		return 0, false
	}

	if toolOf == nil {
		toolOf = func(c envs.Call) string {
			if c.Name == failed.API {
				return failed.Tool
			}
			return ""
		}
	}

	isIt := func(c Call) bool {
		return c.Tool == failed.Tool && (c.Outcome == envs.OK || c.Outcome.Ends())
	}

	for j := range turns[i+1:] {
		if slices.ContainsFunc(turns[i+1+j].Calls(toolOf), isIt) {
			return j + 1, true
		}
	}

	return 0, false
}

// RepeatedFailures returns how many turns of an episode repeat a failure: they make the call of an
// earlier turn again, or write its text again if that was no call; it fails with the same outcome
// and observation, and no turn in between is ok.
func RepeatedFailures(turns []Turn) int {
	type failure struct {
		key, observation string
		outcome          envs.Outcome
	}

	repeated, failed := 0, map[failure]bool{}

	for i := range turns {
		t := &turns[i]

		if t.Outcome == envs.OK {
			clear(failed) // what failed before may succeed now
		}

		if !t.Outcome.IsError() {
			continue
		}

		f := failure{t.Key, t.Observation, t.Outcome}
		if failed[f] {
			repeated++
		}

		failed[f] = true
	}
	return repeated
}
