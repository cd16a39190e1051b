package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// slotServer is an Ollama server that keeps one prompt in each of its slots. A prompt goes to the
// free slot that knows most of it, as there. A byte is a token, and takes a millisecond to read.
type slotServer struct {
	server.Client // nil: nothing else is asked

	mu    sync.Mutex
	freed *sync.Cond
	slots []string
	busy  []bool
}

func newSlotServer(slots int) *slotServer {
	s := &slotServer{slots: make([]string, slots), busy: make([]bool, slots)}
	s.freed = sync.NewCond(&s.mu)
	return s
}

func (s *slotServer) Address() string { return "slots" }

func (s *slotServer) Serves(context.Context, string) (bool, error) { return true, nil }

func (s *slotServer) Complete(_ context.Context, c server.Completion) (server.Reply, error) {
	// Which of those that come at the same moment is the first must not be left to chance.
	<-time.After(time.Duration(c.Sampling.MaxTokens) * time.Microsecond)

	slot, unread := s.take(c.Prompt)
	took := time.Duration(unread) * time.Millisecond
	<-time.After(took + time.Duration(c.Sampling.MaxTokens)*30*time.Millisecond)

	s.mu.Lock()
	defer s.mu.Unlock()

	s.busy[slot] = false
	s.freed.Signal()
	return server.Reply{
		Choices: []server.Choice{{Text: "x"}}, PromptTokens: len(c.Prompt),
		Details: []server.Detail{{Prefill: took}},
	}, nil
}

// take waits for a free slot, takes the one that knows most of the prompt, and returns how much it
// does not know.
func (s *slotServer) take(prompt string) (slot, unread int) {
	s.mu.Lock()
	defer s.mu.Unlock()

	for {
		best := -1

		for i, known := range s.slots {
			if n := common(known, prompt); !s.busy[i] && n > best {
				best, slot = n, i
			}
		}

		if best >= 0 {
			s.slots[slot], s.busy[slot] = prompt, true
			return slot, len(prompt) - best
		}

		s.freed.Wait()
	}
}

// common is how long the beginning is that two texts share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// toldSlots is a client that tells its slots.
type toldSlots struct {
	server.Client
	n int
}

func (t toldSlots) Slots(context.Context) (int, error) { return t.n, nil }

func TestKeptPromptsAreCounted(t *testing.T) {
	for _, quick := range []bool{false, true} {
		for slots := 1; slots <= keptMost+1; slots++ {
			most := keptMost
			if quick {
				most = quickKeptMost
			}

			synctest.Test(t, func(t *testing.T) {
				s := newSlotServer(slots)
				p := &examination{
					o:        Options{Kind: ollama.Kind, Quick: quick, Endpoint: server.Endpoint{Timeout: time.Hour}},
					b:        s,
					asker:    server.NewAsker(s.Address(), retry, nil),
					findings: findingsAbout(ollama.Kind),
					effort:   fullEffort,
					scale:    scale{each: len(sentence)},
					cached:   true,
					timed:    true,
				}

				cold, err := p.draw(t.Context(), singleToken(p.filler(nonce(), p.knownSentences())))
				if err != nil {
					t.Fatal(err)
				}

				p.readTook = cold.first.Prefill

				for _, set := range []int{0, slots, slots + 1} {
					p.o.Slots = set

					c, err := p.kept(t.Context())
					if err != nil {
						t.Fatal(err)
					}

					wrong := set == 0 && slots < most || set > slots && slots < most
					if (c.Verdict == Warning) != wrong || !wrong && c.Verdict != OK {
						t.Errorf("%d slots, setting %d: %+v", slots, set, c)
					}

					if want := fmt.Sprint("server.slots=", slots); wrong && !strings.HasSuffix(c.Do, want) {
						t.Errorf("it does not say %s: %+v", want, c)
					}
				}
			})
		}
	}
}

// A server that tells its slots is believed, and one whose prompts share a cache has nothing to
// count.
func TestToldSlots(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		told, set int
		want      Verdict
	}{{0, 0, ""}, {4, 0, OK}, {4, 4, OK}, {4, 2, OK}, {4, 5, Warning}} {
		p := &examination{o: Options{Kind: openai.Kind, Slots: test.set}, b: toldSlots{n: test.told}, cached: true,
			findings: findings()}

		c, err := p.kept(t.Context())
		if err != nil || c.Verdict != test.want || test.told > 0 && !strings.Contains(c.Seen, "4 slots") {
			t.Errorf("%+v: %+v, %v", test, c, err)
		}
	}
}
