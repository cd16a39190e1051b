package process

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
)

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

// find returns an interpreter: the one named, or python3 of PATH for "".
func find(t testing.TB, executable string) *python.Interpreter {
	t.Helper()

	if executable == "" {
		executable = "python3"
	}

	if _, err := exec.LookPath(executable); err != nil {
		t.Skip("no interpreter: ", err)
	}

	in, err := python.Find(t.Context(), executable, []string{"numpy"})
	if err != nil {
		t.Fatal(err)
	}

	return in
}

// start returns an engine that is closed at the end of the test. Walls that the machine lacks skip the test.
func start(t testing.TB, o Options) *Engine {
	t.Helper()

	if o.Python == nil {
		o.Python = find(t, "")
	}

	e, err := New(t.Context(), o)
	if missing := (*confine.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}

	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})

	return e
}

// TestUnsafe shows what the engine without walls limits all the same.
func TestUnsafe(t *testing.T) {
	t.Setenv("API_KEY", "SECRET")
	e := start(t, Options{Unsafe: true})

	tests := []struct {
		code   string
		limits sandbox.Limits
		want   sandbox.Reply
	}{
		{"print(1)", sandbox.Limits{}, sandbox.Reply{Output: "1\n"}},
		{"1 + 1", sandbox.Limits{}, sandbox.Reply{Output: "2\n"}},
		{"import os\nos._exit(5)", sandbox.Limits{}, sandbox.Reply{End: sandbox.Died, Detail: "exit status 5"}},
		{"import os\nos.environ.get('API_KEY')", sandbox.Limits{}, sandbox.Reply{}},
		{"import os\nos.getcwd()", sandbox.Limits{}, sandbox.Reply{Output: "/\n"}},
		{"import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
			sandbox.Limits{CPU: time.Second}, sandbox.Reply{End: sandbox.OutOfTime}},
		{"import time\ntime.sleep(60)", sandbox.Limits{Wall: time.Second}, sandbox.Reply{End: sandbox.OutOfTime}},
		{"while True: print('y')", sandbox.Limits{Output: 4}, sandbox.Reply{Output: "y\ny\n", End: sandbox.OutOfSpace}},
		{"import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('parent')", sandbox.Limits{},
			sandbox.Reply{Output: "parent\n"}},
	}
	for _, tt := range tests {
		got, err := e.Run(t.Context(), sandbox.Program{Code: tt.code}, tt.limits)
		if err != nil || got != tt.want {
			t.Errorf("%q: %+v, %v, want %+v", tt.code, got, err, tt.want)
		}
	}
}

