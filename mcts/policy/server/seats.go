package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Slotted is a backend whose server can tell how many slots it has, each of which keeps one prompt.
type Slotted interface {
	// Slots returns how many slots the server has; 0 is a server that has none, whose cache all
	// prompts share. The error is a *Fault, or the context's.
	Slots(ctx context.Context) (int, error)
}

// askTime is how long a server may take to tell its slots.
const askTime = 5 * time.Second

// askAgainFactor is how much longer than a server took to tell nothing it is not asked again.
const askAgainFactor = 10

// learnSlots finds out how many slots a server has, unless that is known; set is the setting about
// it. A server that cannot be asked has none until it is asked again. The error is the context's.
func (s *server) learnSlots(ctx context.Context, set int) error {
	if _, settled := s.seats.settled(); settled {
		return nil
	}

	select {
	case s.seats.asking <- struct{}{}:
		defer func() { <-s.seats.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}

	term, settled := s.seats.settled()
	if settled { // somebody else has asked meanwhile
		return nil
	}

	began := time.Now()
	told, err := slotsOf(ctx, s.backend)

	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && set == 0:
		s.seats.unanswered(askAgainFactor * time.Since(began))
		return nil
	}

	number := cmp.Or(set, told)
	if s.seats.open(term, number) {
		s.limiter.setSlots(number)
	}
	return nil
}

// slotsOf asks a server for its slots; 0 is one that has none or does not say.
func slotsOf(ctx context.Context, b Backend) (int, error) {
	slotted, ok := b.(Slotted)
	if !ok {
		return 0, nil
	}

	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()

	n, err := slotted.Slots(ctx)

	if fault := FaultOf(err); fault != nil && fault.Kind != Transient {
		return 0, nil
	}
	return max(n, 0), err
}

// seats are the slots of a server as conversations sit in them. One that waits for a seat gets it
// before those that began after it. Seats that no conversation wants are lent to single requests.
//
// A slot that has answered nothing yet is cold: its first prompt is read from the beginning, which
// a server without a GPU takes so long for that it may gain nothing by a second slot. So the first
// is taken alone, and another once what its reading costs is little beside the time that has gone
// by.
type seats struct {
	asking chan struct{} // holds one value while the server is asked for its slots

	mu       sync.Mutex // guards what follows
	known    bool       // whether the server has slots, and how many
	askAfter time.Time  // when the server may be asked again that did not answer
	number   int        // of seats; 0 where there are none
	term     int        // how often the server has gone down; seats taken before are void
	free     int
	cold     int           // not free until they are warmed
	opened   time.Time     // when the slots became known
	answered bool          // a conversation has been answered since
	reading  time.Duration // the longest that it read a prompt
	seated   int           // conversations
	waiting  []*claim      // those of conversations first
}

// claim is a wish for a seat: a conversation's, or for a loan, one request's of a conversation
// whose own seat is taken by another of its requests.
type claim struct {
	ticket uint64 // of the conversation
	loan   bool
	ready  chan struct{} // closed when the seat is there, and term set
	term   int
}

// open says how many slots the server has, unless it has gone down since it was asked.
func (s *seats) open(term, number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	if term != s.term {
		return false
	}

	s.known, s.number, s.cold, s.opened = true, number, number, time.Now()
	s.fill()
	return true
}

// read says that a request of a conversation was answered, and how long the server read its prompt.
func (s *seats) read(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.answered, s.reading = true, max(s.reading, took)
	s.fill()
}

// paidBack is how many times the reading of their first prompts has to have gone by in all slots
// before another is taken: what is lost where a second slot gains nothing is an eighth of the time.
const paidBack = 8

// warms reports whether a cold slot is worth taking. The caller holds mu.
func (s *seats) warms() bool {
	warm := s.number - s.cold
	if s.cold == 0 || warm > 0 && !s.answered {
		return false
	}
	return time.Since(s.opened) >= paidBack*s.reading*time.Duration(warm)
}

// close says that the server is down: what its slots kept is lost, and it may come back with other
// slots.
func (s *seats) close() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.term++
	s.known, s.askAfter, s.number, s.seated = false, time.Time{}, 0, 0
	s.free, s.cold, s.answered, s.reading = 0, 0, false, 0
}

// unanswered says that the server could not be asked, and for how long it is not asked again.
func (s *seats) unanswered(rest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.askAfter = time.Now().Add(rest)
}

// settled reports whether there is nothing to ask the server for now, in which term.
func (s *seats) settled() (term int, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term, s.known || time.Now().Before(s.askAfter)
}

// exist reports whether the server is known to have slots.
func (s *seats) exist() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number > 0
}

// claim lets a conversation, or a request of it, wait for a seat behind those that began before it;
// loans wait behind all conversations.
func (s *seats) claim(ticket uint64, loan bool) *claim {
	s.mu.Lock()
	defer s.mu.Unlock()

	c := &claim{ticket: ticket, loan: loan, ready: make(chan struct{})}
	at := slices.IndexFunc(s.waiting, func(other *claim) bool {
		return other.loan && !loan || other.loan == loan && other.ticket > ticket
	})

	if at < 0 {
		at = len(s.waiting)
	}

	s.waiting = slices.Insert(s.waiting, at, c)
	s.fill()
	return c
}

// fill gives free seats to those that wait. The caller holds mu.
func (s *seats) fill() {
	for len(s.waiting) > 0 {
		if s.free == 0 && s.warms() {
			s.free, s.cold = 1, s.cold-1
		}

		if s.free == 0 {
			return
		}

		c := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.free--
		c.term = s.term

		if !c.loan {
			s.seated++
		}

		close(c.ready)
	}
}

// drop ends a claim: it waits no longer, or gives back the seat that it has got.
func (s *seats) drop(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if at := slices.Index(s.waiting, c); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}

	if c.term != s.term { // the server has gone down since
		return
	}

	if !c.loan {
		s.seated--
	}

	s.free++
	s.fill()
}

// holds reports whether a claim's seat is still its own.
func (s *seats) holds(c *claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.term == s.term
}

// room is how many conversations more could be seated. Seats that are lent count as free.
func (s *seats) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	free := s.number - s.seated
	for _, c := range s.waiting {
		if !c.loan {
			free--
		}
	}

	return max(0, free)
}
