package engines

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs/sandbox"
)

// sleeper is an engine whose programs take as long as their text says.
type sleeper struct {
	sandbox.Engine

	mu            sync.Mutex
	running, most int
}

func (e *sleeper) Run(ctx context.Context, p sandbox.Program, _ sandbox.Limits) (sandbox.Reply, error) {
	e.mu.Lock()
	e.running++
	e.most = max(e.most, e.running)
	e.mu.Unlock()

	defer func() {
		e.mu.Lock()
		e.running--
		e.mu.Unlock()
	}()

	took, err := time.ParseDuration(p.Code)
	if err != nil {
		return sandbox.Reply{}, err
	}

	select {
	case <-time.After(took):
		return sandbox.Reply{}, nil
	case <-ctx.Done():
		return sandbox.Reply{}, ctx.Err()
	}
}

// send runs programs of a session one after the other until the context ends, and returns how long
// each took with its wait.
func send(t *testing.T, e sandbox.Engine, ctx context.Context, pause time.Duration,
	codes ...string) (all []time.Duration) {
	t.Helper()

	ctx = WithSession(ctx)

	for _, code := range codes {
		began := time.Now()

		if _, err := e.Run(ctx, sandbox.Program{Code: code}, sandbox.Limits{}); err != nil && ctx.Err() == nil {
			t.Error(err)
		}

		all = append(all, time.Since(began))

		select {
		case <-time.After(pause): // of the bubble's clock
		case <-ctx.Done():
			return all
		}
	}

	return all
}

// However many sessions send endless programs, and for how long, one whose programs are short waits
// for a place that becomes free, and no longer.
func TestFair(t *testing.T) {
	for _, tt := range []struct {
		name    string
		places  int
		endless int           // sessions
		joins   time.Duration // when the short ones begin
		most    time.Duration // that one of them takes, after those that came before it
	}{
		{"one endless session", 2, 1, time.Minute, 20 * time.Millisecond},
		{"two", 2, 2, time.Minute, 8*time.Second + 20*time.Millisecond},
		{"fifty", 2, 50, 10 * time.Minute, 8*time.Second + 20*time.Millisecond},
		{"one place", 1, 10, 10 * time.Minute, 8*time.Second + 20*time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := &sleeper{}
				e := &fair{Engine: inner, free: tt.places}

				ctx, cancel := context.WithCancel(t.Context())

				var all sync.WaitGroup
				for range tt.endless {
					all.Go(func() { send(t, e, ctx, 0, slices.Repeat([]string{"8s"}, 200)...) })
				}

				<-time.After(tt.joins)

				took := send(t, e, ctx, time.Second, slices.Repeat([]string{"10ms"}, 30)...)
				if most := slices.Max(took); most > tt.most {
					t.Errorf("a short program takes up to %v, want %v", most, tt.most)
				}

				cancel()
				all.Wait()

				if inner.most != tt.places || e.free != tt.places || len(e.waiting) != 0 {
					t.Errorf("%d ran at once; %d places are free, and %d wait", inner.most, e.free,
						len(e.waiting))
				}
			})
		})
	}
}

// A session whose programs take long has its turn, too, though others never leave a place free.
func TestFairToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fair{Engine: &sleeper{}, free: 1}
		ctx, cancel := context.WithCancel(t.Context())

		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { send(t, e, ctx, 0, slices.Repeat([]string{"200ms"}, 10000)...) })
		}

		took := send(t, e, ctx, 0, "8s", "8s", "8s")
		if most := slices.Max(took); most > 10*time.Minute {
			t.Errorf("a long program takes up to %v", most)
		}

		cancel()
		all.Wait()
	})
}

// Who gives up while waiting leaves no gap, and takes no place.
func TestFairGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fair{Engine: &sleeper{}, free: 1}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		var all sync.WaitGroup
		all.Go(func() { send(t, e, t.Context(), 0, "8s") })
		synctest.Wait()

		_, err := e.Run(ctx, sandbox.Program{Code: "1s"}, sandbox.Limits{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it waits until %v", err)
		}

		if took := send(t, e, t.Context(), 0, "1s"); took[0] != 8*time.Second {
			t.Errorf("the next one takes %v", took)
		}

		all.Wait()
	})
}
