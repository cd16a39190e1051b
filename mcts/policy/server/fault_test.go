package server_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/mcts/policy/server"
)

// at is a server that does something else at some of the requests for completions.
func at(unlucky func(prompt string) bool, fault func(context.Context) error) *echo {
	return &echo{address: "a", before: func(ctx context.Context, c server.Completion) error {
		if unlucky(c.Prompt) {
			return fault(ctx)
		}
		return nil
	}}
}

// faultsOfOneRequest are the ways in which servers fail at single requests, each time.
func faultsOfOneRequest() map[string]func(context.Context) error {
	fixed := func(f server.Fault) func(context.Context) error {
		f.Address = "a"
		return func(context.Context) error { return &f }
	}
	return map[string]func(context.Context) error{
		"500, no JSON number": fixed(server.Fault{Kind: server.Transient, Status: 500,
			Message: "Out of range float values are not JSON compliant"}),
		"500, half a character": fixed(server.Fault{Kind: server.Transient, Status: 500,
			Message: "surrogates not allowed"}),
		"403, a page": fixed(server.Fault{Kind: server.Refused, Status: 403, Message: "<h1>403 Forbidden</h1>"}),
		"404":         fixed(server.Fault{Kind: server.Refused, Status: 404, Message: "Not Found"}),
		"502":         fixed(server.Fault{Kind: server.Transient, Status: 502}),
		"503, of a proxy": fixed(server.Fault{Kind: server.Transient, Status: 503,
			Message: "Access denied"}),
		"504":            fixed(server.Fault{Kind: server.Transient, Status: 504, Message: "Gateway Time-out"}),
		"429, too large": fixed(server.Fault{Kind: server.Transient, Status: 429, Message: "Request too large"}),
		"400":            fixed(server.Fault{Kind: server.BadRequest, Status: 400}),
		"a null where a figure belongs": fixed(server.Fault{Kind: server.Transient, Status: 200,
			Message: "log-probabilities of 3 tokens out of 4"}),
		"a connection that is closed": fixed(server.Fault{Kind: server.Transient, Err: errors.New("EOF")}),
		"no answer":                   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}
}

// A request at which a server fails alone is given up, whatever the status, whoever asks beside it,
// and however many there are of it: all others get their samples, and the server is never taken for
// down.
func TestOneRequestFails(t *testing.T) {
	const requests, n = 40, 2

	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)
	unlucky := func(prompt string) bool { return prompt == "What is q0?" || prompt == "What is q7?" }

	for name, fault := range faultsOfOneRequest() {
		for _, workers := range []int{1, 8} {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				o := options(at(unlucky, fault))
				o.Timeout = time.Minute
				p := newPolicy(t, o)

				var next, givenUp atomic.Int64

				done := make(chan struct{})

				for range workers {
					go func() {
						defer func() { done <- struct{}{} }()

						for i := int(next.Add(1)) - 1; i < requests; i = int(next.Add(1)) - 1 {
							got, err := p.Propose(t.Context(), request(i, n))
							if _, failed := envs.GivenUp(err); failed {
								givenUp.Add(1)
							}

							switch failed := i == 0 || i == 7; {
							case failed && (err == nil || envs.IsFinal(err)):
								t.Errorf("%s: request %d: %v", name, i, err)
							case !failed && (err != nil || got[0] != want[i][0] || got[1] != want[i][1]):
								t.Errorf("%s: request %d: %v, %v", name, i, got, err)
							}
						}
					}()
				}

				for range workers {
					<-done
				}

				took, down := time.Since(start), p.Snapshot().Servers[0].Down
				if givenUp.Load() != 2 || took > 30*time.Minute || down {
					t.Errorf("%s, %d workers: %d given up in %v", name, workers, givenUp.Load(), took)
				}
			})
		}
	}
}

// A request that failed alone before is not tried as often again, but it is tried.
func TestOneRequestFailsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := true
		e := at(func(prompt string) bool { return failing && prompt == "What is q1?" },
			func(context.Context) error { return &server.Fault{Kind: server.Transient, Status: 500} })
		p := newPolicy(t, options(e))
		tries := func() int64 {
			before := p.Snapshot().Transient

			p.Propose(t.Context(), request(1, 1))
			return p.Snapshot().Transient - before
		}

		if first, again := tries(), tries(); first != 12 || again != 2 {
			t.Errorf("%d tries at first, %d of the same request later", first, again)
		}

		failing = false

		if again := tries(); again != 0 || p.Snapshot().BadRequests != 0 {
			t.Errorf("%d tries fail once the server is well", again)
		}
	})
}

