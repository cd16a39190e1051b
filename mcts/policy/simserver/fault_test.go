package simserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// what tells how a client saw one request.
func what(r *reply, err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case err != nil:
		return "no answer"
	case errors.Is(r.err, io.ErrUnexpectedEOF):
		return "cut"
	case r.status != 200 && r.header.Get("Retry-After") != "":
		return http.StatusText(r.status) + ", retry after " + r.header.Get("Retry-After")
	case r.status != 200:
		return http.StatusText(r.status)
	case r.err != nil:
		return "unreadable"
	case len(r.Choices) != 3:
		return "wrong n"
	case r.Choices[0].LogProbs == nil:
		return "no logprobs"
	case r.Choices[0].Text == "":
		return "empty"
	}

	return "good"
}

func TestEveryFaultByScript(t *testing.T) {
	for fault, want := range map[simserver.Fault]string{
		simserver.None: "good", simserver.InternalError: "Internal Server Error", simserver.BadGateway: "Bad Gateway",
		simserver.Unavailable: "Service Unavailable, retry after 2",
		simserver.TooMany:     "Too Many Requests, retry after 2",
		simserver.Reset:       "cut", simserver.Drip: "good", simserver.Garbage: "unreadable",
		simserver.WrongN:       "wrong n",
		simserver.LostLogProbs: "no logprobs", simserver.Empty: "empty", simserver.Flap: "no answer",
		simserver.Die: "no answer",
	} {
		t.Run(string(fault)+"-", func(t *testing.T) {
			s := start(t, simserver.Options{Faults: simserver.Faults{
				Script:     []simserver.Fault{simserver.None, fault},
				RetryAfter: 1500 * time.Millisecond,
				DripEvery:  time.Microsecond,
			}})

			b := usual("Question: q")
			if got := what(send(t.Context(), s.URL()+"/v1/completions", b)); got != "good" {
				t.Fatalf("before the fault: %s", got)
			}

			if got := what(send(t.Context(), s.URL()+"/v1/completions", b)); got != want {
				t.Errorf("seen %q, want %q", got, want)
			}

			after := map[simserver.Fault]string{simserver.Flap: "no answer", simserver.Die: "refused"}[fault]
			if after != "" {
				if got := what(send(t.Context(), s.URL()+"/v1/completions", b)); got != after {
					t.Errorf("then %q, want %q", got, after)
				}

				if err := s.Revive(); err != nil {
					t.Fatal(err)
				}
			}

			if got := what(send(t.Context(), s.URL()+"/v1/completions", b)); got != "good" {
				t.Errorf("in the end %q", got)
			}

			st := s.Stats()
			if fault != simserver.None && st.Faults[fault] != 1 || len(st.Faults) > 1 {
				t.Errorf("counted %v", st.Faults)
			}
		})
	}
}

// A request that hangs ends when its client goes, and when the server closes.
func TestHang(t *testing.T) {
	s := start(t, simserver.Options{Faults: simserver.Faults{Rates: map[simserver.Fault]float64{simserver.Hang: 1}}})
	ctx, cancel := context.WithCancel(t.Context())

	var wg sync.WaitGroup
	for _, c := range []context.Context{ctx, t.Context()} {
		wg.Go(func() {
			if got := what(send(c, s.URL()+"/v1/completions", usual("Question: q"))); got != "no answer" {
				t.Errorf("a hanging server answered: %s", got)
			}
		})
	}

	for s.Stats().Faults[simserver.Hang] < 2 {
		if c, _ := get(t, s.URL()+"/version"); c != 200 {
			t.Fatal(c)
		}
	}

	cancel()
	s.Close()
	wg.Wait()
}

// A client that goes away frees its slot.
func TestClientGoesAway(t *testing.T) {
	s := start(t, simserver.Options{Slots: 1, Latency: simserver.Latency{PerCompletion: time.Hour}})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)

	go func() {
		_, err := send(ctx, s.URL()+"/v1/completions", usual("Question: q"))
		gone <- err
	}()

	for s.Stats().Waiting < 2 {
		get(t, s.URL()+"/version")
	}

	cancel()

	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	for s.Stats().Aborted < 3 {
		get(t, s.URL()+"/version")
	}

	if st := s.Stats(); st.Running != 0 || st.Waiting != 0 || st.Busy[0] <= 0 {
		t.Errorf("%+v", st)
	}
}

