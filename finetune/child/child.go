package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"toolevo/envs/disk"
	"toolevo/envs/keeper"
)

func init() { keeper.Main() } // a child's keeper is this program

// Command says what to run.
type Command struct {
	Args  []string      // the program and its arguments, at least one
	Dir   string        // where it runs; "" is this process's folder
	Env   []string      // KEY=VALUE, beside this process's own and before them
	Log   string        // the file to which both its outputs are appended
	Lock  string        // the file that is locked while it or anything that it started lives; "" is none
	Grace time.Duration // between SIGTERM and SIGKILL; 0 is defaultGrace
}

// defaultGrace is how long a child may take to end when it is asked to.
const defaultGrace = 20 * time.Second

// Child is a running program.
type Child struct {
	command Command
	cmd     *exec.Cmd
	log     *os.File
	offset  int64         // of its own words in the log
	done    chan struct{} // closed when it is gone
	err     error         // why it ended, once it is gone
	stop    context.CancelCauseFunc
}

var errStopped = errors.New("stopped")

// Start runs a command until it ends, ctx ends, or Stop is called. The error wraps
// [exec.ErrNotFound] if the program does not exist.
func Start(ctx context.Context, c Command) (*Child, error) {
	log, offset, err := openLog(c.Log)
	if err != nil {
		return nil, fmt.Errorf("child: log of %s: %w", c.Args[0], err)
	}

	// The lock is taken before anything runs: two trainers in one folder would spoil each other's
	// files. The keeper inherits it, so it outlives this process if children do.
	held, err := lock(c.Lock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("child: start %s: %w", c.Args[0], err), log.Close())
	}
	defer held.Close()

	ctx, stop := context.WithCancelCause(ctx)

	cmd, err := c.keeperCommand(ctx)
	cmd.Stdout, cmd.Stderr = log, log

	if held != nil {
		cmd.ExtraFiles = []*os.File{held}
	}

	// One way out for both errors: a keeper that cannot be made is a start that failed.
	if err == nil {
		err = cmd.Start()
	}

	if err != nil {
		stop(nil)
		return nil, errors.Join(fmt.Errorf("child: start %s: %w", c.Args[0], err), log.Close())
	}

	child := &Child{command: c, cmd: cmd, log: log, offset: offset, done: make(chan struct{}), stop: stop}
	go child.await(ctx)
	return child, nil
}

// keeperCommand returns the command of a keeper that runs the child.
func (c Command) keeperCommand(ctx context.Context) (*exec.Cmd, error) {
	program, err := c.Args[0], error(nil)
	if c.Dir == "" || filepath.IsAbs(program) || filepath.Base(program) == program {
		program, err = exec.LookPath(program) // the keeper could only say so in the log
	}

	grace := c.Grace
	if grace == 0 {
		grace = defaultGrace
	}

	args := keeper.Command(keeper.OwnBinary, grace, append([]string{program}, c.Args[1:]...))

	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Args[0] = keeper.Name
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace + keeperGrace

	return cmd, err
}

// keeperGrace is how long a keeper may take to end what is left after the grace.
const keeperGrace = 5 * time.Second

// ErrLocked means that an earlier child, or something that it started, is still alive.
var ErrLocked = errors.New("another one is still running")

// How a lock is waited for: what a killed process leaves behind ends within a moment.
const (
	lockPause = 10 * time.Millisecond
	lockLimit = 5 * time.Second
)

// lock takes the lock of a file, which lasts until the last process that has it open closes it.
func lock(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}

	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}

	for waited := time.Duration(0); ; waited += lockPause {
		err := disk.Lock(f, syscall.LOCK_EX)

		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		case waited >= lockLimit:
			return nil, errors.Join(fmt.Errorf("%w (%s is locked)", ErrLocked, path), f.Close())
		}

		<-time.After(lockPause)
	}
}

func openLog(path string) (log *os.File, offset int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, 0, err
	}

	log, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, err
	}

	offset, err = log.Seek(0, io.SeekEnd)
	return log, offset, err
}

// await waits for the child, and then ends what is left of its group.
func (c *Child) await(ctx context.Context) {
	defer close(c.done)
	err := c.cmd.Wait()
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // usually nobody is left
	err = errors.Join(err, c.log.Close())

	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopped):
	case cause != nil:
		c.err = fmt.Errorf("%w (%w)", ctx.Err(), cause)
	case err != nil:
		c.err = fmt.Errorf("%s: %w; %s", filepath.Base(c.command.Args[0]), err, c.LastWords())
	}

	c.stop(nil)
}

// Done is closed when the child is gone.
func (c *Child) Done() <-chan struct{} { return c.done }

// Wait waits for the end of the child. The error is that of the context and the cause of its end,
// where that ended the child, nil when Stop did, and says how the child failed and what it said
// last, otherwise.
func (c *Child) Wait() error {
	<-c.done
	return c.err
}

// Stop ends the child and waits until it is gone.
func (c *Child) Stop() error {
	c.stop(errStopped)
	return c.Wait()
}

// lastBytes is how much of the end of a log is shown.
const lastBytes = 2000

// LastWords returns the end of what the child has printed, and says where the rest is.
func (c *Child) LastWords() string {
	words, err := tail(c.command.Log, c.offset)

	switch {
	case err != nil:
		return "its log cannot be read: " + err.Error()
	case words == "":
		return fmt.Sprintf("it said nothing (%s)", c.command.Log)
	}

	return fmt.Sprintf("it said last (%s):\n%s", c.command.Log, words)
}

// LastLine returns the last line of a log, "" while it has none. A line that a program overwrites,
// as a progress bar does, counts anew each time.
func LastLine(log string) string {
	words, err := tail(log, 0)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(words[strings.LastIndexAny(words, "\r\n")+1:])
}

// tail returns the end of a log, of what comes after an offset.
func tail(log string, offset int64) (string, error) {
	f, err := os.Open(log)
	if err != nil {
		return "", err
	}
	defer f.Close()

	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}

	from := max(offset, end-lastBytes)
	text, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), err
}
