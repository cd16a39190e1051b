//go:build amd64 || arm64

package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"toolevo/envs/keeper"
)

const nobody = 65534

// users are those that tests run programs as: this one, and nobody where this one is root.
func users() []uint32 {
	if os.Getuid() == 0 {
		return []uint32{0, nobody}
	}
	return []uint32{uint32(os.Getuid())}
}

// place is a folder that every user can reach and write, with a copy of this binary in it.
func place(t testing.TB) (dir, binary string) {
	t.Helper()

	dir, err := os.MkdirTemp("", "confine")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { os.RemoveAll(dir) })

	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}

	self, err := os.ReadFile(keeper.OwnBinary)
	if err != nil {
		t.Fatal(err)
	}

	binary = filepath.Join(dir, "program")
	if err := os.WriteFile(binary, self, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, binary
}

// trying is a jail in which this binary tries something.
func trying(t testing.TB, binary string, without []Wall, what ...string) Jail {
	t.Helper()

	libraries, err := libraryFolders(binary)
	if err != nil {
		t.Fatal(err)
	}
	return Jail{
		Path: binary, Args: append([]string{tryMarker}, what...),
		Read: libraries, Write: []string{"/dev/null"}, Without: without,
	}
}

// run runs a jail as a user and returns what the program printed.
func run(t testing.TB, j Jail, user uint32) string {
	t.Helper()

	out, said, err := start(t, j, user)
	if err != nil {
		t.Fatalf("%s: %v: %s", j.Path, err, said)
	}
	return strings.TrimSuffix(out, "\n")
}

func start(t testing.TB, j Jail, user uint32) (stdout, stderr string, err error) {
	t.Helper()

	cmd, err := j.Command(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if int(user) != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()

	return out.String(), said.String(), err
}

func needWalls(t testing.TB) {
	t.Helper()

	if err := Require(); err != nil {
		t.Skip(err)
	}
}

const (
	notPermitted = "operation not permitted"
	denies       = "permission denied"
)

// Each wall holds what it is there for, and nothing else holds that.
func TestWalls(t *testing.T) {
	needWalls(t)
	dir, binary := place(t)

	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()

	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()

	stream, datagram := strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port), strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port)
	file := filepath.Join(dir, "secret")

	abi, err := landlock.LandlockGetABIVersion()
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		what, with         string
		since              int    // the version of Landlock that answers as below; those before let it pass
		files, calls, none string // with Landlock alone, with seccomp alone, with neither
	}{
		{"read", file, 1, denies, "ok", "ok"},
		{"write", file, 1, denies, "ok", "ok"}, // without Landlock it takes the program's own filter
		{"create", file, 1, denies, "ok", "ok"},
		{"list", dir, 1, denies, "ok", "ok"},
		{"read truncating", file, 1, denies, denies, "ok"},
		{"neither", file, 1, "ok", denies, "ok"},
		{"neither truncating", file, 3, denies, denies, "ok"},
		{"nameless", dir, 1, "ok", denies, "ok"},
		{"chmod", file, 1, "ok", denies, "ok"},
		{"touch", file, 1, "ok", denies, "ok"},
		{"connect", stream, 4, denies, notPermitted, "ok"},
		{"datagram", datagram, 10, denies, notPermitted, "ok"},
		{"signal", victims, 6, notPermitted, "ok", "ok"},
		{"namespace", "", 1, "ok", notPermitted, "ok"},
		{"memfd", "", 1, "ok", notPermitted, "ok"},
		{"ring", "", 1, "bad address", notPermitted, "bad address"},
		{"clone3", "", 1, "invalid argument", "function not implemented", "invalid argument"},
		{"pair", "", 1, "ok", "ok", "ok"},
		{"remove", file, 1, denies, denies, "ok"},
	}

	for _, user := range users() {
		other := victim(t, binary, user)

		var what []string
		for _, test := range tests {
			what = append(what, test.what, strings.ReplaceAll(test.with, victims, other))
		}

		for _, machine := range []struct {
			without []Wall
			abi     int // the newest version of Landlock to use
		}{{Walls(), abi}, {[]Wall{Seccomp}, abi}, {[]Wall{Seccomp}, 2}, {[]Wall{Landlock}, abi}, {nil, abi}, {nil, 2},
			{nil, 1}} {
			without := machine.without

			write(t, file, user)
			jail := trying(t, binary, without, what...)
			jail.LandlockABI = machine.abi
			got := strings.Split(run(t, jail, user), "\n")

			for i, test := range tests {
				files, calls := test.none, test.none
				if !slices.Contains(without, Landlock) && min(abi, machine.abi) >= test.since {
					files = test.files
				}

				if !slices.Contains(without, Seccomp) {
					calls = test.calls
				}

				want := calls
				if calls == test.none {
					want = files
				}

				if test.what == "namespace" && want == "ok" && got[i] != "ok" {
					t.Logf("user %d cannot try a namespace here: %s", user, got[i])
				} else if got[i] != want {
					t.Errorf("user %d, %+v: %s: %s, want %s", user, machine, test.what, got[i], want)
				}
			}
		}
	}
}

