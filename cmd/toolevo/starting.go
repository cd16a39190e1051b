package main

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"toolevo/envs/console"
)

// defaultQuietPeriod is how long a command may prepare in silence.
const defaultQuietPeriod = time.Second

// starting shows what a command is preparing once that takes longer than the quiet period. A nil one shows nothing.
type starting struct {
	say func(what string) // "" clears what was shown

	mu   sync.Mutex
	what string // the step now, "" between steps
	late bool   // the quiet period is over
}

// starting starts the quiet period. mode is a value of --progress.
func (a *app) starting(mode string) *starting {
	if mode == console.ProgressNone {
		return nil
	}

	s := &starting{say: func(what string) {
		if what != "" {
			fmt.Fprintf(a.Err, "%s …\n", what)
		}
	}}
	if a.Draws(mode) {
		s.say = func(what string) {
			if what == "" {
				_, _ = a.Err.Write(nil) // clears the line
				return
			}

			a.Err.Draw(what+" …", "")
		}
	}

	if s.late = a.quietPeriod < 0; s.late {
		return s
	}

	time.AfterFunc(cmp.Or(a.quietPeriod, defaultQuietPeriod), func() {
		s.mu.Lock()
		defer s.mu.Unlock()

		s.late = true
		s.tell()
	})

	return s
}

// step begins a step; the function it returns ends it.
func (s *starting) step(what string) (done func()) {
	if s == nil {
		return func() {}
	}

	set := func(what string) {
		s.mu.Lock()
		defer s.mu.Unlock()

		s.what = what
		s.tell()
	}
	set(what)

	return func() { set("") }
}

func (s *starting) tell() {
	if s.late {
		s.say(s.what)
	}
}
