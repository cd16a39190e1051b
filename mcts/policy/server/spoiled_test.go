package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/server"
)

// spoiling is a backend whose replies something changes, each after how many requests.
type spoiling struct {
	next   *echo
	asked  atomic.Int64
	change func(n int64, c server.Completion, r *server.Reply)
}

func (s *spoiling) Address() string { return s.next.address }

func (s *spoiling) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	r, err := s.next.Complete(ctx, c)
	s.change(s.asked.Add(1), c, &r)
	return r, err
}

// Samples that come without text are asked for again by their seeds, those beside each other
// together; what stays empty is the model's own, once the server has given a text to something
// else.
func TestEmptySamples(t *testing.T) {
	const n = 5

	want := all(t, newPolicy(t, options(&echo{address: "a"})), 1, 1, n)
	for _, test := range []struct {
		name                  string
		empty                 func(asked int64, c server.Completion, i int) bool
		requests, blank, stay int64
	}{
		{"all of the first reply", func(asked int64, _ server.Completion, _ int) bool { return asked == 1 }, 2, n, 0},
		{"two apart", func(asked int64, _ server.Completion, i int) bool { return asked == 1 && i%3 == 1 }, 3, 2, 0},
		{"one, twice", func(asked int64, c server.Completion, i int) bool { return asked < 3 && i == c.N-1 }, 3, 2, 0},
		{"always", func(_ int64, c server.Completion, _ int) bool { return c.Prompt != "Hello" }, 8, 7 * n, n},
	} {
		b := &spoiling{next: &echo{address: "a"}, change: func(asked int64, c server.Completion, r *server.Reply) {
			for i := range r.Choices {
				if test.empty(asked, c, i) {
					r.Choices[i].Text = "\n "
				}
			}
		}}
		p := newPolicy(t, options(b))

		got := all(t, p, 1, 1, n)
		for i, proposal := range got[0] {
			if blank := strings.TrimSpace(proposal.Text) == ""; blank != (test.stay > 0) ||
				!blank && proposal != want[0][i] {
				t.Errorf("%s: proposal %d is %+v, want %+v", test.name, i, proposal, want[0][i])
			}
		}

		if s := p.Snapshot(); s.Requests != test.requests || s.Empty != test.blank || s.Silent != test.stay {
			t.Errorf("%s: %d requests, %d empty samples, %d silent; want %d, %d, %d", test.name, s.Requests, s.Empty,
				s.Silent, test.requests, test.blank, test.stay)
		}
	}
}

// Which of several samples a server lost is not known: each is asked for by its seed. A server that
// never gives several is not asked for them for long, and one by one is the same from the beginning
// where the protocol knows no n.
func TestTooFewSamples(t *testing.T) {
	const requests, n = 30, 5

	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)
	for _, test := range []struct {
		name    string
		single  bool
		keep    func(asked int64, choices []server.Choice) []server.Choice
		longest int64 // requests
	}{
		{"one is lost", false, func(asked int64,
			c []server.Choice) []server.Choice {
			return c[min(int(asked%4), len(c)-1):]
		}, requests * (n + 1)},
		{"n is ignored", false, func(_ int64, c []server.Choice) []server.Choice { return c[:1] }, requests*n + 8},
		{"no n", true, func(_ int64, c []server.Choice) []server.Choice { return c }, requests * n},
	} {
		b := &spoiling{
			next:   &echo{address: "a"},
			change: func(asked int64, _ server.Completion, r *server.Reply) { r.Choices = test.keep(asked, r.Choices) },
		}
		o := options(b)
		o.Single = test.single
		p := newPolicy(t, o)
		got := all(t, p, requests, 1, n)

		for i := range want {
			for j := range want[i] {
				if got[i][j] != want[i][j] {
					t.Fatalf("%s: request %d, sample %d is %+v, want %+v", test.name, i, j, got[i][j], want[i][j])
				}
			}
		}

		if s := p.Snapshot(); s.Requests > test.longest || test.single && s.Requests != test.longest {
			t.Errorf("%s: %d requests, want at most %d", test.name, s.Requests, test.longest)
		}
	}
}

// A server that never gives log-probabilities is refused with what to do; one that lost them for
// once is asked again.
func TestNoLogProbs(t *testing.T) {
	b := &spoiling{
		next:   &echo{address: "a"},
		change: func(_ int64, _ server.Completion, r *server.Reply) { r.Choices[0].LogProbs = nil },
	}
	o := options(b)
	o.Retry.Base, o.Retry.Max = 1, 1
	p := newPolicy(t, o)

	_, err := p.Propose(t.Context(), request(0, 2))
	if !isRefused(err) || !strings.Contains(err.Error(), "server.logprobs") {
		t.Errorf("error is %v", err)
	}

	b.change = func(asked int64, _ server.Completion, r *server.Reply) {
		if asked%2 == 0 {
			r.Choices[0].LogProbs = nil
		}
	}
	p = newPolicy(t, o)
	all(t, p, 40, 1, 2)

	if s := p.Snapshot(); s.Faults["spoiled reply"] != s.Transient || s.Transient < 30 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
}

