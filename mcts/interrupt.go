package mcts

import (
	"context"
	"errors"
	"fmt"
)

// errInterrupted is the cause of the end of a context that was interrupted ([Interruptible]). To
// whoever returns the cause in the place of the context's error it is a cancellation all the same.
var errInterrupted = fmt.Errorf("interrupted: %w", context.Canceled)

type outerKey struct{} // key of the context that an interruption leaves alone

// Interruptible returns a context that interrupt ends, and with it everything that is done under
// it, except requests that a model's server is answering: those are paid for, and continue until
// ctx itself ends ([InFlight]).
func Interruptible(ctx context.Context) (child context.Context, interrupt func()) {
	outer := ctx
	if ctx.Value(outerKey{}) == nil { // within another one, requests end with what is around both
		outer = context.WithValue(ctx, outerKey{}, ctx)
	}

	child, cancel := context.WithCancelCause(outer)
	return child, func() { cancel(errInterrupted) }
}

// InFlight returns the context of a request that is sent to a model's server now. It ends when ctx
// does, unless that is because of an interruption. Whoever has the answer keeps it, though ctx has
// ended. Call end when the request is over.
func InFlight(ctx context.Context) (request context.Context, end context.CancelFunc) {
	outer, ok := ctx.Value(outerKey{}).(context.Context)
	if !ok {
		return context.WithCancel(ctx)
	}

	request, cancel := context.WithCancelCause(outer)
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); !errors.Is(cause, errInterrupted) {
			cancel(cause)
		}
	})

	return request, func() { stop(); cancel(nil) }
}

// AtOnce returns a context whose interruption ends requests in flight, too: nobody keeps their
// answers.
func AtOnce(ctx context.Context) context.Context { return context.WithValue(ctx, outerKey{}, nil) }

type againKey struct{} // key of the context of what was given up before

// Again returns the context of work that an earlier pass of a run gave up: another failure of it
// says nothing about the server.
func Again(ctx context.Context) context.Context { return context.WithValue(ctx, againKey{}, true) }

// IsAgain reports whether a context is one of [Again].
func IsAgain(ctx context.Context) bool { return ctx.Value(againKey{}) != nil }
