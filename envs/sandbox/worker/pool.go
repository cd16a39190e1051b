package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrClosed is the error of a call on a pool that is closed.
var ErrClosed = errors.New("worker: the pool is closed")

// tries is how often a call is made if its child dies.
const tries = 2

// Pool is a number of children. The first is started when it is needed, and each further one in the
// background when the last idle one is taken, or one has died, so that the next call finds it
// ready. It is safe for concurrent use.
type Pool struct {
	start  func(context.Context) (*Child, error)
	places chan struct{} // one for each call that may run at once

	mu       sync.Mutex
	idle     []*Child // the one that was used last is at the end
	spare    bool     // one more is being started
	starting sync.WaitGroup

	closed chan struct{}
	close  func()
}

// NewPool returns a pool of that many children, which start starts and makes ready.
func NewPool(children int, start func(context.Context) (*Child, error)) *Pool {
	p := &Pool{start: start, places: make(chan struct{}, children), closed: make(chan struct{})}
	p.close = sync.OnceFunc(p.end)
	return p
}

// Call sends a request to a child and returns its answer, and the bytes of the files that it made.
// A call whose child dies is made once more, in another one.
func (p *Pool) Call(ctx context.Context, request []byte, l Limits) (answer []byte, spilled int64, err error) {
	if err := p.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer func() { <-p.places }()

	again := 0

	// One that was idle may have died of an earlier call. Only a fresh one's death is this call's.
	for take := p.take; ; take = p.start {
		var c *Child
		if c, err = take(ctx); err != nil {
			return nil, 0, err
		}

		p.prepare()

		if answer, spilled, err = c.Call(ctx, request, l); err == nil {
			p.give(c)
			return answer, spilled, nil
		}

		c.End()

		var died *DiedError
		if again++; again == tries || !errors.As(err, &died) {
			return nil, 0, err
		}
	}
}

// Warm starts a child, unless there is one.
func (p *Pool) Warm(ctx context.Context) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	defer func() { <-p.places }()

	c, err := p.take(ctx)
	if err == nil {
		p.give(c)
	}
	return err
}

// enter waits for a place.
func (p *Pool) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	select {
	case <-p.closed:
		return ErrClosed
	default:
	}

	select {
	case p.places <- struct{}{}:
		return nil
	case <-p.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take returns a child that nobody else has.
func (p *Pool) take(ctx context.Context) (*Child, error) {
	p.mu.Lock()

	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return c, nil
	}

	p.mu.Unlock()
	return p.start(ctx)
}

// prepare starts a spare child in the background, unless one is idle or being started, or no other
// call may run beside this one. If that fails, the call that needs a child tries itself.
func (p *Pool) prepare() {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.spare || len(p.idle) > 0 || len(p.places) == cap(p.places) {
		return
	}

	p.spare = true
	p.starting.Go(func() {
		c, err := p.start(context.Background())

		p.mu.Lock()
		defer p.mu.Unlock()

		if p.spare = false; err == nil {
			p.idle = slices.Insert(p.idle, 0, c)
		}
	})
}

// give takes a child back.
func (p *Pool) give(c *Child) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.idle = append(p.idle, c)
}

// Close waits for the calls that are running, and ends the children.
func (p *Pool) Close() { p.close() }

func (p *Pool) end() {
	close(p.closed)

	for range cap(p.places) {
		p.places <- struct{}{}
	}

	p.starting.Wait()

	for _, c := range p.idle {
		c.End()
	}
}
