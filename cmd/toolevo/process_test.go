package main

import (
	"bytes"
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/store"
)

// process is the program running by itself, in a process group of its own.
type process struct {
	*exec.Cmd
	out, err *watched
	ended    chan struct{}
}

// watched is what a process writes; lines are passed on as they come. It has no other methods of a
// buffer: by ReadFrom a process would write past it.
type watched struct {
	saw chan string

	mu   sync.Mutex
	text []byte
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.text = append(w.text, p...)
	w.mu.Unlock()

	select {
	case w.saw <- string(p):
	default:
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// start starts the program.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return launch(t, program(t, args...)).bound(t)
}

// printed starts the shell command a stopped run printed, as printed.
func printed(t *testing.T, words string) *process {
	t.Helper()

	_, command, ok := strings.Cut(words, "with:\n  ")
	if !ok {
		t.Fatalf("no command to go on with in:\n%s", words)
	}

	cmd := exec.Command("/bin/sh", "-c", "exec "+command)
	cmd.Env = slices.Clip(ordinary)
	return launch(t, cmd).bound(t)
}

func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()

	p := &process{Cmd: cmd, out: &watched{}, err: &watched{saw: make(chan string, 64)}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.err

	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	go func() {
		defer close(p.ended)

		_ = cmd.Wait() // how it ended stands in the process's state
	}()

	t.Cleanup(func() {
		select {
		case <-p.ended:
		default:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)

			<-p.ended
		}
	})
	return p
}

// longest is how long a command may take. Without a bound one that hangs takes the time of all
// tests, and nobody learns which it was.
const longest = 10 * time.Minute

// bound ends a process that takes longer, and fails the test. It is not for servers, which may be
// there for subtests that wait for their turn.
func (p *process) bound(t *testing.T) *process {
	var hung atomic.Bool

	// It writes what its goroutines do, and then ends with all that it has started.
	timer := time.AfterFunc(longest, func() {
		hung.Store(true)
		_ = p.Process.Signal(syscall.SIGQUIT)

		select {
		case <-p.ended:
		case <-time.After(5 * time.Second):
		}
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	})

	t.Cleanup(func() {
		if !timer.Stop() && hung.Load() {
			<-p.ended
			t.Errorf("after %v it had not ended: %q\n%s", longest, p.Args, p.err)
		}
	})
	return p
}

// interrupt sends SIGINT, and waits until the process says that it has seen it, or has ended.
func (p *process) interrupt(t *testing.T) {
	t.Helper()

	before := len(p.err.String())

	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	p.seesAfter(before, "Interrupted:")
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	<-p.ended
	return p.ProcessState.ExitCode()
}

// inTime holds that something takes no longer than it may take on a machine with nothing else to
// do. On a busy one all takes longer, by as much as a command that does nothing, beside it or after
// it, takes longer than its processor time.
func inTime(t *testing.T, what string, most time.Duration, do func()) (took time.Duration) {
	t.Helper()

	beside := make(chan float64, 1)
	go func() { beside <- howBusy(t) }()

	started := time.Now()
	do()
	took = time.Since(started)

	busy := <-beside
	if took <= most {
		return took
	}

	busy = max(busy, howBusy(t))
	if took.Seconds() > most.Seconds()*busy {
		t.Errorf("%s took %v, want %v at most on an idle machine; this one is %.1f times as slow", what,
			took, most, busy)
	}
	return took
}

// howBusy returns how many times as long as on an idle machine a command takes that does nothing.
func howBusy(t *testing.T) float64 {
	started, cmd := time.Now(), program(t, "version")
	if err := cmd.Run(); err != nil {
		t.Error(err)
		return 1
	}

	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return time.Since(started).Seconds() / used.Seconds()
}

// until returns true once the log of the run holds n calls, and false when the process ended
// before. It keeps the run open: opening one at every look would take more of the processor than
// the process.
func (p *process) until(t *testing.T, run string, n int) bool {
	t.Helper()

	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()

	var opened *store.Run

	defer func() {
		if opened != nil {
			opened.Close()
		}
	}()

	for {
		select {
		case <-p.ended:
			return false
		case <-poll.C:
			if opened == nil {
				opened, _ = store.OpenRun(t.Context(), run) // an error: the process is making it
			}

			if opened == nil {
				continue
			}

			if calls, err := opened.CallCount(t.Context()); err == nil && calls >= n {
				return true
			}
		}
	}
}

