package server

import (
	"context"
	"sync"

	"toolevo/mcts"
)

var _ mcts.Converser = (*Policy)(nil)

// conversation is a sequence of requests whose prompts begin alike. It takes a seat with its first request, at the
// server that answers for the question, if that server has slots, and keeps it until it ends or the server goes down.
type conversation struct {
	policy *Policy
	ticket uint64        // those that began earlier have lower ones
	turn   chan struct{} // holds one value while a request is in its seat

	mu   sync.Mutex // guards what follows
	seat seat
	lent int // the slot that was borrowed last: it may still know the prompt
}

// Converse implements mcts.Converser.
func (p *Policy) Converse() (mcts.Policy, func()) {
	c := &conversation{policy: p, ticket: p.tickets.Add(1), turn: make(chan struct{}, 1)}
	return c, c.end
}

// Propose implements mcts.Policy.
func (c *conversation) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return c.policy.propose(ctx, r, caller{r.Node.Question, c})
}

// end gives the seat back.
func (c *conversation) end() {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.seat.server != nil {
		c.seat.server.seats.rise(c.seat)
		c.seat = seat{}
	}
}

// server is where the conversation sits, nil where it has no seat.
func (c *conversation) server() *server {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.seat.server == nil || !c.seat.server.seats.holds(c.seat) {
		return nil
	}

	return c.seat.server
}

// sit waits until a request of the conversation may go to a server with slots, and returns its slot. One at a time goes
// to the conversation's own seat; others go to seats that nobody wants, and else wait for it. leave is called when the
// request is over.
func (c *conversation) sit(ctx context.Context, t turn) (slot int, leave func(), err error) {
	select {
	case c.turn <- struct{}{}:
		return c.sitDown(ctx, t)
	default:
	}

	if lent, ok := c.borrow(t.server); ok {
		return lent.slot, func() { t.server.seats.bringBack(lent) }, nil
	}

	select {
	case c.turn <- struct{}{}:
		return c.sitDown(ctx, t)
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	case <-t.gone:
		return 0, nil, errGone
	}
}

// sitDown takes the conversation's own seat, for which nothing else is in it now.
func (c *conversation) sitDown(ctx context.Context, t turn) (slot int, leave func(), err error) {
	leave = func() { <-c.turn }

	c.mu.Lock()
	own := c.seat
	c.mu.Unlock()

	if own.server == t.server && own.server.seats.holds(own) {
		return own.slot, leave, nil
	}

	taken, err := t.server.seats.sit(ctx, c.ticket, t.gone)
	if err != nil {
		leave()
		return 0, nil, err
	}

	taken.server = t.server

	c.mu.Lock()
	defer c.mu.Unlock()

	if own.server != nil { // it went down, or another server answers for the question now
		own.server.seats.rise(own)
	}

	c.seat = taken

	return taken.slot, leave, nil
}

// borrow takes a seat of a server that nobody wants.
func (c *conversation) borrow(s *server) (lent seat, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	lent, ok = s.seats.borrow(c.lent)
	if ok {
		c.lent = lent.slot
	}

	return lent, ok
}

// caller is who asks for a completion: about which question, and in which conversation, if it is in one.
type caller struct {
	question     string
	conversation *conversation
}

// server is the one that answers the caller now, nil where it has none of its own.
func (c caller) server() *server {
	if c.conversation == nil {
		return nil
	}

	return c.conversation.server()
}
