package pytool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/toolqa"
)

func engine(t testing.TB) *Process {
	t.Helper()
	p, err := NewProcess(t.Context(), "")
	if err != nil {
		t.Skipf("python3 does not start: %v", err)
	}
	return p
}

func run(t testing.TB, in *Interpreter, code any) envs.Result {
	t.Helper()
	_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "Python", Value: code}})
	if err != nil {
		t.Fatalf("%.200v: %v", code, err)
	}
	return r
}

func TestSnippets(t *testing.T) {
	p := engine(t)
	for _, published := range []bool{false, true} {
		in := New(p, Options{PublishedCapture: published})
		t.Run("published="+strconv.FormatBool(published), func(t *testing.T) {
			for _, s := range snippets {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					want := s.plain
					if published {
						want = s.published
					}
					outcome := envs.OK
					if rest, failed := strings.CutPrefix(want, "!"); failed {
						outcome, want = envs.ToolError, rest
					}
					if want == "" {
						want = nothingPrinted
					}
					if got := run(t, in, s.code); !sameText(got.Observation, want) || got.Outcome != outcome {
						t.Errorf("%s\n got %v %q\nwant %v %q", s.code, got.Outcome, got.Observation, outcome, want)
					}
				})
			}
		})
	}
}

// sameText compares observations, except for wordings of the interpreter that changed between its versions.
func sameText(got, want string) bool {
	for _, varies := range []string{"SyntaxError: ", "RecursionError: "} {
		if strings.HasPrefix(want, varies) {
			return strings.HasPrefix(got, varies)
		}
	}
	return got == want
}

func TestArguments(t *testing.T) {
	in := New(engine(t), Options{})
	for _, arg := range []any{nil, true, envs.Number("1"), []any{"print(1)"}, envs.Args{}} {
		if got := run(t, in, arg); got.Observation != wrongArguments || got.Outcome != envs.InvocationError {
			t.Errorf("%v: %+v", arg, got)
		}
	}
}

func TestOddCode(t *testing.T) {
	in := New(engine(t), Options{})
	for name, code := range map[string]string{
		"not UTF-8": "print('\xff')", "NUL": "print(1)\x00", "nested": strings.Repeat("(", 10_000), "long": strings.Repeat("x", 1<<20),
		"deep": strings.Repeat("-", 100_000) + "1",
	} {
		if got := run(t, in, code); got.Observation == "" || (got.Outcome != envs.ToolError) != (name == "not UTF-8") {
			t.Errorf("%s: %v %.100q", name, got.Outcome, got.Observation)
		}
	}
}

func TestPublishedLength(t *testing.T) {
	in := New(engine(t), Options{PublishedCapture: true})
	want := strings.Repeat("a", 250) + "..." + strings.Repeat("b", 249)
	if got := run(t, in, "print('a' * 300 + 'b' * 300)"); got.Observation != want {
		t.Errorf("got %q, want %q", got.Observation, want)
	}
	if got := run(t, in, "'a' * 500"); got.Observation != strings.Repeat("a", 500) {
		t.Errorf("got %q", got.Observation)
	}
}

