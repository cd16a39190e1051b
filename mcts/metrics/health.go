package metrics

import (
	"fmt"
	"sync"
	"time"

	"toolevo/mcts/policy/server"
)

// Health says whether work progresses.
type Health struct {
	Work     func() int64                      // grows with everything that is done
	Policies func() map[string]server.Snapshot // on servers, by name
	Patience time.Duration                     // how long nothing may be done

	mu   sync.Mutex
	work int64     // what Work last returned
	at   time.Time // when it first returned that; zero before the first request
}

// check returns why work has stalled, or nil. Nobody watches between two requests, so work counts
// as done when it is seen: it is never called stalled too early.
func (h *Health) check(now time.Time) error {
	if away, all := h.servers(); all > 0 && away == all {
		return fmt.Errorf("all %d servers of the model are away", all)
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	if work := h.Work(); h.at.IsZero() || work != h.work {
		h.work, h.at = work, now
	}

	if idle := now.Sub(h.at); idle > h.Patience {
		return fmt.Errorf("nothing was done for %v", idle.Round(time.Second))
	}
	return nil
}

// servers counts the servers of the model, and those that are away.
func (h *Health) servers() (away, all int) {
	for _, p := range h.Policies() {
		for _, s := range p.Servers {
			if s.Left {
				continue
			}

			if all++; s.Down {
				away++
			}
		}
	}

	return away, all
}
