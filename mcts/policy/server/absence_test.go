package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/server"
)

// absence makes a server unreachable from one moment to another.
func absence(from, to time.Time) func(context.Context, server.Completion) error {
	return func(context.Context, server.Completion) error {
		if now := time.Now(); !now.Before(from) && now.Before(to) {
			return &server.Fault{Kind: server.Transient, Address: "a", Err: errors.New("connection refused")}
		}
		return nil
	}
}

// slow makes an answer take a while.
func slow(d time.Duration, before func(context.Context, server.Completion) error) func(context.Context,
	server.Completion) error {
	return func(ctx context.Context, c server.Completion) error {
		select {
		case <-time.After(d):
			return before(ctx, c)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		name   string
		away   time.Duration
		worker int
		fail   bool
	}{
		{"back in time", 10 * time.Minute, 16, false},
		{"back in time, one worker", 10 * time.Minute, 1, false},
		{"gone for good", 24 * time.Hour, 16, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			start := time.Now()
			gone := start.Add(20 * time.Second)
			backend := &echo{address: "a", before: slow(200*time.Millisecond, absence(gone, gone.Add(tt.away)))}
			o := options(backend)
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			p := newPolicy(t, o)
			var failed atomic.Pointer[error]
			done := make(chan struct{})

			for range tt.worker {
				go func() {
					defer func() { done <- struct{}{} }()

					for i := 0; time.Since(start) < 20*time.Minute && failed.Load() == nil; i++ {
						if _, err := p.Propose(t.Context(), request(i, 4)); err != nil {
							failed.Store(&err)
						}
					}
				}()
			}

			<-time.After(60 * time.Second)

			if s := p.Snapshot().Servers[0]; !s.Down || s.Since.Before(gone) || s.Since.After(gone.Add(time.Second)) {
				t.Errorf("%s: down is %v since %v, it left at %v", tt.name, s.Down, s.Since, gone)
			}

			before := backend.asked.Load()

			<-time.After(5 * time.Minute)

			if probes := backend.asked.Load() - before; probes < 10 || probes > 25 {
				t.Errorf("%s: %d probes in five minutes, want one each 15 s to 30 s", tt.name, probes)
			}

			for range tt.worker {
				<-done
			}

			lost, back := strings.Count(log.String(), "not answering"), strings.Count(log.String(), "is back")

			if tt.fail {
				waited := time.Since(gone)
				if failed.Load() == nil || waited < server.DefaultPatience || waited > server.DefaultPatience+
					time.Minute || lost != 1 || back != 0 {
					t.Errorf("%s: gave up after %v, and said so %d times:\n%s", tt.name, waited, lost, log.String())
				}

				return
			}

			if failed.Load() != nil || lost != 1 || back != 1 || p.Snapshot().Servers[0].Down {
				t.Errorf("%s: said %d times that it is gone, %d that it is back:\n%s", tt.name, lost, back,
					log.String())
			}
		})
	}
}

// A question stays with its server, goes to another while that is gone, and comes back with it.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		gone, back := start.Add(time.Minute), start.Add(5*time.Minute)
		backends := []server.Backend{&echo{address: "a", before: absence(gone, back)}, &echo{address: "b"},
			&echo{address: "c"}}
		p := newPolicy(t, options(backends...))
		counts := func() (c [3]int64) {
			for i, b := range backends {
				c[i] = b.(*echo).asked.Load()
			}
			return c
		}
		home := map[int]int{}

		for round := range 2 { // the second finds each question where the first had it
			for q := range 60 {
				before := counts()

				p.Propose(t.Context(), request(q, 1))

				for i, n := range counts() {
					if n != before[i] {
						if round > 0 && home[q] != i {
							t.Errorf("question %d moved from %d to %d", q, home[q], i)
						}

						home[q] = i
					}
				}
			}
		}

		for i, n := range counts() {
			if n < 20 {
				t.Errorf("server %d has %d of 120 requests", i, n)
			}
		}

		if n := p.Snapshot().Failovers; n != 0 {
			t.Errorf("%d failovers while all was well", n)
		}

		<-time.After(time.Until(gone.Add(time.Second)))
		all(t, p, 60, 8, 1)

		took := time.Since(gone)

		s := p.Snapshot()
		if !s.Servers[0].Down || s.Failovers == 0 || took > 10*time.Second {
			t.Errorf("down: %v, %d failovers, took %v", s.Servers[0].Down, s.Failovers, took)
		}

		others := counts()

		<-time.After(time.Until(back.Add(time.Minute)))
		all(t, p, 60, 1, 1)

		if p.Snapshot().Servers[0].Down {
			t.Error("the server is back, and nobody noticed")
		}

		for q := range 60 {
			if home[q] == 0 {
				others = counts()

				p.Propose(t.Context(), request(q, 1))

				if now := counts(); now[0] != others[0]+1 || now[1] != others[1] || now[2] != others[2] {
					t.Errorf("question %d did not come back", q)
				}
			}
		}
	})
}

