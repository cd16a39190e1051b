package console

import "sync"

// Steps says how far a command with several steps is in the present one.
type Steps struct {
	Begin func() // is called before the first step; nil calls nothing

	once sync.Once
	mu   sync.Mutex
	now  Status
}

// Step begins a step, and returns the function that sets how much of it is done. That may be called
// from anywhere.
func (t *Steps) Step(what string) func(done, total int) {
	t.once.Do(func() {
		if t.Begin != nil {
			t.Begin()
		}
	})

	set := func(done, total int) {
		t.mu.Lock()
		defer t.mu.Unlock()

		t.now = Status{
			Done:  int64(done),
			Total: int64(total),
			Work:  Work{Done: int64(done), Left: int64(total - done)},
			Text:  what,
		}
	}
	set(0, 0)

	return set
}

// Read returns how far the present step is.
func (t *Steps) Read() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}