// What is hidden in a folder is left out of it, and so is what a link leads to outside of it.
func TestCarve(t *testing.T) {
	lib := t.TempDir()
	for _, dir := range []string{"python3.11/json", "python3.11/site-packages/wanted", "python3.9",
		"python3/dist-packages", "x86"} {
		if err := os.MkdirAll(filepath.Join(lib, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	for name, target := range map[string]string{
		"inside": "x86", "outside": "/etc", "nowhere": "/no/such/file", "packages": "python3/dist-packages",
	} {
		if err := os.Symlink(target, filepath.Join(lib, name)); err != nil {
			t.Fatal(err)
		}
	}

	at := func(names ...string) []string {
		for i, name := range names {
			names[i] = filepath.Join(lib, name)
		}
		return names
	}
	read := at(".", "python3.11/site-packages/wanted")

	whole, listed := splitHidden(read, at("python3.11/site-packages", "python3/dist-packages", "python3.9"))
	if diff := cmp.Diff(at("inside", "python3.11/json", "x86", "python3.11/site-packages/wanted"), whole); diff != "" {
		t.Errorf("readable, -want +got:\n%s", diff)
	}

	if diff := cmp.Diff(at(".", "python3", "python3.11", "python3.11/site-packages"), listed); diff != "" {
		t.Errorf("listed, -want +got:\n%s", diff)
	}

	if whole, listed := splitHidden(read[:1], nil); len(whole) != 1 || listed != nil {
		t.Errorf("nothing hidden: %q, %q", whole, listed)
	}
}

const victims = "victim" // stands for the number of a process

// victim starts a process of a user without a jail and returns its number.
func victim(t *testing.T, binary string, user uint32) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, tryMarker, "wait")

	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if int(user) != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
	}

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return strconv.Itoa(cmd.Process.Pid)
}

// write makes a file that belongs to a user.
func write(t *testing.T, file string, user uint32) {
	t.Helper()

	for _, name := range []string{file, file + ".new"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}

	if err := os.WriteFile(file, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}

	if err := os.Chown(file, int(user), int(user)); err != nil {
		t.Fatal(err)
	}
}

// What every program finds, whatever its walls.
func TestInside(t *testing.T) {
	needWalls(t)
	t.Setenv("SECRET", "of the host")
	_, binary := place(t)

	leak, err := os.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()

	for _, user := range users() {
		kept := "0x0"
		if user == 0 {
			kept = fmt.Sprintf("%#x", 1<<unix.CAP_DAC_READ_SEARCH)
		}

		for _, test := range []struct {
			without  []Wall
			question string
			want     string
		}{
			{nil, "environment", "A=1 B=2"},
			{nil, "folder", "/"},
			{nil, "descriptors", "0 1 2"},
			{nil, "state", "privileges 1, death killed, core 0, leads session true, capabilities " + kept},
			{Walls(), "state", "privileges 1, death killed, core 0, leads session true, capabilities 0x0"},
		} {
			j := trying(t, binary, test.without, test.question)
			j.Env = []string{"A=1", "B=2"}

			cmd, err := j.Command(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			if int(user) != os.Getuid() {
				cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
			}

			cmd.ExtraFiles = []*os.File{leak, leak}

			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}

			if string(out) != test.want+"\n" {
				t.Errorf("user %d, without %v: %s is %q, want %q", user, test.without, test.question, out, test.want)
			}
		}
	}
}

// A program may read a file of another user's in a folder that is closed to all but him, if the
// file is in Read.
func TestRootReadsWhatIsAllowed(t *testing.T) {
	needWalls(t)

	if os.Getuid() != 0 {
		t.Skip("it takes root to have files of two users")
	}

	dir, binary := place(t)

	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(closed, "file")
	write(t, file, nobody)

	if err := os.Chown(closed, nobody, nobody); err != nil {
		t.Fatal(err)
	}

	j := trying(t, binary, nil, "read", file)
	if got := run(t, j, 0); got != denies {
		t.Errorf("not in Read: %s", got)
	}

	j.Read = append(j.Read, closed)
	if got := run(t, j, 0); got != "ok" {
		t.Errorf("in Read: %s", got)
	}

	j.Args = []string{tryMarker, "write", file}
	if got := run(t, j, 0); got != denies {
		t.Errorf("write what is in Read: %s", got)
	}

	j.Write = append(j.Write, file)
	if got := run(t, j, 0); got != denies { // by the file's owner and mode
		t.Errorf("write another's file in Write: %s", got)
	}

	if err := os.Chown(file, 0, 0); err != nil {
		t.Fatal(err)
	}

	if got := run(t, j, 0); got != "ok" {
		t.Errorf("write a file in Write: %s", got)
	}
}

