package collect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/mctstest"
)

// seated gives a model's server seats.
func seated(m *model, seats int) *mctstest.Seated { return mctstest.NewSeated(m, seats, treeOf) }

// A lane is one conversation, begun in the order of the lanes and ended, whatever fails; the trees
// are the same, and however few conversations there may be at a time, all lanes end.
func TestLanesAreConversations(t *testing.T) {
	for name, config := range presets() {
		for _, workers := range []int{1, 2, 8} {
			t.Run(name, func(t *testing.T) {
				want := collected(t, options(config, &model{}, open(t, database(t))))

				var mu sync.Mutex

				failed := false
				talking := &model{}
				m := seated(talking, 2)
				talking.asked = func(r mcts.Request, _ int) error {
					mu.Lock()
					defer mu.Unlock()

					if again := failed; r.Node.Question == "hard-1" && !again {
						failed = true
						return errGone
					}
					return nil
				}

				o := options(config, m, open(t, database(t)))
				o.Workers, o.Retry.Attempts = workers, 2
				same(t, want, collected(t, o))

				if m.Ended != len(m.Conversations) || m.Most > 2 || m.Taken() != 0 {
					t.Errorf("%d of %d conversations ended, %d at a time", m.Ended, len(m.Conversations), m.Most)
				}

				for i, trees := range m.Conversations {
					var wanted []string

					if config.Enough > 0 { // all trees of a question
						q := o.Questions[i].Task.ID
						for tree := range want[q] {
							wanted = append(wanted, fmt.Sprintf("%s/%d", q, tree))
						}
					} else {
						wanted = []string{fmt.Sprintf("%s/%d", o.Questions[i/config.Trees].Task.ID, i%config.Trees)}
					}

					if !slices.Equal(trees, wanted) {
						t.Errorf("conversation %d was about %v, want %v", i, trees, wanted)
					}
				}

				unasked := &model{}
				silent := seated(unasked, 0) // in which nobody can sit down
				o.Policy = silent
				same(t, want, collected(t, o))

				if unasked.calls > 0 || silent.Ended != len(silent.Conversations) {
					t.Errorf("replayed lanes: %d calls", unasked.calls)
				}
			})
		}
	}
}

// A run that is interrupted while lanes wait for a seat ends, and all of its conversations with it.
func TestInterruptedConversations(t *testing.T) {
	ctx, interrupt := mcts.Interruptible(t.Context())
	talking := &model{}
	m := seated(talking, 1)
	talking.asked = func(mcts.Request, int) error {
		interrupt()
		return nil
	}

	o := options(paper(), m, open(t, database(t)))
	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || talking.calls != 1 ||
		m.Ended != len(m.Conversations) {
		t.Errorf("%v after %d calls; %d of %d conversations ended", err, talking.calls, m.Ended,
			len(m.Conversations))
	}
}
