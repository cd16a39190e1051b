package forkserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

// Options are what an engine is made of. The zero value of each field but Python is the default.
type Options struct {
	Python  *python.Interpreter
	Servers int            // how many programs run at once; default 2
	Recycle int            // calls after which a server is replaced; default 5000
	Without []confine.Wall // walls to do without, whether the machine offers them or not
	Bwrap   string         // the path of bubblewrap, with which the engine is called bwrap
	Unsafe  bool           // no walls at all; the engine is called unsafe

	LandlockABI int // the newest version of Landlock's interface to use; see [confine.Jail]
}

// Engine is a [sandbox.Engine]; see the package.
type Engine struct {
	stamp   sandbox.Stamp
	recycle int
	servers *worker.Standby[*server]
}

var (
	errKilled = errors.New("killed before any limit was reached, e.g. because the machine ran out of memory")
	errClosed = errors.New("forkserver: the engine is closed")
)

// New starts the servers, and runs a program in each. A wall that the machine does not offer, and
// that Options.Without does not name, is a *[confine.MissingError].
func New(ctx context.Context, o Options) (*Engine, error) {
	if o.Servers <= 0 {
		o.Servers = 2
	}

	if o.Recycle <= 0 {
		o.Recycle = 5000
	}

	name, missing := "forkserver", o.Without

	switch {
	case o.Unsafe:
		// The name says which walls are missing.
		name, missing, o.Without = "unsafe", nil, confine.Walls()
	case o.Bwrap != "":
		name = "bwrap"
	}

	// Asked once here, before all servers fail for the same reason.
	if err := confine.Require(o.Without...); err != nil {
		return nil, err
	}

	start, err := o.starter()
	if err != nil {
		return nil, err
	}

	e := &Engine{
		stamp:   o.Python.Stamp(name, missing),
		recycle: o.Recycle,
		servers: worker.NewStandby(ctx, o.Servers, start),
	}
	// An engine that is returned works: each server has run a program.
	if err := e.servers.Wait(ctx, o.Servers); err != nil {
		return nil, errors.Join(err, e.Close())
	}

	return e, nil
}

// starter starts a server that ends when life does.
type starter func(life context.Context) (*server, error)

// starter returns the function that starts a server with these options.
func (o Options) starter() (starter, error) {
	without := o.Without
	if o.Bwrap != "" {
		// Files are bound read-only there, so opening one for writing would be EROFS. The filter
		// that makes up for Landlock refuses it earlier, with EACCES as in the other engines.
		without = append(slices.Clone(without), confine.Landlock)
	}

	setup, err := json.Marshal(o.Python.Setup(without))
	if err != nil {
		return nil, fmt.Errorf("forkserver: encode the setup: %w", err)
	}

	jail := o.Python.Jail("toolevo-fork-server", o.Without)
	jail.Bwrap, jail.LandlockABI = o.Bwrap, o.LandlockABI
	return func(life context.Context) (*server, error) {
		cmd, err := jail.Command(life)
		if err != nil {
			return nil, fmt.Errorf("forkserver: start %s: %w", jail.Path, err)
		}

		child, err := worker.Start(cmd, nil)
		if err != nil {
			return nil, fmt.Errorf("forkserver: start %s: %w", jail.Path, err)
		}

		s := &server{Child: child}
		if err := s.prepare(life, setup); err != nil {
			said := s.End()

			// Closing the engine ends the start, for which Python is not to blame.
			if life.Err() != nil {
				return nil, errClosed
			}
			return nil, fmt.Errorf("forkserver: %s ended when it started: %s", jail.Path, said)
		}
		return s, nil
	}, nil
}

// Run implements [sandbox.Engine].
func (e *Engine) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	l = l.WithDefaults()

	r, err := e.runOnce(ctx, p, l)
	if ctx.Err() == nil && (errors.Is(err, errKilled) || errors.Is(err, errBroken)) {
		r, err = e.runOnce(ctx, p, l)
	}

	switch {
	case err != nil && ctx.Err() != nil:
		return sandbox.Reply{}, ctx.Err()
	case err != nil && e.servers.Closed():
		return sandbox.Reply{}, errClosed
	}

	return r, err
}

// runOnce borrows a server for one call.
func (e *Engine) runOnce(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	s, err := e.servers.Take(ctx)
	if err != nil {
		return sandbox.Reply{}, err
	}

	a, err := s.call(ctx, p, l)
	if err != nil {
		e.servers.Replace(s)
		return sandbox.Reply{}, err
	}

	e.giveBack(s)
	return a.reply(l)
}

// giveBack gives a server back after a call. One that has served its number of calls goes on until
// the next one is ready; if that fails, the next is tried after as many calls again.
func (e *Engine) giveBack(s *server) {
	s.calls++
	if s.calls >= e.recycle && s.next == nil {
		s.next = e.servers.Spare()
	}

	select {
	case next, ok := <-s.next:
		if ok {
			s.End()
			s = next
		} else {
			s.next, s.calls = nil, 0
		}
	default:
	}

	e.servers.Give(s)
}

// reply says how a program ended. Its error wraps errKilled if something other than a limit killed
// it.
func (a answer) reply(l sandbox.Limits) (sandbox.Reply, error) {
	status := syscall.WaitStatus(a.Status)

	// Behind the filter no program sends SIGTERM, which others do before they kill.
	killed := status.Signaled() &&
		(status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGTERM && a.Fenced)

	switch {
	case a.Why == "" && killed && a.CPU < l.CPU.Seconds():
		return sandbox.Reply{}, fmt.Errorf("forkserver: the child was %w", errKilled)
	case !a.Began:
		return sandbox.Reply{}, fmt.Errorf("forkserver: the child ended before the program began: %s", a.output)
	case a.Why == "output":
		return sandbox.Reply{Output: string(a.output), End: sandbox.OutOfSpace}, nil
	case a.Why == "wall":
		return sandbox.Reply{Output: string(a.output), End: sandbox.OutOfTime}, nil
	}

	end, detail := python.Ended(status)
	return sandbox.Reply{Output: string(a.output), End: end, Detail: detail}, nil
}

// Stamp implements [sandbox.Engine].
func (e *Engine) Stamp() sandbox.Stamp { return e.stamp }

// Close implements [sandbox.Engine].
func (e *Engine) Close() error {
	e.servers.Close()
	return nil
}
