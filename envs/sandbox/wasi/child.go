package wasi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

// starting is how long a machine may take to be ready. One that must load a module of 100 MB on a busy
// machine takes ten seconds.
const starting = 2 * time.Minute

var errKilled = errors.New("killed before any limit was reached, e.g. because the machine ran out of memory")

var errOutOfTurn = errors.New("wasi: a machine sent a frame out of turn")

// child is a machine, seen from outside. Its methods must not be called at the same time, except kill.
type child struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	frames    chan frame // closed when the machine has ended and cmd.ProcessState is known
	complaint worker.Tail
	life      <-chan struct{}
	drained   sync.WaitGroup
}

type frame struct {
	kind    kind
	payload []byte
}

// startChild starts a machine and waits until it is ready. It is killed at the end of life.
func startChild(jail confine.Jail, life <-chan struct{}) (*child, error) {
	cmd, err := jail.Command(context.Background())
	if err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	c := &child{cmd: cmd, frames: make(chan frame), complaint: worker.Tail{Max: 8 << 10}, life: life}

	cmd.Stderr = &c.complaint
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	c.drained.Go(func() { c.receive(out) })

	if err := c.await(); err != nil {
		c.kill()
		c.wait()
		return nil, err
	}

	return c, nil
}

// receive hands on what the machine sends until it ends, and waits for it.
func (c *child) receive(out io.Reader) {
	defer close(c.frames)

	r := bufio.NewReader(out)
	for {
		k, payload, err := readFrame(r)
		if err != nil {
			break
		}

		c.frames <- frame{k, payload}
	}

	c.kill() // it has closed its output, so it is ending, or out of step
	c.cmd.Wait()
}

// await waits for the machine to be ready.
func (c *child) await() error {
	late := time.NewTimer(starting)
	defer late.Stop()

	select {
	case f, ok := <-c.frames:
		if ok && f.kind == frameReady {
			return nil
		}

		c.kill()
		c.wait()

		return fmt.Errorf("wasi: a machine ended when it started: %s",
			said(errors.New(c.cmd.ProcessState.String()), c.complaint.Bytes()))
	case <-late.C:
		return fmt.Errorf("wasi: a machine was not ready after %v", starting)
	case <-c.life:
		return errClosed
	}
}

// kill ends the machine. Its end is not waited for.
func (c *child) kill() { c.cmd.Process.Kill() }

// wait waits for the end of a machine that was killed or ends by itself.
func (c *child) wait() {
	for range c.frames {
	}

	c.drained.Wait()
}

// run runs a program under limits that have no zero values. good is whether the machine can run another one.
func (c *child) run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (r sandbox.Reply, good bool, err error) {
	request, err := json.Marshal(python.NewJob(p, l))
	if err != nil {
		return r, true, fmt.Errorf("wasi: encode a program: %w", err)
	}

	message, err := json.Marshal(call{Request: request, Memory: l.Memory, Output: l.Output})
	if err != nil {
		return r, true, fmt.Errorf("wasi: encode a program: %w", err)
	}

	watch, err := newWatch(c.cmd.Process.Pid, l)
	if err != nil {
		return r, false, fmt.Errorf("wasi: look after a machine: %w: it was %w", err, errKilled)
	}
	defer watch.timer.Stop()

	select {
	case _, ok := <-c.frames: // it has ended by itself, since it has nothing to say between two programs
		if ok {
			return r, false, errOutOfTurn
		}

		return r, false, c.died()
	default:
	}

	if err := writeFrame(c.in, frameCall, message); err != nil {
		c.wait()
		return r, false, c.died()
	}
	var output bytes.Buffer

	for {
		select {
		case f, ok := <-c.frames:
			switch {
			case !ok:
				return c.lost(output.String())
			case f.kind == frameOutput:
				output.Write(f.payload)
			default:
				return c.finished(f, output.String())
			}
		case <-watch.timer.C:
			if watch.expired() {
				return sandbox.Reply{Output: output.String(), End: sandbox.OutOfTime}, false, nil
			}
		case <-ctx.Done():
			return r, false, ctx.Err()
		case <-c.life:
			return r, false, errClosed
		}
	}
}

// finished reads the ending of a program.
func (c *child) finished(f frame, output string) (sandbox.Reply, bool, error) {
	var e ending
	if err := json.Unmarshal(f.payload, &e); err != nil || f.kind != frameEnd {
		return sandbox.Reply{}, false, errOutOfTurn
	}

	r := sandbox.Reply{Output: output}

	switch {
	case !e.Began:
		return r, false, fmt.Errorf("wasi: the driver ended before the program began: exit status %d: %s%s", e.Status,
			e.Said, e.Trap)
	case e.Trap != "":
		r.End, r.Detail = sandbox.Died, e.Trap
	case e.Full:
		r.End = sandbox.OutOfSpace
	default:
		r.End, r.Detail = python.Ended(syscall.WaitStatus(e.Status & 0xff << 8))
	}

	return r, e.Good, nil
}

// lost says what became of a program whose machine has ended with it.
func (c *child) lost(output string) (sandbox.Reply, bool, error) {
	status, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		return sandbox.Reply{}, false, c.died()
	}

	detail := "the WebAssembly machine: " + said(errors.New(c.cmd.ProcessState.String()), nil)

	return sandbox.Reply{Output: output, End: sandbox.Died, Detail: detail}, false, nil
}

// died is the error of a machine that was not in a call, or was killed in one.
func (c *child) died() error {
	return fmt.Errorf("wasi: a machine was %w (%s: %s)", errKilled, c.cmd.ProcessState,
		worker.LastLine(c.complaint.Bytes()))
}

// watch tells when a program has used up its time.
type watch struct {
	pid   int
	wall  time.Time     // when its real time is over
	cpu   time.Duration // when its processor time is over, by the machine's clock
	timer *time.Timer   // when to look next
}

func newWatch(pid int, l sandbox.Limits) (*watch, error) {
	used, err := processorTime(pid)
	if err != nil {
		return nil, err
	}

	w := &watch{pid: pid, wall: time.Now().Add(l.Wall), cpu: used + l.CPU}
	w.timer = time.NewTimer(min(l.Wall, l.CPU))

	return w, nil
}

// expired reports whether the time is over, and otherwise sets the timer. A machine that has ended has no clock; its
// output is closed then.
func (w *watch) expired() bool {
	real := time.Until(w.wall)

	used, err := processorTime(w.pid)
	if real <= 0 || err == nil && used >= w.cpu {
		return true
	}

	next := real
	if err == nil {
		next = min(next, max(w.cpu-used, time.Millisecond))
	}

	w.timer.Reset(next)

	return false
}
