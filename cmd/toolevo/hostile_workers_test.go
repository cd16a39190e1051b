package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// manyQuestions is a data folder with questions for a run of many workers.
var manyQuestions = shared("many", func(t testing.TB, dir string) {
	made(t, "data", "build", "--data", dir, "--scale", "demo", "--dataset", "coffee,flights,dblp")
	made(t, "data", "questions", "--data", dir, "--dataset", "coffee,flights,dblp")
})

// perStep is after how many calls something happens to a run.
const perStep = 150

// TestHostileWorkers kills the workers of a run one after the other, stops some of them for longer
// than the coordinator waits, and kills the coordinator with its NATS server. The run ends with the
// bytes of a single process.
//
// It is alone: ten processes are a load under which other tests' programs run out of their time.
func TestHostileWorkers(t *testing.T) { hostileWorkers(t) }

func hostileWorkers(t *testing.T, where ...string) {
	t.Helper()
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
	f := newFleet(t, dir, 8, where...)
	f.args = append(slices.Clip(args), "--out", f.run, "--worker-patience", "2s")
	f.work = []string{"--data", data, "--server", server.URL(), "--parallel", "4", "--progress", "none"}
	f.coordinate()

	for i := range f.workers {
		f.join(i)
	}

	kills, coordinators, stops := 0, 0, 0

	// Each time the run has got on: on a busy machine workers take a while to start.
	for step := 1; f.coordinator.until(t, f.run, step*perStep); step++ {

		i := random.IntN(len(f.workers))

		switch {
		case step%6 == 3 && coordinators < 5:
			coordinators++
			_ = syscall.Kill(f.coordinator.Process.Pid, syscall.SIGKILL)
			<-f.coordinator.ended

			// Once the queue is lost, too.
			if coordinators == 2 {
				if err := os.RemoveAll(filepath.Join(f.run, "nats")); err != nil {
					t.Fatal(err)
				}
			}

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
