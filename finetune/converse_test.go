package finetune_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/mcts"
)

// talker is a walker that seats a limited number of conversations; the others wait with their first
// request.
type talker struct {
	*walker
	seats chan struct{}

	mu       sync.Mutex
	episodes [][]string // by conversation: what it was asked about, each once in a row
	ended    int
	most     int // conversations in seats
}

func newTalker(w *walker, seats int) *talker {
	return &talker{walker: w, seats: make(chan struct{}, seats)}
}

// talk is one conversation.
type talk struct {
	*talker
	number int
	seated bool
}

func (t *talker) Converse() (mcts.Policy, func()) {
	t.mu.Lock()
	defer t.mu.Unlock()

	c := &talk{talker: t, number: len(t.episodes)}
	t.episodes = append(t.episodes, nil)

	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()

		if t.ended++; c.seated {
			<-t.seats
		}
	}
}

func (c *talk) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if !c.seated {
		select {
		case c.seats <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	c.mu.Lock()
	c.seated, c.most = true, max(c.most, len(c.seats))
	c.episodes[c.number] = slices.Compact(append(c.episodes[c.number], r.Node.Question))
	c.mu.Unlock()

	return c.walker.Propose(ctx, r)
}

// An episode is one conversation, under every controller, begun in the order of the episodes and
// ended, with several policies in one evaluation; what comes of them is the same.
func TestEpisodesAreConversations(t *testing.T) {
	for _, controller := range []finetune.Controller{
		{}, {Kind: finetune.Chain, Tries: 2}, {Kind: finetune.DepthFirst, Calls: 10},
	} {
		for _, workers := range []int{1, 2, 16} {
			w, of := mixed()
			failed := map[string]bool{}

			var mu sync.Mutex
			w.asked = func(r mcts.Request, _ int) error {
				mu.Lock()
				defer mu.Unlock()

				if again := failed[r.Node.Question]; r.History.Len() == 1 && !again {
					failed[r.Node.Question] = true
					return errGone
				}

				return nil
			}

			first, second := newTalker(w, 2), newTalker(w, 1)
			o := options(t)
			o.Workers, o.Retry.Attempts = workers, 2
			reports := [2]*finetune.Report{}

			for i, policies := range [2][2]mcts.Policy{{w, w}, {first, second}} {
				o.Store = options(t).Store
				a, b := job(policies[0], of), job(policies[1], of)
				a.Repeats, b.Cell.Policy = 2, "test:other"
				a.Controller, b.Controller = controller, controller
				reports[i] = evaluate(t, o, a, b)
				clear(failed)
			}

			if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
				t.Errorf("%+v, %d workers -without +with conversations:\n%s", controller, workers, diff)
			}

			for i, m := range []*talker{first, second} {
				repeats := 2 - i
				if m.ended != len(m.episodes) || len(m.episodes) != repeats*len(of) || m.most > repeats ||
					len(m.seats) > 0 {
					t.Errorf("%d of %d conversations ended, %d at a time", m.ended, len(m.episodes), m.most)
				}

				for n, about := range m.episodes {
					first := m.episodes[n/repeats*repeats] // a task's repeats follow each other
					if len(about) > 1 || !slices.Equal(about, first) {
						t.Errorf("conversation %d was about %v", n, about)
					}
				}
			}
		}
	}
}
