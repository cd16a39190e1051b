package worker

import (
	"sync"
	"time"
)

// glance is the time between two looks at a child that is called.
const glance = 20 * time.Millisecond

// watch kills a child whose call exceeds a limit. Its timer goes on from one call to the next:
// starting one for each takes as long as a short call does.
type watch struct {
	mu       sync.Mutex
	limits   Limits
	deadline time.Time // zero when there is no call
	used     bool      // there was a call since the last look
	timer    *time.Timer
	running  bool // of the timer
	why      error
	child    *Child
}

func (w *watch) start(c *Child) {
	w.child = c
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
}

// begin watches a call.
func (w *watch) begin(l Limits) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.limits, w.deadline, w.used = l, time.Now().Add(l.Time), true
	if !w.running {
		w.running = true
		w.timer.Reset(min(glance, l.Time))
	}
}

// end says for what the call was ended, nil if it was not.
func (w *watch) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.deadline = time.Time{}
	return w.why
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()

	if !w.used {
		w.running = false
		return
	}

	next := glance
	w.used = !w.deadline.IsZero()

	if w.used {
		if w.why = w.exceeded(); w.why != nil {
			w.child.Kill()
			return
		}

		next = max(0, min(glance, time.Until(w.deadline)))
	}

	w.timer.Reset(next)
}

// exceeded says which limit the call exceeds. A folder that cannot be looked at is full.
func (w *watch) exceeded() error {
	if time.Until(w.deadline) <= 0 {
		return ErrLate
	}

	if size, err := w.child.scratch.size(); err != nil || size > w.limits.Scratch {
		return ErrScratch
	}
	return nil
}