func TestStamp(t *testing.T) {
	in := find(t, "")

	tests := []struct {
		options Options
		want    sandbox.Stamp
	}{
		{Options{}, sandbox.Stamp{Engine: "process"}},
		{Options{Without: []confine.Wall{confine.Seccomp, confine.Landlock}}, sandbox.Stamp{
			Engine:  "process",
			Missing: []string{"landlock", "seccomp"},
		}},
		{Options{Unsafe: true}, sandbox.Stamp{Engine: "unsafe"}},
	}
	for _, tt := range tests {
		tt.options.Python = in

		tt.want.Python, tt.want.Modules = in.Version, in.Modules
		if diff := cmp.Diff(tt.want, start(t, tt.options).Stamp()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStartErrors(t *testing.T) {
	good := find(t, "")

	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no such interpreter", func(o *Options) { o.Python.Executable = "/no/such/python3" }, "/no/such/python3"},
		{"no such interpreter, unsafe", func(o *Options) { o.Python.Executable, o.Unsafe = "/no/such/python3", true },
			"/no/such/python3"},
		{"unreadable library", func(o *Options) { o.Python.Read = []string{"/dev/urandom"} },
			"must be among the files it may read"},
		{"no such wall", func(o *Options) { o.Without = []confine.Wall{"moat"} }, `no wall "moat"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := *good
			o := Options{Python: &in}
			tt.change(&o)

			e, err := New(t.Context(), o)
			if err == nil {
				e.Close()
				t.Fatal("it starts")
			}

			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want %q in it", err, tt.want)
			}
		})
	}
}

// TestSecret shows that what is behind walls does not find in other processes what is found without.
func TestSecret(t *testing.T) {
	const code = `
import os
found = []
for path in "/proc/%d/environ" % os.getppid(), "/proc/self/maps", "/etc/passwd":
    try:
        open(path, "rb").read()
        found.append(path)
    except OSError:
        pass
for fd in range(3, 256):
    try:
        os.fstat(fd)
        found.append("descriptor")
    except OSError:
        pass
found`
	for _, tt := range []struct {
		unsafe bool
		found  bool
	}{{false, false}, {true, true}} {
		r, err := start(t, Options{Unsafe: tt.unsafe}).Run(t.Context(), sandbox.Program{Code: code}, sandbox.Limits{})
		if err != nil || r.End != sandbox.Finished || (r.Output == "[]\n") == tt.found {
			t.Errorf("unsafe %v: %+v, %v", tt.unsafe, r, err)
		}
	}
}

// TestClose shows that closing an engine ends calls, and leaves no goroutines.
func TestClose(t *testing.T) {
	in := find(t, "")
	before := runtime.NumGoroutine()

	e, err := New(t.Context(), Options{Python: in})
	if err != nil {
		t.Skip(err)
	}
	var wg sync.WaitGroup

	errs := make([]error, 3)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = e.Run(t.Context(), sandbox.Program{Code: "import time\ntime.sleep(60)"}, sandbox.Limits{})
		})
	}

	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}

	wg.Wait()

	for i, err := range errs {
		if !errors.Is(err, errClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}

	if _, err := e.Run(t.Context(), sandbox.Program{Code: "print(1)"}, sandbox.Limits{}); !errors.Is(err, errClosed) {
		t.Errorf("a call afterwards: %v", err)
	}

	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// TestKilled shows that a program that something else kills runs once more, and then is an error.
func TestKilled(t *testing.T) {
	e := start(t, Options{Without: []confine.Wall{confine.Seccomp}})

	r, err := e.Run(t.Context(), sandbox.Program{Code: "import os\nos.kill(os.getpid(), 9)"}, sandbox.Limits{})
	if !errors.Is(err, errKilled) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCapped(t *testing.T) {
	calls := 0

	c := &capped{max: 5, full: func() { calls++ }}
	for _, part := range []string{"abc", "de", "f", "g"} {
		if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("write %q: %d, %v", part, n, err)
		}
	}

	if !bytes.Equal(c.buf.Bytes(), []byte("abcde")) || !c.over || calls != 1 {
		t.Errorf("kept %q, over %v, called %d times", &c.buf, c.over, calls)
	}
}

var _ sandbox.Engine = (*Engine)(nil)

// late is a writer that takes nothing before a gate opens.
type late struct {
	buf  bytes.Buffer
	gate <-chan struct{}
}

func (l *late) Write(p []byte) (int, error) {
	<-l.gate
	return l.buf.Write(p)
}

// On a busy machine a program may long have ended before anybody reads what it wrote.
func TestOutputIsReadAfterTheEnd(t *testing.T) {
	alive := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}

	gate := make(chan struct{})
	go func() {
		defer close(gate)
		os.ReadFile(alive) // to the end of the program, which holds it open
	}()

	cmd := exec.Command("sh", "-c", "exec 3>"+alive+"; head -c 60000 /dev/zero; echo so >&2")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	out, errs := &late{gate: gate}, &late{gate: gate}
	if err := captured(cmd, out, errs); err != nil || out.buf.Len() != 60000 || errs.buf.String() != "so\n" {
		t.Errorf("%v: %d bytes and %q", err, out.buf.Len(), errs.buf.String())
	}
}
