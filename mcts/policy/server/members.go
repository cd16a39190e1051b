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
// waits for one that no run can use. One that left takes its place again, with its counts. The
// error is the fault of the greeting, or the context's.
func (p *Policy) Join(ctx context.Context, b Backend) error {
	s := p.pool.find(b.Address())
	if s == nil {
		s = newServer(b.Address(), b, p.options.Limit)
		s.dialect.Store(&Dialect{LeaveOut: p.options.LeaveOut})
	} else if !p.pool.hasLeft(s) {
		return fmt.Errorf("server: %s has joined already", b.Address())
	}

	if fault := p.greetOne(ctx, s, p.greeting()); fault != nil {
		return fault
	}

	if err := ctx.Err(); err != nil {
		return err
	}

	p.pool.join(s)
	p.watchGauges(s)
	return nil
}

// Leave has a policy in use ask the server of an address no more. What is in flight there is waited
// for; what waits for its turn there goes to other servers, and so do its questions. The last
// server cannot leave.
func (p *Policy) Leave(address string) error {
	s := p.pool.find(address)
	if s == nil {
		return fmt.Errorf("server: nobody asks %s", address)
	}

	if err := p.pool.leave(s); err != nil {
		return err
	}

	s.unwatch()
	return nil
}

// Addresses are those of the servers that are asked, without credentials.
func (p *Policy) Addresses() []string {
	var all []string
	for _, s := range p.pool.present() {
		all = append(all, s.address)
	}
	return all
}

// watchGauges reads what a server says of itself, until it leaves or the policy is closed.
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

func (p *pool) hasLeft(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.left
}

// join adds a server, or takes it back.
func (p *pool) join(s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if s.left {
		s.left = false
	} else {
		p.servers = append(slices.Clone(p.servers), s)
	}

	if s.down {
		p.rise(s)
	}
	p.broadcast() // whoever waits for another one may come
}

// errLast keeps a policy from waiting for servers that nobody names.
var errLast = errors.New("server: the last server cannot leave")

// leave takes a server out of the list. Its requests in flight go on, so that what they cost is not
// lost; those that wait for it look for another.
func (p *pool) leave(s *server) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	switch {
	case s.left:
		return nil
	case len(p.presentNow()) == 1:
		return errLast
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
