package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// unableError is that of a unit that failed here.
type unableError struct{ err error }

func (e *unableError) Error() string { return e.err.Error() }
func (e *unableError) Unwrap() error { return e.err }

// Unable is the error of a unit that a worker did, and of which some failed: with it Do returns the
// outcome that the unit has if no other machine can try. A machine whose sandbox or server is
// broken fails fast, and would soon have failed at all units of a run.
func Unable(err error) error { return &unableError{err} }

// mayPass reports whether a unit that failed here goes to another machine: once, if there is one.
func (a *Assignment) mayPass(ctx context.Context) bool {
	return len(a.failed) == 0 && a.worker.hasOthers(ctx)
}

// errDeclined means that a unit is left to another machine.
var errDeclined = errors.New("cluster: this unit failed here before")

// declines reports whether the unit failed here before, and is left to another machine.
func (a *Assignment) declines(ctx context.Context) bool {
	return slices.Contains(a.failed, a.worker.options.Machine) && a.worker.hasOthers(ctx)
}

// hasOthers reports whether workers on other machines are there, or may be. It waits for the
// coordinator, which knows.
func (w *Worker) hasOthers(ctx context.Context) bool {
	text, err := w.request(ctx, w.names.machines(), nil)

	var there []string
	if err == nil {
		err = json.Unmarshal(text, &there)
	}
	return err != nil || slices.ContainsFunc(there, func(m string) bool { return m != w.options.Machine })
}

// machines answers a worker that asks where there are workers.
func (c *Coordinator) machines(context.Context, []byte) ([]byte, error) {
	there := []string{}
	if time.Since(c.started) < awayAfter { // workers of the coordinator before this one
		there = append(there, "?")
	}

	for _, b := range c.Workers() {
		there = append(there, b.Machine)
	}
	return json.Marshal(there)
}

// A worker takes its time where units fail one after the other: most go elsewhere then. It is a
// second after the first, and twice as long after each further one.
const (
	restTime     = time.Second
	mostRestTime = time.Minute
)

// declineTime is for how long a unit that is declined is handed to nobody.
const declineTime = 5 * time.Second

// noteFailure notes that a unit failed here, and tells people of the first one.
func (w *Worker) noteFailure(unit string, err error) {
	w.mu.Lock()
	w.failures++
	n := w.failures
	w.mu.Unlock()

	w.log.Warn("a unit failed here", "unit", unit, "because", err)

	if n == 1 {
		w.say("Something of the run failed here, and another worker tries it: %v", err)
	}
}

// rest returns how long to wait before another unit.
func (w *Worker) rest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.failures == 0 {
		return 0
	}
	return min(restTime<<min(w.failures-1, 10), mostRestTime)
}
