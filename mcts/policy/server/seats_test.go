package server_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	godiff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// slotted is a server with slots, each of which works on one completion at a time. A completion
// takes a second.
type slotted struct {
	echo
	slots int   // that it tells
	deaf  error // what it answers when it is asked for them

	mu    sync.Mutex
	told  int           // how often it was asked
	inUse int           // completions
	most  int           // completions at a time
	log   []asked       // in the order in which they came
	gone  func() bool   // nil is never
	takes time.Duration // 0 is a second
	reads time.Duration // of that, reported as the reading of a slot's first prompt
	warm  int           // slots that have answered
}

// wordless is a backend that tells nothing.
type wordless struct{ server.Backend }

// asked is a completion that a server was asked for.
type asked struct {
	question uint64 // see request
	n        int
}

func newSlotted(address string, slots int) *slotted {
	s := &slotted{slots: slots}
	s.address, s.before = address, s.work
	return s
}

func (s *slotted) Slots(context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.gone != nil && s.gone() {
		return 0, &server.Fault{Kind: server.Transient, Err: errors.New("connection refused")}
	}

	s.told++
	return s.slots, s.deaf
}

// work takes a second, if the server is there.
func (s *slotted) work(ctx context.Context, c server.Completion) error {
	if s.gone != nil && s.gone() {
		return &server.Fault{Kind: server.Transient, Address: s.address, Err: errors.New("connection refused")}
	}

	if s.slots > 0 && c.N > s.slots { // as llama.cpp does
		return &server.Fault{Kind: server.BadRequest, Address: s.address, Status: 400, Message: "n is too large"}
	}

	s.enter(c)

	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inUse--
	}()

	select {
	case <-time.After(cmp.Or(s.takes, time.Second)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slotted) enter(c server.Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.inUse++
	s.most = max(s.most, s.inUse)
	s.log = append(s.log, asked{c.Seed / 1000, c.N})
}

// Complete tells how long a cold slot read its prompt.
func (s *slotted) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	r, err := s.echo.Complete(ctx, c)

	s.mu.Lock()
	defer s.mu.Unlock()

	if err == nil && s.warm < s.inUse+1 { // this one is over, and all slots of the others are taken
		s.warm, r.Reading = s.inUse+1, s.reads
	}
	return r, err
}

// alive is how many conversations were held with the server at a time: those that had begun and
// were to ask again.
func (s *slotted) alive() (most int) {
	last := map[uint64]int{}
	for i, a := range s.log {
		last[a.question] = i
	}

	now := map[uint64]bool{}
	for i, a := range s.log {
		now[a.question] = true
		most = max(most, len(now))

		if last[a.question] == i {
			delete(now, a.question)
		}
	}
	return most
}

// check fails the test if the server was asked what it should not be.
func (s *slotted) check(t rapid.TB) {
	t.Helper()

	if alive := s.alive(); alive > s.slots || s.most > s.slots {
		t.Errorf("%s: %d completions and %d conversations at a time of %d slots", s.address, s.most, alive, s.slots)
	}
}

// talk holds a conversation of a number of requests about a question, a moment between them.
func talk(ctx context.Context, p mcts.Policy, question, requests, n int) error {
	for i := range requests {
		r := request(question, n)
		r.First, r.Seed = i*n, r.Seed+uint64(i*n)

		if _, err := p.Propose(ctx, r); err != nil {
			return err
		}

		<-time.After(10 * time.Millisecond)
	}
	return nil
}

// talkAll holds conversations about a question each, beside each other.
func talkAll(t *testing.T, p *server.Policy, conversations, requests, n int) *sync.WaitGroup {
	var group sync.WaitGroup
	for i := range conversations {
		c, end := p.Converse()
		group.Go(func() {
			defer end()

			if err := talk(t.Context(), c, i, requests, n); err != nil {
				t.Error(err)
			}
		})
	}

	return &group
}

// auto is options whose limit is not fixed.
func auto(backends ...server.Backend) server.Options {
	o := options(backends...)
	o.Limit.Sequences = 0
	return o
}

