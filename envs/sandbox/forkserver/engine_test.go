package forkserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/python"
)

func TestStamp(t *testing.T) {
	in := find(t, debian)
	e := start(t, Options{Python: in, Servers: 1, Without: []confine.Wall{confine.Landlock}})

	want := sandbox.Stamp{Engine: "forkserver", Python: in.Version, Modules: in.Modules, Missing: []string{"landlock"}}
	if diff := cmp.Diff(want, e.Stamp()); diff != "" {
		t.Error(diff)
	}

	e = start(t, Options{Python: in, Servers: 1, Bwrap: bubblewrap(t)})
	if e.Stamp().Engine != "bwrap" || e.Stamp().Missing != nil {
		t.Errorf("stamp %v", e.Stamp())
	}
}

func TestStartErrors(t *testing.T) {
	good := find(t, debian)

	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no such interpreter", func(o *Options) { o.Python.Executable = "/no/such/python3" }, "/no/such/python3"},
		{"no standard library", func(o *Options) { o.Python.Path = []string{"/no/such/lib"} }, "No module named"},
		{"a module that is not there", func(o *Options) { o.Python.Modules = []string{"nosuchmodule 1"} },
			"No module named 'nosuchmodule'"},
		{"unreadable library", func(o *Options) { o.Python.Read = []string{"/dev/urandom"} },
			"must be among the files it may read"},
		{"no bubblewrap", func(o *Options) { o.Bwrap = "/no/such/bwrap" }, "/no/such/bwrap"},
		{"no such wall", func(o *Options) { o.Without = []confine.Wall{"moat"} }, `no wall "moat"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := *good
			o := Options{Python: &in, Servers: 3}
			tt.change(&o)

			e, err := New(t.Context(), o)
			if err == nil {
				e.Close()
				t.Fatal("it starts")
			}

			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want %q in it", err, tt.want)
			}
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if _, err := New(ctx, Options{Python: good}); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that is given up: %v", err)
	}

	if left := descendants(t, os.Getpid()); len(left) > 0 {
		t.Errorf("processes are left: %+v", left)
	}
}

// TestClose shows that closing an engine ends calls, and leaves neither goroutines nor processes.
func TestClose(t *testing.T) {
	in := find(t, debian)
	before := runtime.NumGoroutine()

	e, err := New(t.Context(), Options{Python: in, Servers: 2})
	if err != nil {
		t.Skip(err)
	}
	var wg sync.WaitGroup

	errs := make([]error, 5) // three of them wait for a server
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = e.Run(context.Background(), sandbox.Program{Code: "import time\ntime.sleep(60)"},
				sandbox.Limits{})
		})
	}

	eventually(t, "two programs run", func() bool { return len(descendants(t, os.Getpid())) >= 4 })

	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}

	wg.Wait()

	for i, err := range errs {
		if err == nil {
			t.Errorf("call %d has no error", i)
		}
	}

	if _, err := e.Run(t.Context(), sandbox.Program{Code: "print(1)"}, sandbox.Limits{}); !errors.Is(err, errClosed) {
		t.Errorf("a call afterwards: %v", err)
	}

	eventually(t, "all processes are gone", func() bool { return len(descendants(t, os.Getpid())) == 0 })
	eventually(t, "all goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

// TestKilledServer kills servers in the middle of calls: the program runs once more, and then it is
// an error.
func TestKilledServer(t *testing.T) {
	e := start(t, Options{Servers: 1})

	for _, kills := range []int{1, 2} {
		var reply sandbox.Reply
		var err error

		done := make(chan struct{})
		go func() {
			defer close(done)

			reply, err = e.Run(t.Context(), toBeKilled(kills), patient)
		}()

		killed := make(map[int]bool)

		for range kills {
			eventually(t, "the program runs", func() bool {
				server, child := running(t)
				if child == 0 || killed[server] {
					return false
				}

				killed[server] = true
				return syscall.Kill(server, syscall.SIGKILL) == nil
			})
		}

		<-done

		if kills == 1 && (err != nil || reply.Output != "done\n") {
			t.Errorf("killed once: %+v, %v", reply, err)
		}

		if kills == 2 && !errors.Is(err, errBroken) {
			t.Errorf("killed twice: %+v, %v", reply, err)
		}

		if got := shown(t, e, "print('fine')"); got != "fine" {
			t.Errorf("the next call: %q", got)
		}
	}
}

// TestKilledChild kills the child alone, as the system does when it runs out of memory, or asks it
// to end, as others do before that.
func TestKilledChild(t *testing.T) {
	e := start(t, Options{Servers: 1})

	for _, tt := range []struct {
		kills  int
		signal syscall.Signal
	}{{1, syscall.SIGKILL}, {2, syscall.SIGKILL}, {1, syscall.SIGTERM}, {2, syscall.SIGTERM}} {
		var reply sandbox.Reply
		var err error

		done := make(chan struct{})
		go func() {
			defer close(done)

			reply, err = e.Run(t.Context(), toBeKilled(tt.kills), patient)
		}()

		killed := make(map[int]bool)

		for range tt.kills {
			eventually(t, "the program runs, or is over", func() bool {
				select {
				case <-done:
					return true
				default:
				}

				_, child := running(t)
				if child == 0 || killed[child] {
					return false
				}

				killed[child] = true
				return syscall.Kill(child, tt.signal) == nil
			})
		}

		<-done

		if tt.kills == 1 && (err != nil || reply.Output != "done\n") {
			t.Errorf("%v once: %+v, %v", tt.signal, reply, err)
		}

		if tt.kills == 2 && !errors.Is(err, errKilled) {
			t.Errorf("%v twice: %+v, %v", tt.signal, reply, err)
		}
	}
}

// TestSilentServer stops a server in the middle of a call: it is killed in time, and the program
// runs on another one.
func TestSilentServer(t *testing.T) {
	e := start(t, Options{Servers: 1})
	done := make(chan string)

	go func() {
		r, err := e.Run(t.Context(), sandbox.Program{Code: sleeper(1)}, sandbox.Limits{Wall: 3 * time.Second})
		done <- fmt.Sprint(r.Output, err)
	}()
	var silent int

	eventually(t, "the program runs", func() bool {
		server, child := running(t)
		silent = server
		return child != 0 && syscall.Kill(server, syscall.SIGSTOP) == nil
	})

	if got := <-done; got != "done\n<nil>" {
		t.Errorf("the call: %s", got)
	}

	if isAlive(silent) {
		t.Error("the silent server lives")
	}
}

// TestFrozen shows that time in which server and program were frozen does not count.
func TestFrozen(t *testing.T) {
	definitions, _, _ := strings.Cut(python.ForkServer(), "\nsetup = receive()")
	// Every wait takes as long as it was asked to, and one an hour more. The child has ended then.
	const frozen = `
import types
now, waits = [0.0], []
class Poll:
    def register(self, *of): pass
    def poll(self, milliseconds):
        waits.append(1)
        now[0] += milliseconds / 1000 + (3600 if len(waits) == FROZEN else 0)
        return []
select.poll, time.monotonic = Poll, lambda: now[0]
def reap(pid, options):
    return len(waits) >= ENDS and (0, types.SimpleNamespace(ru_utime=0, ru_stime=0))
server = Server.__new__(Server)
server.fence, server.space = True, memoryview(bytearray(b"."))
os.kill = lambda *of: waits.extend([1] * ENDS)
print(server.watch(1, 1, 5, 1)[0]["why"])`

	in := find(t, debian)

	for _, tt := range []struct{ frozen, ends, want string }{
		{"3", "50", ""},
		{"3", "200", "wall"},
		{"0", "200", "wall"},
	} {
		code := strings.NewReplacer("FROZEN", tt.frozen, "ENDS", tt.ends).Replace(frozen)
		cmd := exec.CommandContext(t.Context(), in.Executable, "-")
		cmd.Stdin = strings.NewReader(definitions + code)

		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != tt.want {
			t.Errorf("frozen in wait %s, ends after %s: %s, %v", tt.frozen, tt.ends, out, err)
		}
	}
}

// sleeper is a program that sleeps for some seconds, and can be told from others in the list of
// processes.
func sleeper(seconds int) string {
	return fmt.Sprintf("import ctypes, time\nctypes.CDLL(None).prctl(15, b'sleeper')\ntime.sleep(%d)\nprint('done')",
		seconds)
}

// patient are limits that no sleeper reaches.
var patient = sandbox.Limits{Wall: 10 * time.Minute}

// toBeKilled returns a program that is killed once or twice. One that is killed twice never reaches
// its end, so it sleeps long enough for a busy test to find it running.
func toBeKilled(kills int) sandbox.Program {
	seconds := 2
	if kills > 1 {
		seconds = 300
	}
	return sandbox.Program{Code: sleeper(seconds)}
}

// running returns a sleeper and its server; 0 is none.
func running(t *testing.T) (server, child int) {
	for _, p := range descendants(t, os.Getpid()) {
		if p.name == "sleeper" {
			return p.parent, p.pid
		}
	}

	return 0, 0
}

// TestRecycle shows that servers are replaced, and that nobody sees it.
func TestRecycle(t *testing.T) {
	e := start(t, Options{Servers: 1, Recycle: 3})
	seen := make(map[int]bool)

	eventually(t, "a third server serves", func() bool {
		if got := shown(t, e, "print(1 + 1)"); got != "2" {
			t.Fatalf("%q", got)
		}

		for _, p := range descendants(t, os.Getpid()) {
			if p.parent == os.Getpid() {
				seen[p.pid] = true
			}
		}

		return len(seen) >= 3
	})
}

// TestManyCallers shows that each caller gets its own answer.
func TestManyCallers(t *testing.T) {
	e := start(t, Options{Servers: 2, Recycle: 10})

	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() {
			for i := range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				if i%4 == 3 {
					time.AfterFunc(time.Duration(caller)*time.Millisecond, cancel) // now and then one gives up
				}

				want := fmt.Sprintf("%d %d\n", caller, i)
				r, err := e.Run(ctx, sandbox.Program{Code: fmt.Sprintf("print(%d, %d)", caller, i)}, sandbox.Limits{})

				cancel()

				if err != nil && !errors.Is(err, context.Canceled) || err == nil && r.Output != want {
					t.Errorf("%q: %+v, %v", want, r, err)
				}
			}
		})
	}

	wg.Wait()
}

// TestReply is the table of answers.
func TestReply(t *testing.T) {
	l := sandbox.Limits{}.WithDefaults()

	tests := []struct {
		name string
		answer
		want sandbox.Reply
		err  error
	}{
		{"end", answer{Began: true, output: []byte("x")}, sandbox.Reply{Output: "x"}, nil},
		{"raised", answer{Began: true, Status: 87 << 8}, sandbox.Reply{End: sandbox.Raised}, nil},
		{"wall", answer{Began: true, Status: 9, Why: "wall", output: []byte("x")},
			sandbox.Reply{Output: "x", End: sandbox.OutOfTime}, nil},
		{"output", answer{Began: true, Status: 9, Why: "output"}, sandbox.Reply{End: sandbox.OutOfSpace}, nil},
		{"processor time", answer{Began: true, Status: uint32(syscall.SIGXCPU)}, sandbox.Reply{End: sandbox.OutOfTime},
			nil},
		{"processor time, ignored", answer{Began: true, Status: 9, CPU: 9}, sandbox.Reply{End: sandbox.OutOfTime}, nil},
		{"killed", answer{Began: true, Status: 9, CPU: 1}, sandbox.Reply{}, errKilled},
		{"killed before", answer{Status: 9}, sandbox.Reply{}, errKilled},
		{"terminated", answer{Began: true, Status: 15, Fenced: true}, sandbox.Reply{}, errKilled},
		{"terminated, maybe by itself", answer{Began: true, Status: 15},
			sandbox.Reply{End: sandbox.Died, Detail: "signal: terminated"}, nil},
		{"crash", answer{Began: true, Status: 11, Fenced: true},
			sandbox.Reply{End: sandbox.Died, Detail: "signal: segmentation fault"}, nil},
	}
	for _, tt := range tests {
		got, err := tt.reply(l)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}

	if _, err := (answer{Status: 1 << 8, output: []byte("OSError: no fence")}).reply(l); err == nil ||
		!strings.Contains(err.Error(), "no fence") {
		t.Errorf("a child that could not begin: %v", err)
	}
}

// TestCrash shows that no server outlives this program, however it ends.
func TestCrash(t *testing.T) {
	if os.Getenv(inner) != "" {
		e := start(t, Options{Servers: 2})
		go e.Run(t.Context(), sandbox.Program{Code: "import time\ntime.sleep(100)"}, sandbox.Limits{Wall: time.Minute})

		eventually(t, "there are two servers, each with a child",
			func() bool { return len(descendants(t, os.Getpid())) == 4 })
		fmt.Println("running")

		select {} // until it is killed
	}

	find(t, debian)
	cmd := againCommand(t.Context(), os.Args[0], "TestCrash")

	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	text := make([]byte, 0, 1<<16)
	for !slices.Contains(strings.Split(string(text), "\n"), "running") {
		n, err := out.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]

		if err != nil {
			cmd.Wait()
			t.Skipf("no engine: %s", text)
		}
	}

	all := descendants(t, cmd.Process.Pid)
	if len(all) != 4 {
		t.Fatalf("processes %+v, want two servers, the program, and the child of the other server", all)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	cmd.Wait()

	for _, p := range all {
		eventually(t, "a process of a program that was killed is gone", func() bool { return !isAlive(p.pid) })
	}
}

var _ sandbox.Engine = (*Engine)(nil)
