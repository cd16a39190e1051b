// Package mctstest has test doubles of policies, for the packages that ask policies: collections
// and evaluations. Seated simulates a server that keeps few prompts; its caller is right if every
// conversation ends, no more are held at a time than there are seats, and each is about one thing.
package mctstest

import (
	"context"
	"slices"
	"sync"

	"toolevo/mcts"
)

// Seated is a policy whose server has a limited number of seats: a conversation takes one with its
// first request and keeps it to its end, and the others wait. Read its fields when all have ended.
type Seated struct {
	mcts.Policy
	Conversations [][]string // what each was about, in the order they began, without repetitions
	Ended         int        // conversations
	Most          int        // seats taken at a time

	mu    sync.Mutex
	seats chan struct{}
	about func(mcts.Request) string
}

// NewSeated gives a policy's server a number of seats. With 0 no conversation gets an answer. What
// a request is about names what it belongs to: a question, a tree.
func NewSeated(p mcts.Policy, seats int, about func(mcts.Request) string) *Seated {
	return &Seated{Policy: p, seats: make(chan struct{}, seats), about: about}
}

// Taken is how many seats are taken.
func (s *Seated) Taken() int { return len(s.seats) }

// Converse implements mcts.Converser.
func (s *Seated) Converse() (mcts.Policy, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()

	c := &conversation{Seated: s, number: len(s.Conversations)}
	s.Conversations = append(s.Conversations, nil)
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()

		if s.Ended++; c.seated {
			<-s.seats
		}
	}
}

type conversation struct {
	*Seated
	number int
	seated bool
}

// Propose implements mcts.Policy.
func (c *conversation) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if !c.seated {
		select {
		case c.seats <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	c.mu.Lock()
	c.seated, c.Most = true, max(c.Most, len(c.seats))
	c.Conversations[c.number] = slices.Compact(append(c.Conversations[c.number], c.about(r)))
	c.mu.Unlock()
	return c.Policy.Propose(ctx, r)
}
