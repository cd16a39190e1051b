package pytooltest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

func TestMain(m *testing.M) {
	engines.Main()
	os.Exit(m.Run())
}

// debian is the interpreter of the distribution, which has numpy on machines that have the package
// for it, and which any user may start.
const debian = "/usr/bin/python3"

// open opens an engine, and closes it at the end of the test. What the machine lacks for it skips
// the test.
func open(t testing.TB, o engines.Options) sandbox.Engine {
	t.Helper()

	o.Modules = []string{"numpy"}

	if o.Executable == "" {
		o.Executable = "python3"
	}

	if _, err := exec.LookPath(o.Executable); err != nil {
		t.Skip("no interpreter: ", err)
	}

	e, err := engines.Open(t.Context(), o)
	if errors.As(err, new(*confine.MissingError)) {
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

// newest opens a fork server on the interpreter that TOOLEVO_TEST_PYTHON names, or else on one with
// numpy if there is one where Linux distributions put it, or else on python3. It does without the
// walls that the machine lacks.
func newest(t testing.TB) sandbox.Engine {
	t.Helper()

	o := engines.Options{
		Engine: engines.ForkServer, Executable: os.Getenv("TOOLEVO_TEST_PYTHON"), Accept: confine.Walls(),
	}
	if o.Executable != "" {
		return open(t, o)
	}

	if e := open(t, o); has(e.Stamp(), "numpy") {
		return e
	}

	if _, err := os.Stat(debian); err == nil {
		o.Executable = debian
	}
	return open(t, o)
}

// checkOn holds an engine on an interpreter to the promises.
func checkOn(engine, executable string, x extent) func(t *testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		check(t, open(t, engines.Options{Engine: engine, Executable: executable}), x)
	}
}

func TestForkServer(t *testing.T) {
	named := os.Getenv("TOOLEVO_TEST_PYTHON")
	if named == debian {
		named = ""
	}

	t.Run("distribution", checkOn(engines.ForkServer, debian, extent{}))
	t.Run("PATH", checkOn(engines.ForkServer, named, extent{step: 3, brief: true}))
	t.Run("unsafe", checkOn(engines.Unsafe, debian, extent{step: 6, brief: true}))
	t.Run("bwrap", func(t *testing.T) {
		works := exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
		if out, err := works.CombinedOutput(); err != nil {
			t.Skipf("bubblewrap does not work here: %v: %s", err, out)
		}

		checkOn(engines.Bwrap, debian, extent{step: 4, brief: true})(t)
	})
}

const (
	inner  = "TOOLEVO_TEST_INNER" // is set in a process of this test binary that TestOrdinaryUser started
	nobody = 65534                // is an ordinary user on most systems
)

// TestOrdinaryUser is a part of TestForkServer as an ordinary user.
func TestOrdinaryUser(t *testing.T) {
	part := extent{step: 4, brief: true}

	if os.Getenv(inner) != "" {
		check(t, open(t, engines.Options{Engine: engines.ForkServer, Executable: debian}), part)
		return
	}

	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user: TestForkServer shows the same")
	}

	if _, err := os.Stat(debian); err != nil {
		t.Skip("no interpreter that others may start: ", err)
	}

	cmd := exec.CommandContext(t.Context(), copyOfBinary(t), "-test.run=^TestOrdinaryUser$", "-test.v",
		"-test.timeout=5m")
	cmd.Dir, cmd.WaitDelay = "/", 10*time.Second
	cmd.Env = append(os.Environ(), inner+"=1", "HOME=/", "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}

	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, out)
	}

	if !bytes.Contains(out, []byte("--- PASS: TestOrdinaryUser")) {
		t.Skipf("it did not run: %s", out)
	}
}

// copyOfBinary returns a copy of this test binary that every user may execute.
func copyOfBinary(t *testing.T) string {
	t.Helper()

	folder, err := os.MkdirTemp("", "pytooltest")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { os.RemoveAll(folder) })

	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(folder, "pytooltest.test")
	if err := errors.Join(os.Chmod(folder, 0o755), os.WriteFile(path, binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}
