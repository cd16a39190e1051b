package mcts

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"
)

// A request in flight outlives an interruption, and nothing else that ends its context.
func TestInFlight(t *testing.T) {
	other := errors.New("another tree cannot go on")

	for name, test := range map[string]struct {
		end   func(outer, interrupt, inner func())
		lives bool
	}{
		"interrupted":        {func(_, interrupt, _ func()) { interrupt() }, true},
		"ended":              {func(outer, _, _ func()) { outer() }, false},
		"interrupted, ended": {func(outer, interrupt, _ func()) { interrupt(); outer() }, false},
		"another failed":     {func(_, _, inner func()) { inner() }, false},
		// its failure is the interruption
		"interrupted, failed":  {func(_, interrupt, inner func()) { interrupt(); inner() }, true},
		"failed, interrupted":  {func(_, interrupt, inner func()) { inner(); interrupt() }, false},
		"nothing has happened": {func(_, _, _ func()) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			outer, cancel := context.WithCancel(t.Context())
			defer cancel()

			child, interrupt := Interruptible(outer)
			group, ctx := errgroup.WithContext(child)

			request, end := InFlight(ctx)
			defer end()

			test.end(cancel, interrupt, func() {
				group.Go(func() error { return other })
				_ = group.Wait()
			})

			if !test.lives {
				<-request.Done() // it ends soon
			} else if request.Err() != nil {
				t.Errorf("the request was ended: %v", context.Cause(request))
			}

			end()

			if request.Err() == nil {
				t.Error("the request is over, and its context is not")
			}
		})
	}
}

// The cause of an interruption is a cancellation, so that a command that returns it was interrupted
// and did not fail.
func TestInterruptionIsACancellation(t *testing.T) {
	ctx, interrupt := Interruptible(t.Context())
	interrupt()

	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		t.Errorf("the cause is %v, want a cancellation", cause)
	}
}

// A context that nobody can interrupt is the request's.
func TestInFlightWithoutInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())

	request, end := InFlight(ctx)
	defer end()

	cancel()
	<-request.Done()
}
