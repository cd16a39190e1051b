package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/simserver"
)

// joinCommand finds the place in what a coordinator prints.
var joinCommand = regexp.MustCompile(`toolevo work --join '?((?:nats|tls)://[^'\s]+)`)

// fleet is a run that workers do, and the processes of it.
type fleet struct {
	t           *testing.T
	run         string
	where       []string // the flags of where the coordinator is
	args        []string // of the coordinator, beside them
	work        []string // of workers, without the place
	coordinator *process
	workers     []*process
	place       string
}

// newFleet returns a run in a folder with as many workers. where are the flags of where its
// coordinator is: without them it listens.
func newFleet(t *testing.T, dir string, workers int, where ...string) *fleet {
	t.Helper()

	if len(where) == 0 {
		where = []string{"--listen", freePort(t)}
	}
	return &fleet{t: t, run: filepath.Join(dir, "run"), where: where, workers: make([]*process, workers)}
}

// freePort returns an address where nothing listens now. The port is below those that the system
// hands out by itself, so that it stays free while the coordinator is dead.
func freePort(t *testing.T) string {
	t.Helper()

	random := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))

	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 12000+random.IntN(18000))

		l, err := net.Listen("tcp", address)
		if err == nil {
			_ = l.Close()
			return address
		}
	}

	t.Fatal("no port is free")
	return ""
}

// coordinate starts the coordinator, or starts it again.
func (f *fleet) coordinate() {
	f.t.Helper()

	f.coordinator = start(f.t, goOn(f.run, slices.Concat(f.args, f.where))...)
	f.coordinator.sees("toolevo work --join")

	found := joinCommand.FindStringSubmatch(f.coordinator.err.String())
	if found == nil {
		select {
		case <-f.coordinator.ended: // all was done already
			return
		default:
			f.t.Fatalf("no command to join with in\n%s", f.coordinator.err)
		}
	}

	f.place = found[1]
}

// join starts a worker in the place of one.
func (f *fleet) join(i int) {
	f.t.Helper()
	f.workers[i] = start(f.t, append([]string{"work", "--join", f.place}, f.work...)...)
}

// disband waits for the good end of the coordinator and then of its workers.
func (f *fleet) disband() {
	f.t.Helper()

	if code := f.coordinator.wait(); code != exitDone {
		f.t.Fatalf("the coordinator ends with exit %d\n%s", code, f.coordinator.err)
	}

	// One that came when the others had done everything finds nobody.
	for _, w := range f.workers {
		if code := w.wait(); code != exitDone && strings.Contains(w.err.String(), "Connected") {
			f.t.Errorf("a worker ends with exit %d\n%s", code, w.err)
		}
	}
}

// A collection and an evaluation that workers do are those of one machine, to the byte, and what
// their models took is in the coordinator's account.
func TestWorkersDoARun(t *testing.T) {
	t.Parallel()
	workersDoARun(t)
}

func workersDoARun(t *testing.T, where ...string) {
	t.Helper()

	for _, test := range []struct {
		args  []string
		files []string
	}{
		{[]string{"collect", "--trees", "3", "--set", "search.simulations=4"}, []string{rowsFile}},
		{
			[]string{"collect", "--preset", "paper", "--trees", "4", "--set", "search.simulations=3"},
			[]string{rowsFile},
		},
		{
			[]string{"eval", "--split", "train", "--api", "p_c,p_s_in", "--repeats", "2"},
			[]string{"episodes.jsonl", "episodes.parquet", "report.md"},
		},
	} {
		t.Run(strings.Join(test.args[:3], " "), func(t *testing.T) {
			t.Parallel()
			data, dir, url := smallData(t), t.TempDir(), calmServer(t, kindOpenAI)
			args := append(slices.Clip(test.args), "--data", data, "--policy", "openai:sim", "--limit", "4", "--run-id",
				"one", "--engine", "unsafe", "--set", "server.window=32768", "--progress", "none")
			alone := filepath.Join(dir, "alone")
			undisturbed(t, append(slices.Clip(args), "--server", url, "--out", alone)...)

			f := newFleet(t, dir, 2, where...)
			f.args = append(slices.Clip(args), "--out", f.run)
			f.work = []string{"--data", data, "--server", url, "--progress", "none"}
			f.coordinate()

			for i := range f.workers {
				f.join(i)
			}

			f.disband()

			for _, file := range test.files {
				want, got := read(t, filepath.Join(alone, file)), read(t, filepath.Join(f.run, file))
				if !bytes.Equal(want, got) {
					t.Errorf("%s differs from that of one machine: %s\n%s", file, cmp.Diff(string(want), string(got)),
						f.coordinator.err)
				}
			}

			says(t, "the coordinator", f.coordinator.err.String(), "Workers began", "calls, ", "prompt tokens")
			opens(t, f.run)

			if exists(filepath.Join(f.run, "nats")) {
				t.Error("the queue of a run that is done is still there")
			}
		})
	}
}