// logged counts the calls in the log of a run, 0 while there is none.
func logged(t *testing.T, run string) int {
	t.Helper()

	r, err := store.OpenRun(t.Context(), run)
	if err != nil {
		return 0
	}
	defer r.Close()

	n, err := r.CallCount(context.WithoutCancel(t.Context()))
	if err != nil {
		return 0 // another process is making it
	}
	return n
}

// sampled returns how many samples the log of a run has.
func sampled(t *testing.T, run string) (n int) {
	t.Helper()

	db, err := sql.Open("sqlite3", filepath.Join(run, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if err := db.QueryRowContext(t.Context(), `SELECT sum(n) FROM calls`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// grown is a collection that takes long enough to be interrupted, with a preset. That of paper has
// no walls around its programs: attacking them takes each process longer than the rest of what it
// does, and that of efficient does it.
func grown(preset string, more ...string) []string {
	args := []string{"collect", "--preset", preset, "--limit", "4", "--run-id", "grown", "--progress", "none"}

	switch preset {
	case "paper":
		args = append(args, "--trees", "2", "--engine", "unsafe")
	case "efficient":
		args = append(args, "--trees", "4")
	case "subtle": // under versions that refuse nothing
		args[2] = "efficient"
		args = append(args, "--trees", "4", "--engine", "unsafe", "--policy", "scripted:careful",
			"--api", "factor:reorder-date,factor:half-answer,factor:timeout")
	}

	return append(args, more...)
}

// uninterrupted are runs by preset that nothing disturbed, one worker each.
var uninterrupted = map[string]func(t testing.TB) string{
	"paper":     shared("uninterrupted-paper", growUninterrupted("paper")),
	"efficient": shared("uninterrupted-efficient", growUninterrupted("efficient")),
	"subtle":    shared("uninterrupted-subtle", growUninterrupted("subtle")),
}

func growUninterrupted(preset string) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) {
		made(t, grown(preset, "--data", smallData(t), "--workers", "1", "--out", dir)...)
	}
}

// sameRun holds that a run has the bytes and the calls of the one that nothing disturbed, and
// passes its check.
func sameRun(t *testing.T, preset, run string) {
	t.Helper()

	want := uninterrupted[preset](t)
	if !bytes.Equal(read(t, filepath.Join(want, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
		t.Errorf("%s: the trajectories of %s differ from those of %s", preset, run, want)
	}

	if got, want := logged(t, run), logged(t, want); got != want || got == 0 {
		t.Errorf("%s: %d calls in the log, %d in that of the uninterrupted run", preset, got, want)
	}

	c := document[toolevo.CheckedTrees](t, made(t, "check", run, "--data", smallData(t), "--json"))
	if !c.Complete || c.Rows == 0 {
		t.Errorf("%s: %+v", preset, c)
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	t.Parallel()
	for preset := range uninterrupted {
		t.Run(preset, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")

			p := start(t, grown(preset, "--data", smallData(t), "--workers", "8", "--out", run)...)
			if code := p.wait(); code != exitDone {
				t.Fatalf("exit %d\n%s", code, p.err)
			}

			sameRun(t, preset, run)
		})
	}
}

// TestKilled kills a run five times, each time when the log has grown to a random size, and goes on
// with it.
func TestKilled(t *testing.T) {
	t.Parallel()
	for preset, whole := range uninterrupted {
		t.Run(preset, func(t *testing.T) {
			total := logged(t, whole(t))
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d, %d calls in all", seed, total)
			random := rand.New(rand.NewPCG(seed, 0))

			moments := make([]int, 3)
			for i := range moments {
				moments[i] = 1 + random.IntN(total*9/10)
			}

			slices.Sort(moments)

			run := filepath.Join(t.TempDir(), "run")
			args := grown(preset, "--data", smallData(t), "--workers", "3", "--out", run)
			killed := 0

			for _, n := range moments {
				p := start(t, args...)
				if p.until(t, run, n) {
					_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
					<-p.ended

					if s, ok := p.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
						killed++
					}
				}

				t.Logf("killed at %d calls or more; the log holds %d", n, logged(t, run))

				if !slices.Contains(args, "--resume") {
					args = append(args, "--resume")
				}
			}

			if killed < 2 {
				t.Errorf("killed %d times: the run is too short for this test", killed)
			}

			p := start(t, args...)
			if code := p.wait(); code != exitDone {
				t.Fatalf("exit %d\n%s", code, p.err)
			}

			sameRun(t, preset, run)
		})
	}
}

// TestInterrupted sends SIGINT once, after which no call is made, and goes on with the command
// printed.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	total := logged(t, uninterrupted["paper"](t))
	run := filepath.Join(t.TempDir(), "a run")

	p := start(t, grown("paper", "--data", smallData(t), "--workers", "1", "--out", run)...)
	if !p.until(t, run, total/10) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	p.interrupt(t)

	if code := p.wait(); code != exitInterrupted {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	words := p.err.String()
	says(t, "collect", words, "no new model calls", "everything so far is kept", "--resume --out '"+run+"'")

	if out := p.out.String(); out != "" {
		t.Errorf("an interrupted run reports a result: %s", out)
	}

	c := document[toolevo.CheckedTrees](t, made(t, "check", run, "--data", smallData(t), "--json"))
	if c.Complete || c.Calls > logged(t, run) || c.Missing == 0 || logged(t, run) >= total {
		t.Errorf("after the interruption: %+v of %d calls", c, logged(t, run))
	}

	if next := printed(t, words); next.wait() != exitDone {
		t.Fatalf("the command printed fails: %s", next.err)
	}

	sameRun(t, "paper", run)
}

// TestHangup closes the terminal on a run, which is as the first Ctrl-C, unless it was started to
// outlive it.
func TestHangup(t *testing.T) {
	t.Parallel()

	for name, script := range map[string]string{"ends": `exec "$@"`, "nohup": `trap "" HUP; exec "$@"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(t.TempDir(), "run")
			args := grown("paper", "--data", smallData(t), "--workers", "1", "--out", run)

			cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sh", binary()}, args...)...)
			cmd.Env = slices.Clip(ordinary)

			p := launch(t, cmd)
			if !p.until(t, run, 2) {
				t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
			}

			if err := p.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}

			want := map[string]int{"ends": exitInterrupted, "nohup": exitDone}[name]
			if code := p.wait(); code != want {
				t.Fatalf("exit %d\n%s", code, p.err)
			}

			if name == "ends" {
				says(t, "collect", p.err.String(), "no new model calls", "--resume --out")
			}
		})
	}
}

// TestInterruptedTwice sends a second SIGINT once the first has been answered.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel()
	total := logged(t, uninterrupted["paper"](t))
	run := filepath.Join(t.TempDir(), "run")

	p := start(t, grown("paper", "--data", smallData(t), "--workers", "8", "--out", run)...)
	if !p.until(t, run, total/10) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	p.interrupt(t)

	_ = p.Process.Signal(os.Interrupt) // it may just have ended
	if code := p.wait(); code != exitInterrupted {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	if next := printed(t, p.err.String()); next.wait() != exitDone {
		t.Fatalf("the command printed fails: %s", next.err)
	}

	sameRun(t, "paper", run)
}

// TestOneProcessForARun starts a second process on a run that the first is working on.
func TestOneProcessForARun(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")
	args := grown("paper", "--data", smallData(t), "--workers", "1", "--out", run)

	p := start(t, args...)
	if !p.until(t, run, 1) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	second := start(t, append(args, "--resume")...)
	if code := second.wait(); code != exitUsage {
		t.Errorf("the second process: exit %d\n%s", code, second.err)
	}

	says(t, "collect --resume", second.err.String(), "another process is working on this run",
		"process "+strconv.Itoa(p.Process.Pid))
	must(t, "inspect", run) // looking at it is free

	if code := p.wait(); code != exitDone {
		t.Fatalf("the first process: exit %d\n%s", code, p.err)
	}

	sameRun(t, "paper", run)
}

// sees waits until the process has told people something, or has ended.
func (p *process) sees(words string) { p.seesAfter(0, words) }

// seesAfter waits until the process has written words, beginning at an offset of all that it wrote,
// or has ended.
func (p *process) seesAfter(offset int, words string) {
	for !strings.Contains(p.err.String()[offset:], words) {
		select {
		case <-p.err.saw:
		case <-p.ended:
			return
		}
	}
}
