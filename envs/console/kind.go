package console

import (
	"errors"
	"fmt"
)

// Kind says what a failure means. The zero Kind is that of an error which does not say.
type Kind int

// The kinds.
const (
	BadResult      Kind = iota + 1 // the work is done, and its result is bad
	WrongUsage                     // what was asked for makes no sense
	Infrastructure                 // a server, a disk or another program gave up
	Interruption                   // the user ended it; it can be continued
)

// failure is an error of a kind.
type failure struct {
	kind Kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// Bad returns the error of work whose result is bad.
func Bad(format string, args ...any) error {
	return &failure{kind: BadResult, err: fmt.Errorf(format, args...)}
}

// Usage returns the error of wrong usage.
func Usage(format string, args ...any) error {
	return &failure{kind: WrongUsage, err: fmt.Errorf(format, args...)}
}

// AsUsage turns an error into one of wrong usage. It returns nil if err is nil.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind: WrongUsage, err: err}
}

// Option returns the error about an option whose value makes no sense or is missing. It names the
// option in ‹quotes›, which commands write as a flag.
func Option(name, format string, args ...any) error {
	return Usage("‹"+name+"›: "+format, args...)
}

// GaveUp turns an error into one of infrastructure that gave up. It returns nil if err is nil.
func GaveUp(err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind: Infrastructure, err: err}
}

// Interrupted returns the error of interrupted work, whose words say what to do next.
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
