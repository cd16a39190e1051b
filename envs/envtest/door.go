package envtest

import (
	"context"
	"errors"
	"fmt"

	"toolevo/envs"
)

// Door is a door at which somebody must knock four times: three times nobody answers (ToolError),
// then it is open (OK). "enter" ends the task, rightly through the open door and wrongly before.
// Any other word is an InvalidAction. What a knock is answered depends on how many there were, so
// no knock repeats another. The task is truncated by its eighth turn.
type Door struct{}

// DoorTask is the one task of the Door.
var DoorTask = envs.Task{
	ID:       "door",
	Labels:   map[string]string{envs.LabelDataset: "toy"},
	Question: "Get in. You can: knock, enter.",
}

// openAfter is the knock that is answered.
const openAfter = 4

// Canonical implements [envs.Canonicalizer].
func (Door) Canonical(a envs.Action) string {
	_, text := toyText(a)
	return text
}

// Alike implements [envs.Comparer]: the count of knocks is part of a state.
func (Door) Alike(a, b envs.State) bool { return samePlace(a, b) }

// Reset returns the state before the first knock.
func (Door) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	if t.ID != DoorTask.ID || t.Question != DoorTask.Question {
		op := fmt.Sprintf("reset to task %q", t.ID)
		return nil, envs.Fail(envs.StageEnvironment, op, errors.New("unknown task"))
	}
	return &toyState{history: envs.NewHistory(t)}, nil
}

// Step takes one action.
func (Door) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	from, err := toyFrom(s)
	if err != nil {
		return envs.Transition{}, err
	}

	kept, word := toyText(a)
	// The place of this toy is the number of knocks.
	knocks := from.place
	// Every word is invalid, unless one of the cases below knows it.
	turn := envs.Turn{
		Action:      kept,
		Call:        envs.Call{Name: word},
		Outcome:     envs.InvalidAction,
		Observation: "You can knock or enter.",
	}

	switch word {
	case "":
		turn.Call, turn.Outcome, turn.Observation = envs.Call{}, envs.Malformed, "Say something."
	case "knock":
		knocks++
		turn.Call.Tool, turn.Outcome, turn.Observation = word, envs.ToolError, "Nobody answers."
		if knocks >= openAfter {
			turn.Outcome, turn.Observation = envs.OK, "The door is open."
		}
	case "enter":
		turn.Call.Tool, turn.Outcome, turn.Observation = word, envs.Incorrect, "The door is shut."
		if knocks >= openAfter {
			turn.Outcome, turn.Observation = envs.Correct, "You are in."
		}
	}

	return from.after(turn, knocks), nil
}
