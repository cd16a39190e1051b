package server

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Slotted is a backend whose server can tell how many slots it has, each of which keeps one prompt, and that can be
// told which of them a completion is for ([Completion.Slot]).
type Slotted interface {
	// Slots returns how many slots the server has; 0 is a server that has none, whose cache all prompts share. The
	// error is a *Fault, or the context's.
	Slots(ctx context.Context) (int, error)
}

// Bounds of asking a server for its slots.
const (
	askTime  = 5 * time.Second  // for an answer
	askAgain = 30 * time.Second // before a server is asked again that did not answer
)

// learnSlots finds out how many slots a server has, unless that is known; set is the setting about it. A server that
// cannot be asked has none until it is asked again. The error is the context's.
func (s *server) learnSlots(ctx context.Context, set int) error {
	if s.seats.settled() {
		return nil
	}

	select {
	case s.seats.asking <- struct{}{}:
		defer func() { <-s.seats.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}

	if s.seats.settled() { // somebody else has asked meanwhile
		return nil
	}

	told, err := slotsOf(ctx, s.backend)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && set == 0:
		s.seats.unanswered()
		return nil
	}

	number := cmp.Or(set, told)
	s.seats.open(number, number <= told)
	s.limiter.setSlots(number)

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

	var fault *Fault
	if errors.As(err, &fault) && fault.Kind != Transient {
		return 0, nil
	}

	return max(n, 0), err
}

// seats are the slots of a server as conversations sit in them. One that waits for a seat gets it before those that
// began after it. While nobody waits, a conversation may draw several samples at a time in seats that are free.
type seats struct {
	asking chan struct{} // holds one value while the server is asked for its slots

	mu       sync.Mutex // guards what follows
	known    bool       // whether the server has slots, and how many
	askAfter time.Time  // when the server may be asked again that did not answer
	number   int        // of seats; 0 where there are none
	named    bool       // the server takes a completion for a slot that we name
	term     int        // how often the server has gone down; seats taken before are void
	free     []int
	seated   int // conversations
	waiting  []*waitingTalk
}

// seat is a place in a server's slot. The zero seat is none.
type seat struct {
	server *server
	slot   int // from 1
	term   int
}

// waitingTalk is a conversation that waits for a seat.
type waitingTalk struct {
	ticket uint64
	ready  chan struct{} // closed when it has one
	seat   seat
}

// open says how many slots the server has, and whether it takes a completion for one of them.
func (s *seats) open(number int, named bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.known, s.number, s.named, s.seated = true, number, named, 0

	s.free = s.free[:0]
	for slot := number; slot > 0; slot-- { // the last is taken first
		s.free = append(s.free, slot)
	}
}

// close says that the server is down: what its slots kept is lost, and it may come back with other slots.
func (s *seats) close() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.term++
	s.known, s.askAfter, s.number, s.free, s.seated = false, time.Time{}, 0, nil, 0
}

// unanswered says that the server could not be asked: it is asked again after a while.
func (s *seats) unanswered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.askAfter = time.Now().Add(askAgain)
}

// settled reports whether there is nothing to ask the server for now.
func (s *seats) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known || time.Now().Before(s.askAfter)
}

// exist reports whether the server is known to have slots.
func (s *seats) exist() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number > 0
}

// toldOf is how a slot is named to the server, 0 where that takes no completion for a slot.
func (s *seats) toldOf(slot int) int {
	s.mu.Lock()
	defer s.mu.Unlock()

	if !s.named {
		return 0
	}

	return slot
}

// holds reports whether a seat is still the conversation's.
func (s *seats) holds(taken seat) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return taken.slot > 0 && taken.term == s.term
}

// sit waits for a seat for the conversation with the ticket, or returns the context's error, or errGone once gone is
// closed.
func (s *seats) sit(ctx context.Context, ticket uint64, gone <-chan struct{}) (seat, error) {
	w := &waitingTalk{ticket: ticket, ready: make(chan struct{})}
	s.queue(w)

	select {
	case <-w.ready:
		return w.seat, nil
	case <-ctx.Done():
		s.leave(w)
		return seat{}, ctx.Err()
	case <-gone:
		s.leave(w)
		return seat{}, errGone
	}
}

// queue lets a conversation wait behind those that began before it.
func (s *seats) queue(w *waitingTalk) {
	s.mu.Lock()
	defer s.mu.Unlock()

	at, _ := slices.BinarySearchFunc(s.waiting, w.ticket, func(w *waitingTalk, ticket uint64) int {
		return cmp.Compare(w.ticket, ticket)
	})
	s.waiting = slices.Insert(s.waiting, at, w)
	s.seatNext()
}

// seatNext gives free seats to those that wait. The caller holds mu.
func (s *seats) seatNext() {
	for len(s.free) > 0 && len(s.waiting) > 0 {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		w.seat = seat{slot: s.takeFree(0), term: s.term}
		s.seated++
		close(w.ready)
	}
}

// takeFree takes a free seat: the one that is liked best, where it is free. The caller holds mu.
func (s *seats) takeFree(liked int) int {
	at := slices.Index(s.free, liked)
	if at < 0 {
		at = len(s.free) - 1
	}

	slot := s.free[at]
	s.free = slices.Delete(s.free, at, at+1)

	return slot
}

// leave takes a conversation that waits out of the queue, or out of the seat that it got at the same moment.
func (s *seats) leave(w *waitingTalk) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if at := slices.Index(s.waiting, w); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}

	s.giveBack(w.seat, true)
}

// rise gives a conversation's seat back.
func (s *seats) rise(taken seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(taken, true)
}

// giveBack frees a seat, of a conversation or one that was lent. The caller holds mu.
func (s *seats) giveBack(taken seat, ofTalk bool) {
	if taken.slot == 0 || taken.term != s.term {
		return
	}

	if ofTalk {
		s.seated--
	}

	s.free = append(s.free, taken.slot)
	s.seatNext()
}

// borrow takes a free seat for one request, the one that is liked best, unless there is none.
func (s *seats) borrow(liked int) (lent seat, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if len(s.free) == 0 {
		return seat{}, false
	}

	return seat{slot: s.takeFree(liked), term: s.term}, true
}

// bringBack ends a loan.
func (s *seats) bringBack(lent seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(lent, false)
}

// room is how many conversations more could be seated. Seats that are lent count as free.
func (s *seats) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.number-s.seated-len(s.waiting))
}
