package programs

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen/code"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Cause is why a task failed (StateGen, RQ5).
type Cause string

// The causes.
const (
	Misread     Cause = "document"    // it was misread
	NotFollowed Cause = "instruction" // it was not followed
	State       Cause = "state"       // that of the service was mismanaged
	NotDefined  Cause = "name"        // a name that the program does not define, or cannot import
	Undecided   Cause = "undecided"
)

// allCauses lists the causes.
func allCauses() []Cause { return []Cause{Misread, NotFollowed, State, NotDefined, Undecided} }

// classify returns how and why an episode failed.
func classify(e *trajectories.Episode, references *References) (code.Class, Cause, error) {
	if len(e.Turns) == 0 {
		return code.Syntax, NotFollowed, nil // not a word
	}

	last := e.Turns[len(e.Turns)-1]
	if v, err := code.ReadVerdict(last.Observation); err == nil && !v.Passed() {
		return v.Class, causeOf(v), nil
	}

	switch {
	case last.Outcome == envs.Incorrect:
		cause, err := wrongAnswer(e, references)
		return code.Result, cause, err
	case last.Unreadable(), e.Limit == string(mcts.LimitSilence):
		return code.Syntax, NotFollowed, nil
	}

	return code.Execution, obstacle(e), nil
}

// causeOf returns the cause of a program's failure.
func causeOf(v code.Verdict) Cause {
	switch v.Cause {
	case code.UnknownAPI, code.OutdatedAPI, code.Arguments, code.WrongURL:
		return Misread
	case code.NoCode, code.Unparsable, code.NoResult:
		return NotFollowed
	case code.NoVariable, code.NoModule:
		return NotDefined
	case code.Refused, code.Data:
		return State
	case code.WrongState, code.WrongResult:
		if v.OtherTools {
			return NotFollowed // the instruction asks only for the reference's
		}
		return State
	}
	return Undecided
}

// obstacle classifies the last rejected call that was never corrected. Without one a limit ended
// what may have been right.
func obstacle(e *trajectories.Episode) Cause {
	for i, t := range slices.Backward(e.Turns) {
		if _, recovered := trajectories.Recovery(e.Turns, i, nil); recovered {
			continue
		}

		if t.Unreadable() {
			return NotFollowed
		}

		switch t.Outcome {
		case envs.InvalidAction, envs.InvocationError, envs.Deprecated:
			return Misread
		case envs.ToolError:
			return State
		}
	}

	return Undecided
}

// wrongAnswer distinguishes two causes: tools that the instruction did not ask for, and the right
// tools on what the service did not have.
func wrongAnswer(e *trajectories.Episode, references *References) (Cause, error) {
	if cause := obstacle(e); cause != Undecided || references == nil {
		return cause, nil
	}

	want, err := references.tools(e.QuestionID)
	if err != nil || want == nil {
		return Undecided, err
	}

	var called []string

	for _, t := range e.Turns {
		if t.Outcome == envs.OK && t.Tool != envs.UpdateTool {
			called = append(called, t.Tool)
		}
	}

	slices.Sort(called)

	if !slices.Equal(called, want) {
		return NotFollowed, nil
	}
	return State, nil
}
