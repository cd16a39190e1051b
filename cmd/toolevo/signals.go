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

// overdue is how long the program goes on after the second Ctrl-C, whatever it is doing.
const overdue = 2 * time.Second

// interrupts turns Ctrl-C, SIGTERM and the end of the terminal into an orderly end, from now on.
// The first signal interrupts the context returned: nothing new begins, and servers still finish
// the answers they are writing. The second cancels those, too, and what has not ended soon after is
// left as it is: every answer is in the log by then.
func (a *app) interrupts(parent context.Context) context.Context {
	outer, cancel := context.WithCancel(parent)
	ctx, interrupt := mcts.Interruptible(outer)
	// Room for all three that matter: a signal that nobody is waiting for yet must not be lost.
	signals := make(chan os.Signal, 3)

	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

	// Under nohup the signal is ignored, and must stay so.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}

	go func() { // for as long as the program lives
		<-signals
		a.ending.interrupt(interrupt, func(text string) { a.Say("\n%s", text) })
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

// ending words what is said when a command is stopped. The zero value is for a command that is
// simply run again.
type ending struct {
	mu     sync.Mutex
	resume string // the command that continues; "" for the same one
	limit  error  // that ended the work; nil if the user did
}

// interrupt stops the work, and says so: it is true by then, and said before what last says.
func (e *ending) interrupt(stop func(), say func(string)) {
	text := e.first()

	e.mu.Lock()
	defer e.mu.Unlock()

	stop()
	say(text)
}

// begin notes that a run has begun, and the command that resumes it.
func (e *ending) begin(resume string) {
	e.mu.Lock()
	defer e.mu.Unlock()

	e.resume = resume
}

// stopped notes the limit that ends the work.
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

// why returns what ended the work.
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

// interrupted gives the error of a command that was interrupted its words and its exit code. Other
// errors stay as they are.
func (a *app) interrupted(ctx context.Context, err error) error {
	worded := console.KindOf(err) == console.Interruption
	if worded || ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return console.Interrupted("%s", a.ending.last())
}