// Who does not know the run, or has other data, is refused with the reason at both ends, and the
// run goes on.
func TestWorkersThatDoNotFit(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	other := filepath.Join(dir, "data")
	must(t, "data", "build", "--data", other, "--dataset", "coffee", "--seed", "6", "--rows", "900")
	must(t, "data", "questions", "--data", other, "--seed", "5", "--scale", "0.01")

	f := newFleet(t, dir, 1)
	f.args = []string{"collect", "--data", data, "--dataset", "coffee", "--limit", "2", "--trees", "1", "--engine",
		"unsafe", "--out", f.run, "--progress", "none"}
	f.coordinate()

	_, rest, _ := strings.Cut(f.place, "@")

	for _, test := range []struct {
		args              []string
		code              int
		worker, organizer []string
	}{
		{
			[]string{"--join", "nats://guess@" + rest, "--data", data}, exitGaveUp,
			[]string{"its token is another one"}, []string{"without the run's token was refused"},
		},
		{
			[]string{"--join", f.place, "--data", other}, exitUsage,
			[]string{"which differs", "corpus"}, []string{"A worker was refused", "corpus"},
		},
		{
			[]string{"--join", f.place, "--data", filepath.Join(dir, "none")}, exitUsage,
			[]string{"none"}, []string{"A worker was refused"},
		},
	} {
		p := start(t, append([]string{"work"}, test.args...)...)
		if code := p.wait(); code != test.code {
			t.Errorf("%v: exit %d, want %d", test.args, code, test.code)
		}

		says(t, strings.Join(test.args, " "), p.err.String(), test.worker...)

		for _, words := range test.organizer {
			f.coordinator.sees(words)
		}
	}

	refusesAnotherVersion(t, f)

	// What it lacks it can get, and what it has otherwise.
	f.work = []string{"--data", other, "--fetch"}
	f.join(0)
	f.disband()
	says(t, "work --fetch", f.workers[0].err.String(), "Fetched ", "files of data")
	says(t, "work", f.workers[0].out.String(), " units begun here")
	must(t, "data", "verify", "--data", other)
}

// refusesAnotherVersion has a worker of another version try to join.
func refusesAnotherVersion(t *testing.T, f *fleet) {
	t.Helper()

	place, err := cluster.ParsePlace(f.place)
	if err != nil {
		t.Fatal(err)
	}

	w, err := cluster.Connect(cluster.WorkerOptions{Place: place, Name: "old"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	const want = "this worker is 0.0.1: install the same version"

	if _, err := w.Join(t.Context(), []byte(`{"software": "0.0.1"}`)); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("a worker of another version is told %v", err)
	}

	f.coordinator.sees(want)
}

// halfDone is a run of some seconds that workers are in the middle of, and the run that one machine
// made of it. answered is how many calls their server has answered since that.
func halfDone(t *testing.T, workers int, where ...string) (f *fleet, alone string, answered func() int) {
	t.Helper()

	data, dir := smallData(t), t.TempDir()
	server := serve(t, simserver.Options{
		Slots: 16, Latency: simserver.Latency{PerCompletion: 50 * time.Millisecond},
	})

	args := []string{"collect", "--data", data, "--dataset", "coffee", "--limit", "4", "--trees", "2",
		"--engine", "unsafe", "--policy", "openai:sim", "--set", "server.window=32768",
		"--set", "search.simulations=4", "--run-id", "one", "--progress", "none"}
	alone = filepath.Join(dir, "alone")
	undisturbed(t, append(slices.Clip(args), "--server", server.URL(), "--out", alone)...)

	before := server.Stats().Answered
	f = newFleet(t, dir, workers, where...)
	f.args = append(slices.Clip(args), "--out", f.run)
	f.work = []string{"--data", data, "--server", server.URL(), "--progress", "none"}
	f.coordinate()

	for i := range f.workers {
		f.join(i)
	}

	if !f.coordinator.until(t, f.run, 20) {
		t.Fatalf("the run ended early\n%s", f.coordinator.err)
	}
	return f, alone, func() int { return server.Stats().Answered - before }
}

// A coordinator that is interrupted takes what its workers have, and they wait for it: no call is
// made twice, and the run is that of one machine.
func TestCoordinatorIsInterrupted(t *testing.T) {
	t.Parallel()
	coordinatorIsInterrupted(t)
}

func coordinatorIsInterrupted(t *testing.T, where ...string) {
	t.Helper()
	f, alone, answered := halfDone(t, 1, where...)

	f.coordinator.interrupt(t)

	if code := f.coordinator.wait(); code != exitInterrupted {
		t.Errorf("an interrupted coordinator ends with exit %d\n%s", code, f.coordinator.err)
	}

	says(t, "the coordinator", f.coordinator.err.String(), "--resume", f.where[0])
	f.workers[0].sees("waiting for it to go on")

	f.coordinate()
	f.disband()

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of one machine")
	}

	// The worker greets the server each time it joins.
	if calls, n := logged(t, f.run), answered(); n != calls+2 {
		t.Errorf("%d calls were answered for the %d of the run", n, calls)
	}

	says(t, "the worker of two passes", f.workers[0].err.String(),
		fmt.Sprintf(": %d calls", answered()))
}

