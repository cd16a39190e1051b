package forkserver

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
)

//go:embed testdata/search.py
var search string

// TestSecret shows that a secret in this process's environment, memory, open descriptors and files
// is found by no program, and that the same search finds it where there are no walls.
func TestSecret(t *testing.T) {
	if os.Getenv(inner) == "" {
		secrets := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secrets, []byte("SECRET-in-a-file"), 0o600); err != nil {
			t.Fatal(err)
		}

		file, err := os.Open(secrets)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()

		again(t, "TestSecret", func(cmd *exec.Cmd) {
			cmd.Env = append(cmd.Env, "API_KEY=SECRET-in-the-environment")
			cmd.ExtraFiles = []*os.File{file} // 3 there, and inherited by everything it starts
		})
		return
	}

	in := find(t, debian)
	held := []byte("SECRET-in-memory-" + strconv.Itoa(os.Getpid()))
	p := sandbox.Program{Code: strings.ReplaceAll(search, "{parent}", strconv.Itoa(os.Getpid()))}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()

	bare := exec.CommandContext(ctx, in.Executable, python.Executing(p.Code)...)
	bare.Env = python.Environment()

	out, err := bare.Output()
	if err != nil || !strings.Contains(string(out), "SECRET-in-the-environment") ||
		!strings.Contains(string(out), "SECRET-in-a-file") {
		t.Errorf("the search does not find what is there: %s, %v", out, err)
	}

	engines := []sandbox.Engine{start(t, Options{Python: in, Servers: 1})}
	if path, err := exec.LookPath("bwrap"); err == nil &&
		exec.Command(path, "--unshare-all", "--ro-bind", "/", "/", "true").Run() == nil {
		engines = append(engines, start(t, Options{Python: in, Servers: 1, Bwrap: path}))
	}

	for _, e := range engines {
		if r, err := e.Run(t.Context(), p, sandbox.Limits{}); err != nil || r.Output != "nothing\n" {
			t.Errorf("%s: %+v, %v", e.Stamp().Engine, r, err)
		}
	}

	runtime.KeepAlive(held)
}

// TestHostile shows that programs that will not end do, that nothing of them is left, and that the
// call after them is a call like any other.
func TestHostile(t *testing.T) {
	o := Options{Servers: 1}
	e := start(t, o)
	l := sandbox.Limits{Wall: time.Second, CPU: time.Second}

	tests := []struct {
		name, code string
		end        sandbox.End
		shows      string
	}{
		{"forks and leaves", "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass", sandbox.Raised,
			"PermissionError"},
		{"starts a process", "import subprocess\nsubprocess.Popen(['/bin/sleep', '60'])", sandbox.Raised,
			"PermissionError"},
		{"fills memory", "x = []\nwhile True: x.append(bytearray(1 << 22))", sandbox.Raised, "MemoryError"},
		{"prints for ever", "while True: print('yes')", sandbox.OutOfSpace, "yes\n"},
		{"ignores signals and sleeps", "import signal, time\nfor s in range(1, 32):\n    try: signal.signal(s, " +
			"signal.SIG_IGN)\n    except OSError: pass\n" +
			"while True:\n    try: time.sleep(60)\n    except BaseException: pass", sandbox.OutOfTime, ""},
		{"kills its server", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", sandbox.Raised,
			"PermissionError"},
		{"signals its server by a descriptor", "import fcntl, os\nfcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())",
			sandbox.Raised, "PermissionError"},
		{"makes threads", "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()",
			sandbox.Raised, "RuntimeError"},
		{"answers for its server", "import os\nfor fd in range(256):\n    try: os.write(fd, " +
			"b'\\0\\0\\0\\2{}\\0\\0\\0\\0')\n    except OSError: pass", sandbox.Finished,
			"\x00\x00\x00\x02{}\x00\x00\x00\x00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Run(t.Context(), sandbox.Program{Code: tt.code}, l)
			if err != nil || r.End != tt.end && r.End != sandbox.OutOfTime ||
				r.End == tt.end && !strings.Contains(r.Output, tt.shows) {
				t.Errorf("end %v, %.300q %s, %v, want end %v, %q", r.End, r.Output, r.Detail, err, tt.end, tt.shows)
			}

			eventually(t, "there is the server, and the child that waits, alone",
				func() bool { return len(descendants(t, os.Getpid())) == 2 })

			if got := shown(t, e, "print('fine')"); got != "fine" {
				t.Errorf("the next call: %q", got)
			}
		})
	}
}