// What is drawn depends on the requests, not on when they come; every kind is met, and the counts
// add up.
func TestFaultsByRate(t *testing.T) {
	count := func(workers int) (seen map[string]int, st simserver.Stats) {
		rates := simserver.EvenRates(0.5)
		rates[simserver.Hang], rates[simserver.Drip] = 0, 0
		s := start(t, simserver.Options{Faults: simserver.Faults{Rates: rates, Seed: 3}})
		seen = map[string]int{}
		var mu sync.Mutex

		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := w; i < 120; i += workers {
					b := usual("Question: q").with("seed", i*3)
					for range 20 {
						got := what(send(t.Context(), s.URL()+"/v1/completions", b))

						mu.Lock()
						seen[got]++
						mu.Unlock()

						if got == "good" {
							break
						}
					}
				}
			})
		}

		wg.Wait()
		return seen, s.Stats()
	}
	one, a := count(1)
	eight, b := count(8)

	bad := 0
	for kind, n := range a.Faults {
		bad += n
		if b.Faults[kind] != n {
			t.Errorf("%s: %d times with one client, %d with eight", kind, n, b.Faults[kind])
		}
	}

	if one["good"] != 120 || eight["good"] != 120 || a.Requests != 120+bad || len(a.Faults) != 9 {
		t.Errorf("seen %v; %d requests, faults %v", one, a.Requests, a.Faults)
	}

	if bad < 40 || bad > 200 {
		t.Errorf("%d faults at a rate of 0.41", bad)
	}
}

// Kill refuses connections; what comes after Revive finds the same address.
func TestKillAndRevive(t *testing.T) {
	s := start(t, simserver.Options{})
	url := s.URL()
	s.Kill()

	if got := what(send(t.Context(), url+"/v1/completions", usual("x"))); got != "refused" {
		t.Errorf("a dead server: %s", got)
	}

	if err := s.Revive(); err != nil {
		t.Fatal(err)
	}

	if got := what(send(t.Context(), url+"/v1/completions", usual("x"))); got != "good" {
		t.Errorf("a revived server: %s", got)
	}

	s.Close()

	if err := s.Revive(); err != nil {
		t.Error(err)
	}

	if got := what(send(t.Context(), url+"/v1/completions", usual("x"))); got != "refused" {
		t.Errorf("a closed server: %s", got)
	}
}

func TestQueueIsFull(t *testing.T) {
	s := start(t, simserver.Options{Slots: 1, MaxWaiting: 1})
	if got := what(send(t.Context(), s.URL()+"/v1/completions", usual("x"))); got != "Service Unavailable" {
		t.Errorf("three sequences for one slot and one place to wait: %s", got)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	p := profiled(t, "reader")
	for want, o := range map[string]simserver.Options{
		"required":                 {Model: model},
		"unknown kind":             {Policy: p, Model: model, Kind: "x"},
		"negative":                 {Policy: p, Model: model, Slots: -1},
		"speed":                    {Policy: p, Model: model, Speed: -1},
		"latency":                  {Policy: p, Model: model, Latency: simserver.Latency{Crowding: -1}},
		"unknown misconfiguration": {Policy: p, Model: model, Wrong: []simserver.Misconfiguration{"x"}},
		"unknown fault": {
			Policy: p,
			Model:  model,
			Faults: simserver.Faults{Script: []simserver.Fault{"x"}},
		},
		"sum to": {
			Policy: p,
			Model:  model,
			Faults: simserver.Faults{Rates: map[simserver.Fault]float64{simserver.Drip: 0.6, simserver.Hang: 0.6}},
		},
		"at rate": {
			Policy: p,
			Model:  model,
			Faults: simserver.Faults{Rates: map[simserver.Fault]float64{simserver.Drip: 1.6}},
		},
		"listen on 256.256.256.256": {Policy: p, Model: model, Address: "256.256.256.256:1"},
	} {
		s, err := simserver.Start(o)
		if err == nil {
			s.Close()
		}

		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
