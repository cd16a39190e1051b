package server

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind says what a fault means for the run.
type Kind string

// The kinds of faults.
const (
	Transient Kind = "transient" // down, overloaded, timed out, garbled: worth another try
	TooLong   Kind = "too-long"  // prompt and completion do not fit the context window: this node is a dead end
	Refused   Kind = "refused"   // wrong key, unknown model, a request the server does not take: no try will help
)

// Fault is a failure of a server or of the way to it.
type Fault struct {
	Kind       Kind
	Address    string
	Status     int           // HTTP status, 0 when there was no answer
	Message    string        // the server's, shortened; never a header or a key
	RetryAfter time.Duration // what the server asked for, 0 when it did not
	Err        error         // the cause below HTTP; may be nil
}

// Error names the server, the status and the message.
func (f *Fault) Error() string {
	text := fmt.Sprintf("%s: %s", f.Address, f.Kind)
	if f.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	if f.Err != nil {
		text += fmt.Sprintf(": %v", f.Err)
	}
	return text
}

// Final reports whether no further try can help; the run has to stop then (see envs.IsFinal).
func (f *Fault) Final() bool { return f.Kind == Refused }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// KindOfStatus is the kind that an HTTP status has by itself: 408, 409, 425, 429 and 5xx are transient, the others
// refusals.
func KindOfStatus(status int) Kind {
	switch {
	case status == 408 || status == 409 || status == 425 || status == 429 || status >= 500:
		return Transient
	default:
		return Refused
	}
}

// IsRefused reports whether a server refused a request in a way that no further try and no further request changes: a
// wrong key, an unknown model, a parameter it does not take. A run that sees one stops.
func IsRefused(err error) bool {
	var f *Fault
	return errors.As(err, &f) && f.Kind == Refused
}

// turnedAway reports whether the server says that it was sent too much.
func (f *Fault) turnedAway() bool { return f.Status == 429 || f.Status == 503 }

// overloaded reports whether the server says, or shows by its silence, that it was sent too much.
func (f *Fault) overloaded() bool {
	return f.turnedAway() || errors.Is(f.Err, context.DeadlineExceeded)
}

// absent reports whether nobody was there to work on the request: no answer at all, one of a proxy in front of it, or
// that of a server that takes nobody in. Such a fault says nothing about the request.
func (f *Fault) absent() bool {
	switch f.Status {
	case 0, 408, 425, 429, 502, 503, 504:
		return true
	}
	return false
}
