package main

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"toolevo/envs/console"
)

// aMoment is how long a command may prepare in silence.
const aMoment = time.Second

// starting says what a command does before it begins, once that has taken more than a moment. A nil one says nothing.
type starting struct {
	say func(what string) // "" is that there is nothing more to say

	mu   sync.Mutex
	what string // the step now, "" between steps
	late bool   // a moment has passed
}

// starting begins to count the moment. mode is one of --progress.
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
				_, _ = a.Err.Write(nil) // takes it away
				return
			}

			a.Err.Draw(what+" …", "")
		}
	}

	if s.late = a.moment < 0; s.late {
		return s
	}

	time.AfterFunc(cmp.Or(a.moment, aMoment), func() {
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
