package cluster

import (
	"maps"
	"slices"
	"time"

	"toolevo/envs"
)

// unableError is that of a unit that failed here, and goes to another worker.
type unableError struct{ err error }

func (e *unableError) Error() string { return e.err.Error() }
func (e *unableError) Unwrap() error { return e.err }

// Unable returns the error with which Do gives a unit to another worker because some of it failed
// here: a machine whose sandbox or server is broken fails fast, and would soon have failed at all
// units of a run. It is nil if the failure is to be the outcome: when another worker failed at the
// unit before, and when a request was given up for what it says.
func (a *Assignment) Unable(err error) error {
	if _, givenUp := envs.GivenUp(err); err == nil || givenUp || a.failed {
		return nil
	}
	return &unableError{err}
}

// unableOf is Unable for errors by what failed.
func (a *Assignment) unableOf(all map[int]error) error {
	for _, i := range slices.Sorted(maps.Keys(all)) {
		if err := a.Unable(all[i]); err != nil {
			return err
		}
	}
	return nil
}

// noteUnable notes that a unit failed here, and tells people of the first one.
func (w *Worker) noteUnable(unit string, err error) {
	w.mu.Lock()
	first := len(w.unable) == 0
	w.unable[unit] = time.Now()
	w.mu.Unlock()

	w.log.Warn("a unit failed here", "unit", unit, "because", err)

	if first {
		w.say("Something of the run failed here, and another worker tries it, as with whatever else fails: %v", err)
	}
}

// declines reports whether a unit that failed here is left to another worker: for as long as a
// worker may say nothing. After that there seems to be none.
func (w *Worker) declines(unit string, patience time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	failed, ok := w.unable[unit]
	return ok && time.Since(failed) < patience
}

// declineTimes is how often at most a worker is handed a unit that it declines.
const declineTimes = 30
