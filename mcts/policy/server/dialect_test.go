package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/server"
)

// plain is a sampling that needs none of the parameters that some servers lack.
func plain() server.Sampling {
	return server.Sampling{
		Temperature: 0.5, TopP: 1, RepetitionPenalty: 1, MaxTokens: 64, Stop: []string{"\nObservation"},
	}
}

// strict is a server that refuses parameters, each time with the fault of the first of them.
type strict []struct {
	parameter string
	fault     server.Fault
}

func bad(status int, message string) server.Fault {
	return server.Fault{Kind: server.BadRequest, Address: "a", Status: status, Message: message}
}

func (s strict) before(_ context.Context, c server.Completion) error {
	for _, refused := range s {
		sends := !c.Dialect.Omits(refused.parameter)

		switch refused.parameter {
		case "n":
			sends = c.N > 1
		case "max_tokens":
			sends = sends && !c.Dialect.MaxCompletionTokens
		case "max_completion_tokens":
			sends = c.Dialect.MaxCompletionTokens
		case "logprobs":
			sends = sends && !c.Dialect.OneLogProb
		case "any logprobs":
			sends = !c.Dialect.Omits("logprobs")
		}

		if sends {
			return &refused.fault
		}
	}
	return nil
}

// A server that takes less is sent less: no more than it takes, from its greeting or its first
// request on, and all samples are those of a server that takes everything.
func TestServerTakesLess(t *testing.T) {
	const requests, n = 40, 5

	o := options(&echo{address: "a"})
	o.Sampling = plain()
	want := all(t, newPolicy(t, o), requests, 1, n)

	broken := func(message string) server.Fault {
		return server.Fault{Kind: server.Transient, Address: "a", Status: 500, Message: message}
	}
	noSeed := "no seed (another run draws other samples)"

	for _, test := range []struct {
		name    string
		server  strict
		dialect string
	}{
		{"seed", strict{{"seed", bad(400, "Unsupported parameter: seed")}}, noSeed},
		{"seed, of a framework", strict{
			{"seed", bad(422, `[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]`)},
		}, noSeed},
		{"seed, no reason", strict{{"seed", bad(400, "Bad Request")}}, noSeed},
		{"seed, as if broken", strict{{"seed", broken("internal error")}}, noSeed},
		{"seed, with all that it knows", strict{
			{"seed", bad(422, "unknown field `seed`, expected one of `n`, `stop`, `max_tokens`, `top_p`")},
			{"max_completion_tokens", bad(422, "unknown field `max_completion_tokens`")},
		}, noSeed},
		{"limit", strict{{"max_tokens", bad(400, "max_tokens is not supported: use max_completion_tokens")}},
			"max_completion_tokens for max_tokens"},
		{"limit, too", strict{{"max_tokens", bad(422, "(max_tokens) unknown argument")}},
			"max_completion_tokens for max_tokens"},
		{"figures", strict{{"logprobs", bad(400, "logprobs: must be greater than 0")}}, "logprobs 1 for 0"},
		{"n", strict{{"n", bad(400, "only one choice")}}, "n at most 4"},
		{"one after the other", strict{
			{"max_tokens", bad(400, "unsupported: max_tokens")},
			{"seed", bad(400, "unsupported: seed")},
			{"presence_penalty", bad(400, "unsupported: presence_penalty")},
			{"n", bad(400, "n has to be 1")},
		}, "n at most 4, max_completion_tokens for max_tokens, no presence_penalty, " + noSeed},
		{"several, no reason", strict{
			{"top_k", bad(400, "Bad Request")},
			{"min_p", bad(400, "Bad Request")},
			{"stop", bad(400, "Bad Request")},
			{"n", bad(400, "Bad Request")},
		}, "n at most 4, no top_k, no min_p, no stop"},
	} {
		for _, greeted := range []bool{true, false} {
			for _, workers := range []int{1, 32} {
				synctest.Test(t, func(t *testing.T) {
					o := options(&echo{address: "a", before: test.server.before})
					o.Sampling = plain()
					p := newPolicy(t, o)

					if greeted {
						if err := p.Greet(t.Context(), n); err != nil {
							t.Fatalf("%s: %v", test.name, err)
						}
					}

					greeting := p.Snapshot()
					for i, got := range all(t, p, requests, workers, n) {
						if !slices.Equal(got, want[i]) {
							t.Fatalf("%s: request %d is %+v", test.name, i, got)
						}
					}

					s := p.Snapshot()
					if got := s.Servers[0].Dialect; got != test.dialect || s.Servers[0].Down {
						t.Errorf("%s, greeted %t: the dialect is %q", test.name, greeted, got)
					}

					if greeted && s.BadRequests+s.Transient > greeting.BadRequests+greeting.Transient {
						t.Errorf("%s: the run was refused something after its greeting", test.name)
					}
				})
			}
		}
	}
}

