package wasi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
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

// child is a machine, seen from outside.
type child struct {
	*worker.Child
	cmd *exec.Cmd
}

// startChild starts a machine and waits until it is ready. It is killed at the end of life.
func startChild(life context.Context, jail confine.Jail) (*child, error) {
	cmd, err := jail.Command(life)
	if err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	started, err := worker.Start(cmd, nil)
	if err != nil {
		return nil, fmt.Errorf("wasi: start a machine: %w", err)
	}

	c := &child{started, cmd}

	err = c.During(life, worker.Limits{Time: starting}, func() error {
		k, _, err := c.receive()
		if err == nil && k != frameReady {
			err = errOutOfTurn
		}

		return err
	})
	if err == nil {
		return c, nil
	}

	said := c.End()

	switch {
	case life.Err() != nil:
		return nil, errClosed
	case errors.Is(err, worker.ErrLate):
		return nil, fmt.Errorf("wasi: a machine was not ready after %v", starting)
	}

	return nil, fmt.Errorf("wasi: a machine ended when it started: %s", said)
}

func (c *child) receive() (kind, []byte, error) { return unpack(c.Receive(maxFrame)) }

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

	usedUp, err := c.limit(l.CPU)
	if err != nil {
		return r, false, c.died()
	}

	var output bytes.Buffer
	var end []byte

	err = c.During(ctx, worker.Limits{Time: l.Wall}, func() error {
		if err := c.Send(pack(frameCall, message)); err != nil {
			return err
		}

		for {
			k, payload, err := c.receive()
			switch {
			case err != nil:
				return err
			case k == frameEnd:
				end = payload
				return nil
			case k != frameOutput:
				return errOutOfTurn
			}

			output.Write(payload)
		}
	})
	late := usedUp()

	switch {
	case err == nil:
		r, good, err = finished(end, output.String())
		return r, good && !late, err
	case ctx.Err() != nil:
		return r, false, ctx.Err()
	case late, errors.Is(err, worker.ErrLate):
		return sandbox.Reply{Output: output.String(), End: sandbox.OutOfTime}, false, nil
	case errors.Is(err, errOutOfTurn):
		return r, false, err
	}

	return c.lost(output.String())
}

// limit kills the machine when it has used up so much processor time from now on. What it returns ends that, and
// reports whether it came to it.
func (c *child) limit(most time.Duration) (usedUp func() bool, err error) {
	before, err := processorTime(c.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}

	ended, late := make(chan struct{}), make(chan bool, 1)

	go func() {
		timer := time.NewTimer(most)
		defer timer.Stop()

		for {
			select {
			case <-ended:
				late <- false
				return
			case <-timer.C:
			}

			now, err := processorTime(c.cmd.Process.Pid)
			left := most - (now - before)

			switch {
			case err != nil: // the machine has ended, and so does the call
			case left > 0:
				timer.Reset(max(left, time.Millisecond))
			default:
				c.Kill()
				late <- true

				return
			}
		}
	}()

	return func() bool {
		close(ended)
		return <-late
	}, nil
}

// finished reads the ending of a program.
func finished(end []byte, output string) (sandbox.Reply, bool, error) {
	var e ending
	if err := json.Unmarshal(end, &e); err != nil {
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
	c.End()

	status, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		return sandbox.Reply{}, false, c.died()
	}

	detail := "the WebAssembly machine: " + c.cmd.ProcessState.String()

	return sandbox.Reply{Output: output, End: sandbox.Died, Detail: detail}, false, nil
}

// died is the error of a machine that was not in a call, or was killed in one.
func (c *child) died() error { return fmt.Errorf("wasi: a machine was %w (%s)", errKilled, c.End()) }
