package server

import (
	"context"
	"slices"
	"sync"
)

// lastReplies is over how many replies the share of empty ones is taken: with half of them empty a
// server is failing.
const lastReplies = 50

// control marks a completion that is only sent to see whether the server gives any text.
const control = -1

// silence decides when a server's empty samples are a failure of the server, and not the model's
// own silence: when half of what it gave lately is empty, and when it gives nothing where it once
// gave a text. What is asked for again because it was empty does not count.
type silence struct {
	mu     sync.Mutex
	empty  [lastReplies]float64 // the share of samples without text, of the last replies
	next   int                  // the oldest of them
	noText bool                 // it gave no text for a prompt that it once gave one for, nor any since
	known  *Completion          // of a sample that it gave a text for
}

// note notes a reply, and reports whether empty samples in it are a failure of the server.
func (s *silence) note(c Completion, r Reply) (failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	blank := 0
	for i, choice := range r.Choices {
		if choice.lost() {
			blank++
		}

		if choice.blank() {
			continue
		}

		// The first text is kept: whenever the server fails, it has to be able to give it again.
		s.noText = false
		if s.known == nil {
			c := c
			// Only the sample that had a text, by the seed that it alone was drawn with.
			c.N, c.Seed, c.try = 1, c.Seed+uint64(i), control
			s.known = &c
		}
	}

	// What is asked for again because it was empty would count twice.
	if c.try == 0 {
		s.empty[s.next] = float64(blank) / float64(len(r.Choices))
		s.next = (s.next + 1) % lastReplies
	}

	sum := 0.0
	for _, share := range s.empty {
		sum += share
	}
	return blank > 0 && (s.noText || sum >= lastReplies/2)
}

// question returns a completion that the server gave a text for, or a greeting if it gave none yet.
func (s *silence) question(c Completion) Completion {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.known != nil {
		return *s.known
	}

	c = Greeting(len(c.Messages) > 0, c.Sampling)
	c.try = control
	return c
}

func (s *silence) setNoText(noText bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.noText = noText
}

// checkSilence returns the fault of a reply with empty samples that are the server's doing. Before
// they count as the model's own, the server is asked for a text that it once gave.
func (p *Policy) checkSilence(ctx context.Context, t turn, c Completion, r Reply) *Fault {
	s := t.server

	if r.unread() {
		return nil // there was a text, and the server says so
	}

	failing := s.silence.note(c, r)
	if !failing && c.try == emptyTries && slices.ContainsFunc(r.Choices, Choice.lost) {
		s.limiter.force(1)

		known := s.silence.question(c)
		known.Session = c.Session

		again, fault := p.attempt(ctx, t, known)
		if fault != nil {
			return fault
		}

		failing = slices.ContainsFunc(again.Choices, Choice.lost)
		s.silence.setNoText(failing)
	}

	if !failing {
		return nil
	}
	return &Fault{
		Kind: Transient, Address: s.backend.Address(), Status: 200, Err: errNoText,
		Message: "an empty reply, of a server that gives none else or whose last replies were half of them empty",
	}
}
