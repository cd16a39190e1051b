package envtest

import (
	"fmt"
	"strings"

	"toolevo/envs"
)

// toyState is a point of a toy: a place and what led there.
type toyState struct {
	history envs.History
	status  envs.Status
	place   int
}

func (s *toyState) History() envs.History { return s.history }
func (s *toyState) Status() envs.Status   { return s.status }

// toyFrom checks that a state can be stepped from.
func toyFrom(s envs.State) (*toyState, error) {
	from, ok := s.(*toyState)
	if !ok {
		return nil, envs.Fail(envs.StageEnvironment, "step", fmt.Errorf("a state of type %T", s))
	}

	if from.status != envs.Running {
		return nil, envs.Fail(envs.StageEnvironment, "step", fmt.Errorf("the state is %s", from.status))
	}
	return from, nil
}

// samePlace reports whether two states of a toy are at one place.
func samePlace(a, b envs.State) bool {
	one, ok := a.(*toyState)
	other, same := b.(*toyState)
	return ok && same && one.place == other.place
}

// toyText returns the action as the history keeps it, and its trimmed words.
func toyText(a envs.Action) (kept envs.Action, words string) {
	text := strings.ToValidUTF8(string(a), "\uFFFD")
	return envs.Action(text), strings.TrimSpace(text)
}

// after returns the transition to place.
func (s *toyState) after(turn envs.Turn, place int) envs.Transition {
	next := &toyState{history: s.history.Append(turn), place: place}

	t := envs.Transition{State: next, Turn: turn}
	switch {
	case turn.Outcome == envs.Correct:
		next.status, t.Reward = envs.Terminated, 1
	case turn.Outcome == envs.Incorrect:
		next.status, t.Reward = envs.Terminated, -1
	case next.history.Len() >= mazeTurns:
		next.status, t.Reward = envs.Truncated, -1
	}

	if turn.Outcome.Ends() {
		right := turn.Outcome == envs.Correct
		t.Grade = envs.Grade{Answer: turn.Call.Name, Official: right, Strict: right}
	}
	return t
}
