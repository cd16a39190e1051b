package doctor_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
)

// virtual carries requests to a server without a network, so that the clock of a test may be
// virtual.
type virtual struct{ http.Handler }

func (v virtual) RoundTrip(req *http.Request) (*http.Response, error) {
	var answer *http.Response

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }() // http.ErrAbortHandler: there is no answer

		r := httptest.NewRecorder()

		in := req.Clone(req.Context())
		if in.Body == nil {
			in.Body = http.NoBody
		}

		v.ServeHTTP(r, in)
		answer = r.Result()
		answer.Request = req
	}()

	select {
	case <-ended:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}

	if answer == nil {
		return nil, fmt.Errorf("%s %s: the connection was reset", req.Method, req.URL)
	}
	return answer, nil
}

// busy is a machine with other things to do: each request waits for the processor, one after
// another, and then some.
type busy struct {
	http.RoundTripper
	turn   chan struct{} // holds one: the processor
	serial time.Duration // on average, of each request in its turn
	apart  time.Duration // and then beside the others

	mu     sync.Mutex
	random *rand.Rand
}

func (b *busy) wait(d time.Duration) {
	b.mu.Lock()
	d = time.Duration(float64(d) * b.random.ExpFloat64())
	b.mu.Unlock()
	<-time.After(d)
}

func (b *busy) RoundTrip(req *http.Request) (*http.Response, error) {
	b.turn <- struct{}{}

	b.wait(b.serial)
	<-b.turn

	b.wait(b.apart)
	return b.RoundTripper.RoundTrip(req)
}

// However busy the machine is, no check says of a server what is not so: at worst it says that it
// could not tell.
func TestNoVerdictFromLoad(t *testing.T) {
	t.Parallel()

	for _, kind := range []*server.Kind{openai.Kind, ollama.Kind} {
		for name, wrong := range map[doctor.Name]simserver.Misconfiguration{
			"": "", doctor.Slots: simserver.OneSlot, doctor.PrefixCache: simserver.NoPrefixCache,
		} {
			virtually(t, fmt.Sprintf("%s %s", kind.Name, wrong), func(t *testing.T) {
				told := map[doctor.Verdict]int{}

				for seed, load := range []struct{ serial, apart time.Duration }{
					{}, {50 * time.Millisecond, 0}, {20 * time.Millisecond, 200 * time.Millisecond},
				} {
					server := simserver.Options{MaxModelLen: 4096, NoDetails: true}
					if kind == ollama.Kind {
						server.Kind = simserver.Ollama
					}

					if wrong != "" {
						server.Wrong = []simserver.Misconfiguration{wrong}
					}

					o := options(start(t, server), kind)
					o.Window = server.MaxModelLen
					o.Transport = &busy{
						RoundTripper: o.Transport, turn: make(chan struct{}, 1), serial: load.serial, apart: load.apart,
						random: rand.New(rand.NewPCG(uint64(seed), 1)),
					}

					for _, c := range examine(t, o).Checks {
						want := doctor.OK
						if c.Name == name {
							want = doctor.Warning
						}

						if c.Verdict != want && c.Verdict != doctor.Unknown {
							t.Errorf("%v: %s: %s, want %s: %s", load, c.Name, c.Verdict, want, c.Seen)
						}

						if c.Name == name {
							told[c.Verdict]++
						}
					}
				}

				if name != "" && told[doctor.Warning] == 0 {
					t.Errorf("never found: %v", told)
				}
			})
		}
	}
}
