package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts turns Ctrl-C into an orderly end: the first closes drain, so that what is in progress ends and nothing new
// starts; the second cancels the context. stop waits for the goroutine and gives the signals back.
func (a *app) interrupts(parent context.Context) (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	draining, done := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
			case <-done:
				return
			}
			if n == 0 {
				a.say("\nInterrupted: finishing what is in progress. Press Ctrl-C again to stop at once; nothing is lost.")
				close(draining)
				continue
			}
			cancel()
			signal.Stop(signals) // a third kills, should something hang
			return
		}
	})
	return ctx, draining, func() {
		signal.Stop(signals)
		close(done)
		wait.Wait()
		cancel()
	}
}