// holds is what a wall keeps from a program.
type holds struct {
	what, code, shows string
}

// TestWithoutWalls shows what the other walls still hold when one is missing.
func TestWithoutWalls(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	folder := t.TempDir()

	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}

	outcome := func(code string) string {
		lines := "    " + strings.ReplaceAll(code, "\n", "\n    ")
		return "try:\n" + lines + "\n    print('done')\nexcept OSError as e:\n    print(type(e).__name__)"
	}
	network := holds{"network", fmt.Sprintf("import socket\nsocket.create_connection(('127.0.0.1', %d), 5)",
		listener.Addr().(*net.TCPAddr).Port), "PermissionError"}
	write := holds{"write", fmt.Sprintf("open(%q, 'w')", file), "PermissionError"}
	change := holds{"append", fmt.Sprintf("open(%q, 'r+')", file), "PermissionError"}
	create := holds{"create", fmt.Sprintf("import os\nos.close(os.open(%q, os.O_CREAT))", folder+"/new"),
		"PermissionError"}
	truncate := holds{"truncate", fmt.Sprintf("import os\nos.truncate(%q, 0)", file), "PermissionError"}
	remove := holds{"remove", fmt.Sprintf("import os\nos.remove(%q)", file), "PermissionError"}
	mkdir := holds{"make a folder", fmt.Sprintf("import os\nos.mkdir(%q)", folder+"/sub"), "PermissionError"}
	fork := holds{"fork", "import os\nos.fork()", "PermissionError"}
	execute := holds{"execute", "import os\nos.execv('/bin/true', ['true'])", "PermissionError"}
	kill := holds{"kill", "import os\nos.kill(os.getppid(), 0)", "PermissionError"}
	environment := holds{"environment of another process", "import os\nopen('/proc/%d/environ' % os.getppid()).read()",
		"PermissionError"}
	read := holds{"read", fmt.Sprintf("open(%q).read()", file), "PermissionError"}
	allowed := func(h holds) holds { h.shows = "done"; return h }

	tests := []struct {
		without []confine.Wall
		holds   []holds
	}{
		{nil, []holds{network, write, change, create, truncate, remove, mkdir, fork, execute, kill, environment, read}},
		{[]confine.Wall{confine.Landlock}, []holds{network, write, change, create, truncate, remove, mkdir, fork,
			execute, kill, environment, allowed(read)}},
		{[]confine.Wall{confine.Seccomp}, []holds{write, change, create, truncate, remove, mkdir, environment, read,
			allowed(fork)}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("without %q", tt.without), func(t *testing.T) {
			e := start(t, Options{Servers: 1, Without: tt.without})
			for _, h := range tt.holds {
				if got := shown(t, e, outcome(h.code)); !strings.HasPrefix(got, h.shows) {
					t.Errorf("%s: %q, want %q", h.what, got, h.shows)
				}
			}

			if text, err := os.ReadFile(file); string(text) != "content" {
				t.Errorf("the file holds %q, %v", text, err)
			}
		})
	}
}

// TestWithoutSeccomp shows that what a program starts in its process group ends with it, though its
// output stays open.
func TestWithoutSeccomp(t *testing.T) {
	e := start(t, Options{Servers: 1, Without: []confine.Wall{confine.Seccomp}})

	r, err := e.Run(t.Context(), sandbox.Program{Code: "import os, time\nif os.fork() == 0:\n    " +
		"time.sleep(60)\nprint('parent')"}, sandbox.Limits{})
	if want := (sandbox.Reply{Output: "parent\n"}); err != nil || r != want {
		t.Errorf("%+v, %v, want %+v", r, err, want)
	}

	eventually(t, "what it started is gone", func() bool { return len(descendants(t, os.Getpid())) == 2 })
}

