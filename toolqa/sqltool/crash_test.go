package sqltool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa"
)

// crashing is what the children are called that have a function crash(signal), which sends it to
// their own process.
const crashing = "sql-crashing"

func init() {
	worker.Serve(crashing, func(in io.Reader, out io.Writer) error {
		c, err := setUp(in)
		if err != nil {
			return err
		}

		c.RegisterAuthorizer(nil)

		crash := func(signal int64) int64 {
			syscall.Kill(os.Getpid(), syscall.Signal(signal))
			select {}
		}
		if err := c.RegisterFunc("crash", crash, false); err != nil {
			return err
		}

		return c.serve(in, out)
	})
}

// A statement that SQLite does not survive is the agent's mistake, one whose child is killed is a
// failure of ours, and neither costs another call.
func TestCrash(t *testing.T) {
	c := small(t)

	start, err := newSetup(Options{}.withDefaults(), nil).starter(crashing, nil)
	if err != nil {
		t.Fatal(err)
	}

	in := interpreter(t, Options{}, c)
	in.pool.Close()
	in.pool = worker.NewPool(2, start)

	for signal, ours := range map[syscall.Signal]bool{
		syscall.SIGSEGV: false, syscall.SIGABRT: false, syscall.SIGBUS: false, syscall.SIGKILL: true,
		syscall.SIGTERM: true,
	} {
		call := fmt.Sprintf("SELECT crash(%d)", int(signal))

		_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "SQL", Value: call}})
		if stage, _ := envs.FailedStage(err); ours && stage != envs.StageTool ||
			!ours && (err != nil || r.Observation != wrongSQL) {
			t.Errorf("%v: %+v, %v", signal, r, err)
		}

		if got := query(t, in, fmt.Sprintf("SELECT %d AS n", signal)); got.Observation != fmt.Sprintf("n: %d", signal) {
			t.Errorf("after %v: %+v", signal, got)
		}
	}
}

// A statement whose child is killed in its middle, from outside, runs once more.
func TestKilled(t *testing.T) {
	in := interpreter(t, Options{Conns: 1, Timeout: time.Minute}, small(t))
	done := make(chan envs.Result, 1)

	go func() { done <- query(t, in, ones+"SELECT max(i) AS n FROM (SELECT i FROM n LIMIT 3000000)") }()

	for pid := busyChild(t); ; {
		if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
			break
		}
	}

	if got := <-done; got.Observation != "n: 3000000" {
		t.Errorf("%+v", got)
	}
}

// busyChild waits for a child of this process that has begun to run a statement, and returns its
// number.
func busyChild(t *testing.T) int {
	used := map[string]int{}

	for t.Context().Err() == nil {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil || len(stats) == 0 {
			t.Skip("no /proc: ", err)
		}

		for _, path := range stats {
			text, _ := os.ReadFile(path) // it may have ended
			_, after, _ := strings.Cut(string(text), ") ")

			fields := strings.Fields(after)
			if len(fields) < 13 || fields[1] != strconv.Itoa(os.Getpid()) {
				continue
			}

			ticks, _ := strconv.Atoi(fields[11])
			if _, ok := used[path]; !ok {
				used[path] = ticks
			}

			if ticks > used[path]+5 {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
				return pid
			}
		}
	}

	return 0
}

// TestHostileNeighbours asks something beside eight callers that send nothing but statements that
// never end by themselves. With TOOLEVO_HOSTILE it does so for a minute at the usual deadline, at
// which none may wait 10 s.
func TestHostileNeighbours(t *testing.T) {
	opts, rounds := Options{Timeout: 300 * time.Millisecond}, 3
	if os.Getenv("TOOLEVO_HOSTILE") != "" {
		opts, rounds = Options{}, 20
	}

	in := interpreter(t, opts, synthetic(t))
	stop := make(chan struct{})

	var bombs sync.WaitGroup
	for n := range 8 {
		bombs.Go(func() {
			for i := n; ; i++ {
				select {
				case <-stop:
					return
				default:
					query(t, in, slow[i%len(slow)].sql)
				}
			}
		})
	}

	var worst time.Duration

	for i := range rounds {
		start := time.Now()

		got := query(t, in, fmt.Sprintf("SELECT COUNT(*) + %d AS n FROM coffee.coffee_data", i))
		if got.Outcome != envs.OK {
			t.Errorf("%+v", got)
		}

		worst = max(worst, time.Since(start))
	}

	close(stop)
	bombs.Wait()
	t.Logf("%d statements waited %v at most", rounds, worst)

	if worst > 10*time.Second {
		t.Errorf("a statement beside the bombs waited %v", worst)
	}
}
