package wasi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/worker"
)

// Options are what an engine is made of. Of each field but Module the zero value means the default.
type Options struct {
	Module  string   // the path of the module
	Modules []string // third-party modules that programs may import if the module has them inside
	// how many programs run at once; default the number of processors, at most eight; each takes some
	// 150 MB
	Servers int
	Recycle int            // programs after which a machine is replaced; default 2000
	Without []confine.Wall // walls to do without beside those that the machine does not offer

	LandlockABI int // the newest version of Landlock's interface to use; see [confine.Jail]

	// Cache is the folder in which compiled code is kept, some 35 MB for the reference module; nobody else
	// must be able to write there. The default is toolevo/wasi in the user's folder for caches. Where there
	// is none, the code is kept in a temporary folder until Close.
	Cache string
}

// Engine is a [sandbox.Engine]; see the package.
type Engine struct {
	stamp  sandbox.Stamp
	config config
	jail   confine.Jail
	remove string // a temporary cache

	slots    chan struct{}           // a place for each program that runs
	machines *worker.Standby[*child] // one more than there are slots
}

var errClosed = errors.New("wasi: the engine is closed")

// New compiles the module if that was not done before, starts the machines and waits until one is ready. Walls that
// the machine does not offer are not missed: the engine's first wall is WebAssembly. The stamp names them.
func New(ctx context.Context, o Options) (*Engine, error) {
	if o.Servers <= 0 {
		o.Servers = min(8, runtime.NumCPU())
	}

	if o.Recycle <= 0 {
		o.Recycle = 2000
	}

	e, err := o.engine(ctx)
	if err != nil {
		return nil, fmt.Errorf("wasi: %w", err)
	}

	e.machines = worker.NewStandby(ctx, o.Servers+1,
		func(life context.Context) (*child, error) { return startChild(life, e.jail) })

	// The first one to come says whether machines start at all.
	if err := e.machines.Wait(ctx, 1); err != nil {
		return nil, errors.Join(err, e.Close())
	}

	return e, nil
}

// engine prepares everything that machines are started with.
func (o Options) engine(ctx context.Context) (*Engine, error) {
	path, err := filepath.Abs(o.Module)
	if err != nil {
		return nil, err
	}

	if o.Module == "" {
		path = ""
	}

	_, sum, err := readModule(path)
	if err != nil {
		return nil, err
	}

	e := &Engine{slots: make(chan struct{}, o.Servers)}
	if err := e.findCache(&o); err != nil {
		return nil, err
	}

	e.config = config{Module: path, Sum: sum, Cache: o.Cache, Calls: o.Recycle}

	d, err := ask(ctx, e.config, o.Modules)
	if err != nil {
		return nil, errors.Join(err, e.removeCache())
	}

	v := d.Version
	e.stamp = sandbox.Stamp{
		Engine:  "wasi",
		Python:  fmt.Sprintf("%d.%d.%d (wasi %.12s)", v[0], v[1], v[2], sum),
		Modules: d.Modules,
	}

	e.config.Path, e.config.Site, e.config.Names = d.Path, d.Site, e.stamp.ModuleNames()
	if err := e.prepareJail(o.Without, o.LandlockABI); err != nil {
		return nil, errors.Join(err, e.removeCache())
	}

	return e, nil
}

// findCache sets the folder of compiled code.
func (e *Engine) findCache(o *Options) error {
	if o.Cache != "" {
		path, err := filepath.Abs(o.Cache)
		o.Cache = path
		return err
	}

	if base, err := os.UserCacheDir(); err == nil {
		o.Cache = filepath.Join(base, "toolevo", "wasi")
		if os.MkdirAll(o.Cache, 0o700) == nil && writable(o.Cache) {
			return nil
		}
	}

	path, err := os.MkdirTemp("", "toolevo-wasi-*")
	if err != nil {
		return fmt.Errorf("make a folder for compiled code: %w", err)
	}

	o.Cache, e.remove = path, path

	return nil
}

// writable reports whether files can be made in a folder.
func writable(folder string) bool {
	f, err := os.CreateTemp(folder, "try-*")
	if err != nil {
		return false
	}

	return f.Close() == nil && os.Remove(f.Name()) == nil
}

