package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/mcts/policy/server"
)

// There is room up to the limit and for one request that waits; a server that is down has none, and
// others make up for nothing of it.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		hold := func(context.Context, server.Completion) error { <-end; return nil }
		o := options(&echo{address: "a", before: hold})
		o.Limit.Sequences = 8

		p := newPolicy(t, o)
		if room := p.Room(1); room != 9 {
			t.Errorf("room for %d before the first request, want 8 and one that waits", room)
		}

		for i, want := range []int{8, 3, 0, 0} { // 5 in flight, 10, and then they wait
			go p.Propose(t.Context(), request(i, 5))

			synctest.Wait()

			if room := p.Room(1); room != want {
				t.Errorf("room for %d with %d requests of 5 at a limit of 8, want %d", room, i+1, want)
			}
		}

		close(end)
		synctest.Wait()

		if room := p.Room(1); room != 13 {
			t.Errorf("room for %d when all are through, want 13", room)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		o := options(&echo{address: "a", before: absence(time.Now(), time.Now().Add(time.Hour))}, &echo{address: "b"})
		o.Limit.Sequences = 8

		p := newPolicy(t, o)
		if room := p.Room(1); room != 18 {
			t.Errorf("room for %d at two servers, want 18", room)
		}

		all(t, p, 40, 4, 1)
		synctest.Wait()

		if s := p.Snapshot().Servers[0]; !s.Down || p.Room(1) != 9 {
			t.Errorf("room for %d, want that of the server that is left (down: %v)", p.Room(1), s.Down)
		}
	})
}

// Once patience is over, the error says that the run has to stop, for how long nobody was there,
// and why; whoever asks next is told at once.
func TestGoneForGood(t *testing.T) {
	for _, backends := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()

			o := options()
			for i := range backends {
				o.Backends = append(o.Backends, &echo{
					address: string(rune('a' + i)),
					before:  absence(start, start.Add(24*time.Hour)),
				})
			}

			o.Retry.Patience = time.Minute

			p := newPolicy(t, o)
			for i := range 2 {
				_, err := p.Propose(t.Context(), request(i, 5))
				var gone *server.GoneError

				var fault *server.Fault
				if !errors.As(err, &gone) || !errors.As(err, &fault) || !envs.IsFinal(err) || isRefused(err) {
					t.Fatalf("error is %v", err)
				}

				if gone.Servers != backends || gone.Patience != time.Minute || gone.Since.Before(start) ||
					gone.Since.After(start.Add(15*time.Second)) {
					t.Errorf("%+v", gone)
				}

				if took := time.Since(start); took < time.Minute || took > 2*time.Minute {
					t.Errorf("request %d failed after %v", i, took)
				}
			}
		})
	}
}

// A server of many slots that tells its load has leave for as many sequences within two seconds.
func TestRampIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := &engine{model: model{slots: 256, step: 9 * time.Millisecond, mean: 21}, settles: true}
		stopped := e.start(ctx)
		o := options(open{e})
		o.LogProbs, o.Limit.Sequences = false, 0
		p := newPolicy(t, o)

		for w := range 200 {
			go func() {
				for i := 0; ctx.Err() == nil; i++ {
					p.Propose(ctx, request(1000*w+i, 5))
				}
			}()
		}

		<-time.After(2 * time.Second)

		// What waits at the server at the moment of a look is taken off the limit, which may be a
		// few.
		if s := p.Snapshot().Servers[0]; s.Limit < 250 || s.Gauges == nil {
			t.Errorf("after two seconds the limit is %d: %+v", s.Limit, s.Gauges)
		}

		cancel()
		stopped()
		synctest.Wait()
	})
}