// Conversations that wait for a seat get one in the order in which they began, whoever asked first,
// and keep their slot.
func TestSeatsAreTakenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const conversations = 8
		s := newSlotted("a", 2)
		p := newPolicy(t, auto(s))

		var policies [conversations]mcts.Policy
		var ends [conversations]func()
		for i := range policies {
			policies[i], ends[i] = p.Converse()
		}

		for i := conversations - 1; i >= 0; i-- { // the last is seated first, alone
			go func() {
				defer ends[i]()

				if err := talk(t.Context(), policies[i], i, 3, 1); err != nil {
					t.Error(err)
				}
			}()

			synctest.Wait()
		}

		if s := p.Snapshot(); s.Limit != 2 || s.Slots != 2 || p.Room(1) != 0 {
			t.Errorf("a limit of %d at %d slots, room for %d more", s.Limit, s.Slots, p.Room(1))
		}

		<-time.After(time.Minute)
		synctest.Wait()
		s.check(t)

		var order []uint64
		for _, u := range s.log {
			if !slices.Contains(order, u.question) {
				order = append(order, u.question)
			}
		}

		for pair := range slices.Chunk(order, 2) { // both seats become free at the same moment
			slices.Sort(pair)
		}

		if want := []uint64{0, 7, 1, 2, 3, 4, 5, 6}; !slices.Equal(order, want) {
			t.Errorf("questions were begun in the order %v, want %v", order, want)
		}

		if p.Room(1) != 2 || s.told != 1 {
			t.Errorf("room for %d after all, and the server was asked %d times for its slots", p.Room(1), s.told)
		}
	})
}

// A slot more is taken when eight times what the reading of a first prompt has cost is over.
func TestColdSlotsPayBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlotted("a", 3)
		s.reads = 500 * time.Millisecond
		p := newPolicy(t, auto(s))
		start := time.Now()

		group := talkAll(t, p, 3, 20, 1)

		began := []time.Duration{}
		for len(began) < 3 {
			<-time.After(time.Second / 2)
			s.mu.Lock()
			for len(began) < s.most {
				began = append(began, time.Since(start).Truncate(time.Second))
			}
			s.mu.Unlock()
		}

		if want := []time.Duration{0, 4 * time.Second, 8 * time.Second}; !slices.Equal(began, want) {
			t.Errorf("slots were taken after %v, want %v", began, want)
		}

		group.Wait()
		s.check(t)
	})
}

// The samples of a request are drawn one by one in the conversation's slot while others want
// theirs, and in free slots, too, while nobody does. They are those of one request.
func TestSamplesInSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := all(t, newPolicy(t, options(&echo{address: "b"})), 4, 1, 3)
		s := newSlotted("a", 3)
		p := newPolicy(t, auto(s))
		start := time.Now()

		var group sync.WaitGroup
		for i := range 3 {
			c, end := p.Converse()
			group.Go(func() {
				defer end()

				got, err := c.Propose(t.Context(), request(i, 3))
				if diff := godiff.Diff(want[i], got); diff != "" || err != nil {
					t.Errorf("question %d: %v\n%s", i, err, diff)
				}
			})
		}

		group.Wait()

		// A second more where a sample takes the free seat just before its own is free, too.
		if took := time.Since(start); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("9 samples took %v in 3 slots, want 3s", took)
		}

		c, end := p.Converse()
		defer end()

		start = time.Now()
		got, err := c.Propose(t.Context(), request(3, 3))
		if diff := godiff.Diff(want[3], got); diff != "" || err != nil {
			t.Errorf("alone: %v\n%s", err, diff)
		}

		if took := time.Since(start); took != time.Second {
			t.Errorf("3 samples took %v in 3 free slots, want 1s", took)
		}

		if p.Room(3) != 2 {
			t.Errorf("room for %d beside one conversation at 3 slots", p.Room(3))
		}

		s.check(t)
	})
}

// A conversation gives its seat up when the server goes down, takes one where its question is
// answered then, and keeps that when the first is back. A server that is back is asked anew for its
// slots.
func TestSeatIsGivenUpWhenTheServerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		servers := map[string]*slotted{"a": newSlotted("a", 2), "b": newSlotted("b", 2)}
		p := newPolicy(t, auto(servers["a"], servers["b"]))

		first, end := p.Converse()
		defer end()

		if err := talk(t.Context(), first, 1, 2, 1); err != nil {
			t.Fatal(err)
		}

		home, other := servers["a"], servers["b"]
		if len(home.log) == 0 {
			home, other = other, home
		}

		away := func() bool { return time.Since(start) > 10*time.Second && time.Since(start) < time.Minute }
		home.gone = away

		<-time.After(15 * time.Second)

		home.slots = 1 // when it comes back

		var group sync.WaitGroup
		for _, question := range []int{1, 2, 3, 4, 5, 6} {
			c := mcts.Policy(first)
			hangUp := func() {}
			if question > 1 {
				c, hangUp = p.Converse()
			}

			group.Go(func() {
				defer hangUp()

				if err := talk(t.Context(), c, question, 20, 1); err != nil {
					t.Error(err)
				}
			})
		}

		group.Wait()
		servers["a"].check(t)
		servers["b"].check(t)

		of := func(a asked) bool { return a.question == 1 }
		if !slices.ContainsFunc(other.log, of) || !slices.ContainsFunc(home.log, of) {
			t.Errorf("the conversation was at home with %v and then with %v", home.log, other.log)
		}

		again, hangUp := p.Converse()
		defer hangUp()

		if err := talk(t.Context(), again, 1, 3, 1); err != nil { // the first is a probe
			t.Error(err)
		}

		if u := home.log[len(home.log)-1]; home.told != 2 || u != (asked{1, 1}) {
			t.Errorf("the server that was away was asked %d times for its slots, and last for %v", home.told, u)
		}
	})
}

