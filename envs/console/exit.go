package console

import (
	"errors"
	"fmt"
)

// The exit codes.
const (
	ExitDone        = 0
	ExitBad         = 1   // the result is bad: a check failed, an accuracy is too low
	ExitUsage       = 2   // wrong usage or configuration
	ExitGaveUp      = 3   // infrastructure gave up
	ExitInterrupted = 130 // interrupted, resumable
)

// exitError gives an error its exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Bad is the error of a command whose result is bad.
func Bad(format string, args ...any) error { return &exitError{ExitBad, fmt.Errorf(format, args...)} }

// Usage is the error of wrong usage.
func Usage(format string, args ...any) error {
	return &exitError{ExitUsage, fmt.Errorf(format, args...)}
}

// GaveUp is the error of infrastructure that gave up, nil when err is.
func GaveUp(err error) error {
	if err == nil {
		return nil
	}

	return &exitError{ExitGaveUp, err}
}

// Interrupted is the error of a command that was interrupted, in words that say what to do next.
func Interrupted(format string, args ...any) error {
	return &exitError{ExitInterrupted, fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code that an error was given, ExitDone for none.
func ExitCode(err error) int {
	var coded *exitError
	if errors.As(err, &coded) {
		return coded.code
	}

	return ExitDone
}
