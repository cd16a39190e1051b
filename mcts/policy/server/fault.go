package server

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// ErrNoEnd is what a [Fault] wraps if nothing in the reply says that the completion ended: it may
// be cut anywhere.
var ErrNoEnd = errors.New("the completion does not say that it ended")

// ErrExtensions is what a [Fault] wraps if a request that was not sent needs [Manner].Extensions.
var ErrExtensions = errors.New("need vLLM's own fields, which are switched off")

// Why a server is of no use until it changes.
var (
	errOtherModel = errors.New("another model answers")
	errNoText     = errors.New("the server gives no text")
	errFailsAll   = errors.New("the server fails at every request but the simplest")
)

// FaultKind says what a fault means for the run.
type FaultKind string

// The kinds of faults.
const (
	Transient FaultKind = "transient" // down, overloaded, timed out, garbled: worth another try
	TooLong   FaultKind = "too-long"  // prompt and completion do not fit the context window: this node is a dead end
	// wrong key, unknown model, wrong address: no request will succeed, or, where some did, none
	// for a while
	Refused FaultKind = "refused"
	// the account may not ask any more, which no wait helps
	OutOfQuota FaultKind = "out-of-quota"
	// a request that the server does not take, while it may take others
	BadRequest FaultKind = "bad-request"
)

// Fault is a failure of a server or of the way to it.
type Fault struct {
	Kind       FaultKind
	Address    string
	Status     int           // HTTP status, or the one that a reply holds; 0 when there was no answer
	Message    string        // the server's, shortened; never a header or a key
	RetryAfter time.Duration // what the server asked for, at most a minute; 0 when it did not
	Err        error         // the cause below HTTP; may be nil
	// Proxy is the proxy of the environment that may have failed or answered in the server's place,
	// without credentials; "" is none.
	Proxy string
}

// FaultOf returns the fault that an error is or wraps, or nil.
func FaultOf(err error) *Fault {
	fault, _ := errors.AsType[*Fault](err)
	return fault
}

// Answered reports whether an error is a fault with one of some statuses; 0 stands for no answer.
func Answered(err error, statuses ...int) bool {
	fault := FaultOf(err)
	return fault != nil && slices.Contains(statuses, fault.Status)
}

// isTooLong reports whether an error is the fault of a prompt that does not fit.
func isTooLong(err error) bool {
	fault := FaultOf(err)
	return fault != nil && fault.Kind == TooLong
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

	if f.Proxy != "" {
		text += fmt.Sprintf(" (through the proxy %s of the environment, which may not know "+
			"this server: to go past it, add %s to NO_PROXY)", f.Proxy, f.host())
	}
	return text
}

// host is that of the address.
func (f *Fault) host() string {
	u, err := url.Parse(f.Address)
	if err != nil {
		return f.Address
	}
	return u.Hostname()
}

// Final reports whether no further try can help; the run has to stop then (see envs.IsFinal).
func (f *Fault) Final() bool { return f.Kind == Refused || f.Kind == OutOfQuota }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// KindOfStatus returns the kind that an HTTP status has by itself: 408, 409, 425, 429 and 5xx are
// transient; 401 to 405, 407 and 410 are about the key, the model or the address, and so is a
// status that is not an error; every other 4xx is about the request.
func KindOfStatus(status int) FaultKind {
	switch status {
	case 408, 409, 425, 429:
		return Transient
	case 401, 402, 403, 404, 405, 407, 410:
		return Refused
	}

	switch {
	case status >= 500:
		return Transient
	case status >= 400:
		return BadRequest
	}

	return Refused
}

// GoneError means that no server has answered for longer than Retry.Patience. A run that continued
// would give up one tree after the other: it has to stop, and be started again when a server is
// back.
type GoneError struct {
	Servers  int
	Since    time.Time // the last of them went
	Patience time.Duration
	Last     *Fault // what the last attempt met
}

// Error says for how long, and what the last attempt met.
func (e *GoneError) Error() string {
	who := "the server has not"
	if e.Servers > 1 {
		who = fmt.Sprintf("none of the %d servers has", e.Servers)
	}

	did := "answered"
	if e.Last.setsAside() {
		did = "given a reply of use"
	}
	return fmt.Sprintf("%s %s since %s, longer than the patience of %v: %v", who, did, e.Since.Format(time.TimeOnly),
		e.Patience, e.Last)
}

// Final is true: see envs.IsFinal.
func (e *GoneError) Final() bool { return true }

// Unwrap returns what the last attempt met.
func (e *GoneError) Unwrap() error { return e.Last }

// throttled reports whether the server asks to be sent less.
func (f *Fault) throttled() bool { return f.Status == 429 || f.Status == 503 }

// overloaded reports whether the server says, or shows by its silence, that it was sent too much.
func (f *Fault) overloaded() bool {
	return f.throttled() || errors.Is(f.Err, context.DeadlineExceeded)
}

// setsAside reports whether the server is of no use until it changes, so that it counts as gone at
// once, although it answers.
func (f *Fault) setsAside() bool {
	return errors.Is(f.Err, errOtherModel) || f.answersKnown()
}

// answersKnown reports whether the server, though of no use, answers what it answered before, so
// that only a request itself finds out whether it is of use again.
func (f *Fault) answersKnown() bool {
	return errors.Is(f.Err, errNoText) || errors.Is(f.Err, errFailsAll)
}

// cause says in a word or two how the fault showed itself, for the counts.
func (f *Fault) cause() string {
	switch {
	case f.Kind == TooLong:
		return "too long"
	case f.Status >= 300:
		return fmt.Sprintf("HTTP %d", f.Status)
	case errors.Is(f.Err, errOtherModel):
		return "another model"
	case f.Status != 0:
		return "spoiled reply"
	case errors.Is(f.Err, context.DeadlineExceeded):
		return "timeout"
	}

	return "connection"
}

// absent reports whether no server worked on the request: there was no answer, or that of a proxy
// in front of it, or the server takes no requests now, or is set aside. Such a fault says nothing
// about the request.
func (f *Fault) absent() bool {
	if f == nil {
		return false
	}

	if f.setsAside() {
		return true
	}

	switch f.Status {
	case 0, 408, 425, 429, 502, 503, 504:
		return true
	}
	return false
}
