package forkserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
)

// inner is set in a process of this test binary that another one started; see again.
const inner = "TOOLEVO_TEST_INNER"

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

// debian is the interpreter of the distribution, which has numpy on machines that have the package
// for it, and which any user may start.
const debian = "/usr/bin/python3"

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

// start starts an engine, and closes it at the end of the test. Walls that the machine lacks skip
// the test.
func start(t testing.TB, o Options) *Engine {
	t.Helper()

	if o.Python == nil {
		o.Python = find(t, debian)
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

// bubblewrap returns its path, and skips the test where it does not work.
func bubblewrap(t testing.TB) string {
	t.Helper()

	path, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("no bubblewrap: ", err)
	}

	if out, err := exec.Command(path, "--unshare-all", "--ro-bind", "/", "/", "true").CombinedOutput(); err != nil {
		t.Skipf("bubblewrap does not work here: %v: %s", err, out)
	}
	return path
}

// shown runs a program that must come to its end, and returns what it shows.
func shown(t testing.TB, e sandbox.Engine, code string) string {
	t.Helper()

	r, err := e.Run(t.Context(), sandbox.Program{Code: code}, sandbox.Limits{})
	if err != nil {
		t.Fatalf("%q: %v", code, err)
	}

	if r.End != sandbox.Finished {
		t.Fatalf("%q: %+v", code, r)
	}
	return strings.TrimSpace(r.Output)
}

// again runs a test in a new process of this test binary, and returns what it prints. In it,
// os.Getenv(inner) is "1".
func again(t *testing.T, test string, change func(*exec.Cmd)) string {
	t.Helper()
	cmd := againCommand(t.Context(), os.Args[0], test)
	change(cmd)

	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, out)
	}

	if !bytes.Contains(out, []byte("--- PASS: "+test)) {
		t.Skipf("it did not run: %s", out)
	}
	return string(out)
}

func againCommand(ctx context.Context, binary, test string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$", "-test.v", "-test.timeout=5m")

	cmd.Env = append(os.Environ(), inner+"=1")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// listed is a line of the list of processes.
type listed struct {
	pid, parent int
	state       string
	name        string
}

// descendants returns the processes that a process has started, and those that they have, zombies
// aside.
func descendants(t testing.TB, root int) []listed {
	t.Helper()

	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no /proc: ", err)
	}

	children := make(map[int][]listed)

	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, err := readProcess(pid); err == nil && p.state != "Z" {
				children[p.parent] = append(children[p.parent], p)
			}
		}
	}
	var all []listed

	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			all = append(all, p)
			next = append(next, p.pid)
		}
	}

	return all
}

func readProcess(pid int) (listed, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return listed{}, err
	}

	before, after, _ := strings.Cut(string(text), "(")
	name, rest, _ := strings.Cut(after, ") ")

	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return listed{}, fmt.Errorf("%q is no line of a process", text)
	}

	parent, err := strconv.Atoi(fields[1])
	return listed{pid: must(strconv.Atoi(strings.TrimSpace(before))), parent: parent, state: fields[0], name: name}, err
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// isAlive reports whether a process exists and has not ended.
func isAlive(pid int) bool {
	p, err := readProcess(pid)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH) && p.state != "Z"
}

// eventually waits until something is true, for as long as the test may take.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()

	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()

	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never came that ", what)
		}
	}
}
