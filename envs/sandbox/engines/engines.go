package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/forkserver"
	"toolevo/envs/sandbox/python"
)

// The names of the engines.
const (
	Auto       = "auto"       // the best that works of bwrap and forkserver
	ForkServer = "forkserver" // a warm python3, forked for each call, behind Landlock and seccomp
	Bwrap      = "bwrap"      // the same inside bubblewrap
	Unsafe     = "unsafe"     // the same with no walls
)

// Names lists the names of the engines, Auto first.
func Names() []string { return []string{Auto, ForkServer, Bwrap, Unsafe} }

// Options choose an engine. The zero value is Auto on the python3 of PATH, without third-party
// modules.
type Options struct {
	Engine     string         // one of Names; "" is Auto
	Executable string         // "" is the python3 of PATH
	Modules    []string       // third-party modules that programs may import, if they are installed
	Accept     []confine.Wall // walls to do without if the machine does not offer them
	Lacking    []confine.Wall // walls to leave out even if the machine offers them, to see what holds without
	// the newest version of Landlock to use, to see what holds on an older kernel; 0 is the
	// kernel's
	ABI     int
	Servers int // how many programs run at once; 0 is a quarter of the processors, at least 2
}

// Main makes this process one of the helpers that engines start by starting this binary again, if
// it was started as one, and does not return then. main and every TestMain whose package opens
// engines call it before anything else.
func Main() {
	confine.Main()
}

// Open opens an engine. The caller closes it. Walls that are missing and not accepted are a
// [confine.MissingError], whose text also says what can be done.
func Open(ctx context.Context, o Options) (sandbox.Engine, error) {
	if o.Engine == "" {
		o.Engine = Auto
	}

	e, err := o.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("PythonInterpreter, engine %s: %w", o.Engine, advise(err))
	}
	return e, nil
}

// inspect finds out what a choice depends on, and the interpreter.
func (o Options) inspect(ctx context.Context) (machine, *python.Interpreter, error) {
	m := machine{missing: confine.Probe(), findBwrap: func() (string, error) { return findBwrap(ctx) }}
	for _, w := range o.Lacking {
		if m.missing[w] == nil {
			m.missing[w] = errLeftOut
		}
	}

	if !slices.Contains(Names(), o.Engine) {
		return m, nil, fmt.Errorf("unknown name: valid are %s", strings.Join(Names(), ", "))
	}

	var interpreter *python.Interpreter
	interpreter, m.noPython = python.Find(ctx, o.Executable, o.Modules)

	if m.noPython != nil && (o.Engine != Auto || ctx.Err() != nil) {
		return m, nil, m.noPython
	}
	return m, interpreter, nil
}

func (o Options) open(ctx context.Context) (sandbox.Engine, error) {
	m, interpreter, err := o.inspect(ctx)
	if err != nil {
		return nil, err
	}

	c, err := o.choose(m)
	if err != nil {
		return nil, err
	}

	e, err := o.start(ctx, c, interpreter)
	if err != nil && o.Engine == Auto {
		return nil, fmt.Errorf("it chose %s, which does not start: %w", c.engine, err)
	}
	return e, err
}

// start starts the chosen engine, for programs of many sessions.
func (o Options) start(ctx context.Context, c choice, interpreter *python.Interpreter) (sandbox.Engine, error) {
	o.Servers = cmp.Or(o.Servers, max(2, runtime.NumCPU()/4))

	e, err := forkserver.New(ctx, forkserver.Options{
		Python: interpreter, Servers: o.Servers, Without: c.without, Bwrap: c.bwrap, LandlockABI: o.ABI,
		Unsafe: c.engine == Unsafe,
	})
	if err != nil {
		return nil, err // not e: a nil *Engine would be an engine
	}

	return &fair{Engine: e, free: o.Servers}, nil
}

// errLeftOut is why a wall in Options.Lacking is missing.
var errLeftOut = errors.New("it is left out to see what holds without it")
