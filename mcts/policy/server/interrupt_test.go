package server_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/store"
)

// An interruption waits for what a server is answering. What waits for a slot, or would be asked
// again, is not sent.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, cancel := context.WithCancel(t.Context())
		defer cancel()

		ctx, interrupt := mcts.Interruptible(outer)
		release := make(chan error)
		backend := &echo{address: "a", before: func(ctx context.Context, _ server.Completion) error {
			select {
			case err := <-release:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		o := options(backend)
		o.Limit = server.Limit{Sequences: 4}
		p := newPolicy(t, o)

		results := [4]struct {
			proposals []mcts.Proposal
			err       error
		}{}
		for i := range results {
			go func() { results[i].proposals, results[i].err = p.Propose(ctx, request(i, 2)) }()

			synctest.Wait() // two are sent, two wait for a slot
		}

		interrupt()
		synctest.Wait()

		for _, waited := range results[2:] {
			if !errors.Is(waited.err, context.Canceled) {
				t.Errorf("a request that was not sent: %v", waited.err)
			}
		}

		if n := backend.asked.Load(); n != 2 || results[0].err != nil || results[1].err != nil {
			t.Fatalf("%d requests were sent; the two that are being answered: %v, %v", n, results[0].err,
				results[1].err)
		}

		release <- nil

		release <- &server.Fault{Kind: server.Transient, Address: "a", Status: 500, Message: "busy"}

		synctest.Wait()

		answered, failed := results[0], results[1]
		if answered.err != nil {
			answered, failed = failed, answered
		}

		if len(answered.proposals) != 2 || answered.err != nil || !errors.Is(failed.err, context.Canceled) {
			t.Errorf("answered: %v; failed: %v", answered.err, failed.err)
		}

		if s := p.Snapshot(); s.Answered != 1 || s.Transient != 1 || s.Cancelled != 0 || backend.asked.Load() != 2 {
			t.Errorf("%d requests: %+v", backend.asked.Load(), s)
		}
	})
}

// Of the samples of one request, those that were drawn when a run is interrupted are kept, the one
// in flight among them: a resumed run asks for the others alone.
func TestInterruptedBetweenSamples(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	asked, release := make(chan uint64, 9), make(chan struct{})
	o := options(&echo{address: "a", before: func(_ context.Context, c server.Completion) error {
		asked <- c.Seed

		<-release
		return nil
	}})
	o.Single, o.Limit = true, server.Limit{Sequences: 1}
	p := newPolicy(t, o)
	r := request(1, 3)

	var got []mcts.Proposal
	propose := func(ctx context.Context) chan error {
		logged, err := s.Policy(ctx, r.Node.Question, r.Node.Tree, p)
		if err != nil {
			t.Fatal(err)
		}

		done := make(chan error)
		go func() {
			var err error
			got, err = logged.Propose(ctx, r)
			done <- err
		}()
		return done
	}

	ctx, interrupt := mcts.Interruptible(t.Context())
	done := propose(ctx)
	first := <-asked

	release <- struct{}{}

	second := <-asked

	interrupt()

	release <- struct{}{}

	if err := <-done; !errors.Is(err, context.Canceled) || first != r.Seed || second != r.Seed+1 {
		t.Errorf("samples of the seeds %d and %d, of %d to %d, and then %v", first, second, r.Seed,
			r.Seed+2, err)
	}

	close(release)

	if err := <-propose(t.Context()); err != nil || len(asked) != 1 || <-asked != r.Seed+2 {
		t.Errorf("a resumed run asks for %d more samples: %v", len(asked), err)
	}

	want := all(t, newPolicy(t, options(&echo{address: "a"})), 2, 1, 3)[1]
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The search for what a server takes sends nothing more after an interruption, whatever the answer.
func TestInterruptedSearch(t *testing.T) {
	for name, takes := range map[string]func(server.Completion) bool{
		"nothing is taken": func(server.Completion) bool { return false },
		"less is taken":    func(c server.Completion) bool { return c.Dialect.Omits("seed") },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := mcts.Interruptible(t.Context())
			b := &echo{address: "a"}
			b.before = func(_ context.Context, c server.Completion) error {
				if b.asked.Load() == 3 { // the request and the known one are refused before
					interrupt()
				}

				if takes(c) {
					return nil
				}

				return new(bad(400, "unsupported: seed, logprobs, top_k"))
			}

			_, err := newPolicy(t, options(b)).Propose(ctx, request(0, 1))
			if n := b.asked.Load(); n != 3 || err == nil {
				t.Errorf("%s: %d requests, error %v; want none after the third", name, n, err)
			}
		})
	}
}

// The end of the context that was interrupted ends what is being answered, too.
func TestInterruptedAndEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, cancel := context.WithCancel(t.Context())
		ctx, interrupt := mcts.Interruptible(outer)
		p := newPolicy(t, options(&echo{address: "a", before: func(ctx context.Context, _ server.Completion) error {
			<-ctx.Done()
			return ctx.Err()
		}}))

		var err error
		go func() { _, err = p.Propose(ctx, request(1, 2)) }()

		synctest.Wait()
		interrupt()
		synctest.Wait()

		if err != nil {
			t.Errorf("after the interruption: %v", err)
		}

		cancel()
		synctest.Wait()

		if !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}

		if n := p.Snapshot().Cancelled; n != 1 {
			t.Errorf("%d requests are counted as given up, want 1", n)
		}
	})
}
