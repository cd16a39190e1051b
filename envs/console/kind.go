package console

import (
	"errors"
	"fmt"
)

// Kind says what it means that something failed. The zero Kind is that of an error that does not
// say.
type Kind int

// The kinds.
const (
	BadResult      Kind = iota + 1 // the work is done, and its result is bad
	WrongUsage                     // what was asked for makes no sense
	Infrastructure                 // a server, a disk or another program gave up
	Interruption                   // the user ended it; it can go on
)

// failure is an error of a kind.
type failure struct {
	kind Kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// Bad is the error of work whose result is bad.
func Bad(format string, args ...any) error {
	return &failure{kind: BadResult, err: fmt.Errorf(format, args...)}
}

// Usage is the error of wrong usage.
func Usage(format string, args ...any) error {
	return &failure{kind: WrongUsage, err: fmt.Errorf(format, args...)}
}

// AsUsage is Usage of an error, nil when err is.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind: WrongUsage, err: err}
}

// Option is the error of an option whose value makes no sense, or is missing. It names the option
// in ‹quotes›, which commands write as a flag.
func Option(name, format string, args ...any) error {
	return Usage("‹"+name+"›: "+format, args...)
}

// GaveUp is the error of infrastructure that gave up, nil when err is.
func GaveUp(err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind: Infrastructure, err: err}
}

// Interrupted is the error of work that was interrupted, in words that say what to do next.
func Interrupted(format string, args ...any) error {
	return &failure{kind: Interruption, err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of an error.
func KindOf(err error) Kind {
	var f *failure
	if errors.As(err, &f) {
		return f.kind
	}
	return 0
}