// A server that took requests as they were, and then refuses some, is sent less with those alone,
// if others would have other samples. Once it refuses all, all are sent less.
func TestServerTakesLessOfSome(t *testing.T) {
	const requests, n, noSeed = 40, 5, "no seed (another run draws other samples)"

	for _, test := range []struct {
		name    string
		refused int    // every so many requests
		fault   string // of a bad request
		less    string // what is not taken
		dialect string
	}{
		{"seed", 5, "unknown argument: seed", "seed", "of some requests " + noSeed},
		{"n, no reason", 5, "Bad Request", "n", "of some requests n at most 4"},
		{"n", 5, "n is too large", "n", "n at most 4"},
		{"a field", 5, "unknown: top_p", "top_p", "no top_p"},
		{"limit", 5, "unknown: max_tokens", "max_tokens",
			"of some requests max_completion_tokens for max_tokens"},
		{"seed of all", 1, "no seed", "seed", noSeed + "; of some requests " + noSeed},
		{"n of all", 1, "Bad Request", "n", "n at most 4; of some requests n at most 4"},
	} {
		synctest.Test(t, func(t *testing.T) {
			isRefused := func(prompt string) bool {
				var question int
				_, err := fmt.Sscanf(prompt, "What is q%d?", &question)

				// Where all are refused no answer may come between, which would begin the row anew.
				mayBe := question > 0 || test.refused == 1
				return err == nil && mayBe && question%test.refused == 0
			}
			o := options(&echo{address: "a", before: func(ctx context.Context, c server.Completion) error {
				if isRefused(c.Prompt) {
					return strict{{test.less, bad(400, test.fault)}}.before(ctx, c)
				}

				if c.Dialect.MaxCompletionTokens {
					f := bad(400, "unknown: max_completion_tokens")
					return &f
				}
				return nil
			}})
			o.Sampling = plain()
			p := newPolicy(t, o)

			if err := p.Greet(t.Context(), n); err != nil {
				t.Fatal(err)
			}

			all(t, p, requests, 4, n)

			s := p.Snapshot()
			if got := s.Servers[0].Dialect; got != test.dialect || s.Servers[0].Down {
				t.Errorf("%s: the dialect is %q", test.name, got)
			}

			if s.BadRequests > 3*requests/2 {
				t.Errorf("%s: %d requests were refused", test.name, s.BadRequests)
			}
		})
	}
}

// Of a server for which 0 log-probabilities are none, one is asked for.
func TestLogProbsOfZero(t *testing.T) {
	slowly := func(context.Context, server.Completion) error {
		<-time.After(3 * time.Second)
		return nil
	}

	for _, greeted := range []bool{true, false} {
		b := &spoiling{
			next: &echo{address: "a", before: slowly},
			change: func(_ int64, c server.Completion, r *server.Reply) {
				for i := range r.Choices {
					if !c.Dialect.OneLogProb {
						r.Choices[i].LogProbs = nil
					}
				}
			},
		}

		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, options(b))
			if greeted {
				if err := p.Greet(t.Context(), 5); err != nil {
					t.Fatal(err)
				}
			}

			for _, proposals := range all(t, p, 40, 16, 1) {
				if len(proposals) != 1 || !proposals[0].Scored {
					t.Errorf("proposals are %+v", proposals)
				}
			}

			if s := p.Snapshot().Servers[0]; s.Dialect != "logprobs 1 for 0" || s.Down {
				t.Errorf("the dialect is %q", s.Dialect)
			}
		})
	}
}

