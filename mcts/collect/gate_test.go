package collect_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"toolevo/mcts"
	"toolevo/mcts/collect"
)

// A model without room is asked by one lane at a time, in the order of the questions, whatever the
// workers; and the trees are those of a run that nothing held back.
func TestNoRoom(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			want := collected(t, options(config, &model{}, open(t, database(t))))
			var mu sync.Mutex
			var order []string // the lanes of the first pass as they call
			m := &model{}
			m.asked = func(r mcts.Request, _ int) error {
				mu.Lock()
				defer mu.Unlock()

				lane := treeOf(r)
				if config.Enough > 0 {
					lane = r.Node.Question
				}

				if len(order) == 0 || order[len(order)-1] != lane {
					order = append(order, lane)
				}

				if m.running > 1 {
					t.Errorf("%d calls at a time", m.running)
				}
				return nil
			}
			o := options(config, m, open(t, database(t)))
			o.Workers, o.Room = 8, func(int) int { return 0 }
			same(t, want, collected(t, o))

			first := order
			if config.Enough > 0 { // further passes follow
				first = order[:len(o.Questions)]
			}

			if seen := slices.Compact(slices.Sorted(slices.Values(first))); len(seen) != len(first) {
				t.Errorf("lanes ran beside each other: %v", first)
			}

			if first[0][:6] != "easy-0" || first[len(first)-1][:6] != "easy-2" {
				t.Errorf("lanes ran in the order %v", first)
			}
		})
	}
}

// As many lanes start as there is room for, and no more: the calls of this model end once three
// lanes have come.
func TestRoomForThree(t *testing.T) {
	c := paper()
	lanes, all := map[string]bool{}, make(chan struct{})
	var mu sync.Mutex
	m := &model{asked: func(r mcts.Request, _ int) error {
		mu.Lock()
		if lanes[treeOf(r)] = true; len(lanes) == 3 {
			select {
			case <-all:
			default:
				close(all)
			}
		}
		mu.Unlock()
		<-all

		return nil
	}}
	o := options(c, m, open(t, database(t)))
	o.Workers = 8
	most := 0
	o.Room = func(samples int) int {
		if samples != c.Samples {
			t.Errorf("asked for room for calls of %d samples, want %d", samples, c.Samples)
		}

		mu.Lock()
		defer mu.Unlock()

		select {
		case <-all:
		default:
			most = max(most, len(lanes))
			return 3 - len(lanes)
		}

		return 100
	}
	want := collected(t, options(c, &model{}, open(t, database(t))))
	same(t, want, collected(t, o))

	if most > 3 {
		t.Errorf("%d lanes came while there was room for three", most)
	}
}

// A run that is interrupted starts none of the lanes that wait for room, and goes on with them
// later.
func TestInterruptedWithoutRoom(t *testing.T) {
	want := collected(t, options(paper(), &model{}, open(t, database(t))))
	ctx, interrupt := mcts.Interruptible(t.Context())
	m := &model{asked: func(mcts.Request, int) error {
		interrupt()
		return nil
	}}
	o := options(paper(), m, open(t, database(t)))

	o.Room = func(int) int { return 0 }
	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || m.calls != 1 {
		t.Fatalf("%d calls, error %v; want one", m.calls, err)
	}

	same(t, want, collected(t, o))
}
