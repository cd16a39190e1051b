package prompt

import (
	"strings"
	"testing"

	"toolevo/envs"
)

// Every kind of error has a note, a repeated action one of its own, and what went well none; a longer history begins as
// the shorter one did.
func TestNotes(t *testing.T) {
	h := envs.NewHistory(envs.Task{Question: "Where?"}).Learn("a tool")
	call := envs.Call{Name: "Look", Args: envs.Args{{Name: "where", Value: "here"}}}

	seen := map[string]bool{}
	before := 0

	for _, outcome := range envs.Outcomes() {
		for _, thought := range []string{"Thought: one", "Thought: another"} {
			h = h.Append(envs.Turn{
				Action: envs.Action(thought), Call: call, Outcome: outcome, Observation: outcome.String(),
			})
			noted := WithNotes(h)
			turns := noted.Turns()
			last := turns[len(turns)-1].Observation

			text, note, ok := strings.Cut(strings.TrimSuffix(last, ")"), " (")
			if text != outcome.String() || ok != outcome.IsError() || ok && note == "" {
				t.Errorf("below %s stands %q", outcome, last)
			}

			if again := thought == "Thought: another"; ok && again != (note == notes[noteRepeated]) {
				t.Errorf("%s again is %v: %q", outcome, again, note)
			}

			seen[note] = true

			if noted.Len() != before+1 || noted.Learned()[0] != "a tool" || noted.Task().Question != "Where?" {
				t.Errorf("%d turns of %d", noted.Len(), before+1)
			}
			before++
		}
	}

	if len(seen) != len(notes)+1 {
		t.Errorf("%d notes were told, there are %d", len(seen)-1, len(notes))
	}
}