// Those who wait for the limiter of a server that hangs are let go as soon as it is known to be
// gone.
func TestWaitersLeaveADeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := func(ctx context.Context, _ server.Completion) error { <-ctx.Done(); return ctx.Err() }
		o := options(&echo{address: "a", before: hangs}, &echo{address: "b"})
		o.Limit.Sequences, o.Timeout = 5, time.Minute
		p := newPolicy(t, o)
		start := time.Now()

		all(t, p, 100, 100, 1)

		if took := time.Since(start); took > 5*time.Minute {
			t.Errorf("took %v: %d of the requests should have hung for a minute, and nobody else", took, 5)
		}
	})
}

func TestCancellation(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(context.Context, server.Completion) error
	}{
		{"in flight", func(ctx context.Context, _ server.Completion) error { <-ctx.Done(); return ctx.Err() }},
		{"a server that answers with a fault then", func(ctx context.Context, _ server.Completion) error {
			<-ctx.Done()
			return &server.Fault{Kind: server.Transient, Address: "a", Err: ctx.Err()}
		}},
		{"between attempts", func(context.Context, server.Completion) error {
			return &server.Fault{Kind: server.Transient, Address: "a", Status: 429, RetryAfter: time.Hour}
		}},
		{"waiting for a server", func(context.Context, server.Completion) error {
			return &server.Fault{Kind: server.Transient, Address: "a"}
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, options(&echo{address: "a", before: tt.before}))
			ctx, cancel := context.WithCancel(t.Context())
			errs := make(chan error)

			for i := range 40 { // 16 at most are let in
				go func() {
					_, err := p.Propose(ctx, request(i, 4))
					errs <- err
				}()
			}

			<-time.After(time.Minute)

			start := time.Now()

			cancel()

			for range 40 {
				if err := <-errs; !errors.Is(err, context.Canceled) {
					t.Errorf("%s: error is %v", tt.name, err)
				}
			}

			if took := time.Since(start); took != 0 {
				t.Errorf("%s: took %v to end", tt.name, took)
			}

			s := p.Snapshot()
			if s.InFlight != 0 || s.Waiting != 0 || s.Requests != s.Transient+s.Cancelled {
				t.Errorf("%s: %d in flight, %d waiting; of %d requests %d failed and %d were cancelled",
					tt.name, s.InFlight, s.Waiting, s.Requests, s.Transient, s.Cancelled)
			}
		})
	}
}

// A probe that is cancelled leaves its place to another request.
func TestCancelledProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		refuses := absence(start, start.Add(time.Minute))
		backend := &echo{address: "a"}
		backend.before = func(ctx context.Context, c server.Completion) error {
			if backend.asked.Load() == 6 { // the first probe
				<-ctx.Done()
				return ctx.Err()
			}
			return refuses(ctx, c)
		}
		p := newPolicy(t, options(backend))

		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()

		if _, err := p.Propose(ctx, request(0, 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}

		all(t, p, 3, 3, 1)

		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("it took %v to find the server back after a minute", took)
		}
	})
}

// Faults that a reply came between are not faults in a row: a server that loses four requests of
// five is one that answers.
func TestFaultsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *server.Policy
		backend := &echo{address: "a"}
		backend.before = func(context.Context, server.Completion) error {
			if p.Snapshot().Servers[0].Down {
				t.Errorf("request %d finds the server down", backend.asked.Load())
			}

			if backend.asked.Load()%5 != 0 {
				return &server.Fault{Kind: server.Transient, Address: "a", Err: errors.New("connection reset")}
			}
			return nil
		}
		p = newPolicy(t, options(backend))
		all(t, p, 6, 1, 1)
	})
}