// Many different requests in a row that fail, though a simple one is answered, are the server's
// fault: it is waited for, and used again when it is well; what it does not take at all ends the
// run.
func TestManyRequestsFail(t *testing.T) {
	for _, test := range []struct {
		fault server.Fault
		back  time.Duration // when it is well again
		final bool
	}{
		{server.Fault{Kind: server.Transient, Status: 500}, 10 * time.Minute, false},
		{server.Fault{Kind: server.Transient, Status: 500}, time.Hour, true},
		{server.Fault{Kind: server.Refused, Status: 403}, time.Hour, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			p := newPolicy(t, options(at(
				func(prompt string) bool { return prompt != "Hello" && time.Since(start) < test.back },
				func(context.Context) error { return &test.fault })))

			givenUp := 0

			var err error
			for i := 0; i < 40 && !envs.IsFinal(err); i++ {
				_, err = p.Propose(t.Context(), request(i, 1))
				if _, ok := envs.GivenUp(err); ok {
					givenUp++
				}
			}

			if givenUp != 19 || envs.IsFinal(err) != test.final {
				t.Errorf("%v: %d were given up, then %v", &test.fault, givenUp, err)
			}
		})
	}
}

// A server that fails at all requests but the known one is set aside, though another one answers
// those beside them: its questions go there.
func TestManyRequestsFailAtOneServer(t *testing.T) {
	for _, fault := range []server.Fault{
		{Kind: server.Transient, Status: 500}, {Kind: server.Refused, Status: 403},
		{Kind: server.BadRequest, Status: 400},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, options(
				at(func(prompt string) bool { return prompt != "Hello" },
					func(context.Context) error { return &fault }),
				&echo{address: "b"}))

			last, givenUp := 0, 0

			for i := range 100 {
				_, err := p.Propose(t.Context(), request(i, 1))
				if _, ok := envs.GivenUp(err); ok {
					last, givenUp = i, givenUp+1
				} else if err != nil {
					t.Fatalf("%v: request %d: %v", &fault, i, err)
				}
			}

			if s := p.Snapshot().Servers[0]; givenUp != 19 || !s.Down {
				t.Errorf("%v: %d were given up, the last is %d; it is down: %v", &fault, givenUp,
					last, s.Down)
			}
		})
	}
}

// Many requests that fail each time are in a row at the end, when the others were answered long
// ago. The server, which answered those beside them, is not at fault.
func TestManyRequestsFailAtTheEnd(t *testing.T) {
	const requests = 60

	for _, fault := range []server.Fault{
		{Kind: server.Transient, Status: 500}, {Kind: server.Refused, Status: 403},
	} {
		synctest.Test(t, func(t *testing.T) {
			bad := func(prompt string) bool { return len(prompt) > len("What is q9?") }
			p := newPolicy(t, options(at(bad, func(context.Context) error { return &fault })))

			var done sync.WaitGroup

			for i := range requests {
				done.Go(func() {
					_, err := p.Propose(t.Context(), request(i, 1))
					if _, givenUp := envs.GivenUp(err); givenUp != (i > 9) || envs.IsFinal(err) {
						t.Errorf("request %d: %v", i, err)
					}
				})
			}

			done.Wait()
		})
	}
}

// While a server is down it is asked what it answered before, not the request that may have been
// the cause.
func TestProbesAreKnownRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		bad := atomic.Int64{}
		e := &echo{address: "a", before: func(_ context.Context, c server.Completion) error {
			if c.Prompt == "What is q1?" {
				bad.Add(1)
			}

			if c.Prompt == "What is q1?" || time.Since(start) > time.Minute && time.Since(start) < 5*time.Minute {
				return &server.Fault{Kind: server.KindOfStatus(http.StatusInternalServerError), Status: 500}
			}
			return nil
		}}
		p := newPolicy(t, options(e))
		all(t, p, 1, 1, 1) // request 0

		<-time.After(time.Minute + time.Second)

		_, err := p.Propose(t.Context(), request(1, 1))
		if _, ok := envs.GivenUp(err); !ok || bad.Load() > 13 {
			t.Errorf("it was asked %d times: %v", bad.Load(), err)
		}
	})
}