// What is printed loses what Python's str.strip takes away, which is more than Go's strings.TrimSpace does.
func TestStripped(t *testing.T) {
	in := New(engine(t), Options{})
	for code, want := range map[string]string{
		`print("\x1c\u3000a\x1db \x1f")`: "a\x1db",
		`print("\x1e")`:                  nothingPrinted,
	} {
		if got := run(t, in, code).Observation; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

func TestNoStateSurvives(t *testing.T) {
	in := New(engine(t), Options{Processes: 1})
	run(t, in, "leak = 1\nimport builtins\nbuiltins.leak2 = 2\nopen('leak', 'w').write('x')\nimport os\nos.environ['LEAK'] = '1'")
	got := run(t, in, "import os\n'leak' in globals(), hasattr(__builtins__, 'leak2'), os.path.exists('leak'), 'LEAK' in os.environ")
	if want := "(False, False, False, False)"; got.Observation != want {
		t.Errorf("got %s, want %s", got.Observation, want)
	}
	dir := run(t, in, "import os\nopen('x', 'w').write('x')\nprint(os.getcwd())").Observation
	if _, err := os.Stat(dir); !filepath.IsAbs(dir) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the working folder %q is still there: %v", dir, err)
	}
}

func TestLimits(t *testing.T) {
	p := engine(t)
	short := Limits{Wall: 1500 * time.Millisecond}
	for name, tt := range map[string]struct {
		limits    Limits
		published bool
		code      string
		want      string // a part of the observation
	}{
		"sleep":            {short, false, "import time\nprint('so far')\ntime.sleep(60)", "so far\nTimeoutError: the code ran too long and was stopped"},
		"ignored signals":  {short, false, "import signal, time\nfor s in (1, 2, 3, 14, 15, 24): signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)", "TimeoutError: the code ran too long and was stopped"},
		"loop":             {Limits{CPU: time.Second, Wall: time.Minute}, false, "while True: pass", "TimeoutError: the code ran too long and was stopped"},
		"loop, no SIGXCPU": {Limits{CPU: time.Second, Wall: time.Minute}, false, "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", "TimeoutError: the code ran too long and was stopped"},
		"big integer":      {Limits{CPU: time.Second, Wall: time.Minute}, false, "print(len(str(9**9**8)))", "TimeoutError: the code ran too long and was stopped"},
		"memory":           {Limits{Memory: 256 << 20, Wall: time.Minute}, false, "x = []\nwhile True: x.append(bytearray(1 << 20))", "MemoryError"},
		"output":           {Limits{Output: 100}, false, "print('x' * 60)\nwhile True: print('yes')", strings.Repeat("x", 60) + "\n" + strings.Repeat("yes\n", 9) + "yes\n[The output was cut after 100 bytes and the code was stopped.]"},
		"output at once":   {Limits{Output: 10}, false, "print('x' * 100000)", "xxxxxxxxxx\n[The output was cut after 10 bytes"},
		"captured output":  {Limits{Memory: 256 << 20, Wall: time.Minute}, true, "while True: print('yes' * 100000)", "MemoryError"},
		"file":             {Limits{FileSize: 1000}, false, "f = open('f', 'wb', 0)\nprint(f.write(b'x' * 1000))\nf.write(b'y')", "1000\nOSError: [Errno 27] File too large"},
		"stack":            {Limits{}, false, "import os\nos.abort()", "SystemError: the interpreter ended (signal: aborted"},
		"descriptors":      {Limits{}, false, "f = [open('f', 'w') for _ in range(100)]", "OSError: [Errno 24] Too many open files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := New(p, Options{Limits: tt.limits, PublishedCapture: tt.published})
			got := run(t, in, tt.code)
			if !strings.Contains(got.Observation, tt.want) || got.Outcome != envs.ToolError {
				t.Errorf("%v %.300q, want %q", got.Outcome, got.Observation, tt.want)
			}
			if after := run(t, in, "print('fine')"); after.Observation != "fine" {
				t.Errorf("the next call: %+v", after)
			}
		})
	}
}

// A limit of time has one observation, whichever it is: the load of the machine decides which one a program meets.
func TestLimitsOfTimeReadAlike(t *testing.T) {
	p := engine(t)
	for _, code := range []string{"while True: pass", "print('so far')\nwhile True: pass"} {
		cpu := run(t, New(p, Options{Limits: Limits{CPU: time.Second, Wall: time.Minute}}), code)
		wall := run(t, New(p, Options{Limits: Limits{CPU: time.Minute, Wall: time.Second}}), code)
		if cpu != wall || !strings.HasSuffix(cpu.Observation, outOfTime) {
			t.Errorf("%q: %+v of processor time, %+v of real time", code, cpu, wall)
		}
	}
	if l := (Limits{CPU: 3 * time.Second}).withDefaults(); l.Wall != 12*time.Second {
		t.Errorf("the default limit of real time is %v for 3s of processor time", l.Wall)
	}
}

// TestKilledFromOutside shows that a kill is no observation: the program runs once more, and then the call fails.
func TestKilledFromOutside(t *testing.T) {
	in := New(engine(t), Options{})
	const code = "import os\nruns = open(%q, 'a')\nruns.write('x')\nruns.flush()\nprint(runs.tell())\nif runs.tell() <= %d: os.kill(os.getpid(), 9)"
	count := filepath.Join(t.TempDir(), "once")
	if got := run(t, in, fmt.Sprintf(code, count, 1)); got.Observation != "2" || got.Outcome != envs.OK {
		t.Errorf("killed once: %+v", got)
	}
	count = filepath.Join(t.TempDir(), "always")
	_, got, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "Python", Value: fmt.Sprintf(code, count, 100)}})
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool || !errors.Is(err, errKilled) {
		t.Errorf("killed always: %+v, %v", got, err)
	}
	if runs, err := os.ReadFile(count); err != nil || len(runs) != 2 {
		t.Errorf("it ran %d times, want 2 (%v)", len(runs), err)
	}
}

