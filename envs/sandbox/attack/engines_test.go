package attack_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

func TestMain(m *testing.M) {
	engines.Main()
	os.Exit(m.Run())
}

// TestEnginesHold attacks the engines that this machine can have, one of them with everything.
func TestEnginesHold(t *testing.T) {
	for _, name := range []string{engines.ForkServer, engines.Bwrap} {
		t.Run(name, func(t *testing.T) {
			b, err := attack.Lay()
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}()

			e := open(t, engines.Options{Engine: name, Modules: []string{"numpy"}, Servers: 1})
			short := name != engines.ForkServer || testing.Short()

			found, err := b.Run(t.Context(), e, short, nil)
			if err != nil {
				t.Fatal(err)
			}

			if len(found) < 24 {
				t.Errorf("%d attacks", len(found))
			}

			for _, f := range attack.Breaches(found) {
				t.Errorf("%s (%s): %s", f.Name, f.Wall, f.Seen)
			}
		})
	}
}

// TestHostileSandbox attacks engines as they are on kernels with an older Landlock: in `make test`
// one of them with the short form, with TOOLEVO_HOSTILE set all that this machine can have, with
// everything.
func TestHostileSandbox(t *testing.T) {
	whole := os.Getenv("TOOLEVO_HOSTILE") != ""

	names, versions := []string{engines.ForkServer}, []int{2}
	if whole {
		names = []string{engines.ForkServer, engines.Bwrap}
		versions = []int{0, 5, 3, 2, 1} // 0 is the kernel's own
	}

	for _, name := range names {
		for _, abi := range versions {
			t.Run(fmt.Sprintf("%s-abi-%d", name, abi), func(t *testing.T) {
				e := open(t, engines.Options{
					Engine:  name,
					Modules: []string{"numpy"},
					ABI:     abi,
					Servers: 1,
				})

				found, err := attack.Run(t.Context(), e, !whole, nil)
				if err != nil {
					t.Fatal(err)
				}

				breaches := attack.Breaches(found)
				for _, f := range breaches {
					t.Errorf("%s (%s): %s", f.Name, f.Wall, f.Seen)
				}

				t.Logf("%s: %d of %d attacks contained", e.Stamp(), len(found)-len(breaches), len(found))
			})
		}
	}
}

// open opens an engine, or skips the test where there is none to be had.
func open(t *testing.T, o engines.Options) sandbox.Engine {
	t.Helper()

	e, err := engines.Open(t.Context(), o)
	if err != nil {
		t.Skipf("not on this machine: %v", err)
	}

	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})

	return e
}

// Without Landlock files can be read, and nothing else.
func TestWithoutLandlock(t *testing.T) {
	without := []confine.Wall{confine.Landlock}
	e := open(t, engines.Options{Engine: engines.ForkServer, Accept: without, Lacking: without, Servers: 1})

	found, err := attack.Run(t.Context(), e, true, nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, f := range attack.Breaches(found) {
		if f.Wall != attack.Files && f.Wall != attack.Secrets {
			t.Errorf("%s (%s): %s", f.Name, f.Wall, f.Seen)
		}
	}
}

// What root finds contained an ordinary user must find contained, too.
func TestEnginesHoldForOrdinaryUsers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests are an ordinary user's already")
	}

	if out, err := ordinary("/usr/bin/python3", "-c", "1").CombinedOutput(); err != nil {
		t.Skipf("no python3 that all users can run: %v %s", err, out)
	}

	dir := openFolder(t)
	program := filepath.Join(dir, "attack.test")
	copyProgram(t, program)
	attacked := ordinary(program, "-test.run=^TestEnginesHold$", "-test.v", "-test.short")
	attacked.Env = append(attacked.Env, "TMPDIR="+dir)

	out, err := attacked.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestEnginesHold/forkserver") {
		t.Errorf("%v\n%s", err, out)
	}
}

// ordinary is a command of a user without rights.
func ordinary(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

// openFolder makes a folder in which every user may write, where every user can get: the folder of
// temporary files may be root's alone.
func openFolder(t *testing.T) string {
	t.Helper()

	for _, parent := range []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"} {
		dir, err := os.MkdirTemp(parent, "toolevo-attack-")
		if err != nil {
			continue
		}

		t.Cleanup(func() { os.RemoveAll(dir) })

		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}

		if ordinary("/usr/bin/python3", "-c", "import os, sys; os.listdir(sys.argv[1])", dir).Run() == nil {
			return dir
		}
	}

	t.Fatal("no folder for temporary files that all users can reach: set TMPDIR to one")
	return ""
}

// copyProgram puts this test where other users can start it.
func copyProgram(t *testing.T, path string) {
	t.Helper()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()

	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}

	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkCheck is what a run spends on the short form before it starts.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		err := attack.Check(b.Context(), func(ctx context.Context) (sandbox.Engine, error) {
			return engines.Open(ctx, engines.Options{Engine: engines.ForkServer, Servers: 1})
		})
		if errors.As(err, new(*confine.MissingError)) {
			b.Skipf("not on this machine: %v", err)
		}

		if err != nil {
			b.Fatal(err)
		}
	}
}