// A conversation that asks nothing takes no seat, and one that ends gives its seat to who waits.
func TestSilentConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlotted("a", 1)
		p := newPolicy(t, auto(s))

		for range 5 {
			_, end := p.Converse()
			defer end()
		}

		for i := range 2 {
			c, end := p.Converse()
			if err := talk(t.Context(), c, i, 1, 1); err != nil {
				t.Error(err)
			}

			end()
		}

		if s.told != 1 || len(s.log) != 2 {
			t.Errorf("asked %d times for slots, for completions of %v", s.told, s.log)
		}
	})
}

// Waiting for a seat ends with the context, and when the run is interrupted; who is in a seat is
// answered. The seat goes to who still waits.
func TestWaitingForASeatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlotted("a", 1)
		p := newPolicy(t, auto(s))
		ctx, interrupt := mcts.Interruptible(t.Context())

		errs := make([]error, 4)
		for i := range errs {
			c, end := p.Converse()
			ctx := ctx
			if i == 3 {
				ctx = t.Context()
			}

			go func() {
				defer end()

				errs[i] = talk(ctx, c, i, 1, 1)
			}()

			synctest.Wait()
		}

		interrupt()
		<-time.After(time.Minute)
		synctest.Wait()

		if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || !errors.Is(errs[2], context.Canceled) ||
			errs[3] != nil || len(s.log) != 2 {
			t.Errorf("%v after %v", errs, s.log)
		}
	})
}

// Requests that are in no conversation need no seat.
func TestSingleRequestsNeedNoSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlotted("a", 1)
		p := newPolicy(t, auto(s))

		c, end := p.Converse()
		defer end()

		if err := talk(t.Context(), c, 0, 1, 1); err != nil {
			t.Fatal(err)
		}

		if _, err := p.Propose(t.Context(), request(1, 1)); err != nil {
			t.Fatal(err)
		}

		if want := []asked{{0, 1}, {1, 1}}; !slices.Equal(s.log, want) {
			t.Errorf("completions %v, want %v", s.log, want)
		}
	})
}

// A server without slots sees what it sees of requests in no conversation: the same, and as many at
// a time.
func TestNoSlotsNoSeats(t *testing.T) {
	type seen struct {
		asked    []asked
		most     int
		limit    int
		answered int64
	}

	ask := func(t *testing.T, backend func(*slotted) server.Backend, converse bool) (got seen) {
		synctest.Test(t, func(t *testing.T) {
			s := newSlotted("a", 0)
			p := newPolicy(t, auto(backend(s)))

			var group sync.WaitGroup
			for i := range 40 {
				c, end := mcts.Policy(p), func() {}
				if converse {
					c, end = p.Converse()
				}

				group.Go(func() {
					defer end()

					if err := talk(t.Context(), c, i, 3, 5); err != nil {
						t.Error(err)
					}
				})
			}

			group.Wait()

			got.most, got.asked = s.most, s.log
			slices.SortFunc(got.asked, func(a, b asked) int { return cmp.Compare(a.question, b.question) })

			snapshot := p.Snapshot()
			got.limit, got.answered = snapshot.Limit, snapshot.Answered

			if snapshot.Slots != 0 {
				t.Errorf("%d slots", snapshot.Slots)
			}
		})
		return got
	}

	silent := func(s *slotted) server.Backend { return wordless{s} }
	want := ask(t, silent, false)

	if want.most < 6 || want.answered != 120 {
		t.Errorf("the test shows nothing: %+v", want)
	}

	for name, backend := range map[string]func(*slotted) server.Backend{
		"a server that cannot tell": silent,
		"a server that has none":    func(s *slotted) server.Backend { return s },
		"a server that is no such": func(s *slotted) server.Backend {
			s.deaf = &server.Fault{Kind: server.Refused, Status: 401}
			return s
		},
		"a server that does not say": func(s *slotted) server.Backend {
			s.deaf = &server.Fault{Kind: server.Transient, Status: 500}
			return s
		},
	} {
		if diff := godiff.Diff(want, ask(t, backend, true), godiff.AllowUnexported(seen{}, asked{})); diff != "" {
			t.Errorf("%s, conversations -without +with:\n%s", name, diff)
		}
	}
}

