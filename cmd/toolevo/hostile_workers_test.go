package main

import (
	"bytes"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// joinCommand finds the place in what a coordinator prints.
var joinCommand = regexp.MustCompile(`toolevo work --join '?((?:nats|tls)://[^'\s]+)`)

// manyQuestions is a data folder with questions for a run of many workers.
var manyQuestions = shared("many", func(t testing.TB, dir string) {
	made(t, "data", "build", "--data", dir, "--scale", "demo", "--dataset", "coffee,flights,dblp")
	made(t, "data", "questions", "--data", dir, "--dataset", "coffee,flights,dblp")
})

// fleet is a run that workers do, and the processes of it.
type fleet struct {
	t           *testing.T
	run         string
	args        []string // of the coordinator
	work        []string // of workers, without the place
	coordinator *process
	workers     []*process
	place       string
}

// freePort returns an address where nothing listens now.
func freePort(t *testing.T) string {
	t.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	return l.Addr().String()
}

// coordinate starts the coordinator, or starts it again.
func (f *fleet) coordinate() {
	f.t.Helper()

	f.coordinator = start(f.t, goOn(f.run, f.args)...)
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

// TestHostileWorkers kills the workers of a run one after the other, stops some of them for longer
// than the coordinator waits, and kills the coordinator with its NATS server. The run ends with the
// bytes of a single process.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	data, dir := manyQuestions(t), t.TempDir()
	questions := rounds(204, 2004)

	server := serve(t, simserver.Options{
		Slots: 32, Latency: simserver.Latency{PerCompletion: 20 * time.Millisecond},
	})
	args := []string{
		"collect", "--data", data, "--policy", "openai:sim", "--dataset", "coffee,flights,dblp",
		"--limit", strconv.Itoa(questions / 6), "--trees", "2", "--set", "search.simulations=4",
		"--set", "server.window=32768", "--run-id", "one", "--engine", "unsafe", "--progress", "none",
	}

	alone := filepath.Join(dir, "alone")
	undisturbed(t, append(slices.Clip(args), "--server", server.URL(), "--out", alone)...)

	before := server.Stats().Answered
	f := &fleet{t: t, run: filepath.Join(dir, "run"), workers: make([]*process, 8)}
	f.args = append(slices.Clip(args), "--out", f.run, "--listen", freePort(t), "--worker-patience", "2s")
	f.work = []string{"--data", data, "--server", server.URL(), "--parallel", "4", "--progress", "none"}
	f.coordinate()

	for i := range f.workers {
		f.join(i)
	}

	kills, coordinators, stops := 0, 0, 0

	for step := 0; ; step++ {
		if !running(f.coordinator, time.Second) {
			break
		}

		i := random.IntN(len(f.workers))

		switch {
		case step%6 == 3 && coordinators < 5:
			coordinators++
			_ = syscall.Kill(f.coordinator.Process.Pid, syscall.SIGKILL)
			<-f.coordinator.ended
			f.coordinate()
		case step%6 == 5:
			stops++
			worker := f.workers[i]
			_ = syscall.Kill(worker.Process.Pid, syscall.SIGSTOP)
			time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(worker.Process.Pid, syscall.SIGCONT) })
		default:
			kills++
			_ = syscall.Kill(f.workers[i].Process.Pid, syscall.SIGKILL)
			<-f.workers[i].ended
			f.join(i)
		}
	}

	if code := f.coordinator.wait(); code != exitDone {
		t.Fatalf("the coordinator ends with exit %d\n%s", code, f.coordinator.err)
	}

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of a single process")
	}

	calls := logged(t, f.run)
	if want := logged(t, alone); calls != want {
		t.Errorf("%d calls in the log, %d of a single process", calls, want)
	}

	t.Logf("%d workers and %d coordinators killed, %d workers stopped; %d calls answered for the %d of the run",
		kills, coordinators, stops, server.Stats().Answered-before, calls)
}

// running reports whether a process still runs after a time.
func running(p *process, after time.Duration) bool {
	moment := time.NewTimer(after)
	defer moment.Stop()

	select {
	case <-p.ended:
		return false
	case <-moment.C:
		return true
	}
}
