//go:build amd64 || arm64

package confine

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An installed Python: a real program, and where it looks for modules.
type installed struct {
	Executable, Prefix string
	Path               []string
	Numpy              string
}

// pythons are the interpreters to test with: python3, the system's, and the one in
// TOOLEVO_TEST_PYTHON, for instance of a virtual environment with another numpy.
func pythons(t *testing.T) []installed {
	t.Helper()
	const ask = `
import json, os, sys
try:
    import numpy
    numpy = numpy.__version__
except ImportError:
    numpy = ""
print(json.dumps({"Executable": os.path.realpath(sys.executable), "Prefix": sys.base_prefix, "Path": [p for p in sys.path if p], "Numpy": numpy}))`
	var found []installed

	for _, name := range []string{"python3", "/usr/bin/python3", os.Getenv("TOOLEVO_TEST_PYTHON")} {
		if name == "" {
			continue
		}

		out, err := exec.CommandContext(t.Context(), name, "-s", "-B", "-c", ask).Output()
		if err != nil {
			t.Logf("%q: %v", name, err)
			continue
		}

		var p installed
		if err := json.Unmarshal(out, &p); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}

		if !slices.ContainsFunc(found, func(other installed) bool { return other.Executable == p.Executable }) {
			found = append(found, p)
		}
	}

	if len(found) == 0 {
		t.Skip("there is no python3")
	}
	return found
}

// jail is one in which a program runs behind its own filter, which it puts up after other code has
// run.
func (p installed) jail(t *testing.T, before, program string, without ...Wall) Jail {
	t.Helper()

	fence, err := os.ReadFile("testdata/fence.py")
	if err != nil {
		t.Fatal(err)
	}

	filter, pids := Filter(without...)

	setup, err := json.Marshal(map[string]any{
		"filter": base64.StdEncoding.EncodeToString(filter), "pids": pids, "path": p.Path, "before": before,
	})
	if err != nil {
		t.Fatal(err)
	}

	read := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/urandom"}
	if p.Prefix != "/usr" && p.Prefix != "/" {
		read = append(read, p.Prefix)
	}
	return Jail{
		Path: p.Executable, Args: []string{"-S", "-s", "-B", "-c", string(fence), string(setup), program},
		Env:  []string{"LANG=C.UTF-8", "OPENBLAS_NUM_THREADS=4", "MALLOC_ARENA_MAX=2"},
		Read: append(read, p.Path...), Write: []string{"/dev/null"}, Without: without,
	}
}

