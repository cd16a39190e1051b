package worker

import (
	"errors"
	"io/fs"
	"os"
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

// What somebody else does to the files of a child is nothing that its call did.
func TestScratchRemovedByOthers(t *testing.T) {
	c, err := StartSelf(playing, nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := os.RemoveAll(c.scratch.Path); err != nil {
		t.Fatal(err)
	}

	limits := Limits{Time: answering, Scratch: 1 << 20}
	_, _, err = c.Call(t.Context(), []byte("hang"), limits)

	var died *DiedError
	if errors.Is(err, ErrScratch) || !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &died) ||
		!died.Killed {
		t.Errorf("the call: %v", err)
	}
}

// The time in which nothing runs, child and watch alike, takes no round of a child that rests: each
// begins when the watch sees that the one before is over.
func TestWatchAfterFreeze(t *testing.T) {
	c, err := StartSelf(playing, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()

	w := &watch{child: c, limits: Limits{Time: time.Hour, Stretch: 3, Scratch: 1 << 20}}

	for round := range 3 {
		w.deadline = time.Now().Add(-100 * time.Hour)

		for range 4 { // the first begins a round, unless it was the last; the others follow at once
			err := w.exceeded()
			if want := round == 2; errors.Is(err, ErrLate) != want || !want && err != nil {
				t.Errorf("after %d rounds more: %v", round, err)
			}
		}
	}
}
