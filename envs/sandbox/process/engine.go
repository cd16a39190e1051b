package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

const ready = "ready\n" // what the driver writes to standard error before the program begins

// Options are what an engine is made of.
type Options struct {
	Python  *python.Interpreter
	Without []confine.Wall // walls to do without, whether the machine offers them or not
	Unsafe  bool           // no walls at all; the engine is called unsafe

	LandlockABI int // the newest version of Landlock's interface to use; see [confine.Jail]
}

// Engine is a [sandbox.Engine]; see the package.
type Engine struct {
	opts    Options
	setup   python.Setup
	stamp   sandbox.Stamp
	life    context.Context // until Close
	close   context.CancelFunc
	mu      sync.Mutex // guards running.Add against Wait
	running sync.WaitGroup
}

var (
	errWall   = errors.New("process: out of time")
	errOutput = errors.New("process: too much output")
	errKilled = errors.New("killed before any limit was reached, e.g. because the machine ran out of memory")
	errClosed = errors.New("process: the engine is closed")
)

// New returns the engine after it has run a program. A wall that the machine does not offer, and that Options.Without
// does not name, is a *[confine.MissingError].
func New(ctx context.Context, o Options) (*Engine, error) {
	name := "process"
	if o.Unsafe {
		name, o.Without = "unsafe", confine.Walls()
	} else if err := confine.Require(o.Without...); err != nil {
		return nil, err
	}

	e := &Engine{opts: o, setup: o.Python.Setup(o.Without), stamp: o.Python.Stamp(name, o.Without)}
	e.life, e.close = context.WithCancel(context.WithoutCancel(ctx))

	if o.Unsafe {
		e.stamp.Missing = nil // the name says it
	}

	r, err := e.Run(ctx, sandbox.Program{Code: "print(sum(range(10)))"}, sandbox.Limits{})
	if err != nil {
		return nil, err
	}

	if want := (sandbox.Reply{Output: "45\n"}); r != want {
		return nil, fmt.Errorf("process: %s: a program that prints 45 ended with %+v", o.Python.Executable, r)
	}

	return e, nil
}

// Stamp implements [sandbox.Engine].
func (e *Engine) Stamp() sandbox.Stamp { return e.stamp }

// Close implements [sandbox.Engine].
func (e *Engine) Close() error {
	e.mu.Lock()
	e.close()
	e.mu.Unlock()
	e.running.Wait()

	return nil
}

// Run implements [sandbox.Engine].
func (e *Engine) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	e.mu.Lock()
	if e.life.Err() != nil {
		e.mu.Unlock()
		return sandbox.Reply{}, errClosed
	}

	e.running.Add(1)

	e.mu.Unlock()
	defer e.running.Done()

	l = l.WithDefaults()

	r, err := e.once(ctx, p, l)
	if errors.Is(err, errKilled) {
		r, err = e.once(ctx, p, l)
	}

	return r, err
}

// once runs a program. Its error wraps errKilled when something else than a limit killed it.
func (e *Engine) once(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	job, err := json.Marshal(struct {
		python.Setup
		python.Job
	}{e.setup, python.NewJob(p, l)})
	if err != nil {
		return sandbox.Reply{}, fmt.Errorf("process: encode a program: %w", err)
	}

	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(e.life, func() { stop(errClosed) })()

	run, release := context.WithTimeoutCause(run, l.Wall, errWall)
	defer release()

	cmd, err := e.command(run)
	if err != nil {
		return sandbox.Reply{}, fmt.Errorf("process: start %s: %w", e.opts.Python.Executable, err)
	}

	stdout := &capped{max: l.Output, full: func() { stop(errOutput) }}
	stderr := &capped{max: 4 << 10}

	var input bytes.Buffer
	if err := worker.WriteFrame(&input, []byte(python.Driver()+"\nonce()\n")); err != nil {
		return sandbox.Reply{}, err
	}

	input.Write(job)
	cmd.Stdin = &input

	err = captured(cmd, stdout, stderr)

	switch {
	case ctx.Err() != nil:
		return sandbox.Reply{}, ctx.Err()
	case e.life.Err() != nil:
		return sandbox.Reply{}, errClosed
	case cmd.ProcessState == nil:
		return sandbox.Reply{}, fmt.Errorf("process: start %s: %w", e.opts.Python.Executable, err)
	}

	return reply(context.Cause(run), cmd.ProcessState, stdout, stderr, l)
}

