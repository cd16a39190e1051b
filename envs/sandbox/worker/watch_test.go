package worker

import (
	"testing"
	"time"
)

// A call that is ended in the moment of its answer keeps that, and the next one, on the child that
// is dying, is not told that it took too long itself.
func TestNoCallIsLateForAnother(t *testing.T) {
	w := &watch{running: true, why: ErrLate} // the timer is that of the call before

	w.begin(Limits{Time: time.Hour})
	if err := w.end(); err != nil {
		t.Error(err)
	}
}
