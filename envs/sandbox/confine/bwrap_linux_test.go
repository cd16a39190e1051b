//go:build amd64 || arm64

package confine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func needBubblewrap(t testing.TB) string {
	t.Helper()
	needWalls(t)

	path, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}

	if err := CheckBubblewrap(t.Context(), path); err != nil {
		t.Skip(err)
	}
	return path
}

// In bubblewrap there is nothing to be denied: no file, no process, no network. So it holds without
// walls, too.
func TestBubblewrap(t *testing.T) {
	bwrap := needBubblewrap(t)
	dir, binary := place(t)
	file := filepath.Join(dir, "secret")
	const (
		absent   = "no such file or directory"
		readOnly = "read-only file system"
	)

	for _, user := range users() {
		write(t, file, user)

		own := strconv.Itoa(os.Getpid())
		tests := []struct {
			what, with    string
			walls, inside string // what it says with the walls and without
		}{
			{"read", file, absent, absent},
			{"read", "/proc/self/environ", absent, absent},
			{"create", file, readOnly, readOnly},
			{"create", "/usr/x", readOnly, readOnly},
			{"create", "/x", readOnly, readOnly},
			{"write", "/dev/null", "ok", "ok"},
			{"list", "/", denies, "ok"},
			{"connect", "80", notPermitted, "connection refused"},
			{"signal", own, "no such process", "no such process"},
			{"signal", "1", notPermitted, "ok"},
			{"pair", "", "ok", "ok"},
		}

		var what []string
		for _, test := range tests {
			what = append(what, test.what, test.with)
		}

		for _, without := range [][]Wall{nil, Walls()} {
			j := trying(t, binary, without, what...)
			j.Bwrap, j.Read = bwrap, append(j.Read, "/usr/lib")
			got := strings.Split(startInside(t, j, binary, user), "\n")

			for i, test := range tests {
				want := test.walls
				if without != nil {
					want = test.inside
				}

				if got[i] != want {
					t.Errorf("user %d, without %v: %s %s: %s, want %s", user, without, test.what, test.with, got[i],
						want)
				}
			}
		}

		j := trying(t, binary, nil, "environment")

		j.Bwrap, j.Env = bwrap, []string{"A=1", "B=2"}
		if got := startInside(t, j, binary, user); got != "A=1 B=2\n" {
			t.Errorf("user %d: the environment is %s", user, got)
		}
	}
}

// startInside runs a jail by a process of the user's: bubblewrap is to show him this binary, which
// he must be able to reach.
func startInside(t *testing.T, j Jail, binary string, user uint32) string {
	t.Helper()

	spec, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), binary, tryMarker, "jail", string(spec))
	var out, said bytes.Buffer

	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = []string{"SECRET=of the host"}, "/", &out, &said
	if int(user) != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}

	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	return out.String()
}

// However this process ends, what bubblewrap had started ends with it, also a process that has not
// yet asked to.
func TestKeeper(t *testing.T) {
	dir, binary := place(t)
	slow := filepath.Join(dir, "bwrap") // as bubblewrap before it has written the user's number into the new namespace
	write := func(text string) {
		if err := os.WriteFile(slow, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}

	write("sleep 1000 & echo $!; wait")

	spec, err := json.Marshal(Jail{Path: binary, Bwrap: slow, Without: Walls()})
	if err != nil {
		t.Fatal(err)
	}

	host := exec.Command(binary, tryMarker, "jail", string(spec))

	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()

	host.Stdout = in
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}

	in.Close()

	var asleep int
	if _, err := fmt.Fscan(out, &asleep); err != nil {
		t.Fatal(err)
	}

	host.Process.Kill()
	host.Wait()

	// The pipe ends when nobody is left that could write to it: it is the sleeper's, too.
	out.SetReadDeadline(time.Now().Add(10 * time.Minute))

	if _, err := out.Read(make([]byte, 1)); err != io.EOF {
		syscall.Kill(asleep, syscall.SIGKILL)
		t.Errorf("a process of bubblewrap's is left asleep: %v", err)
	}

	// A command that ends by itself ends as without a keeper.
	for text, want := range map[string]string{"exit 3": "exit status 3", "kill -9 $$": "exit status 137",
		"exit 0": "<nil>"} {
		write(text)

		cmd, err := Jail{Path: binary, Bwrap: slow, Without: Walls()}.Command(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		if err := cmd.Run(); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}

	late := exec.Command(binary, "__keep", "0", "0s", "/bin/sh", "-c", "exit 3")
	if err := late.Run(); late.ProcessState.ExitCode() != notLaunched {
		t.Errorf("a keeper whose parent is gone: %v", err)
	}
}

func TestCheckBubblewrap(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "bwrap")

	script := "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n"
	if err := os.WriteFile(broken, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}

	for path, want := range map[string]string{
		broken: "confine: bubblewrap does not work here: exit status 1: bwrap: No permissions to create new namespace",
		filepath.Join(dir, "none"): "confine: bubblewrap: exec: \"" + dir + "/none\": stat " + dir +
			"/none: no such file or directory: " +
			"install it, e.g. with `apt-get install bubblewrap`, or choose another engine",
	} {
		if err := CheckBubblewrap(t.Context(), path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOutermost(t *testing.T) {
	got := Outermost([]string{"/usr/lib/python3", "/usr/lib", "/usr/lib64", "/dev/null", "/dev", "/usr/lib/", "/opt/a",
		"/opt/a b", "/opt"}, "/dev")

	want := []string{"/opt", "/usr/lib", "/usr/lib64"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff([]string{"/"}, Outermost([]string{"/usr", "/"}, "/dev")); diff != "" {
		t.Error(diff)
	}
}
