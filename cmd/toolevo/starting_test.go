package main

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// spoken is a screen that passes on what is written.
type spoken chan string

func (s spoken) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// A start that takes more than a moment says what it does, step by step; one that does not says nothing.
func TestStarting(t *testing.T) {
	t.Parallel()
	screen := make(spoken, 2)
	s := (&app{err: &console{w: screen}, moment: time.Nanosecond}).starting(progressAuto)
	first := s.step("Reading")

	if got := <-screen; got != "Reading …\n" { // the moment passes
		t.Errorf("%q", got)
	}

	first()
	s.step("Opening")()

	if got := <-screen; got != "Opening …\n" {
		t.Errorf("%q", got)
	}

	for name, quiet := range map[string]*starting{
		"in time":         (&app{err: &console{w: screen}, moment: time.Hour}).starting(progressPlain),
		"--progress none": (&app{err: &console{w: screen}, moment: -1}).starting(progressNone),
	} {
		quiet.step("Nothing")()

		if len(screen) != 0 {
			t.Errorf("%s: %q", name, <-screen)
		}
	}
}

// On a terminal the step stands where progress will be, and goes.
func TestStartingIsDrawn(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	s := (&app{err: &console{w: &screen}, moment: -1}).starting(progressBar)
	s.step("Reading")()

	if got, want := screen.String(), erase+"Reading …\r"+erase; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run says every step of a long start before its own progress.
func TestRunSaysWhatItStartsWith(t *testing.T) {
	t.Parallel()
	var words bytes.Buffer
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &console{w: &words}, moment: -1, open: openShared,
		attack: attackedOnce}

	args := []string{"collect", "--data", smallData(t), "--limit", "1", "--trees", "1", "--out",
		filepath.Join(t.TempDir(), "run")}
	if code := a.run(t.Context(), args); code != exitDone {
		t.Fatalf("exit %d: %s", code, &words)
	}

	said := strings.Split(words.String(), "\n")
	last := -1

	for _, step := range []string{"Reading corpora and questions …", "Opening the sandbox …",
		"Trying to get out of the sandbox …"} {
		i := slices.Index(said, step)
		if i <= last {
			t.Errorf("%q is not where it belongs in %q", step, said)
		}

		last = i
	}
}