// A server that never says that a completion ended is refused with what to do; one that lost the
// word for once is asked again.
func TestNoEnd(t *testing.T) {
	noEnd := func(lost func(asked int64) bool) *server.Policy {
		b := &echo{address: "a"}
		b.before = func(context.Context, server.Completion) error {
			if !lost(b.asked.Load()) {
				return nil
			}
			return &server.Fault{
				Kind:    server.Transient,
				Address: "a",
				Status:  200,
				Err:     fmt.Errorf("%w: it says \"done\"", server.ErrNoEnd),
			}
		}
		o := options(b)
		o.Retry.Base, o.Retry.Max = 1, 1

		return newPolicy(t, o)
	}

	_, err := noEnd(func(int64) bool { return true }).Propose(t.Context(), request(0, 2))
	if !isRefused(err) || !strings.Contains(err.Error(), "server.ends") ||
		!strings.Contains(err.Error(), `"done"`) {
		t.Errorf("error is %v", err)
	}

	p := noEnd(func(asked int64) bool { return asked%3 != 0 })
	all(t, p, 40, 1, 2)

	if s := p.Snapshot(); s.Faults["spoiled reply"] != s.Transient || s.Transient != 80 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
}

// A request is not held in silence.
func TestLongPauseIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b := &echo{address: "a"}
		b.before = func(context.Context, server.Completion) error {
			if b.asked.Load()%4 == 0 {
				return nil
			}
			return &server.Fault{
				Kind:       server.Transient,
				Address:    "a",
				Status:     429,
				RetryAfter: time.Minute,
				Message:    "later",
			}
		}
		o := options(b)
		o.Log = slog.New(slog.NewTextHandler(&log, nil))

		p := newPolicy(t, o)
		for times := range 2 {
			if _, err := p.Propose(t.Context(), request(0, 1)); err != nil {
				t.Fatal(err)
			}

			if got := strings.Count(log.String(), "server wants a pause"); got != times+1 {
				t.Errorf("said %d times:\n%s", got, log.String())
			}
		}
	})
}

// A server that takes no request for several samples, or for as many, is asked for each by itself,
// by whatever status it says so, and soon for nothing else; the samples are the same.
func TestTooManySamples(t *testing.T) {
	const requests, n = 40, 5

	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)

	for _, test := range []struct {
		fault server.Fault
		most  int // samples that it takes
	}{
		{server.Fault{Kind: server.BadRequest, Status: 400, Message: "Only one completion choice is allowed"}, 1},
		{server.Fault{Kind: server.BadRequest, Status: 422, Message: "n: must be at most 4"}, 4},
		{server.Fault{Kind: server.Transient, Status: 500, Message: "no free slots"}, 4},
	} {
		for _, workers := range []int{1, 32} {
			synctest.Test(t, func(t *testing.T) {
				takes := func(_ context.Context, c server.Completion) error {
					if c.N > test.most {
						return &test.fault
					}
					return nil
				}
				p := newPolicy(t, options(&echo{address: "a", before: takes}))

				for i, got := range all(t, p, requests, workers, n) {
					for j := range want[i] {
						if got[j] != want[i][j] {
							t.Fatalf("%v: request %d, sample %d is %+v", &test.fault, i, j, got[j])
						}
					}
				}

				if s := p.Snapshot(); s.Answered > requests*n+2*int64(16*workers) || s.Servers[0].Down {
					t.Errorf("%v: %d answers to %d requests", &test.fault, s.Answered, requests)
				}
			})
		}
	}
}

// A server whose first replies are all spoiled alike is refused with the cause, at its greeting and
// by its requests; one that spoils them for a while is waited for.
func TestSpoiledAlike(t *testing.T) {
	for _, test := range []struct {
		name    string
		message func(asked int64) string
		refused bool
	}{
		{"alike", func(int64) string { return "the reply is not the JSON of a completion" }, true},
		{"for a while", func(asked int64) string {
			if asked > 6 {
				return ""
			}
			return "no choices for 2 samples"
		}, false},
		{"each otherwise", func(asked int64) string {
			if asked > 12 {
				return ""
			}
			return fmt.Sprint("garbage ", asked)
		}, false},
	} {
		for _, greeted := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				b := &echo{address: "a"}
				b.before = func(context.Context, server.Completion) error {
					message := test.message(b.asked.Load())
					if message == "" {
						return nil
					}
					return &server.Fault{Kind: server.Transient, Address: "a", Status: 200, Message: message}
				}
				p := newPolicy(t, options(b))

				var err error
				if greeted {
					err = p.Greet(t.Context(), 5)
				}

				if err == nil {
					_, err = p.Propose(t.Context(), request(0, 2))
				}

				if isRefused(err) != test.refused || test.refused && b.asked.Load() > 9 ||
					!test.refused && err != nil {
					t.Errorf("%s, greeted: %v: %v after %d requests", test.name, greeted, err, b.asked.Load())
				}
			})
		}
	}
}
