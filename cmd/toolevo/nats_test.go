package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/semver"
)

// natsModule is the module of NATS servers.
const natsModule = "github.com/nats-io/nats-server/v2"

// natsServer is a NATS server of a test.
type natsServer struct {
	t       *testing.T
	program string
	args    []string
	address string
	*process
}

// buildNATS builds a server from its module: of a version, or with "" as go.mod has it.
func buildNATS(t *testing.T, version string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "bin", "nats-server")

	cmd := exec.Command("go", "build", "-o", path, natsModule)
	if version != "" {
		cmd = exec.Command("go", "install", natsModule+"@"+version)
		cmd.Env = append(os.Environ(), "GOBIN="+filepath.Dir(path))
	}

	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return path
}

// startNATS starts a server whose streams are in a folder of the test.
func startNATS(t *testing.T, program string) *natsServer {
	t.Helper()

	address := freePort(t)
	_, port, _ := net.SplitHostPort(address)

	s := &natsServer{t: t, program: program, address: "nats://secret@" + address, args: []string{
		"--jetstream", "--store_dir", t.TempDir(), "--addr", "127.0.0.1", "--port", port, "--auth", "secret",
	}}
	s.start()
	return s
}

func (s *natsServer) start() {
	s.t.Helper()
	s.process = launch(s.t, exec.Command(s.program, s.args...))
	s.sees("Server is ready")
}

// TestNATSServer has runs done through a NATS server that is there, built from its module: the
// version of go.mod, or those of TOOLEVO_NATS_VERSIONS, with the hostile run, too. One that is too
// old is refused.
func TestNATSServer(t *testing.T) {
	t.Parallel()

	versions := strings.Fields(os.Getenv("TOOLEVO_NATS_VERSIONS"))
	if len(versions) == 0 {
		versions = []string{""}
	}

	for _, version := range versions {
		t.Run("version "+version, func(t *testing.T) {
			server := startNATS(t, buildNATS(t, version))
			where := []string{"--nats", server.address}

			if version != "" && semver.Compare(version, "v2.10.0") < 0 {
				fails(t, exitGaveUp, []string{strings.TrimPrefix(version, "v"), "want 2.10.0 or later"},
					append([]string{"collect", "--data", smallData(t), "--out", filepath.Join(t.TempDir(), "run")},
						where...)...)
				return
			}

			t.Run("a run", func(t *testing.T) { workersDoARun(t, where...) })
			t.Run("interrupted", func(t *testing.T) { coordinatorIsInterrupted(t, where...) })
			t.Run("extended", func(t *testing.T) { extendedWithWorkers(t, where...) })
			t.Run("killed", func(t *testing.T) { natsIsKilled(t, server) })
			t.Run("too late", func(t *testing.T) { comesTooLate(t, server) })
			t.Run("a worker leaves", func(t *testing.T) { workerLeaves(t, where...) })

			if version != "" {
				t.Run("hostile", func(t *testing.T) { hostileWorkers(t, where...) })
			}
		})
	}
}

// natsIsKilled has the server of a run end in the middle of it, and start again on its streams.
func natsIsKilled(t *testing.T, server *natsServer) {
	t.Helper()

	f, alone, answered := halfDone(t, 2, "--nats", server.address)

	_ = syscall.Kill(server.Process.Pid, syscall.SIGKILL)
	<-server.ended
	server.start()
	f.disband()

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of one machine")
	}

	t.Logf("%d calls were answered for the %d of the run", answered(), logged(t, f.run))
}

// A worker that comes when the run is complete finds nothing of it, and goes.
func comesTooLate(t *testing.T, server *natsServer) {
	t.Helper()

	f := newFleet(t, t.TempDir(), 1, "--nats", server.address)
	f.args = []string{"collect", "--data", smallData(t), "--dataset", "coffee", "--limit", "1", "--trees", "1",
		"--engine", "unsafe", "--out", f.run, "--progress", "none"}
	f.work = []string{"--data", smallData(t)}
	f.coordinate()
	f.join(0)
	f.disband()

	f.join(0)

	if code := f.workers[0].wait(); code != exitDone {
		t.Errorf("a worker of a complete run ends with exit %d\n%s", code, f.workers[0].err)
	}
}
