package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/mcts"
)

// overdue is how long after the second Ctrl-C the program ends whatever it is doing.
const overdue = 2 * time.Second

// interrupts turns Ctrl-C, SIGTERM and the end of the terminal into an orderly end, from now on.
// The first interrupts the context returned: nothing new begins, and calls that a model's server is
// answering end with an answer. The second ends them, too, and what has not ended soon after is
// left as it is: every answer is in the log by then.
func (a *app) interrupts(parent context.Context) context.Context {
	outer, cancel := context.WithCancel(parent)
	ctx, interrupt := mcts.Interruptible(outer)
	signals := make(chan os.Signal, 3)

	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}

	go func() { // for as long as the program lives
		<-signals
		a.Say("\n%s", a.ending.first())
		interrupt()
		<-signals
		a.Say("Stopping at once.")
		cancel()

		select {
		case <-signals:
		case <-time.After(overdue):
		}

		a.Say("toolevo: %s", a.ending.last())
		os.Exit(cmdline.ExitInterrupted)
	}()
	return ctx
}

// ending knows what is to be said when the user wants the end. The zero value is that of a command
// that can be run again.
type ending struct {
	mu     sync.Mutex
	resume string // the command that goes on; "" when none has to
	limit  error  // that ended the work; nil where the user did
}

// begin notes that a run has begun, and how to go on with it.
func (e *ending) begin(resume string) {
	e.mu.Lock()
	defer e.mu.Unlock()

	e.resume = resume
}

// stopped notes that a limit ends the work.
func (e *ending) stopped(limit error) {
	e.mu.Lock()
	defer e.mu.Unlock()

	e.limit = limit
}

func (e *ending) first() string {
	e.mu.Lock()
	defer e.mu.Unlock()

	if e.resume == "" {
		return "Interrupted: stopping. Press Ctrl-C again to stop at once."
	}
	return "Interrupted: no new model calls; those that are being answered finish.\n" +
		"Press Ctrl-C again to stop at once: nothing is lost."
}

func (e *ending) last() string {
	e.mu.Lock()
	defer e.mu.Unlock()

	why := e.cause()

	if e.resume == "" && e.limit != nil {
		return why + "; everything so far is kept: without it, the same command goes on"
	}

	if e.resume == "" {
		return why + ": run the same command again"
	}
	return fmt.Sprintf("%s; everything so far is kept. Continue with:\n  %s", why, e.resume)
}

// why says what ended the work.
func (e *ending) why() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cause()
}

// cause is why. The caller holds mu.
func (e *ending) cause() string {
	if e.limit != nil {
		return cmdline.Flags(e.limit.Error())
	}
	return "interrupted"
}

// interrupted gives the error of a command that was interrupted its words and its exit code. An
// error that has nothing to do with it stays what it is.
func (a *app) interrupted(ctx context.Context, err error) error {
	told := console.KindOf(err) == console.Interruption
	if told || ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return console.Interrupted("%s", a.ending.last())
}
