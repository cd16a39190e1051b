package wasi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/wasi"
)

func TestMain(m *testing.M) {
	confine.Main()
	wasi.Main()
	os.Exit(m.Run())
}

// module is the path of a CPython for WASI. Compiling one takes a minute, so only who names one has the tests use it.
func module(t testing.TB) string {
	t.Helper()

	path := os.Getenv("TOOLEVO_PYTHON_WASM")
	if path == "" {
		t.Skip("no CPython for WASI is named in TOOLEVO_PYTHON_WASM; make test-wasi fetches one and names it")
	}

	return path
}

func open(t testing.TB, o wasi.Options) *wasi.Engine {
	t.Helper()
	o.Module = module(t)

	e, err := wasi.New(t.Context(), o)
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

func TestStamp(t *testing.T) {
	s := open(t, wasi.Options{Servers: 1, Modules: []string{"json", "no_such_module"}}).Stamp()
	if s.Engine != "wasi" || !strings.Contains(s.Python, " (wasi ") || len(s.Modules) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestWithoutWalls(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1, Without: confine.Walls()})
	if diff := cmp.Diff([]string{"landlock", "seccomp"}, e.Stamp().Missing); diff != "" {
		t.Error(diff)
	}

	want(t, e, "print(1)", sandbox.Reply{Output: "1\n"})
}

func TestNoModule(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		return path
	}

	const header = "\x00asm\x01\x00\x00\x00"
	for _, c := range []struct{ path, want string }{
		{"", "no CPython for WASI is named"},
		{filepath.Join(folder, "none.wasm"), "no such file"},
		{folder, "is a directory"},
		{write("text.wasm", "hello"), "is not a WebAssembly module"},
		{write("component.wasm", "\x00asm\x0d\x00\x01\x00"), "a component?"},
		{write("cut.wasm", header+"\x01\x7f"), "the module is damaged"},
		{write("library.wasm", header), "exports no _start"},
		{write("host.wasm", header+"\x01\x04\x01\x60\x00\x00"+"\x02\x0d\x01\x04host\x04call\x00\x00"),
			"imports call from host"},
		{write("other.wasm", header+"\x01\x04\x01\x60\x00\x00"+"\x03\x02\x01\x00"+"\x05\x03\x01\x00\x01"+
			"\x07\x13\x02\x06_start\x00\x00\x06memory\x02\x00"+"\x0a\x04\x01\x02\x00\x0b"),
			"does not start as Python does"},
	} {
		e, err := wasi.New(t.Context(), wasi.Options{Module: c.path, Cache: filepath.Join(folder, "cache")})
		if err == nil {
			e.Close()
			t.Errorf("%q: no error", c.path)
			continue
		}

		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q in one line", c.path, err, c.want)
		}
	}
}

func want(t *testing.T, e *wasi.Engine, code string, w sandbox.Reply) {
	t.Helper()

	r, err := e.Run(t.Context(), sandbox.Program{Code: code}, sandbox.Limits{})
	if diff := cmp.Diff(w, r); diff != "" || err != nil {
		t.Errorf("%s\n%s%v", code, diff, err)
	}
}

// TestImage shows that a program finds nothing of the programs before it, whatever they did to their interpreter.
func TestImage(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1})
	look := `
import os, sys, builtins, json, random, errno
print(sorted(vars(builtins)) [:3], json.dumps({'a': 1}), len(sys.modules), random.random(), id(look) if 'look' in globals() else id(json))
print(os.fstat(0) is not None, sys.getrecursionlimit(), os.getcwd(), dict(os.environ) == {**os.environ}, sys.stdout.closed)
`

	first, err := e.Run(t.Context(), sandbox.Program{Code: look}, sandbox.Limits{})
	if err != nil || first.End != sandbox.Finished {
		t.Fatal(first, err)
	}

	for _, spoil := range []string{
		"import builtins\nbuiltins.print = builtins.len = None\nbuiltins.spoilt = 1",
		"import json\njson.dumps = lambda x: 'spoilt'",
		"import sys\nsys.modules.clear()\nsys.setrecursionlimit(50)",
		"import os\nos.close(0)\nos.close(1)\nos.environ['SPOILT'] = '1'",
		"import sys\nsys.stdout.close()",
		"x = bytearray(b'spoilt' * 5_000_000)",
		"x = bytearray(100_000_000)", // the memory grows
		"import os\nos.abort()",
		"import os\nos._exit(5)",
		"def f(): f()\nf()",
		"import random\nrandom.seed(5)\nrandom.random()",
		"raise SystemExit('no')",
		"print('x' * 100_000)",
	} {
		if _, err := e.Run(t.Context(), sandbox.Program{Code: spoil}, sandbox.Limits{}); err != nil {
			t.Errorf("%s: %v", spoil, err)
		}

		want(t, e, look, first)
	}
}

func TestEnds(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1, Recycle: 3}) // so some of them meet a new machine
	for range 2 {
		want(t, e, "print(1)", sandbox.Reply{Output: "1\n"})
		want(t, e, "import os\nos.abort()", sandbox.Reply{End: sandbox.Died, Detail: "signal: aborted"})
		want(t, e, "import os\nprint(1, flush=True)\nos._exit(5)",
			sandbox.Reply{Output: "1\n", End: sandbox.Died, Detail: "exit status 5"})
		want(t, e, "raise SystemExit('no')", sandbox.Reply{Output: "no\n", End: sandbox.Raised})
	}
}

