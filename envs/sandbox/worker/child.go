package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Child is a running process that answers requests. One goroutine at a time may use it; Kill may be
// called by any.
type Child struct {
	cmd     *exec.Cmd
	in      *os.File // requests
	out     *os.File // answers, read through the next
	answers *bufio.Reader
	stderr  *Tail
	scratch *Scratch // may be nil
	watch   watch
	dead    chan struct{} // closed when the process has ended and was waited for
}

// Limits bound a call.
type Limits struct {
	Time    time.Duration // until the answer is there
	Stretch int           // times Time for a child that has not used half of Time of a processor; 0 is once
	Answer  int           // bytes of the answer
	Scratch int64         // bytes of the files in the scratch folder
}

// Why a child was killed in the middle of a call.
var (
	ErrLate    = errors.New("worker: no answer in time")
	ErrScratch = errors.New("worker: its files are too large")
)

// DiedError means that a child ended in the middle of a call, by itself or by something outside
// this process, or that its scratch folder could not be read.
type DiedError struct {
	Cause  error  // what failed first
	Said   string // how it ended, with the last line of its standard error
	Killed bool   // by a signal that others send, e.g. because the machine ran out of memory
}

// Error says what failed and how the child ended.
func (e *DiedError) Error() string {
	return fmt.Sprintf("worker: the child died (%v): %s", e.Cause, e.Said)
}

// Unwrap returns what failed first.
func (e *DiedError) Unwrap() error { return e.Cause }

// Start starts the process of a child, the leader of a process group. Its scratch folder, which may
// be nil, is removed with it.
func Start(cmd *exec.Cmd, scratch *Scratch) (*Child, error) {
	// Pipes of its own, rather than those of exec.Cmd, can be read without the poller; see pipe.
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// The child gets copies of its ends. If ours stayed open, reading would not end with the child.
	defer stdin.Close()

	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()

	c := &Child{
		cmd:     cmd,
		in:      in,
		out:     out,
		answers: bufio.NewReader(newPipe(out)),
		stderr:  &Tail{Max: 4 << 10},
		scratch: scratch,
		dead:    make(chan struct{}),
	}

	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, c.stderr
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}

	// As the leader of a group it is killed with all that it started; a session makes it one, too.
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid
	cmd.Cancel = func() error { c.Kill(); return nil }
	// A process that the child left behind may hold standard error open for ever.
	cmd.WaitDelay = time.Second

	if err := cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, err
	}

	c.watch.start(c)

	go c.wait()
	return c, nil
}

// wait waits for the process, ends what is left of its group, and closes dead.
func (c *Child) wait() {
	c.cmd.Wait()
	// The number is still the group's: the system gives it to no new process while one of the group
	// lives, and reuses free numbers last.
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	c.in.Close()
	c.out.Close()
	close(c.dead)
}

// Kill ends the child and all of its process group. It does not wait for their end.
func (c *Child) Kill() {
	select {
	case <-c.dead:
	default:
		syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// End kills the child, waits for it, removes its scratch folder, and says how it ended.
func (c *Child) End() string {
	c.Kill()
	<-c.dead
	c.scratch.remove()

	said := c.cmd.ProcessState.String()
	if line := LastLine(c.stderr.Bytes()); line != "" {
		said += ": " + line
	}
	return said
}

// Send writes a request, within [Child.During].
func (c *Child) Send(frame []byte) error { return WriteFrame(c.in, frame) }

// Receive reads an answer of up to most bytes, within [Child.During].
func (c *Child) Receive(most int) ([]byte, error) { return ReadFrame(c.answers, most) }

// During talks to the child, which is killed if it exceeds a limit or ctx ends first. After an
// error the child cannot be used any more.
func (c *Child) During(ctx context.Context, l Limits, talk func() error) error {
	c.watch.begin(l)
	stop := context.AfterFunc(ctx, c.Kill)
	err := talk()
	exceeded := c.watch.end()

	switch {
	case !stop():
		return context.Cause(ctx)
	case err != nil && exceeded != nil:
		return exceeded
	}

	return err
}

// shortCall is how long a call takes that cannot have made files worth counting. Its files count
// for the next call.
const shortCall = time.Millisecond

// Call sends a request and returns the answer, and the bytes of the files that the child made
// meanwhile. After an error the child cannot be used any more.
func (c *Child) Call(ctx context.Context, request []byte, l Limits) (answer []byte, spilled int64, err error) {
	start := time.Now()

	err = c.During(ctx, l, func() error {
		if err := c.Send(request); err != nil {
			return err
		}

		var err error
		answer, err = c.Receive(l.Answer)
		return err
	})

	switch {
	case err == nil && time.Since(start) < shortCall:
		return answer, 0, nil
	case err == nil:
		spilled, err = c.scratch.empty()
		return answer, spilled, err
	case errors.Is(err, ErrLate), errors.Is(err, ErrScratch), ctx.Err() != nil:
		return nil, 0, err
	}

	return nil, 0, c.died(err)
}

// died returns the error of a child that failed in the middle of a call.
func (c *Child) died(cause error) error {
	late := time.AfterFunc(time.Second, c.Kill) // it may have closed its output, but still run
	<-c.dead
	late.Stop()

	status, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return fmt.Errorf("call a child: %w", &DiedError{
		Cause: cause,
		Said:  c.End(),
		Killed: status.Signaled() &&
			(status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGTERM),
	})
}