func (e *Engine) removeCache() error {
	if e.remove == "" {
		return nil
	}

	return os.RemoveAll(e.remove)
}

// ask starts a process that compiles the module and describes its Python. No program has run by then; it has no walls,
// since it writes the cache.
func ask(ctx context.Context, c config, wanted []string) (description, error) {
	var d description

	c.Describe, c.Wanted = true, append([]string{}, wanted...)

	text, err := json.Marshal(c)
	if err != nil {
		return d, fmt.Errorf("encode the configuration: %w", err)
	}

	cmd := exec.CommandContext(ctx, ownBinary, marker, string(text))
	var complaint bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stderr = []string{}, "/", &complaint
	out, err := cmd.Output()

	if ctx.Err() != nil {
		return d, ctx.Err()
	}

	if err != nil {
		return d, fmt.Errorf("load the module: %s", said(err, complaint.Bytes()))
	}

	if err := json.Unmarshal(out, &d); err != nil {
		return d, fmt.Errorf("load the module: %s does not answer like Python: %w: %s", c.Module, err, obtain)
	}

	if v := d.Version; d.Implementation != "cpython" || v[0] != 3 || v[1] < 8 {
		return d, fmt.Errorf("load the module: %s holds %s %d.%d.%d, and CPython 3.8 or later is needed: %s",
			c.Module, d.Implementation, v[0], v[1], v[2], obtain)
	}

	for _, name := range slices.Sorted(maps.Keys(d.Broken)) {
		return d, fmt.Errorf("load the module: %s has the module %s, but cannot import it: %s: do without it", c.Module,
			name, d.Broken[name])
	}

	return d, nil
}

// said is the last line that a process of ours complained with before it ended.
func said(err error, complaint []byte) string {
	line := worker.LastLine(complaint)
	if line == "" {
		return err.Error()
	}

	return strings.TrimPrefix(strings.TrimPrefix(line, "wasi: "), "confine: ")
}

// prepareJail sets up the jail of the machines and records which walls it lacks.
func (e *Engine) prepareJail(without []confine.Wall, abi int) error {
	missing := confine.Probe()
	for _, w := range without {
		missing[w] = nil
	}

	walls := slices.Sorted(maps.Keys(missing))
	for _, w := range walls {
		e.stamp.Missing = append(e.stamp.Missing, string(w))
	}

	libraries, err := worker.Libraries()
	if err != nil {
		return fmt.Errorf("find this program's libraries: %w", err)
	}

	text, err := json.Marshal(e.config)
	if err != nil {
		return fmt.Errorf("encode the configuration: %w", err)
	}

	e.jail = confine.Jail{
		Path:    ownBinary,
		Args:    []string{marker, string(text)},
		Env:     []string{},
		Read:    append(libraries, e.config.Module, e.config.Cache),
		Without: walls,

		LandlockABI: abi,
	}

	return nil
}

// ownBinary leads to this process's binary even after the file was replaced or removed.
const ownBinary = "/proc/self/exe"

// Run implements [sandbox.Engine]. A program whose machine something else than a limit kills runs once more; the second
// time it is an error.
func (e *Engine) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	l = l.WithDefaults()

	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return sandbox.Reply{}, ctx.Err()
	}

	r, err := e.once(ctx, p, l)
	if errors.Is(err, errKilled) {
		r, err = e.once(ctx, p, l)
	}

	if err != nil && ctx.Err() != nil {
		return sandbox.Reply{}, ctx.Err()
	}

	if err != nil && e.machines.Closed() {
		return sandbox.Reply{}, errClosed
	}

	return r, err
}

// once runs a program on a machine, and replaces the machine if it is of no more use.
func (e *Engine) once(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	c, err := e.machines.Take(ctx)
	if err != nil {
		return sandbox.Reply{}, err
	}

	r, good, err := c.run(ctx, p, l)
	if good {
		e.machines.Give(c)
	} else {
		e.machines.Replace(c)
	}

	return r, err
}

// Stamp implements [sandbox.Engine]. The version of Python has the first digits of the module's SHA-256 with it.
func (e *Engine) Stamp() sandbox.Stamp { return e.stamp }

// Close implements [sandbox.Engine].
func (e *Engine) Close() error {
	e.machines.Close()
	return e.removeCache()
}