// TestErrorNumbers shows that the commonest errors of the operating system are those of Linux, also where a
// program reads them itself.
func TestErrorNumbers(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1})

	for code, w := range map[string]string{
		"open('data.csv')":                     "FileNotFoundError(2, 'No such file or directory') data.csv ENOENT",
		"open('data.csv', 'w')":                "PermissionError(13, 'Permission denied') data.csv EACCES",
		"open('/tmp/data.csv', mode='ab')":     "PermissionError(13, 'Permission denied') /tmp/data.csv EACCES",
		"os.listdir()":                         "PermissionError(13, 'Permission denied') None EACCES",
		"os.mkdir('new')":                      "PermissionError(13, 'Permission denied') new EACCES",
		"os.open('new', os.O_CREAT)":           "PermissionError(13, 'Permission denied') new EACCES",
		"os.remove('a/b')":                     "FileNotFoundError(2, 'No such file or directory') a/b ENOENT",
		"os.rename('a/b', 'c')":                "FileNotFoundError(2, 'No such file or directory') a/b ENOENT",
		"pathlib.Path('data.csv').read_text()": "FileNotFoundError(2, 'No such file or directory') data.csv ENOENT",
		"os.close(50)":                         "OSError(9, 'Bad file descriptor') None EBADF",
	} {
		program := "import os, errno, pathlib\ntry:\n    " + code +
			"\nexcept OSError as e:\n    print(repr(e), e.filename, errno.errorcode[e.errno])"
		want(t, e, program, sandbox.Reply{Output: w + "\n"})
	}
}

// TestHost shows that nothing of the host is to be seen.
func TestHost(t *testing.T) {
	t.Setenv("TOOLEVO_SECRET", "secret")

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()

	e := open(t, wasi.Options{Servers: 1})
	want(t, e, `
import os
found = [name for name in os.environ if 'SECRET' in name]
for fd in range(4, 1000):  # 3 is the folder of the standard library, inside the module
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError:
        pass
for path in ('/etc/passwd', '/proc/self/environ', '/proc/1/environ', '/proc/self/maps', '/dev/null', '/root', '/home', '/tmp', '/sys', '..', '/'):
    for look in (open, os.listdir, os.stat):
        try:
            look(path)
            found.append(path)
        except OSError:
            pass
for name in ('ctypes', '_ctypes', 'mmap', 'resource', 'fcntl', '_posixsubprocess', '_multiprocessing', 'readline'):
    try:
        __import__(name)
        found.append(name)
    except ImportError:
        pass
for name in ('fork', 'kill', 'system', 'popen', 'execv', 'posix_spawn', 'ptrace', 'getuid', 'waitpid'):
    if hasattr(os, name) and name != 'popen':
        found.append(name)
import socket
try:
    socket.socket()
    found.append('socket')
except OSError:
    pass
print(found)`, sandbox.Reply{Output: "[]\n"})
}

func TestSleep(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1})
	want(t, e, "import time\nt = time.monotonic()\ntime.sleep(0.2)\nprint(0.2 <= time.monotonic() - t)",
		sandbox.Reply{Output: "True\n"})
	want(t, e, "import time\ntime.sleep(-1)", sandbox.Reply{
		End: sandbox.Raised,
		Output: "Traceback (most recent call last):\n" +
			"  File \"<string>\", line 2, in <module>\n    time.sleep(-1)\nValueError: sleep length must be " +
			"non-negative\n",
	})
}

func TestManyAtOnce(t *testing.T) {
	e := open(t, wasi.Options{Servers: 2, Recycle: 10})

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				want(t, e, "print(sum(range(1000)))", sandbox.Reply{Output: "499500\n"})
			}
		})
	}

	wg.Wait()
}

func TestClose(t *testing.T) {
	e := open(t, wasi.Options{Servers: 1})
	running := make(chan error, 1)

	go func() {
		_, err := e.Run(context.Background(), sandbox.Program{Code: "import time\ntime.sleep(60)"},
			sandbox.Limits{Wall: time.Minute})
		running <- err
	}()

	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}

	if err := <-running; err == nil {
		t.Error("a program that ran has no error")
	}

	if _, err := e.Run(t.Context(), sandbox.Program{Code: "1"}, sandbox.Limits{}); err == nil {
		t.Error("a program that came later has no error")
	}
}

// TestNoCacheFolder has nowhere to keep compiled code.
func TestNoCacheFolder(t *testing.T) {
	path, temporary := module(t), t.TempDir()
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", temporary)

	e, err := wasi.New(t.Context(), wasi.Options{Module: path, Servers: 1})
	if err != nil {
		t.Fatal(err)
	}

	want(t, e, "print(1)", sandbox.Reply{Output: "1\n"})

	if err := e.Close(); err != nil {
		t.Error(err)
	}

	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func BenchmarkNew(b *testing.B) {
	path := module(b)
	for b.Loop() {
		e, err := wasi.New(b.Context(), wasi.Options{Module: path, Servers: 1})
		if err != nil {
			b.Fatal(err)
		}

		b.StopTimer()
		e.Close()
		b.StartTimer()
	}
}

var benchmarks = []struct{ name, code string }{
	{"print", "print(1)"},
	{"modules", "import datetime, statistics, json, re, math\nprint(statistics.mean([1, 2, 3]))"},
	{"exception", "x = {}\nx['price']"},
}

func BenchmarkRun(b *testing.B) {
	e := open(b, wasi.Options{})
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Run(b.Context(), sandbox.Program{Code: c.code}, sandbox.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRunParallel(b *testing.B) {
	e := open(b, wasi.Options{})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := e.Run(b.Context(), sandbox.Program{Code: benchmarks[1].code}, sandbox.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
