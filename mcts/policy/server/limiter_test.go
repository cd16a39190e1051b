package server_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"toolevo/mcts/policy/server"
)

// Never are more sequences in flight than the limit and one request's less one, and while requests
// wait, never fewer.
func TestLimitHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 7), 1, 60).Draw(rt, "sizes")

		synctest.Test(t, func(t *testing.T) {
			var inFlight, most atomic.Int64
			backend := &echo{address: "a", before: func(_ context.Context, c server.Completion) error {
				most.Store(max(most.Load(), inFlight.Add(int64(c.N))))
				<-time.After(time.Duration(c.Seed%7+1) * time.Second)
				inFlight.Add(-int64(c.N))
				return nil
			}}
			o := options(backend)
			o.Limit.Sequences = limit

			p := newPolicy(t, o)
			for i, n := range sizes {
				go p.Propose(t.Context(), request(i, n))
			}

			for {
				synctest.Wait()

				s := p.Snapshot()
				if int64(s.InFlight) != inFlight.Load() || s.Waiting > 0 && s.InFlight < limit {
					rt.Errorf("the server sees %d, the policy counts %d in flight, %d waiting, at a limit of %d",
						inFlight.Load(), s.InFlight, s.Waiting, limit)
				}

				if s.InFlight == 0 {
					break
				}

				<-time.After(time.Second)
			}

			if int(most.Load()) > limit+slices.Max(sizes)-1 {
				rt.Errorf("%d in flight at a limit of %d", most.Load(), limit)
			}
		})
	})
}

// First come, first served, large and small alike.
func TestLimiterIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var served []uint64
		backend := &echo{address: "a", before: func(_ context.Context, c server.Completion) error {
			served = append(served, c.Seed/1000)

			<-time.After(time.Second)
			return nil
		}}
		o := options(backend)
		o.Limit.Sequences = 1

		p := newPolicy(t, o)
		for i := range 20 {
			go p.Propose(t.Context(), request(i, 1+i*7%5))

			synctest.Wait()
		}

		<-time.After(time.Minute)

		if len(served) != 20 || !slices.IsSorted(served) {
			t.Errorf("served in the order %v", served)
		}
	})
}

func TestSlotTimeAddsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(&echo{address: "a", before: slow(10*time.Second, absence(time.Time{}, time.Time{}))})
		o.Limit.Sequences = 8

		p := newPolicy(t, o)
		if u := p.Snapshot().Utilization(); u != 1 {
			t.Errorf("%v of nothing is used", u)
		}

		<-time.After(time.Hour) // before the first request nobody waits
		all(t, p, 2, 2, 3)      // 6 of 8 for 10 s
		<-time.After(5 * time.Second)

		s := p.Snapshot()
		if s.Busy != 60*time.Second || s.Idle != 60*time.Second || s.Utilization() != 0.5 {
			t.Errorf("busy %v, idle %v, want 60 s each", s.Busy, s.Idle)
		}
	})
}
