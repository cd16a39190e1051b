package console

import (
	"bytes"
	"testing"
	"time"
)

// spoken is a screen that passes on what is written.
type spoken chan string

func (s spoken) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// A start that takes more than a moment says what it does, step by step; one that does not says
// nothing.
func TestStarting(t *testing.T) {
	t.Parallel()
	screen := make(spoken, 2)
	s := (&Program{Err: &Screen{W: screen}}).Start(ProgressAuto, time.Nanosecond)
	first := s.Step("Reading")

	if got := <-screen; got != "Reading …\n" { // the moment passes
		t.Errorf("%q", got)
	}

	first()
	s.Step("Opening")()

	if got := <-screen; got != "Opening …\n" {
		t.Errorf("%q", got)
	}

	for name, quiet := range map[string]*Starting{
		"in time":         (&Program{Err: &Screen{W: screen}}).Start(ProgressPlain, time.Hour),
		"--progress none": (&Program{Err: &Screen{W: screen}}).Start(ProgressNone, -1),
	} {
		quiet.Step("Nothing")()

		if len(screen) != 0 {
			t.Errorf("%s: %q", name, <-screen)
		}
	}
}

// On a terminal the step stands where progress will be, and goes.
func TestStartingIsDrawn(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	s := (&Program{Err: &Screen{W: &screen}}).Start(ProgressBar, -1)
	s.Step("Reading")()

	if got, want := screen.String(), "\r\x1b[JReading …\r\r\x1b[J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