// A server that refuses log-probabilities is greeted with that as the end, but for a run that can
// do without them: none are asked for then. So it is with one that gives none.
func TestLogProbsRefused(t *testing.T) {
	none := &spoiling{next: &echo{address: "a"}, change: func(_ int64, _ server.Completion, r *server.Reply) {
		for i := range r.Choices {
			r.Choices[i].LogProbs = nil
		}
	}}
	broken := server.Fault{Kind: server.Transient, Address: "a", Status: 501, Message: "logprobs: not implemented"}

	for name, b := range map[string]server.Backend{
		"named": &echo{address: "a", before: strict{{"any logprobs", bad(400, "logprobs is not supported")}}.before},
		"chat": &echo{address: "a", before: strict{
			{"seed", bad(400, "unknown: seed")}, {"any logprobs", bad(422, "top_logprobs: unknown field")},
		}.before},
		"no reason":  &echo{address: "a", before: strict{{"any logprobs", bad(400, "Bad Request")}}.before},
		"501":        &echo{address: "a", before: strict{{"any logprobs", broken}}.before},
		"gives none": none,
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(b)
			o.Sampling = plain()

			err := newPolicy(t, o).Greet(t.Context(), 5)
			if !isRefused(err) || !strings.Contains(err.Error(), "server.logprobs") {
				t.Errorf("%s: %v", name, err)
			}

			for _, o.AllTaken = range []bool{false, true} { // by its first requests
				if _, err := newPolicy(t, o).Propose(t.Context(), request(0, 1)); b == none && !isRefused(err) {
					t.Errorf("%s: all is taken: %v: %v", name, o.AllTaken, err)
				}
			}

			o.Unneeded, o.AllTaken = true, false

			p := newPolicy(t, o)
			if err := p.Greet(t.Context(), 1); err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			for _, proposals := range all(t, p, 10, 2, 1) {
				if len(proposals) != 1 {
					t.Errorf("%s: proposals are %+v", name, proposals)
				}
			}

			if s := p.Snapshot().Servers[0]; !strings.Contains(s.Dialect, "no logprobs") {
				t.Errorf("%s: the dialect is %q", name, s.Dialect)
			}
		})
	}
}

// What a setting leaves out is sent to nobody, from the first request on.
func TestLeaveOut(t *testing.T) {
	s := strict{{"seed", bad(400, "")}, {"stop", bad(400, "")}, {"n", bad(400, "")}}
	o := options(&echo{address: "a", before: s.before})
	o.LeaveOut = []string{"seed", "stop", "n", "temperature"}
	p := newPolicy(t, o)

	if err := p.Greet(t.Context(), 5); err != nil {
		t.Fatal(err)
	}

	all(t, p, 10, 2, 5)

	if s := p.Snapshot(); s.BadRequests != 0 || !strings.Contains(s.Servers[0].Dialect, "no temperature") {
		t.Errorf("%d requests refused in the dialect %q", s.BadRequests, s.Servers[0].Dialect)
	}

	o.LeaveOut = []string{"prompt"}
	if o.Check() == nil {
		t.Error("a request without its prompt is no request")
	}
}

// A server that fails at everything for a while, or now and then, takes as much as before.
func TestOutageIsNoDialect(t *testing.T) {
	fault := &server.Fault{Kind: server.Transient, Address: "a", Status: 500, Message: "n/a"}

	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			draw := rand.New(rand.NewPCG(seed, 0))

			var mu sync.Mutex
			inRow := map[string]int{} // faults of a request since it was answered
			fails := func(_ context.Context, c server.Completion) error {
				mu.Lock()
				defer mu.Unlock()

				// Now and then is fewer times in a row than make a refusal.
				request := fmt.Sprint(c.Prompt, c.N, c.Dialect)
				if seed == 0 && time.Since(start) < time.Minute ||
					seed > 0 && inRow[request] < 3 && draw.IntN(3) == 0 {
					inRow[request]++
					return fault
				}

				inRow[request] = 0
				return nil
			}

			p := newPolicy(t, options(&echo{address: "a", before: fails}))
			if err := p.Greet(t.Context(), 5); err != nil {
				t.Fatal(err)
			}

			all(t, p, 40, 8, 5)

			if got := p.Snapshot().Servers[0].Dialect; got != "" {
				t.Errorf("%d: the dialect is %q", seed, got)
			}
		})
	}
}

// A greeting that is broken off finds nothing.
func TestBrokenOffGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())

		var asked int
		p := newPolicy(t, options(&echo{address: "a", before: func(_ context.Context, c server.Completion) error {
			if asked++; asked == 3 { // after the first answer
				cancel()
			}

			if c.N == 1 {
				return nil
			}
			return &server.Fault{Kind: server.BadRequest, Address: "a", Status: 400, Message: "n"}
		}}))

		if err := p.Greet(ctx, 5); err != nil || p.Snapshot().Servers[0].Dialect != "" {
			t.Errorf("%v, the dialect is %q", err, p.Snapshot().Servers[0].Dialect)
		}
	})
}
