package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// After Ctrl-C, servers that have answered nothing for as long as hung and hungGaps times the run's usual gap between two
// answers are taken to hang, which counts as a second Ctrl-C.
const (
	hung     = time.Second
	hungGaps = 5
)

// interrupts turns Ctrl-C into an orderly end: the first closes drain, so that what is in progress ends and nothing new
// starts; the second cancels the context, and so does a server that has hung since the first. answered counts what
// servers have answered; nil is a run without servers. stop waits for the goroutine and gives the signals back.
func (a *app) interrupts(parent context.Context, answered func() int64) (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	draining, done := make(chan struct{}), make(chan struct{})
	start := time.Now()
	var wait sync.WaitGroup
	wait.Go(func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		a.say("\nInterrupted: finishing what is in progress. Press Ctrl-C again to stop at once; nothing is lost.")
		close(draining)
		silence := hung
		if answered != nil {
			silence += hungGaps * time.Since(start) / time.Duration(max(answered(), hungGaps*10))
		}
		watch, unwatch := watchAnswers(answered, silence)
		select {
		case <-signals:
		case <-watch:
			a.say("No server answers for %v: stopping at once. What was in flight is asked again when the run goes on.", silence.Round(time.Second))
		case <-done:
			unwatch()
			return
		}
		unwatch()
		cancel()
		signal.Stop(signals) // a third kills, should something hang
	})
	return ctx, draining, func() {
		signal.Stop(signals)
		close(done)
		wait.Wait()
		cancel()
	}
}

// watchAnswers returns a channel that is closed once a count has stood still for a time; with no count it never is.
// unwatch waits for the goroutine.
func watchAnswers(answered func() int64, silence time.Duration) (still <-chan struct{}, unwatch func()) {
	if answered == nil {
		return nil, func() {}
	}
	stillness, done := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticker := time.NewTicker(hung / 10)
		defer ticker.Stop()
		count, since := answered(), time.Now()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if now := answered(); now != count {
				count, since = now, time.Now()
			}
			if time.Since(since) >= silence {
				close(stillness)
				return
			}
		}
	})
	return stillness, func() { close(done); wait.Wait() }
}
