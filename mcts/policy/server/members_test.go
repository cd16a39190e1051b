package server_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// homes asks each question once and says which server answered it.
func homes(t *testing.T, p *server.Policy, questions int) map[int]string {
	t.Helper()

	at, answered := map[int]string{}, map[string]int64{}
	for _, s := range p.Snapshot().Servers {
		answered[s.Address] = s.Answered
	}

	for q := range questions {
		if _, err := p.Propose(t.Context(), request(q, 1)); err != nil {
			t.Fatal(err)
		}

		for _, s := range p.Snapshot().Servers {
			if s.Answered > answered[s.Address] {
				at[q] = s.Address
			}
			answered[s.Address] = s.Answered
		}
	}
	return at
}

// Whoever joins gets some of the questions, and whoever leaves loses its own: no other moves. What
// was counted of one that left stays, and goes on when it is back.
func TestJoinAndLeave(t *testing.T) {
	t.Parallel()

	const questions = 300
	p := newPolicy(t, options(&echo{address: "a"}, &echo{address: "b"}))
	two := homes(t, p, questions)

	if err := p.Join(t.Context(), &echo{address: "c"}); err != nil {
		t.Fatal(err)
	}
	three := homes(t, p, questions)

	moved := 0
	for q, at := range three {
		if at != two[q] {
			moved++
			if at != "c" {
				t.Errorf("question %d moved from %s to %s when c joined", q, two[q], at)
			}
		}
	}

	// A third of them: 100, with a standard deviation of 8.
	if moved < 70 || moved > 130 {
		t.Errorf("%d of %d questions moved to the third server", moved, questions)
	}

	if err := p.Leave("c"); err != nil {
		t.Fatal(err)
	}

	if again := homes(t, p, questions); !maps.Equal(again, two) {
		t.Error("questions are elsewhere than before c joined and left")
	}

	left := p.Snapshot().Servers[2]
	if !left.Left || left.Answered != int64(moved)+1 || left.Limit != 0 {
		t.Errorf("of c is known %+v, want that it left with %d answers and a greeting", left, moved)
	}

	if err := p.Join(t.Context(), &echo{address: "c"}); err != nil {
		t.Fatal(err)
	}

	if again := homes(t, p, questions); !maps.Equal(again, three) {
		t.Error("questions are elsewhere than when c was there before")
	}

	if s := p.Snapshot(); len(s.Servers) != 3 || s.Servers[2].Answered != 2*int64(moved)+2 || s.Servers[2].Left {
		t.Errorf("of c is known %+v", s.Servers[2])
	}
}

// What is in flight at a server that leaves is answered there, and what waits for it is asked
// elsewhere at once: no completion is paid for twice.
func TestLeaveWithWork(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		long := func(ctx context.Context, _ server.Completion) error {
			select {
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		leaving, staying := &echo{address: "a", before: long}, &echo{address: "b"}
		o := options(leaving, staying)
		o.Limit.Sequences, o.Timeout = 2, 2*time.Hour
		p := newPolicy(t, o)
		var work sync.WaitGroup

		for q := range 40 {
			work.Go(func() {
				if _, err := p.Propose(t.Context(), request(q, 1)); err != nil {
					t.Errorf("question %d: %v", q, err)
				}
			})
		}

		synctest.Wait() // two requests are at a, and the rest of its own wait for it
		elsewhere := staying.asked.Load()

		if err := p.Leave("a"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()

		if got := staying.asked.Load(); got != 38 || elsewhere == got {
			t.Errorf("b was asked %d times, before a left %d times, want 38 in the end", got, elsewhere)
		}

		work.Wait()

		if n := leaving.asked.Load(); n != 2 {
			t.Errorf("a was asked %d times, want 2", n)
		}

		if s := p.Snapshot(); s.Answered != 40 || s.Failed() != 0 || s.Cancelled != 0 {
			t.Errorf("%d answered, %d failed, %d cancelled, want 40 answered alone", s.Answered, s.Failed(),
				s.Cancelled)
		}
	})
}

// One that joins while all others are gone is asked at once, and one that is gone may leave.
func TestJoinWhileOthersAreGone(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPolicy(t, options(&echo{address: "a", before: absence(start, start.Add(24*time.Hour))}))
		var work sync.WaitGroup

		for q := range 10 {
			work.Go(func() {
				if _, err := p.Propose(t.Context(), request(q, 1)); err != nil {
					t.Errorf("question %d: %v", q, err)
				}
			})
		}

		<-time.After(time.Minute) // of the bubble: everybody waits for a by now

		if err := p.Join(t.Context(), &echo{address: "b"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()

		work.Wait()

		if err := p.Leave("a"); err != nil {
			t.Fatal(err)
		}

		if got := time.Since(start); got > 2*time.Minute {
			t.Errorf("the questions were answered after %v, want at most a minute after b joined", got)
		}
	})
}

func TestWhoMayNotJoinOrLeave(t *testing.T) {
	t.Parallel()

	p := newPolicy(t, options(&echo{address: "a"}))
	refuses := func(context.Context, server.Completion) error {
		return &server.Fault{Kind: server.Refused, Address: "b", Status: 404, Message: "no such model"}
	}

	if err := p.Join(t.Context(), &echo{address: "b", before: refuses}); server.FaultOf(err) == nil {
		t.Errorf("a server without the model joined: %v", err)
	}

	for what, err := range map[string]error{
		"the last server left":           p.Leave("a"),
		"somebody left who never joined": p.Leave("b"),
		"a server joined twice":          p.Join(t.Context(), &echo{address: "a"}),
	} {
		if err == nil {
			t.Error(what)
		}
	}

	if got := p.Addresses(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v are asked, want a alone", got)
	}

	ended, end := context.WithCancel(t.Context())
	end()

	if err := p.Join(ended, &echo{address: "c"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a server joined after the end: %v", err)
	}
}

// Servers that join and leave all the time change no sample.
func TestJoiningAndLeavingChangesNothing(t *testing.T) {
	t.Parallel()

	const requests = 400
	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 8, 3)

	p := newPolicy(t, options(&echo{address: "a"}, &echo{address: "s0"}))
	ctx, stop := context.WithCancel(t.Context())
	var members sync.WaitGroup

	var joined atomic.Int64

	members.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := p.Join(ctx, &echo{address: fmt.Sprint("s", (i+1)%5)}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			joined.Add(1)

			if err := p.Leave(fmt.Sprint("s", i%5)); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})

	got := all(t, p, requests, 8, 3)
	for joined.Load() < 2 { // until some have come and gone meanwhile
		got = all(t, p, requests, 8, 3)
	}

	stop()
	members.Wait()

	if n := len(p.Snapshot().Servers); n < 3 {
		t.Errorf("there were %d servers: that shows nothing", n)
	}

	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("request %d gave %v, want %v", i, got[i], want[i])
		}
	}
}

