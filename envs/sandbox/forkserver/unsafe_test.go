package forkserver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// Without walls a program has its limits, the environment of all engines, and what else the user
// has.
func TestUnsafe(t *testing.T) {
	t.Setenv("API_KEY", "SECRET")

	path := filepath.Join(t.TempDir(), "open")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}

	e := start(t, Options{Servers: 1, Unsafe: true})
	if s := e.Stamp(); s.Engine != "unsafe" || s.Missing != nil {
		t.Errorf("stamp %v", s)
	}

	tests := []struct {
		code   string
		limits sandbox.Limits
		want   sandbox.Reply
	}{
		{"1 + 1", sandbox.Limits{}, sandbox.Reply{Output: "2\n"}},
		{"open('" + path + "').read()", sandbox.Limits{}, sandbox.Reply{Output: "text\n"}},
		{"import os\nos._exit(5)", sandbox.Limits{}, sandbox.Reply{End: sandbox.Died, Detail: "exit status 5"}},
		{"import os\nos.environ.get('API_KEY')", sandbox.Limits{}, sandbox.Reply{}},
		{"import os\nos.getcwd()", sandbox.Limits{}, sandbox.Reply{Output: "/\n"}},
		{"import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
			sandbox.Limits{CPU: time.Second, Wall: 5 * time.Minute}, sandbox.Reply{End: sandbox.OutOfTime}},
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

// It is our failure, and no answer, where a program without walls ends its server; the next one
// runs.
func TestUnsafeServerIsReplaced(t *testing.T) {
	e := start(t, Options{Servers: 1, Unsafe: true})

	r, err := e.Run(t.Context(), sandbox.Program{Code: "import os\nos.kill(os.getppid(), 9)"}, sandbox.Limits{})
	if err == nil {
		t.Errorf("it ended with %+v", r)
	}

	if got := shown(t, e, "print(7)"); got != "7" {
		t.Errorf("the next one shows %q", got)
	}
}

// What kills a program, and is no limit, is our failure, though without seccomp a program can do
// that itself. It can also ask itself to end, and then that is taken for its doing.
func TestKilled(t *testing.T) {
	e := start(t, Options{Servers: 1, Without: []confine.Wall{confine.Seccomp}})

	r, err := e.Run(t.Context(), sandbox.Program{Code: "import os\nos.kill(os.getpid(), 9)"}, sandbox.Limits{})
	if err == nil {
		t.Errorf("it ended with %+v", r)
	}

	r, err = e.Run(t.Context(), sandbox.Program{Code: "import os\nos.kill(os.getpid(), 15)"},
		sandbox.Limits{})
	if want := (sandbox.Reply{End: sandbox.Died, Detail: "signal: terminated"}); err != nil ||
		r != want {
		t.Errorf("terminated: %+v, %v", r, err)
	}
}
