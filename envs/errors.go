package envs

import (
	"errors"
	"fmt"
)

// Stage names the part of the program that failed.
type Stage string

// The stages.
const (
	StagePolicy      Stage = "policy"      // the model or its server
	StageTool        Stage = "tool"        // a tool crashed, timed out, or lost its data
	StageEnvironment Stage = "environment" // the environment itself, e.g. an unknown task
	StageStore       Stage = "store"       // the log could not be read or written
)

// StageError is a failure of the program, not of the agent. It is retried or reported, and it never
// becomes a reward or an observation.
type StageError struct {
	Stage Stage
	Op    string // which call, with which arguments
	Err   error
}

// Error returns "stage: op: cause".
func (e *StageError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Stage, e.Op, e.Err) }

// Unwrap returns the cause.
func (e *StageError) Unwrap() error { return e.Err }

// Fail wraps err as a failure of a stage; op says which call failed. An error that already names
// its stage keeps it.
func Fail(stage Stage, op string, err error) error {
	if err == nil {
		return nil
	}

	var named *StageError
	if errors.As(err, &named) {
		return fmt.Errorf("%s: %w", op, err)
	}
	return &StageError{Stage: stage, Op: op, Err: err}
}

// FailedStage returns the stage an error names, and whether it names one.
func FailedStage(err error) (Stage, bool) {
	var named *StageError
	if errors.As(err, &named) {
		return named.Stage, true
	}
	return "", false
}

// IsFinal reports whether retrying cannot help, so that the whole run has to stop: the store cannot
// be read or written, or the cause says so in a method Final() bool, as the error of a refused key
// does.
func IsFinal(err error) bool {
	if stage, ok := FailedStage(err); ok && stage == StageStore {
		return true
	}
	var cause interface{ Final() bool }
	return errors.As(err, &cause) && cause.Final()
}

// GivenUp returns the reason in a few words when an error means that one item of many failed for
// good: it was tried as often as makes sense while others succeed. The cause says so in a method
// GivenUp() string, e.g. when a server fails on one request only.
func GivenUp(err error) (reason string, ok bool) {
	var cause interface{ GivenUp() string }
	if !errors.As(err, &cause) {
		return "", false
	}
	return cause.GivenUp(), true
}