// A program ends with the process that started it, even when that is killed, and not before: the
// threads that come and go in that process do not matter.
func TestEndsWithItsParent(t *testing.T) {
	needWalls(t)
	_, binary := place(t)
	parent := exec.CommandContext(t.Context(), binary, tryMarker, "start", binary)

	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	alive, held, err := os.Pipe() // the jailed program holds the other end: reading ends when it does
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()

	parent.Stderr = held
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}

	held.Close()

	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}

	if err := unix.Kill(pid, 0); err != nil {
		t.Errorf("the program %d has not lived as long as its parent: %v", pid, err)
	}

	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	parent.Wait()

	said, err := io.ReadAll(alive) // until both have ended
	if err != nil || len(said) > 0 {
		t.Errorf("%v: %s", err, said)
	}
}

func TestCommandErrors(t *testing.T) {
	needWalls(t)
	dir, binary := place(t)

	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		jail Jail
		want string
	}{
		{Jail{Path: "python3"}, `confine: the program "python3" has no absolute path`},
		{Jail{Path: dir + "/none"}, "confine: the program: stat " + dir + "/none: no such file or directory"},
		{Jail{Path: plain}, "confine: the program " + plain + " cannot be executed: it is -rw-r--r--"},
		{Jail{Path: dir}, "confine: the program " + dir + " cannot be executed: it is drwxrwxrwx"},
		{Jail{Path: binary, Read: []string{"lib"}}, `confine: the path "lib" is not absolute`},
		{Jail{Path: binary, Write: []string{"tmp"}}, `confine: the path "tmp" is not absolute`},
		{Jail{Path: binary, Dir: "tmp"}, `confine: the folder "tmp" is not absolute`},
		{Jail{Path: binary, Without: []Wall{"moat"}},
			`confine: there is no wall "moat": the walls are landlock and seccomp`},
		{Jail{Path: binary, Bwrap: dir + "/bwrap"}, "confine: bubblewrap: exec: \"" + dir + "/bwrap\": stat " + dir +
			"/bwrap: no such file or directory: install it, e.g. with `apt-get install bubblewrap`, or choose " +
			"another engine"},
	} {
		cmd, err := test.jail.Command(t.Context())
		if err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, %v, want %s", test.jail, cmd, err, test.want)
		}
	}
}

// What goes wrong in the launcher is one line and a status of its own.
func TestLauncherErrors(t *testing.T) {
	needWalls(t)
	dir, binary := place(t)

	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!"+dir+"/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		jail Jail
		want string
	}{
		"no folder to start in": {Jail{Path: binary, Dir: dir + "/none"}, "confine: go to " + dir +
			"/none: no such file or directory\n"},
		"a folder to write": {Jail{Path: binary, Write: []string{dir}},
			"confine: put up landlock: let it write " + dir + ": it is a folder: only files can be written\n"},
		"no interpreter": {Jail{Path: script}, "confine: start " + script + ": no such file or directory: " +
			"it and what it needs, its dynamic linker and libraries, must be among the files it may read\n"},
	} {
		_, said, err := start(t, test.jail, uint32(os.Getuid()))

		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != notLaunched || said != test.want {
			t.Errorf("%s: %v: %q, want status %d, %q", name, err, said, notLaunched, test.want)
		}
	}
}

// A context that ends kills the program.
func TestCommandIsCancelled(t *testing.T) {
	needWalls(t)
	_, binary := place(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	cmd, err := trying(t, binary, nil, "wait").Command(ctx)
	if err != nil {
		t.Fatal(err)
	}

	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || pid != cmd.Process.Pid {
		t.Errorf("the program is process %d, the launcher was %d: %v", pid, cmd.Process.Pid, err)
	}

	stop()

	if err := cmd.Wait(); !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("the program ended with %v", err)
	}
}

// The launcher's own time: a program that ends at once, with the walls and as an ordinary child.
func BenchmarkLauncher(b *testing.B) {
	needWalls(b)

	program, err := exec.LookPath("true")
	if err != nil {
		b.Skip(err)
	}

	j := Jail{
		Path:  program,
		Read:  []string{"/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache"},
		Write: []string{"/dev/null"},
	}

	b.Run("walls", func(b *testing.B) {
		for b.Loop() {
			run(b, j, uint32(os.Getuid()))
		}
	})
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), program).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A machine without Landlock is told from one with it, and why; where it is not asked for there is
// no error.
func TestMissingLandlock(t *testing.T) {
	needWalls(t)

	_, binary := place(t)
	for question, want := range map[string]string{
		"old kernel": "<nil> the wall landlock is missing: this kernel does not know it: function not " +
			"implemented: it takes Linux 5.13 or later\n",
		"container": "<nil> the wall landlock is missing: something around this process denies it: operation not " +
			"permitted: " +
			"a container's profile must allow landlock_*\n",
	} {
		out, err := exec.CommandContext(t.Context(), binary, tryMarker, question).Output()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %v: %s, want %s", question, err, out, want)
		}
	}
}