// A run that is extended by questions and trees goes on with the worker that waited, which learns
// of them.
func TestExtendedWithWorkers(t *testing.T) {
	t.Parallel()
	extendedWithWorkers(t)
}

func extendedWithWorkers(t *testing.T, where ...string) {
	t.Helper()
	data, dir := smallData(t), t.TempDir()
	args := []string{"collect", "--data", data, "--dataset", "coffee", "--preset", "paper", "--engine", "unsafe",
		"--set", "search.simulations=3", "--run-id", "one", "--progress", "none"}
	more := []string{"--limit", "3", "--trees", "12"}
	alone := filepath.Join(dir, "alone")
	undisturbed(t, slices.Concat(args, more, []string{"--out", alone})...)

	f := newFleet(t, dir, 1, where...)
	f.args = slices.Concat(args, []string{"--limit", "2", "--trees", "8", "--out", f.run})
	f.work = []string{"--data", data, "--workers", "1"}
	f.coordinate()
	f.join(0)

	if !f.coordinator.until(t, f.run, 10) {
		t.Fatalf("the run ended early\n%s", f.coordinator.err)
	}

	// Killed, so that the worker is told nothing.
	_ = syscall.Kill(f.coordinator.Process.Pid, syscall.SIGKILL)
	<-f.coordinator.ended

	f.args = append(f.args, more...) // the last one of a flag counts
	f.coordinate()
	f.disband()

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of one machine")
	}

	opens(t, f.run)
}

// A worker that is told to end hands in what it has: no call is made twice, whoever goes on.
func TestWorkerLeaves(t *testing.T) {
	t.Parallel()
	workerLeaves(t)
}

func workerLeaves(t *testing.T, where ...string) {
	t.Helper()
	data, dir := smallData(t), t.TempDir()
	server := serve(t, simserver.Options{
		Slots: 16, Latency: simserver.Latency{PerCompletion: 100 * time.Millisecond},
	})

	f := newFleet(t, dir, 1, where...)
	f.args = []string{"collect", "--data", data, "--dataset", "coffee", "--limit", "4", "--trees", "2", "--engine",
		"unsafe", "--policy", "openai:sim", "--set", "server.window=32768", "--set", "search.simulations=4",
		"--out", f.run, "--progress", "none"}
	f.work = []string{"--data", data, "--server", server.URL(), "--progress", "none"}
	f.coordinate()
	f.join(0)

	if !f.coordinator.until(t, f.run, 20) {
		t.Fatalf("the run ended early\n%s", f.coordinator.err)
	}

	leaver := f.workers[0]
	if err := syscall.Kill(leaver.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	if code := leaver.wait(); code != exitInterrupted {
		t.Errorf("a worker that is told to end ends with exit %d\n%s", code, leaver.err)
	}

	before := logged(t, f.run)

	f.join(0)
	f.disband()

	// Each worker greets the server.
	if calls, answered := logged(t, f.run), server.Stats().Answered; answered != calls+2 || before < 20 {
		t.Errorf("%d calls were answered for the %d of the run, %d of them before", answered, calls, before)
	}
}