// A Python program finds what it computes with behind both walls, and nothing else.
func TestPython(t *testing.T) {
	needWalls(t)
	dir := t.TempDir()

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	const no, readOnly = "Operation not permitted", "Permission denied"
	tests := []struct {
		program          string
		want, noLandlock string // where it differs
	}{
		{program: `print(sum(range(10)))`, want: "45"},
		{
			program: `import decimal, statistics, datetime, json, re; print(decimal.Decimal(1) / 4, statistics.mean([1, 2]))`,
			want:    "0.25 1.5",
		},
		{
			program: `import sqlite3; print(sqlite3.connect(":memory:").execute("select 1 + 1").fetchone())`,
			want:    "(2,)",
		},
		{program: `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: print(tried(lambda: pool.submit(abs, 1)))`, want: "can't start new thread"},
		{program: `
import asyncio
async def main(): return await asyncio.gather(asyncio.sleep(0.001, 1), asyncio.sleep(0, 2))
print(asyncio.run(main()))`, want: "[1, 2]"},
		{program: `
import ctypes
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
a = (ctypes.c_int * 3)(3, 1, 2)
ctypes.CDLL(None).qsort(a, 3, 4, kind(lambda x, y: x[0] - y[0]))
print(list(a))`, want: "[1, 2, 3]"},
		{
			program: `import signal; signal.signal(signal.SIGALRM, lambda *_: print("rang")); signal.setitimer(0, 0.001); signal.pause()`,
			want:    "rang",
		},
		{program: `import resource; print(resource.getrlimit(resource.RLIMIT_CORE))`, want: "(0, 0)"},
		{program: `print(open(os.devnull, "w").write("x"))`, want: "1", noLandlock: "PermissionError"},
		{program: `print(tried(lambda: open(FILE).read()))`, want: readOnly, noLandlock: "text"},
		{program: `print(tried(lambda: os.listdir(DIR)))`, want: readOnly, noLandlock: "['file']"},
		{
			program: `print(tried(lambda: open(FILE, "w")), tried(lambda: open(FILE, "a")), tried(lambda: open(FILE, "r+")))`,
			want:    strings.Repeat(readOnly+" ", 2) + readOnly,
		},
		{
			program: `print(tried(lambda: open(FILE + "2", "x")), tried(lambda: os.open(DIR, os.O_TMPFILE | os.O_RDWR)))`,
			want:    readOnly + " " + readOnly,
		},
		{
			program: `print(tried(lambda: os.remove(FILE)), tried(lambda: os.rename(FILE, FILE + "2")), tried(lambda: os.mkdir(DIR + "/d")))`,
			want:    strings.Repeat(readOnly+" ", 2) + readOnly,
		},
		{
			program: `print(tried(lambda: os.symlink("x", DIR + "/l")), tried(lambda: os.link(FILE, DIR + "/l")), tried(lambda: os.mkfifo(DIR + "/f")))`,
			want:    strings.Repeat(readOnly+" ", 2) + readOnly,
		},
		{
			program: `print(tried(lambda: os.chmod(FILE, 0o777)), tried(lambda: os.chown(FILE, 0, 0)), tried(lambda: os.utime(FILE)), tried(lambda: os.truncate(FILE, 0)))`,
			want:    strings.Repeat(readOnly+" ", 3) + readOnly,
		},
		{
			program: `print(tried(lambda: os.chdir(DIR)), tried(lambda: os.readlink("/proc/self/exe")))`,
			want:    readOnly + " " + readOnly,
		},
		{program: `print(os.stat(FILE).st_size)`, want: "4"}, // a caveat: what is known of a file can be seen
		{
			program: `print(tried(os.fork), tried(lambda: os.posix_spawn("/bin/true", ["true"], {})), tried(lambda: os.execv("/bin/true", ["true"])))`,
			want:    strings.Repeat(no+" ", 2) + no,
		},
		{
			program: `import socket; print(tried(socket.socket), tried(lambda: socket.socketpair(type=socket.SOCK_DGRAM)))`,
			want:    no + " " + no,
		},
		{
			program: `import socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1), tried(lambda: a.sendto(b"x", "\0y")))`,
			want:    "b'x' " + no,
		},
		{
			program: `print(tried(lambda: os.kill(os.getppid(), 0)), tried(lambda: os.kill(os.getpid(), 9)), tried(lambda: os.kill(-1, 9)))`,
			want:    strings.Repeat(no+" ", 2) + no,
		},
		{
			program: `import fcntl; r, w = os.pipe(); print(tried(lambda: fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid())), tried(lambda: fcntl.fcntl(r, 1031, 1 << 20)))`,
			want:    no + " " + no,
		},
		{
			program: `print(tried(lambda: os.memfd_create("x")), tried(lambda: os.nice(1)), tried(lambda: os.sched_setaffinity(0, [0])))`,
			want:    strings.Repeat(no+" ", 2) + no,
		},
		{
			program: `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*args): libc.syscall(*map(ctypes.c_long, args)); return os.strerror(ctypes.get_errno())
def prctl(*args): libc.prctl(*args); return os.strerror(ctypes.get_errno())
print(call(100000), prctl(1, 0, 0, 0, 0), prctl(4, 1, 0, 0, 0), prctl(22, 2, 0, 0, 0))`,
			want: "Function not implemented" + strings.Repeat(" "+no, 3),
		},
	}
	p := pythons(t)[0]

	for _, test := range tests {
		for _, without := range [][]Wall{nil, {Landlock}} {
			want := test.want
			if without != nil && test.noLandlock != "" {
				want = test.noLandlock
			}

			names := "FILE, DIR = " + quote(file) + ", " + quote(dir) + "\n"

			out, said, err := start(t, p.jail(t, "", names+test.program, without...), uint32(os.Getuid()))
			if err != nil {
				out = said
			}

			if strings.TrimSpace(out) != want && !(err != nil && strings.Contains(out, want)) {
				t.Errorf("without %v: %s\nshows %s%s\nwant  %s", without, test.program, out, said, want)
			}
		}
	}

	if text, err := os.ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// quote is a string in Python.
func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// os.abort ends a program, and so does a call for another architecture.
func TestPythonDies(t *testing.T) {
	needWalls(t)

	p := pythons(t)[0]
	for program, want := range map[string]string{
		`os.abort()`: "signal: aborted",
		`import ctypes; ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))`: "signal: bad system call",
	} {
		_, said, err := start(t, p.jail(t, "", program), uint32(os.Getuid()))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, %s, want %s", program, err, said, want)
		}
	}
}

// numpy works behind the filter, loaded before it and after it, with a BLAS that is told to use
// several threads.
func TestNumpy(t *testing.T) {
	needWalls(t)

	program, err := os.ReadFile("testdata/numpy.py")
	if err != nil {
		t.Fatal(err)
	}
	const want = `svd True
solve True
eigh True
inverse True
least squares True
product True
fft True
sort True
big sort True
random True 8
percentile 2.5
fit 2.0
threads 0
too large
`
	tried := false

	for _, p := range pythons(t) {
		if p.Numpy == "" {
			continue
		}

		tried = true

		for _, before := range []string{"", "import numpy"} {
			for _, without := range [][]Wall{nil, {Landlock}} {
				got := run(t, p.jail(t, before, string(program), without...), uint32(os.Getuid()))
				if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
					t.Errorf("%s, numpy %s, before %q, without %v: %s", p.Executable, p.Numpy, before, without, diff)
				}
			}
		}
	}

	if !tried {
		t.Skip("no python3 has numpy")
	}
}
