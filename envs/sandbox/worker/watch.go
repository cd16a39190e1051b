package worker

import (
	"sync"
	"time"
)

// checkInterval is the time between two checks of a child during a call.
const checkInterval = 20 * time.Millisecond

// watch kills a child whose call exceeds a limit. Its timer runs on from one call to the next:
// starting one for each would take as long as a short call does.
type watch struct {
	mu       sync.Mutex
	limits   Limits
	deadline time.Time // zero between calls
	used     bool      // there was a call since the last check
	timer    *time.Timer
	running  bool // of the timer
	why      error
	child    *Child
}

func (w *watch) start(c *Child) {
	w.child = c
	w.timer = time.AfterFunc(time.Hour, w.check)
	w.timer.Stop()
}

// begin watches a call.
func (w *watch) begin(l Limits) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.limits, w.deadline, w.used = l, time.Now().Add(l.Time), true
	if !w.running {
		w.running = true
		w.timer.Reset(min(checkInterval, l.Time))
	}
}

// end returns the limit for which the call was ended, or nil.
func (w *watch) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.deadline = time.Time{}
	return w.why
}

func (w *watch) check() {
	w.mu.Lock()
	defer w.mu.Unlock()

	if !w.used {
		w.running = false
		return
	}

	next := checkInterval
	w.used = !w.deadline.IsZero()

	if w.used {
		if w.why = w.exceeded(); w.why != nil {
			w.child.Kill()
			return
		}

		next = max(0, min(checkInterval, time.Until(w.deadline)))
	}

	w.timer.Reset(next)
}

// exceeded returns the limit that the call exceeds. A folder that cannot be read counts as full.
func (w *watch) exceeded() error {
	if time.Until(w.deadline) <= 0 {
		return ErrLate
	}

	if size, err := w.child.scratch.size(); err != nil || size > w.limits.Scratch {
		return ErrScratch
	}
	return nil
}