// A greeting may take longer than whoever lets a server join waits for it: it joins all the same,
// as it takes part in a run that begins with it.
func TestSlowServerJoins(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		p := newPolicy(t, options(&echo{address: "a"}))
		ctx, end := context.WithTimeout(mcts.AtOnce(t.Context()), 4*time.Second)
		defer end()

		nothing := func(context.Context, server.Completion) error { return nil }
		if err := p.Join(ctx, &echo{address: "b", before: slow(10*time.Second, nothing)}); err != nil {
			t.Fatal(err)
		}

		if got := p.Addresses(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%v are asked", got)
		}
	})
}

// Of several that let one server join at the same time, one does.
func TestJoinAtOnce(t *testing.T) {
	t.Parallel()

	p := newPolicy(t, options(&echo{address: "a"}))

	for range 3 { // anew, and again after it has left
		var joined atomic.Int64
		var all sync.WaitGroup

		for range 8 {
			all.Go(func() {
				if p.Join(t.Context(), &echo{address: "b"}) == nil {
					joined.Add(1)
				}
			})
		}
		all.Wait()

		if got := p.Addresses(); joined.Load() != 1 || !slices.Equal(got, []string{"a", "b"}) {
			t.Fatalf("%d joined, and %v are asked", joined.Load(), got)
		}

		if err := p.Leave("b"); err != nil {
			t.Fatal(err)
		}
	}
}

// watched is a backend that tells how busy it is.
type watched struct {
	echo
	read atomic.Int64
}

func (w *watched) Gauges(context.Context) (server.Gauges, bool) {
	w.read.Add(1)
	return server.Gauges{Running: 3}, true
}

// Nobody reads what a server says of itself once it has left, nor counts what it said last.
func TestGaugesOfOneThatLeft(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		w := &watched{echo: echo{address: "b"}}
		p := newPolicy(t, options(&echo{address: "a"}))

		for range 2 {
			before := w.read.Load()
			if err := p.Join(t.Context(), w); err != nil {
				t.Fatal(err)
			}

			<-time.After(5 * time.Second)

			if s := p.Snapshot().Servers[1]; s.Gauges == nil || s.Gauges.Running != 3 || w.read.Load() == before {
				t.Errorf("of one that is asked is known %+v", s.Gauges)
			}

			if err := p.Leave("b"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			left := w.read.Load()

			<-time.After(5 * time.Second)

			if s := p.Snapshot().Servers[1]; s.Gauges != nil || w.read.Load() != left {
				t.Errorf("of one that left is known %+v, and it was read %d times more", s.Gauges, w.read.Load()-left)
			}
		}
		p.Close()
	})
}
