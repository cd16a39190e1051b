package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolevo/envs/console"
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
	s := (&app{Program: on(screen).Program, quietPeriod: time.Nanosecond}).starting(console.ProgressAuto)
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
		"in time":         (&app{Program: on(screen).Program, quietPeriod: time.Hour}).starting(console.ProgressPlain),
		"--progress none": (&app{Program: on(screen).Program, quietPeriod: -1}).starting(console.ProgressNone),
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
	s := (&app{Program: on(&screen).Program, quietPeriod: -1}).starting(console.ProgressBar)
	s.step("Reading")()

	if got, want := screen.String(), "\r\x1b[JReading …\r\r\x1b[J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run says every step of a long start before its own progress.
func TestRunSaysWhatItStartsWith(t *testing.T) {
	t.Parallel()
	var words bytes.Buffer
	a := on(&words)
	a.quietPeriod, a.open, a.attack = -1, openShared, attackedOnce

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
