package attack

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/envs/sandbox"
)

// careless is an engine without walls: a python3 with the limits of time, memory and output, and
// nothing else.
type careless struct {
	python string
	memory int64 // bytes it gives, whatever the limit says; 0 is the limit
}

func (careless) Stamp() sandbox.Stamp { return sandbox.Stamp{Engine: "careless", Python: "3"} }
func (careless) Close() error         { return nil }

// newCareless skips the test where there is no python3. What is called that may be a script that
// takes its time to choose.
func newCareless(t *testing.T) careless {
	t.Helper()

	found, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	return careless{python: strings.TrimSpace(string(found))}
}

const limited = `import resource, sys
for which, value in ((resource.RLIMIT_CPU, %CPU), (resource.RLIMIT_AS, %AS)):
    resource.setrlimit(which, (value, value + 1))
import random
random.seed(1)
exec(compile(sys.stdin.read(), "<string>", "exec"), {"__name__": "__main__"})`

func (c careless) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	l = l.WithDefaults()
	l.Memory = max(l.Memory, c.memory)

	run, stop := context.WithTimeout(ctx, l.Wall)
	defer stop()

	number := func(n int64) string { b, _ := json.Marshal(n); return string(b) }
	start := strings.NewReplacer("%CPU", number(int64(l.CPU/time.Second)), "%AS", number(l.Memory)).Replace(limited)
	cmd := exec.CommandContext(run, c.python, "-B", "-S", "-c", start)
	out := &short{max: l.Output, full: stop}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.Code), out, out

	cmd.Env = append(os.Environ(), "PYTHONHASHSEED=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Start(); err != nil {
		return sandbox.Reply{}, err
	}

	err := cmd.Wait()
	r := sandbox.Reply{Output: out.String()}

	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case out.over:
		r.End = sandbox.OutOfSpace
	case run.Err() != nil, status.Signal() == syscall.SIGXCPU, status.Signal() == syscall.SIGKILL &&
		cmd.ProcessState.UserTime() > l.CPU-100*time.Millisecond:
		r.End = sandbox.OutOfTime
	case status.Signal() == syscall.SIGKILL, status.ExitStatus() == 125:
		return r, errors.New("the launcher failed")
	case err == nil:
	case status.ExitStatus() == 1 && strings.Contains(r.Output, "Traceback"):
		r.End = sandbox.Raised
	default:
		r.End, r.Detail = sandbox.Died, cmd.ProcessState.String()
	}

	return r, ctx.Err()
}

// short is a writer that keeps the first max bytes.
type short struct {
	bytes.Buffer
	max  int
	over bool
	full func()
}

func (s *short) Write(p []byte) (int, error) {
	room := s.max - s.Len()
	s.Buffer.Write(p[:min(room, len(p))])

	if len(p) > room {
		s.over = true
		s.full()
	}
	return len(p), nil
}

//go:embed testdata/shared.py
var sharedServer string

// shared is an engine that runs all programs in one interpreter.
type shared struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newShared(t *testing.T) *shared {
	s := &shared{cmd: exec.Command(newCareless(t).python, "-B", "-c", sharedServer)}

	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}

	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })
	return s
}

func (*shared) Stamp() sandbox.Stamp { return sandbox.Stamp{Engine: "shared", Python: "3"} }

func (s *shared) Close() error {
	s.in.Close()
	return s.cmd.Wait()
}

func (s *shared) Run(ctx context.Context, p sandbox.Program, _ sandbox.Limits) (r sandbox.Reply, err error) {
	line, err := json.Marshal(p.Code)
	if err != nil {
		return r, err
	}

	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return r, err
	}

	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(answer, &r)
}
