package server

import (
	"context"
	"sync"

	"toolevo/mcts"
)

var _ mcts.Converser = (*Policy)(nil)

// conversation is a sequence of requests whose prompts begin alike. It takes a seat with its first
// request, at the server that answers for the question, if that server has slots, and keeps it
// until it ends or the server goes down.
type conversation struct {
	policy *Policy
	ticket uint64        // those that began earlier have lower ones
	turn   chan struct{} // holds one value while a request is in its seat

	mu    sync.Mutex // guards what follows
	where *server    // where its seat is; nil while it has none
	seat  *claim
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

	if c.where != nil {
		c.where.seats.drop(c.seat)
		c.where = nil
	}
}

// server returns where the conversation has its seat, or nil.
func (c *conversation) server() *server {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.where == nil || !c.where.seats.holds(c.seat) {
		return nil
	}
	return c.where
}

// sit waits until a request of the conversation may go to a server with slots. One request at a
// time has the conversation's own seat; others get seats that no conversation wants, or wait until
// it is free. Call leave when the request is over.
func (c *conversation) sit(ctx context.Context, t turn) (leave func(), err error) {
	select {
	case c.turn <- struct{}{}:
		return c.sitDown(ctx, t)
	default:
	}

	seats := &t.server.seats
	loan := seats.claim(c.ticket, true)

	select {
	case <-loan.ready:
		return func() { seats.drop(loan) }, nil
	case c.turn <- struct{}{}:
		seats.drop(loan)
		return c.sitDown(ctx, t)
	case <-ctx.Done():
		seats.drop(loan)
		return nil, ctx.Err()
	case <-t.gone:
		seats.drop(loan)
		return nil, errGone
	}
}

// sitDown takes the conversation's own seat, which no other request uses now.
func (c *conversation) sitDown(ctx context.Context, t turn) (leave func(), err error) {
	leave = func() { <-c.turn }
	if c.server() == t.server {
		return leave, nil
	}

	// It has none yet, or its server went down: nothing of its prompt is left there to go back to.
	c.end()

	seats := &t.server.seats
	own := seats.claim(c.ticket, false)

	select {
	case <-own.ready:
	case <-ctx.Done():
		err = ctx.Err()
	case <-t.gone:
		err = errGone
	}

	// An abandoned claim would get a seat in its turn, and keep it.
	if err != nil {
		seats.drop(own)
		leave()
		return nil, err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.where, c.seat = t.server, own
	return leave, nil
}

// caller is who asks for a completion: about which question, and in which conversation, if it is in
// one.
type caller struct {
	question     string
	conversation *conversation
}

// server returns the one where the caller has a seat, or nil.
func (c caller) server() *server {
	if c.conversation == nil {
		return nil
	}
	return c.conversation.server()
}
