package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Slotted is a backend whose server can say how many slots it has, each of which keeps one prompt.
type Slotted interface {
	// Slots returns how many slots the server has; 0 is a server that has none, whose cache all
	// prompts share. The error is a *Fault, or the context's.
	Slots(ctx context.Context) (int, error)
}

// askTime is how long a server may take to report its slots.
const askTime = 5 * time.Second

// askAgainFactor is for how many times as long as a server took not to answer it is left alone.
const askAgainFactor = 10

// learnSlots finds out how many slots a server has, unless that is known; set is the setting about
// it. A server that does not answer counts as having none until it is asked again. The error is the
// context's.
func (s *server) learnSlots(ctx context.Context, set int) error {
	if _, settled := s.seats.settled(); settled {
		return nil
	}

	// One request asks for all; how the others are sent depends on the answer.
	select {
	case s.seats.asking <- struct{}{}:
		defer func() { <-s.seats.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}

	term, settled := s.seats.settled()
	if settled { // another request has asked meanwhile
		return nil
	}

	began := time.Now()
	n, err := slotsOf(ctx, s.backend)

	// Every request comes here first: a server that hangs must not hold up each of them.
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && set == 0:
		s.seats.unanswered(askAgainFactor * time.Since(began))
		return nil
	}

	// It may have gone down since, and what it said before then no longer holds.
	number := cmp.Or(set, n)
	if s.seats.open(term, number) {
		s.limiter.setSlots(number)
	}
	return nil
}

// slotsOf asks a server for its slots; 0 means that it has none or does not say.
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

// seats are the slots of a server as conversations have them. A conversation that waits for a seat
// gets it before those that began after it. Seats that no conversation wants are lent to single
// requests.
//
// A slot that has answered nothing yet is cold: its first prompt is read from the beginning, which
// takes a server without a GPU so long that it may gain nothing by a second slot. So the first is
// taken alone, and another once the cost of reading is small beside the time that has passed.
type seats struct {
	asking chan struct{} // holds one value while the server is asked for its slots

	mu       sync.Mutex // guards what follows
	known    bool       // it is known whether the server has slots, and how many
	askAfter time.Time  // when a server that did not answer may be asked again
	number   int        // of seats; 0 if there are none
	term     int        // how often the server has gone down; seats taken before are void
	free     int
	cold     int           // not free until they are warmed
	opened   time.Time     // when the slots became known
	answered bool          // a conversation has been answered since
	reading  time.Duration // the longest that it read a prompt
	seated   int           // conversations
	waiting  []*claim      // those of conversations first
}

// claim is a place in the line for a seat: of a conversation, or, for a loan, of one request of a
// conversation whose own seat is in use by another of its requests.
type claim struct {
	ticket uint64 // of the conversation
	loan   bool
	ready  chan struct{} // closed when the claim has its seat, and term is set
	term   int
}

// open sets how many slots the server has, unless it has gone down since it was asked.
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

// noteReading notes that a request of a conversation was answered, and how long the server read its
// prompt.
func (s *seats) noteReading(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.answered, s.reading = true, max(s.reading, took)
	s.fill()
}

// paidBack is how many times as long as reading the first prompts of all slots took has to pass
// before another is taken: where a second slot gains nothing, it costs an eighth of the time.
const paidBack = 8

// warms reports whether a cold slot is worth taking. The caller holds mu.
func (s *seats) warms() bool {
	warm := s.number - s.cold
	if s.cold == 0 || warm > 0 && !s.answered {
		return false
	}
	return time.Since(s.opened) >= paidBack*s.reading*time.Duration(warm)
}

// close notes that the server is down: what its slots kept is lost, and it may come back with other
// slots.
func (s *seats) close() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.term++
	s.known, s.askAfter, s.number, s.seated = false, time.Time{}, 0, 0
	s.free, s.cold, s.answered, s.reading = 0, 0, false, 0
}

// unanswered notes that the server did not answer, and for how long it is not asked again.
func (s *seats) unanswered(rest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.askAfter = time.Now().Add(rest)
}

// settled reports whether the server need not be asked now, and in which term.
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
	i := slices.IndexFunc(s.waiting, func(other *claim) bool {
		return other.loan && !loan || other.loan == loan && other.ticket > ticket
	})

	if i < 0 {
		i = len(s.waiting)
	}

	s.waiting = slices.Insert(s.waiting, i, c)
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

	if i := slices.Index(s.waiting, c); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
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

// room is how many more conversations could get a seat. Seats that are lent count as free.
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
