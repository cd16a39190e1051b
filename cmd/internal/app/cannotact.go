package app

import (
	"fmt"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/mcts/collect"
)

// cannotActError returns the error of a collection whose model writes no readable action, and says
// what to change.
func (j *CollectJob) cannotActError(c *configs.Resolved, e *collect.CannotActError) error {
	var shown strings.Builder
	for _, text := range e.Examples {
		fmt.Fprintf(&shown, "\n  %s", display.Line(string(text), 200))
	}

	why := fmt.Sprintf("no action can be read from any of the %d first turns that %s wrote, such "+
		"as%s\nActions are read as %s (environment.codec), and it is asked in the form %s "+
		"(server.form):\none of the two does not suit this model. `toolevo doctor` looks into it.\n"+
		"What was done is kept. To continue anyway:", e.Turns, strings.Join(c.Policy, ", "),
		shown.String(), c.Environment.Codec, c.Server.Form)

	return console.Bad("%w", j.stopError(e, why, true))
}

// UnreadableShare returns the share of turns from which no action can be read, for a line of
// progress; "" if there are none.
func UnreadableShare(unreadable, turns int64) string {
	if unreadable == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f%% unreadable", 100*float64(unreadable)/float64(turns))
}
