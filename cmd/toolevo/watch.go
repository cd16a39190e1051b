package main

import (
	"sync"

	"github.com/spf13/cobra"
)

// steps says how far a command with several steps is in the one it does now.
type steps struct {
	mu  sync.Mutex
	now status
}

// step begins a step; the function it returns takes how much of it is done, and may be called from anywhere.
func (t *steps) step(what string) func(done, total int) {
	set := func(done, total int) {
		t.mu.Lock()
		defer t.mu.Unlock()

		t.now = status{done: int64(done), total: int64(total), text: what}
	}
	set(0, 0)

	return set
}

func (t *steps) read() status {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// watched adds --progress to a command without a configuration. The function it returns shows them until stop.
func (a *app) watched(cmd *cobra.Command) func() (t *steps, stop func(), err error) {
	mode := progressFlag(cmd)

	return func() (*steps, func(), error) {
		if err := checkProgress(*mode); err != nil {
			return nil, nil, err
		}

		t := &steps{}

		return t, a.report(*mode, t.read), nil
	}
}
