package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Join has a policy in use ask one more server: its questions are asked there from now on, the
// others stay where they are. The server is greeted first (see [Policy.Greet]), so that nobody
// waits for one that no run can use; a greeting that outlasts ctx is no fault. One that left takes
// its place again, with its counts and the backend that it had. The error is the fault of the
// greeting, context.Canceled, or that the server has joined already.
func (p *Policy) Join(ctx context.Context, b Backend) error {
	s := p.pool.find(b.Address())
	if s == nil {
		s = newServer(b.Address(), b, p.options.Limit)
	}

	// What it took, and the slots that it had, may be those of another program by now.
	if !p.pool.isPresent(s) {
		s.dialect.Store(&Dialect{LeaveOut: p.options.LeaveOut})
		s.seats.close()
	}

	if fault := p.greetOne(ctx, s, p.greeting()); fault != nil {
		return fault
	}

	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err
	}

	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()

	// Another call may have been quicker.
	if err := p.pool.join(s); err != nil {
		return err
	}
	p.watchGauges(s)
	return nil
}

// Leave has a policy in use ask the server of an address no more. What is in flight there is waited
// for; what waits for its turn there goes to other servers, and so do its questions. The last
// server cannot leave.
func (p *Policy) Leave(address string) error {
	s := p.pool.find(address)
	if s == nil {
		return fmt.Errorf("server: %s never joined", address)
	}

	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()

	if err := p.pool.leave(s); err != nil {
		return err
	}
	s.unwatch()
	return nil
}

// Addresses returns those of the servers that are asked, without credentials.
func (p *Policy) Addresses() []string {
	var all []string
	for _, s := range p.pool.present() {
		all = append(all, s.address)
	}
	return all
}

// watchGauges reads what a server says of itself, until it leaves or the policy is closed. Of a
// server that is in use the caller holds the pool's lock.
func (p *Policy) watchGauges(s *server) {
	observer, ok := s.backend.(Observer)
	if !ok {
		return
	}

	ctx, stop := context.WithCancel(p.ctx)
	s.unwatch = stop
	p.pollers.Go(func() { s.poll(ctx, observer) })
}

// present are the servers that have not left.
func (p *pool) present() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.presentNow()
}

// presentNow is present for a caller that holds mu.
func (p *pool) presentNow() []*server {
	left := func(s *server) bool { return s.left }
	if !slices.ContainsFunc(p.servers, left) {
		return p.servers // which nobody changes in place
	}
	return slices.DeleteFunc(slices.Clone(p.servers), left)
}

// ever are all servers that were ever asked: what those did that left counts, too.
func (p *pool) ever() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers
}

// find returns the server of an address, nil if it never joined.
func (p *pool) find(address string) *server {
	all := p.ever()
	if i := slices.IndexFunc(all, func(s *server) bool { return s.address == address }); i >= 0 {
		return all[i]
	}
	return nil
}

func (p *pool) isPresent(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.servers, s) && !s.left
}

// join adds a server, or takes it back. The caller holds mu.
func (p *pool) join(s *server) error {
	at := slices.IndexFunc(p.servers, func(other *server) bool { return other.address == s.address })

	switch {
	case at < 0:
		p.servers = append(slices.Clone(p.servers), s)
	case p.servers[at] == s && s.left:
		// What was held against it is over: it may be another program.
		s.left, s.warned, s.paused, s.examining = false, false, false, false
		s.misses, s.probes, s.spoiled = 0, 0, 0
	default:
		return fmt.Errorf("server: %s has joined already", s.address)
	}

	if s.down {
		p.rise(s)
	}
	p.broadcast() // whoever waits for another one may come
	return nil
}

// leave takes a server out of the list. Its requests in flight go on, so that what they cost is not
// lost; those that wait for it look for another. The caller holds mu.
func (p *pool) leave(s *server) error {
	switch {
	case s.left:
		return nil
	case len(p.presentNow()) == 1:
		// Without any, requests would wait for servers that nobody names.
		return fmt.Errorf("server: %s is the last one, and cannot leave", s.address)
	}

	s.left = true
	if !s.down {
		s.since = time.Now()
		p.goDown(s, &Fault{Kind: Transient, Address: s.address, Message: "it was taken off the list"})
	}
	return nil
}

// rise has a server that was down be asked again. The caller holds mu.
func (p *pool) rise(s *server) {
	s.down, s.gone = false, make(chan struct{})
	s.limiter.pause(false)
	p.broadcast()
}