// outlived is how long output may stay open after all of a process group was killed.
const outlived = 10 * time.Second

// captured runs a command and returns how it ended once everything that it wrote was read, however busy the machine is.
// A process that left the group and holds the output open is waited for no longer than outlived.
func captured(cmd *exec.Cmd, stdout, stderr io.Writer) error {
	var theirs, ours []*os.File
	var copying sync.WaitGroup

	defer func() { closeAll(ours) }()

	for _, to := range []struct {
		file   *io.Writer
		writer io.Writer
	}{{&cmd.Stdout, stdout}, {&cmd.Stderr, stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs)
			copying.Wait()

			return err
		}

		*to.file = w
		ours, theirs = append(ours, r), append(theirs, w)
		copying.Go(func() { io.Copy(to.writer, r) })
	}

	err := cmd.Start()
	closeAll(theirs)

	if err == nil {
		err = cmd.Wait()
		// What the program left running in its process group ends with it. The group's number is still its own: the
		// system does not give it to a new process while one of the group lives, and reuses a free one last.
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}

	for _, r := range ours {
		r.SetReadDeadline(time.Now().Add(outlived))
	}

	copying.Wait()

	return err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// command returns the command that runs one job.
func (e *Engine) command(ctx context.Context) (*exec.Cmd, error) {
	const name = "toolevo-program"

	var cmd *exec.Cmd
	if e.opts.Unsafe {
		cmd = exec.CommandContext(ctx, e.opts.Python.Executable, python.Arguments(name)...)
		cmd.Env, cmd.Dir = python.Environment(), "/"
		cmd.SysProcAttr = attributes()
	} else {
		var err error
		jail := e.opts.Python.Jail(name, e.opts.Without)

		jail.LandlockABI = e.opts.LandlockABI
		if cmd, err = jail.Command(ctx); err != nil {
			return nil, err
		}

		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}

		cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid // either makes it the leader of a group
	}

	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond // for a child of the program that holds its input open

	return cmd, nil
}

// reply says how a program ended; cause is why it was stopped, if it was.
func reply(cause error, state *os.ProcessState, stdout, stderr *capped, l sandbox.Limits) (sandbox.Reply, error) {
	r := sandbox.Reply{Output: stdout.buf.String()}
	status, _ := state.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL

	began := bytes.HasPrefix(stderr.buf.Bytes(), []byte(ready))
	switch {
	case stdout.over:
		r.End = sandbox.OutOfSpace
	case killed && cause == nil && state.UserTime()+state.SystemTime() < l.CPU:
		return sandbox.Reply{}, fmt.Errorf("process: the interpreter was %w", errKilled)
	case !began:
		return sandbox.Reply{}, fmt.Errorf("process: the interpreter ended before the program began: %s: %s",
			state, worker.LastLine(stderr.buf.Bytes()))
	case killed && errors.Is(cause, errWall):
		r.End = sandbox.OutOfTime
	default:
		r.End, r.Detail = python.Ended(status)
	}

	return r, nil
}

// capped keeps the first max bytes written to it.
type capped struct {
	buf  bytes.Buffer
	max  int
	over bool
	full func() // called once when more was written
}

// Write never fails: what does not fit is dropped.
func (c *capped) Write(p []byte) (int, error) {
	room := c.max - c.buf.Len()
	c.buf.Write(p[:min(room, len(p))])

	if len(p) > room && !c.over {
		c.over = true
		if c.full != nil {
			c.full()
		}
	}

	return len(p), nil
}
