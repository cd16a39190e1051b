package server_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/server"
)

// load keeps an engine busy with requests from a number of workers and returns its tokens per
// second over the last part of a time, and the limits seen in that part.
func load(t *testing.T, e *engine, gauges bool, sequences, workers, n int, total, last time.Duration) (rate float64,
	limits []int) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := e.start(ctx)

		var backend server.Backend = e
		if gauges {
			backend = open{e}
		}

		o := options(backend)
		o.LogProbs = false
		o.Limit.Sequences = sequences
		p := newPolicy(t, o)

		for w := range workers {
			go func() {
				for i := 0; ctx.Err() == nil; i++ {
					p.Propose(ctx, request(1000*w+i, n))
				}
			}()
		}

		<-time.After(total - last)

		before := e.done()

		for range int(last / time.Second) {
			<-time.After(time.Second)

			limits = append(limits, p.Snapshot().Limit)
		}

		rate = float64(e.done()-before) / last.Seconds()

		cancel()
		stopped()
		synctest.Wait()
	})
	return rate, limits
}

// auto is, within a minute, nine tenths as good as the best fixed limit, whatever the server, and
// it keeps still then.
func TestAutoFindsTheLimit(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name    string
		model   model
		n       int
		workers int
		gauges  bool
	}{
		{"8 slots", model{slots: 8, step: 9 * ms, mean: 21}, 1, 100, false},
		{"64 slots", model{slots: 64, step: 9 * ms, mean: 21}, 1, 300, false},
		{"256 slots", model{slots: 256, step: 72 * ms, mean: 21}, 1, 500, false},
		{"8 slots, packs", model{slots: 8, step: 9 * ms, mean: 21}, 5, 40, false},
		{"64 slots, packs", model{slots: 64, step: 9 * ms, mean: 21}, 5, 80, false},
		{"256 slots, packs", model{slots: 256, step: 18 * ms, mean: 21}, 5, 200, false},
		{"8 slots, gauges", model{slots: 8, step: 9 * ms, mean: 21}, 5, 40, true},
		{"64 slots, gauges", model{slots: 64, step: 9 * ms, mean: 21}, 5, 80, true},
		{"256 slots, gauges", model{slots: 256, step: 18 * ms, mean: 21}, 5, 200, true},
		{"one slot", model{slots: 1, step: 9 * ms, mean: 21}, 1, 50, false},
		{"no tokens told", model{slots: 64, step: 36 * ms, mean: 21, silent: true}, 1, 300, false},
		{"slow", model{slots: 64, step: 53 * ms, mean: 60}, 1, 300, false},
		{"slow, large, gauges", model{slots: 256, step: 53 * ms, mean: 60}, 5, 200, true},
		{"steps that grow", model{slots: 1000, step: 19 * ms, each: ms / 2, mean: 10}, 5, 150, false},
		{"little cache", model{slots: 256, step: 36 * ms, mean: 21, cache: 60}, 1, 400, false},
		{"little room", model{slots: 64, step: 36 * ms, mean: 21, room: 96}, 1, 300, false},
		{"little cache, gauges", model{slots: 256, step: 36 * ms, mean: 21, cache: 60}, 1, 400, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			best, at := tt.model.best(tt.n * tt.workers)
			rate, limits := load(t, &engine{model: tt.model}, tt.gauges, 0, tt.workers, tt.n, 120*time.Second,
				60*time.Second)
			t.Logf("at best %.0f tokens/s at %d; auto %.0f at %s", best, at, rate, fmt.Sprint(limits))

			if rate < 0.9*best {
				t.Errorf("%.0f tokens/s with auto, %.0f with a limit of %d", rate, best, at)
			}

			if low, high := slices.Min(limits), slices.Max(limits); high > 2*low+tt.n && travel(limits) > 2*(high-low) {
				t.Errorf("the limit swings between %d and %d", low, high)
			}
		})
	}
}

// The best that an engine can do, which auto is measured by, is what fixed limits reach.
func TestFixedLimitsReachTheBest(t *testing.T) {
	for _, m := range []model{
		{slots: 8, step: 9 * time.Millisecond, mean: 21},
		{slots: 64, step: 9 * time.Millisecond, each: time.Millisecond / 2, mean: 21},
		{slots: 64, step: 9 * time.Millisecond, mean: 21, cache: 15},
	} {
		want, at := m.best(40)
		got := 0.0

		for _, sequences := range []int{at / 2, at, 2 * at} {
			rate, _ := load(t, &engine{model: m}, false, sequences, 40, 1, 20*time.Second, 10*time.Second)
			got = max(got, rate)
		}

		if got < 0.93*want || got > 1.03*want { // between two requests, a place may be empty for a step
			t.Errorf("%+v: fixed limits reach %.0f tokens/s, %.0f at %d is said to be the best", m, got, want, at)
		}
	}
}

// travel is how far a limit moved in all. One that goes from high to low once travels its range;
// one that swings, more.
func travel(limits []int) int {
	sum := 0
	for i := range limits[1:] {
		sum += max(limits[i]-limits[i+1], limits[i+1]-limits[i])
	}
	return sum
}

// crowd asks without a pause until ctx ends.
func crowd(ctx context.Context, p *server.Policy) {
	for w := range 150 {
		go func() {
			for i := 0; ctx.Err() == nil; i++ {
				p.Propose(ctx, request(1000*w+i, 1))
			}
		}()
	}
}

// The limit follows a server whose capacity changes.
func TestAutoFollowsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := &engine{model: model{slots: 8, step: 27 * time.Millisecond, mean: 21}}
		stopped := e.start(ctx)
		o := options(e)
		o.LogProbs, o.Limit.Sequences = false, 0
		p := newPolicy(t, o)
		crowd(ctx, p)

		for _, slots := range []int{8, 32, 8} {
			e.mu.Lock()
			e.slots = slots
			e.mu.Unlock()
			<-time.After(6 * time.Minute)

			if limit := p.Snapshot().Limit; limit < slots*3/4 || limit > 3*slots {
				t.Errorf("the limit is %d for %d slots", limit, slots)
			}
		}

		cancel()
		stopped()
		synctest.Wait()
	})
}

// Gauges steer while they are there, and a policy does without them when they end.
func TestGaugesMayEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := &engine{model: model{slots: 64, step: 18 * time.Millisecond, mean: 21}}
		stopped := e.start(ctx)
		end := time.Now().Add(3500 * time.Millisecond)
		o := options(passing{open{e}, end})
		o.LogProbs, o.Limit.Sequences = false, 0
		p := newPolicy(t, o)
		crowd(ctx, p)
		<-time.After(3 * time.Second)

		if g := p.Snapshot().Servers[0].Gauges; g == nil || g.Running == 0 {
			t.Errorf("gauges are %+v", g)
		}

		<-time.After(time.Minute)

		if s := p.Snapshot().Servers[0]; s.Gauges != nil || s.Limit < 48 || s.Limit > 128 {
			t.Errorf("gauges are %+v, the limit is %d", s.Gauges, s.Limit)
		}

		cancel()
		stopped()
		synctest.Wait()
	})
}

// passing is an engine that stops showing its gauges.
type passing struct {
	open
	end time.Time
}

func (p passing) Gauges(ctx context.Context) (server.Gauges, bool) {
	if time.Now().After(p.end) {
		return server.Gauges{}, false
	}
	return p.open.Gauges(ctx)
}