// TestChildrenDie leaves processes running in the background and shows that they end with the call.
func TestChildrenDie(t *testing.T) {
	in := New(engine(t), Options{Limits: Limits{Wall: 5 * time.Second}})
	pids := filepath.Join(t.TempDir(), "pids")
	code := `
import os, time
out = open(%q, 'a')
for kind in ('quiet', 'noisy'):
    if os.fork() == 0:
        if kind == 'quiet':
            os.close(1)
        out.write(str(os.getpid()) + '\n')
        out.flush()
        while True: time.sleep(0.01)
while len(open(%q).readlines()) < 2: time.sleep(0.001)
print('left')
`
	if got := run(t, in, strings.ReplaceAll(code, "%q", strconv.Quote(pids))); got.Observation != "left" || got.Outcome != envs.OK {
		t.Fatalf("got %+v", got)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if !ends(t, pid) {
			t.Errorf("process %d is still running", pid)
		}
	}
}

// ends waits until a killed process is gone, or a zombie that nobody has waited for.
func ends(t *testing.T, pid int) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Setenv("TOOLEVO_TEST_SECRET", "hunter2")
	in := New(engine(t), Options{})
	if got := run(t, in, "import os\nprint(open('/proc/self/environ').read(), os.environ)"); strings.Contains(got.Observation, "hunter2") {
		t.Errorf("the program sees our environment: %s", got.Observation)
	}
}

func TestNumpy(t *testing.T) {
	p := engine(t)
	if !p.HasNumpy() {
		t.Skipf("%s has no numpy", p.ID())
	}
	in := New(p, Options{})
	if got := run(t, in, "import numpy as np\nprint(np.mean([247.0, 253.0, 230.0]))"); got.Observation != "243.33333333333334" {
		t.Errorf("got %+v", got)
	}
	const code = "import numpy as np\nprint(np.random.rand())"
	if a, b := run(t, in, code), run(t, in, code); a != b {
		t.Errorf("equal programs drew %v and %v", a, b)
	}
}

func TestFailuresOfOurs(t *testing.T) {
	if _, err := NewProcess(t.Context(), "no-such-python"); err == nil || !strings.Contains(err.Error(), "install Python") {
		t.Errorf("a missing interpreter: %v", err)
	}
	if _, err := NewProcess(t.Context(), "/bin/true"); err == nil || !strings.Contains(err.Error(), "does not answer like Python") {
		t.Errorf("another program: %v", err)
	}
	p := engine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := New(p, Options{}).Call(ctx, toolqa.Session{}, envs.Args{{Name: "Python", Value: "print(1)"}})
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, _, err = New(p, Options{}).Call(ctx, toolqa.Session{}, envs.Args{{Name: "Python", Value: "import time\ntime.sleep(60)"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline: %v", err)
	}

	for name, broken := range map[string]*Process{
		"gone":   {python: filepath.Join(t.TempDir(), "gone")},
		"broken": {python: "/bin/false"},
	} {
		_, _, err := New(broken, Options{}).Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "Python", Value: "print(1)"}})
		if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool {
			t.Errorf("%s: error %v, want a failure of the tool", name, err)
		}
	}
}

func FuzzUnfence(f *testing.F) {
	for _, s := range snippets {
		f.Add(s.code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		for _, out := range []string{unfence(code), unfencePublished(code)} {
			if len(out) > len(code) || strings.HasSuffix(out, "`") || out != strings.Trim(out, blanks) {
				t.Errorf("unfence(%q) = %q", code, out)
			}
		}
	})
}

func BenchmarkPython(b *testing.B) {
	in := New(engine(b), Options{})
	for name, code := range map[string]string{"print": "print(1)", "mean": "import statistics\nprint(statistics.mean([1, 2]))"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run(b, in, code)
			}
		})
	}
}
