package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

var errSlow = errors.New("it took too long")

// Filter runs a Python program of this project over untrusted data. The program reads the data on
// standard input, within the walls that [Auto] would choose and under limits, and read gets what it
// writes. An error of read stops the program. If the program ends too early, so that read returns
// io.ErrUnexpectedEOF, the error says how it ended.
func (o Options) Filter(ctx context.Context, program string, l sandbox.Limits, data io.Reader,
	read func(io.Reader) error) error {
	// The driver bounds processor time and memory; real time is bounded here only.
	run, release := context.WithTimeoutCause(ctx, l.Wall, errSlow)
	defer release()

	cmd, frames, err := o.filterCommand(run, program, l)
	if err != nil {
		return err
	}

	stderr := &worker.Tail{Max: 4 << 10}
	cmd.Stdin, cmd.Stderr = io.MultiReader(frames, data), stderr

	written, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}

	if err != nil {
		return fmt.Errorf("sandbox: start %s: %w", cmd.Path, err)
	}

	err = read(written)
	// A program whose output ended early ends by itself. Any other would go on writing, to nobody.
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		cmd.Cancel()
	}

	ended := cmd.Wait()
	// run ends with ctx, too, so ctx is checked before the limit.
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case run.Err() != nil:
		return context.Cause(run)
	case ended != nil && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)):
		return fmt.Errorf("sandbox: the program ended early: %w: %s", ended,
			worker.LastLine(stderr.Bytes()))
	}

	return err
}

// filterCommand returns the command of a filter, and what it reads before the data.
func (o Options) filterCommand(ctx context.Context, program string, l sandbox.Limits) (*exec.Cmd,
	io.Reader, error) {
	o.Engine = Auto
	m, interpreter, err := o.inspect(ctx)
	if err != nil {
		return nil, nil, err
	}

	// Auto never chooses unsafe: data without walls around its reader is refused.
	c, err := o.choose(m)
	if err != nil {
		return nil, nil, err
	}

	// bubblewrap's namespaces stand in for Landlock; see package forkserver.
	without := c.without
	if c.bwrap != "" {
		without = append(slices.Clone(without), confine.Landlock)
	}

	setup, err := json.Marshal(struct {
		python.Setup
		python.Job
	}{interpreter.Setup(without), python.NewJob(sandbox.Program{}, l)})
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: encode the setup of a filter: %w", err)
	}

	jail := interpreter.Jail("toolevo-filter", c.without)
	jail.Bwrap, jail.LandlockABI = c.bwrap, o.ABI

	cmd, err := jail.Command(ctx)
	if err != nil {
		return nil, nil, err
	}

	// Whatever the program has started is in its process group, and ends with it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second

	// The loader reads the program from standard input, and the program its setup.
	var frames bytes.Buffer
	for _, frame := range [][]byte{[]byte(python.Filter(program)), setup} {
		if err := worker.WriteFrame(&frames, frame); err != nil {
			return nil, nil, err
		}
	}

	return cmd, &frames, nil
}
