package pytool

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed driver.py
var driver string

const (
	statusRaised = 87 // RAISED in driver.py
	ready        = "ready\n"

	install = "install Python 3.8 or later, e.g. with `apt-get install python3`, or name another interpreter"
)

// Process is the engine that starts a new python3 for every program. Its zero value is not usable; see [NewProcess].
type Process struct {
	python string   // the path of the interpreter
	path   []string // its module search path
	id     string
}

// NewProcess returns the engine that runs the given interpreter, or python3 from PATH when it is "". The error of an
// interpreter that is missing or too old, or does not start, says what to install. It also removes the working folders
// that a process of this user left in the system's folder for temporary files when it was killed, an hour ago or more.
func NewProcess(ctx context.Context, python string) (*Process, error) {
	if python == "" {
		python = "python3"
	}
	found, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("pytool: %w: %s", err, install)
	}
	removeLeftovers(os.TempDir(), time.Now())
	p := &Process{python: found}
	if err := p.probe(ctx); err != nil {
		return nil, fmt.Errorf("pytool: start %s: %w: %s", found, err, install)
	}
	return p, nil
}

// probeCode prints what the engine must know of an interpreter. Unlike the programs it runs with site-packages set up.
const probeCode = `
import importlib.util, json, resource, sys
numpy = ""
if importlib.util.find_spec("numpy"):
    import numpy as module
    numpy = module.__version__
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable,
    "path": [p for p in sys.path if p], "numpy": numpy}))
`

func (p *Process) probe(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.python, "-s", "-B", "-c", probeCode)
	cmd.Env, cmd.Dir, cmd.WaitDelay = environment(os.TempDir()), os.TempDir(), time.Second
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", err, lastLine(failed.Stderr))
	}
	if err != nil {
		return err
	}
	var found struct {
		Version    [3]int
		Executable string
		Path       []string
		Numpy      string
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return fmt.Errorf("it does not answer like Python: %w", err)
	}
	v := found.Version
	if v[0] != 3 || v[1] < 8 {
		return fmt.Errorf("its version %d.%d.%d is too old", v[0], v[1], v[2])
	}
	if found.Executable != "" { // python3 may be a script that chooses an interpreter, which takes its time
		p.python = found.Executable
	}
	p.path = found.Path
	p.id = fmt.Sprintf("process python %d.%d.%d", v[0], v[1], v[2])
	if found.Numpy != "" {
		p.id += " numpy " + found.Numpy
	}
	return nil
}

// ID returns the engine's name with the versions of Python and, where it can be imported, numpy.
func (p *Process) ID() string { return p.id }

// HasNumpy reports whether programs can import numpy.
func (p *Process) HasNumpy() bool { return strings.Contains(p.id, " numpy ") }

// environment is all the environment a program gets.
func environment(dir string) []string {
	return []string{
		"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC",
		"PYTHONHASHSEED=0", "PYTHONUTF8=1",
		"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=2",
	}
}

var (
	errWall   = errors.New("pytool: out of time")
	errOutput = errors.New("pytool: too much output")
	errKilled = errors.New("killed before any limit was reached, e.g. because the machine ran out of memory")
)

// Run runs a program; see [Engine]. A program that something kills before it reaches a limit runs once more; the second
// time it is an error.
func (p *Process) Run(ctx context.Context, prog Program, l Limits) (Reply, error) {
	l = l.withDefaults()
	r, err := p.once(ctx, prog, l)
	if errors.Is(err, errKilled) {
		r, err = p.once(ctx, prog, l)
	}
	return r, err
}

// once runs a program. Its error is an errKilled when something else than a limit killed it.
func (p *Process) once(ctx context.Context, prog Program, l Limits) (Reply, error) {
	dir, err := workingFolder()
	if err != nil {
		return Reply{}, fmt.Errorf("pytool: working folder: %w", err)
	}
	defer os.RemoveAll(dir)

	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	run, release := context.WithTimeoutCause(run, l.Wall, errWall)
	defer release()
	stdout := &capped{max: l.Output, full: func() { stop(errOutput) }}
	stderr := &capped{max: 4 << 10}

	cmd := p.command(run, prog, l)
	cmd.Dir, cmd.Env = dir, environment(dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(prog.Code), stdout, stderr
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return Reply{}, ctx.Err()
		}
		return Reply{}, fmt.Errorf("pytool: start %s: %w: %s", p.python, err, install)
	}
	err = cmd.Wait()
	// What the program left running in its process group ends with it. The group's number is still its own: the
	// system does not give it to a new process while one of the group lives, and reuses a free one last.
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)

	if ctx.Err() != nil {
		return Reply{}, ctx.Err()
	}
	return p.reply(context.Cause(run), err, cmd.ProcessState, stdout, stderr, l)
}

func (p *Process) command(ctx context.Context, prog Program, l Limits) *exec.Cmd {
	capture := "plain"
	if prog.Published {
		capture = "published"
	}
	args := []string{
		"-S", "-s", "-B", "-c", driver, capture, seconds(l.CPU), strconv.FormatInt(l.Memory, 10),
		strconv.FormatInt(l.FileSize, 10), seconds(l.Wall),
	}
	cmd := exec.CommandContext(ctx, p.python, append(args, p.path...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond // for a child of the program that holds its output open
	return cmd
}

// seconds rounds up to whole seconds, at least one.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(max(1, (d+time.Second-1)/time.Second)), 10)
}

// reply says how a program ended; err is what waiting for it returned, cause why it was stopped, if it was.
func (p *Process) reply(cause, err error, state *os.ProcessState, stdout, stderr *capped, l Limits) (Reply, error) {
	r := Reply{Output: stdout.buf.String()}
	if stdout.over || errors.Is(cause, errOutput) {
		r.End = OutOfSpace
		return r, nil
	}
	began := bytes.HasPrefix(stderr.buf.Bytes(), []byte(ready))
	if errors.Is(cause, errWall) && began {
		r.End = OutOfTime
		return r, nil
	}
	if state == nil {
		return Reply{}, fmt.Errorf("pytool: wait for %s: %w", p.python, err)
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
	stopped := cause != nil || state.UserTime()+state.SystemTime() >= l.CPU // by a limit
	if killed && !stopped {
		return Reply{}, fmt.Errorf("pytool: %s was %w", p.python, errKilled)
	}
	if !began {
		return Reply{}, fmt.Errorf("pytool: %s ended before the program began: %s: %s", p.python, state, lastLine(stderr.buf.Bytes()))
	}
	switch {
	case killed, status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGALRM):
		r.End = OutOfTime
	case status.ExitStatus() == 0:
		r.End = Finished
	case status.ExitStatus() == statusRaised:
		r.End = Raised
	default:
		r.End, r.Detail = Died, state.String()
	}
	return r, nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
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