// TestSoak shows that servers do not grow, and leave nothing behind. TOOLEVO_SOAK is the number of
// calls.
func TestSoak(t *testing.T) {
	calls := 150
	if n, err := strconv.Atoi(os.Getenv("TOOLEVO_SOAK")); err == nil {
		calls = n
	}

	e := start(t, Options{Servers: 2, Recycle: calls + 1000})

	programs := []string{
		"print(sum(range(100)))", "import json, re\njson.dumps([1, 'a'])", "1/0", "x = [0] * 100000\nlen(x)",
		"import statistics\nstatistics.mean([1, 2])", "import os\nos._exit(3)", "print('x' * 70000)",
		"import datetime\ndatetime.date(2020, 1, 2)",
	}
	if len(e.Stamp().Modules) > 0 {
		programs = append(programs, "import numpy as np\nnp.arange(1000).mean()",
			"import numpy as np\nnp.linalg.inv(np.eye(3)).tolist()")
	}

	run := func(calls int) {
		done := make(chan struct{})

		for worker := range 2 {
			go func() {
				defer func() { done <- struct{}{} }()

				for i := worker; i < calls; i += 2 {
					if _, err := e.Run(t.Context(), sandbox.Program{Code: programs[i%len(programs)]},
						sandbox.Limits{}); err != nil {
						t.Errorf("call %d: %v", i, err)
					}
				}
			}()
		}

		<-done
		<-done
	}
	run(100)

	settled := func() bool { return len(descendants(t, os.Getpid())) == 4 }
	eventually(t, "there are two servers, and a child of each that waits", settled)
	before := resident(t)
	began := time.Now()

	run(calls)
	t.Logf("%d calls, %.0f a second", calls, float64(calls)/time.Since(began).Seconds())
	eventually(t, "there are two servers, and a child of each that waits, and no stray", settled)
	after := resident(t)
	t.Logf("resident memory of two servers and their children: %d KiB before, %d KiB after", before, after)

	if after > before+before/20 {
		t.Errorf("resident memory grew from %d KiB to %d KiB", before, after)
	}
}

// resident returns the resident memory of all processes below this one, in KiB.
func resident(t *testing.T) (kib int) {
	for _, p := range descendants(t, os.Getpid()) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
		if err != nil {
			t.Fatal(err)
		}

		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
				n, err := strconv.Atoi(fields[1])
				if err != nil {
					t.Fatal(err)
				}

				kib += n
			}
		}
	}
	return kib
}

// The longest programs that the tool lets through, as hard as they can be to compile, end as the
// program's own doing.
func TestLongestPrograms(t *testing.T) {
	e := start(t, Options{Python: find(t, debian), Servers: 1})

	const longest = 256 << 10
	for _, part := range []string{"(", "-", "[1,", "x=", "lambda:", "f'{", "x\n", "if 1:\n ", "\\\n", "\xff", "\"",
		"1if 1else "} {
		code := strings.Repeat(part, longest/len(part))
		l := sandbox.Limits{CPU: 2 * time.Second, Wall: 8 * time.Second}

		r, err := e.Run(t.Context(), sandbox.Program{Code: code}, l)
		if err != nil {
			t.Errorf("%q over and over: %v", part, err)
		} else if r.End == sandbox.Finished {
			t.Errorf("%q over and over: %.80q", part, r.Output)
		}
	}

	if r, err := e.Run(t.Context(), sandbox.Program{Code: "print(1)"}, sandbox.Limits{}); err != nil ||
		r.Output != "1\n" {
		t.Errorf("the next program: %+v, %v", r, err)
	}
}
