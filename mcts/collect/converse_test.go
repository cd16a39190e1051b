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
)

// talker is a model that seats a limited number of conversations; the others wait with their first
// request.
type talker struct {
	*model
	seats chan struct{}

	mu    sync.Mutex
	lanes [][]string // by conversation: what it was asked about, each once in a row
	ended int
	most  int // conversations in seats
}

func newTalker(m *model, seats int) *talker {
	return &talker{model: m, seats: make(chan struct{}, seats)}
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

	c := &talk{talker: t, number: len(t.lanes)}
	t.lanes = append(t.lanes, nil)

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
	c.lanes[c.number] = slices.Compact(append(c.lanes[c.number], treeOf(r)))
	c.mu.Unlock()

	return c.model.Propose(ctx, r)
}

// A lane is one conversation, begun in the order of the lanes and ended, whatever fails; the trees
// are the same, and however few conversations there may be at a time, all lanes end.
func TestLanesAreConversations(t *testing.T) {
	for name, config := range presets() {
		for _, workers := range []int{1, 2, 8} {
			t.Run(name, func(t *testing.T) {
				want := collected(t, options(config, &model{}, open(t, database(t))))

				failed := false
				m := newTalker(&model{}, 2)
				m.model.asked = func(r mcts.Request, _ int) error {
					m.mu.Lock()
					defer m.mu.Unlock()

					if again := failed; r.Node.Question == "hard-1" && !again {
						failed = true
						return errGone
					}

					return nil
				}

				o := options(config, m, open(t, database(t)))
				o.Workers, o.Retry.Attempts = workers, 2
				same(t, want, collected(t, o))

				if m.ended != len(m.lanes) || m.most > 2 || len(m.seats) != 0 {
					t.Errorf("%d of %d conversations ended, %d at a time", m.ended, len(m.lanes), m.most)
				}

				for i, trees := range m.lanes {
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

				silent := newTalker(&model{}, 0) // in which nobody can sit down
				o.Policy = silent
				same(t, want, collected(t, o))

				if silent.model.calls > 0 || silent.ended != len(silent.lanes) {
					t.Errorf("replayed lanes: %d calls", silent.model.calls)
				}
			})
		}
	}
}

// A run that is interrupted while lanes wait for a seat ends, and all of its conversations with it.
func TestInterruptedConversations(t *testing.T) {
	ctx, interrupt := mcts.Interruptible(t.Context())
	m := newTalker(&model{}, 1)
	m.model.asked = func(mcts.Request, int) error {
		interrupt()
		return nil
	}

	o := options(paper(), m, open(t, database(t)))
	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || m.model.calls != 1 ||
		m.ended != len(m.lanes) {
		t.Errorf("%v after %d calls; %d of %d conversations ended", err, m.model.calls, m.ended, len(m.lanes))
	}
}
