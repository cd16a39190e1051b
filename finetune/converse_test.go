package finetune_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/mctstest"
)

// seated gives a walker's server seats.
func seated(w *walker, seats int) *mctstest.Seated {
	return mctstest.NewSeated(w, seats, func(r mcts.Request) string { return r.Node.Question })
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

			first, second := seated(w, 2), seated(w, 1)
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

			for i, m := range []*mctstest.Seated{first, second} {
				repeats := 2 - i
				if m.Ended != len(m.Conversations) || len(m.Conversations) != repeats*len(of) ||
					m.Most > repeats ||
					m.Taken() > 0 {
					t.Errorf("%d of %d conversations ended, %d at a time", m.Ended, len(m.Conversations), m.Most)
				}

				for n, about := range m.Conversations {
					first := m.Conversations[n/repeats*repeats] // a task's repeats follow each other
					if len(about) > 1 || !slices.Equal(about, first) {
						t.Errorf("conversation %d was about %v", n, about)
					}
				}
			}
		}
	}
}
