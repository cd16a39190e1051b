package prompt

import (
	_ "embed"
	"fmt"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/envs/action"
)

//go:embed notes.yaml
var notesFile []byte

// notes are what is told about errors, by the name of the outcome, and of an action that has failed so before.
var notes = func() map[string]string {
	var all map[string]string
	if err := yaml.Unmarshal(notesFile, &all); err != nil {
		panic(fmt.Sprintf("prompt: notes.yaml: %v", err))
	}

	return all
}()

// noteRepeated is the name of the note about an action that has had the same answer before.
const noteRepeated = "repeated"

// WithNotes returns the history with a note below each observation that is an error: a line that says where to look
// (self-reflection, section 3.3, helped by a prompt). What was noted once never changes as turns are added.
func WithNotes(h envs.History) envs.History {
	noted := envs.NewHistory(h.Task())
	failed := map[[2]string]bool{} // an action and its answer

	for _, t := range h.Turns() {
		if t.Outcome.IsError() {
			note := t.Outcome.String()

			failure := [2]string{keyOf(t), t.Observation}
			if failed[failure] {
				note = noteRepeated
			}

			failed[failure] = true
			t.Observation += " (" + notes[note] + ")"
		}

		noted = noted.Append(t)
	}

	for _, description := range h.Learned() {
		noted = noted.Learn(description)
	}

	return noted
}

// keyOf is equal for turns that take the same action, whatever their thoughts.
func keyOf(t envs.Turn) string {
	if t.Call.Name == "" {
		return string(t.Action)
	}

	return action.Canonical(t.Call)
}
