package worker

import (
	"context"
	"sync"
)

// Standby is a number of children that are started before they are needed. It is safe for
// concurrent use.
type Standby[C killable] struct {
	start func(life context.Context) (C, error)
	ready chan started[C] // idle children, or why one could not be started
	life  context.Context // until Close
	stop  context.CancelFunc
	tasks sync.WaitGroup // which start and end children
	close func()
}

// killable is a [Child], or has one.
type killable interface {
	Kill()
	End() string
}

// started is a child, or why it could not be started.
type started[C any] struct {
	child C
	err   error
}

// restarts is how often in a row a child is started in place of another one before that is an
// error.
const restarts = 3

// NewStandby starts that many children at once. Those that start returns must end with life.
func NewStandby[C killable](ctx context.Context, children int,
	start func(life context.Context) (C, error)) *Standby[C] {
	s := &Standby[C]{start: start, ready: make(chan started[C], children)}
	s.life, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.close = sync.OnceFunc(s.end)

	for range children {
		s.begin(1)
	}
	return s
}

// begin starts a child in the background.
func (s *Standby[C]) begin(tries int) {
	s.tasks.Go(func() {
		c, err := s.start(s.life)
		for try := 1; err != nil && try < tries && s.life.Err() == nil; try++ {
			c, err = s.start(s.life)
		}

		s.ready <- started[C]{c, err}
	})
}

// Wait waits until that many of the children are ready.
func (s *Standby[C]) Wait(ctx context.Context, children int) (err error) {
	for range children {
		var c C
		if c, err = s.Take(ctx); err != nil {
			break
		}
		defer s.Give(c)
	}

	return err
}

// Take waits for a child that nobody else has. If one could not be started, that is the error, and
// another start begins for the next call.
func (s *Standby[C]) Take(ctx context.Context) (C, error) {
	var none C

	select {
	case next := <-s.ready:
		if next.err != nil {
			s.begin(restarts)
		}
		return next.child, next.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-s.life.Done():
		return none, ErrClosed
	}
}

// Give takes a child back.
func (s *Standby[C]) Give(c C) { s.ready <- started[C]{child: c} }

// Replace takes back a child that cannot be used any more, and starts another one at once.
func (s *Standby[C]) Replace(c C) {
	c.Kill()
	s.tasks.Go(func() { c.End() }) // freeing what it held may take a while
	s.begin(restarts)
}

// Spare starts one more child in the background. The channel brings it, or is closed if that fails.
func (s *Standby[C]) Spare() <-chan C {
	spare := make(chan C, 1)

	s.tasks.Go(func() {
		defer close(spare)

		if c, err := s.start(s.life); err == nil {
			spare <- c
		}
	})
	return spare
}

// Closed reports whether Close was called.
func (s *Standby[C]) Closed() bool { return s.life.Err() != nil }

// Close ends the children, and with them the calls that are running.
func (s *Standby[C]) Close() { s.close() }

func (s *Standby[C]) end() {
	s.stop()
	// Every child is idle, being started, or in a call, which ends now and gives it back or
	// replaces it.
	for range cap(s.ready) {
		if next := <-s.ready; next.err == nil {
			next.child.End()
		}
	}

	s.tasks.Wait()
}
