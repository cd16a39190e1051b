package console

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// defaultQuietPeriod is how long a command may prepare in silence.
const defaultQuietPeriod = time.Second

// Starting shows what a command is preparing once that takes longer than the quiet period. A nil
// Starting shows nothing.
type Starting struct {
	say func(what string) // "" clears what was shown

	mu   sync.Mutex
	what string // the step now, "" between steps
	late bool   // the quiet period is over
}

// Start starts the quiet period: 0 is the default, and a negative one means none. mode is a value
// of --progress.
func (p *Program) Start(mode string, quiet time.Duration) *Starting {
	if mode == ProgressNone {
		return nil
	}

	s := &Starting{say: func(what string) {
		if what != "" {
			fmt.Fprintf(p.Err, "%s …\n", what)
		}
	}}

	// A drawn line has to be cleared after its step; a written line stays.
	if p.Draws(mode) {
		s.say = func(what string) {
			if what == "" {
				_, _ = p.Err.Write(nil) // clears the line
				return
			}

			p.Err.draw(what+" …", "")
		}
	}

	if s.late = quiet < 0; s.late {
		return s
	}

	// Most preparations are done by then, and steps that flash by inform nobody.
	time.AfterFunc(cmp.Or(quiet, defaultQuietPeriod), func() {
		s.mu.Lock()
		defer s.mu.Unlock()

		s.late = true
		s.update()
	})
	return s
}

// Step begins a step, and returns the function that ends it.
func (s *Starting) Step(what string) (done func()) {
	if s == nil {
		return func() {}
	}

	set := func(what string) {
		s.mu.Lock()
		defer s.mu.Unlock()

		s.what = what
		s.update()
	}
	set(what)
	return func() { set("") }
}

func (s *Starting) update() {
	if s.late {
		s.say(s.what)
	}
}
