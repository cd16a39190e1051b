package worker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// checkInterval is the time between two checks of a child during a call.
const checkInterval = 20 * time.Millisecond

// watch kills a child whose call exceeds a limit. Its timer runs on from one call to the next:
// starting one for each would take as long as a short call does.
type watch struct {
	mu       sync.Mutex
	limits   Limits
	deadline time.Time     // zero between calls
	passed   int           // deadlines of the call that have passed
	worked   time.Duration // processor time that the child had used at the first check of the call
	checked  bool          // there was one
	used     bool          // there was a call since the last check
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

	// A child that was killed as its answer came is taken for the next call: that it is dying is
	// nothing that this call did.
	w.limits, w.used, w.checked, w.why = l, true, false, nil
	w.deadline, w.passed = time.Now().Add(l.Time), 0

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

// exceeded returns the limit that the call exceeds, or why the child's folder cannot be read, which
// is not the call's doing. Where this process has too many files open, the next check looks again.
func (w *watch) exceeded() error {
	if !w.checked {
		w.checked, w.worked = true, processorTime(w.child.cmd.Process.Pid)
	}

	if time.Until(w.deadline) <= 0 {
		// A machine with more to do than processors keeps a child waiting that would answer at
		// once, and what is asked may not get another answer for that.
		used := processorTime(w.child.cmd.Process.Pid) - w.worked
		if w.passed++; w.passed >= w.limits.Stretch || used >= w.limits.Time/2 {
			return ErrLate
		}
		// From now on: while this process was frozen, as the child was, several may have passed.
		w.deadline = time.Now().Add(w.limits.Time)
	}

	size, err := w.child.scratch.size()

	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return nil
	case err == nil && size > w.limits.Scratch:
		return ErrScratch
	}
	return err
}

// tick is the unit of times in /proc, on every architecture that Linux runs on today.
const tick = time.Second / 100

// processorTime is what a process has used, all threads together, 0 where nobody can say.
func processorTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}

	// The name, in parentheses, may hold anything. Of the fields behind it the 12th and 13th are
	// the times in user and in system mode.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}

	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}