// The setting takes the place of what servers tell.
func TestSlotsOfTheSetting(t *testing.T) {
	for _, test := range []struct {
		name             string
		told, set, seats int
	}{
		{"fewer than it has", 4, 2, 2},
		{"more than it has", 2, 4, 4},
		{"it tells nothing", 0, 3, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlotted("a", test.told)
			o := auto(s)
			o.Slots = test.set
			p := newPolicy(t, o)

			talkAll(t, p, 10, 2, 2).Wait()

			if alive := s.alive(); s.most != test.seats || alive != test.seats {
				t.Errorf("%s: %d completions and %d conversations at a time", test.name, s.most, alive)
			}
		})
	}
}

// A limit of the user's stands, and slots that it leaves empty, or that the server does not have,
// are not idle.
func TestFixedLimitAtSlots(t *testing.T) {
	for limit, want := range map[int]time.Duration{1: 0, 16: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlotted("a", 2)
			o := options(s)
			o.Limit.Sequences = limit
			p := newPolicy(t, o)

			c, end := p.Converse()
			defer end()

			if _, err := c.Propose(t.Context(), request(0, 1)); err != nil {
				t.Fatal(err)
			}

			if got := p.Snapshot(); got.Idle != want || got.Busy != time.Second || got.Limit != limit {
				t.Errorf("a limit of %d at 2 slots: %+v", limit, got.Load)
			}
		})
	}
}

// Whatever fails, is interrupted or goes away: no more ask than there are slots, no conversation
// is lost, and in the end all seats are free.
func TestSeatsAreNeverLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 3).Draw(rt, "slots")
		outages := rapid.SliceOfN(rapid.IntRange(0, 60), len(slots), len(slots)).Draw(rt, "gone from the second")
		talks := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 25).Draw(rt, "requests of each conversation")
		n := rapid.IntRange(1, 5).Draw(rt, "samples")
		stagger := rapid.IntRange(0, 10).Draw(rt, "seconds between beginnings")
		patience := rapid.IntRange(1, 40).Draw(rt, "seconds until a caller gives up, of every fifth")

		synctest.Test(t, func(t *testing.T) {
			start := time.Now()

			var servers []*slotted
			o := auto()

			for i, number := range slots {
				s := newSlotted(string(rune('a'+i)), number)
				s.gone = func() bool {
					since := time.Since(start) - time.Duration(outages[i])*time.Second
					return outages[i] > 0 && since > 0 && since < 20*time.Second
				}
				servers = append(servers, s)
				o.Backends = append(o.Backends, s)
			}

			p := newPolicy(t, o)

			var group sync.WaitGroup
			for i, requests := range talks {
				c, end := p.Converse()
				group.Go(func() {
					defer end()

					<-time.After(time.Duration(i*stagger) * time.Second)

					ctx := t.Context()
					if i%5 == 4 {
						limited, cancel := context.WithTimeout(ctx, time.Duration(patience)*time.Second)
						defer cancel()

						ctx = limited
					}

					if err := talk(ctx, c, i, requests, n); err != nil && ctx.Err() == nil {
						rt.Errorf("question %d: %v", i, err)
					}
				})
			}

			group.Wait()

			for i, s := range servers {
				if slots[i] > 0 && s.most > slots[i] {
					rt.Errorf("%d completions at a time of %d slots", s.most, slots[i])
				}
			}

			<-time.After(time.Minute)

			free := 0
			for i := range servers { // each sits down somewhere, and all that there are can
				if servers[i].told > 0 && !p.Snapshot().Servers[i].Down {
					free += p.Snapshot().Servers[i].Slots
				}
			}

			if room := p.Room(1); room < free {
				rt.Errorf("room for %d at %d slots when all is over", room, free)
			}
		})
	})
}
