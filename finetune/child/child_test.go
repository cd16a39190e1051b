package child_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/finetune/child"
)

// shell starts a script.
func shell(ctx context.Context, t *testing.T, log, script string, env ...string) *child.Child {
	t.Helper()

	c, err := child.Start(ctx, child.Command{
		Args: []string{"sh", "-c", script}, Log: log, Env: env, Grace: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}

	return c
}

func TestLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "below", "log")

	for range 2 {
		if err := shell(t.Context(), t, log, "echo $WORD; echo two >&2", "WORD=one").Wait(); err != nil {
			t.Fatal(err)
		}
	}

	text, err := os.ReadFile(log)
	if err != nil || string(text) != "one\ntwo\none\ntwo\n" {
		t.Errorf("log %q, %v", text, err)
	}
}

func TestFailureShowsItsLastWordsAlone(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := shell(t.Context(), t, log, "echo of another attempt").Wait(); err != nil {
		t.Fatal(err)
	}

	err := shell(t.Context(), t, log, "echo no memory; exit 3").Wait()

	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("error %v, want exit status 3", err)
	}

	if text := err.Error(); !strings.Contains(text, "no memory") || !strings.Contains(text, log) ||
		strings.Contains(text, "another attempt") {
		t.Errorf("error %q", text)
	}
}

// What a child started goes with it, though it takes no notice of being asked.
func TestStopEndsTheGroup(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	c := shell(t.Context(), t, filepath.Join(dir, "log"),
		`trap "" TERM; sleep 600 & echo $! >`+pid+`.new; mv `+pid+`.new `+pid+`; while :; do wait; done`)

	grandchild := await(t, pid)

	if err := c.Stop(); err != nil {
		t.Errorf("error %v of a child that was stopped", err)
	}

	ends(t, grandchild)
}

// families are scripts that start more processes and say which: $1 is the file for the last one's
// number.
var families = map[string]string{
	"a grandchild":              `sleep 600 & echo $! >"$1.new"; mv "$1.new" "$1"; wait`,
	"a session of its own":      `setsid sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600' "$1"; wait`,
	"deaf to being asked":       `trap "" TERM HUP; sleep 600 & echo $! >"$1.new"; mv "$1.new" "$1"; while :; do wait; done`,
	"left behind by its parent": `(setsid sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600' "$1" &); sleep 600`,
}

// killedVariable is the folder in which a process of this test starts a family until it is killed.
const killedVariable = "TOOLEVO_TEST_KILLED_CHILD"

// TestKilledWithItsFamily kills the process that started a child with SIGKILL. Nothing is left, and
// the lock can be had again.
func TestKilledWithItsFamily(t *testing.T) {
	if dir := os.Getenv(killedVariable); dir != "" {
		c, err := family(t.Context(), dir, os.Getenv(killedVariable+"_SCRIPT"))
		if err == nil {
			err = c.Wait()
		}

		t.Fatal(err)
	}

	for name, script := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			parent := exec.Command(os.Args[0], "-test.run=^TestKilledWithItsFamily$")
			parent.Env = append(os.Environ(), killedVariable+"="+dir, killedVariable+"_SCRIPT="+script)

			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}

			last := await(t, filepath.Join(dir, "pid"))

			if _, err := family(t.Context(), dir, script); !errors.Is(err, child.ErrLocked) {
				t.Errorf("another one was started beside it: %v", err)
			}

			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}

			_ = parent.Wait() // it was killed
			ends(t, last)

			c, err := family(t.Context(), dir, "true")
			if err == nil {
				err = c.Wait()
			}

			if err != nil {
				t.Errorf("after all are gone: %v", err)
			}
		})
	}
}

// A child that is stopped, or ends by itself, leaves nobody behind either.
func TestLeavesNobody(t *testing.T) {
	for name, script := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()

			c, err := family(t.Context(), dir, script)
			if err != nil {
				t.Fatal(err)
			}

			last := await(t, filepath.Join(dir, "pid"))

			if err := c.Stop(); err != nil {
				t.Errorf("stopped: %v", err)
			}

			ends(t, last)
		})
	}

	dir := t.TempDir()

	c, err := family(t.Context(), dir, `setsid sleep 600 & echo $! >"$1"; exit 0`)
	if err == nil {
		err = c.Wait()
	}

	if err != nil {
		t.Fatal(err)
	}

	ends(t, await(t, filepath.Join(dir, "pid")))
}

// family starts a script, with the lock of a folder.
func family(ctx context.Context, dir, script string) (*child.Child, error) {
	return child.Start(ctx, child.Command{
		Args:  []string{"sh", "-c", script, "sh", filepath.Join(dir, "pid")},
		Log:   filepath.Join(dir, "log"),
		Lock:  filepath.Join(dir, "lock"),
		Grace: 100 * time.Millisecond,
	})
}

// ends waits until a process is gone: an orphan is reaped a moment after it died.
func ends(t *testing.T, pid int) {
	t.Helper()

	for tick := time.NewTicker(5 * time.Millisecond); alive(t, pid); <-tick.C {
		if t.Context().Err() != nil {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

func TestContextEndsTheChild(t *testing.T) {
	dir := t.TempDir()
	ready := filepath.Join(dir, "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := shell(ctx, t, filepath.Join(dir, "log"), "echo $$ >"+ready+".new; mv "+ready+".new "+ready+"; sleep 600")
	await(t, ready)

	cause := errors.New("enough")
	cancel(cause)

	if err := c.Wait(); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	_, err := child.Start(t.Context(), child.Command{
		Args: []string{"no-such-trainer"}, Log: filepath.Join(t.TempDir(), "log"),
	})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

// await waits for a file with the number of a process.
func await(t *testing.T, path string) int {
	t.Helper()

	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		text, err := os.ReadFile(path)
		if err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}

		if t.Context().Err() != nil {
			t.Fatal("it never began")
		}
	}
}

// alive reports whether a process runs; one that is dead and not yet reaped does not.
func alive(t *testing.T, pid int) bool {
	t.Helper()

	if syscall.Kill(pid, 0) != nil {
		return false
	}

	state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}

	_, rest, _ := strings.Cut(string(state), ") ")
	return !strings.HasPrefix(rest, "Z")
}
