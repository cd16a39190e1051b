package forkserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

// Options are what an engine is made of. Of each field but Python the zero value means the default.
type Options struct {
	Python  *python.Interpreter
	Servers int            // how many programs run at once; default a quarter of the processors, at least two
	Recycle int            // calls after which a server is replaced; default 5000
	Without []confine.Wall // walls to do without, whether the machine offers them or not
	Bwrap   string         // the path of bubblewrap, with which the engine is called bwrap

	LandlockABI int // the newest version of Landlock's interface to use; see [confine.Jail]
}

// Engine is a [sandbox.Engine]; see the package.
type Engine struct {
	stamp   sandbox.Stamp
	wants   chan want
	stop    context.CancelFunc
	stopped <-chan struct{} // closed by stop
	keepers sync.WaitGroup
}

var (
	errKilled = errors.New("killed before any limit was reached, e.g. because the machine ran out of memory")
	errClosed = errors.New("forkserver: the engine is closed")
)

// New starts the servers, and runs a program in each. A wall that the machine does not offer, and that Options.Without
// does not name, is a *[confine.MissingError].
func New(ctx context.Context, o Options) (*Engine, error) {
	if o.Servers <= 0 {
		o.Servers = max(2, runtime.NumCPU()/4)
	}

	if o.Recycle <= 0 {
		o.Recycle = 5000
	}

	if err := confine.Require(o.Without...); err != nil {
		return nil, err
	}

	start, err := o.starter()
	if err != nil {
		return nil, err
	}

	name := "forkserver"
	if o.Bwrap != "" {
		name = "bwrap"
	}

	life, stop := context.WithCancel(context.WithoutCancel(ctx))

	keepers, err := startAll(ctx, life, o, start)
	if err != nil {
		stop()
		return nil, err
	}

	e := &Engine{stamp: o.Python.Stamp(name, o.Without), wants: make(chan want), stop: stop, stopped: life.Done()}
	for _, k := range keepers {
		e.keepers.Go(func() { k.run(life, e.wants) })
	}

	return e, nil
}

// startAll starts all servers at once.
func startAll(ctx, life context.Context, o Options, start starter) ([]*keeper, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	keepers := make([]*keeper, o.Servers)
	errs := make([]error, o.Servers)
	var wg sync.WaitGroup

	for i := range keepers {
		keepers[i] = &keeper{start: start, recycle: o.Recycle}

		wg.Go(func() {
			if keepers[i].server, errs[i] = start(ctx, life); errs[i] != nil {
				stop() // the others would fail, too
			}
		})
	}

	wg.Wait()

	if errors.Join(errs...) == nil {
		return keepers, nil
	}

	for _, k := range keepers {
		k.end()
	}
	// Those that were stopped have less to say than the one they were stopped for.
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(rank(a), rank(b)) })

	return nil, errs[0]
}

func rank(err error) int {
	switch {
	case err == nil:
		return 2
	case errors.Is(err, context.Canceled):
		return 1
	}

	return 0
}

// starter starts a server that ends with life. ctx bounds the start.
type starter func(ctx, life context.Context) (*server, error)

// starter returns what starts a server with these options.
func (o Options) starter() (starter, error) {
	without := o.Without
	if o.Bwrap != "" {
		// All that can be seen is read-only there. The filter refuses earlier, in the words of the other engines.
		without = append(slices.Clone(without), confine.Landlock)
	}

	setup, err := json.Marshal(o.Python.Setup(without))
	if err != nil {
		return nil, fmt.Errorf("forkserver: encode the setup: %w", err)
	}

	jail := o.Python.Jail(python.ForkServer(), o.Without)
	jail.Bwrap, jail.LandlockABI = o.Bwrap, o.LandlockABI

	return func(ctx, life context.Context) (*server, error) {
		cmd, err := jail.Command(life)
		if err != nil {
			return nil, fmt.Errorf("forkserver: start %s: %w", jail.Path, err)
		}

		child, err := worker.Start(cmd, nil)
		if err != nil {
			return nil, fmt.Errorf("forkserver: start %s: %w", jail.Path, err)
		}

		child.Block()

		s := &server{child}
		if err := s.prepare(ctx, setup); err != nil {
			said := s.End()

			if ctx.Err() != nil {
				return nil, fmt.Errorf("forkserver: start %s: %w", jail.Path, ctx.Err())
			}

			return nil, fmt.Errorf("forkserver: %s ended when it started: %s", jail.Path, said)
		}

		return s, nil
	}, nil
}

// Run implements [sandbox.Engine].
func (e *Engine) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	l = l.WithDefaults()

	r, err := e.once(ctx, p, l)
	if ctx.Err() == nil && (errors.Is(err, errKilled) || errors.Is(err, errBroken)) {
		if e.isClosed() {
			return sandbox.Reply{}, errClosed
		}

		r, err = e.once(ctx, p, l)
	}

	if ctx.Err() != nil && err != nil {
		return sandbox.Reply{}, ctx.Err()
	}

	return r, err
}

// once borrows a server for one call.
func (e *Engine) once(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	lend := make(chan lease)
	select {
	case e.wants <- want{lend, ctx.Done()}:
	case <-ctx.Done():
		return sandbox.Reply{}, ctx.Err()
	case <-e.stopped:
		return sandbox.Reply{}, errClosed
	}

	var b lease
	select {
	case b = <-lend:
	case <-ctx.Done():
		return sandbox.Reply{}, ctx.Err()
	}

	if b.err != nil {
		return sandbox.Reply{}, b.err
	}

	a, err := b.server.call(ctx, p, l)
	b.back <- err == nil

	if err != nil {
		return sandbox.Reply{}, err
	}

	return a.reply(l)
}

func (e *Engine) isClosed() bool {
	select {
	case <-e.stopped:
		return true
	default:
		return false
	}
}

// reply says how a program ended. Its error wraps errKilled when something else than a limit killed it.
func (a answer) reply(l sandbox.Limits) (sandbox.Reply, error) {
	status := syscall.WaitStatus(a.Status)

	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
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
	e.stop()
	e.keepers.Wait()
	return nil
}
