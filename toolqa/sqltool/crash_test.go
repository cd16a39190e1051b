package sqltool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	query(t, in, "SELECT 1 AS n") // a child is there
	used, done := childTicks(t), make(chan envs.Result, 1)

	go func() {
		defer close(done) // also where the query fails the test
		done <- query(t, in, ones+"SELECT max(i) AS n FROM (SELECT i FROM n LIMIT 3000000)")
	}()

	for pid := busyChild(t, used); ; {
		if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
			break
		}
	}

	if got := <-done; got.Observation != "n: 3000000" {
		t.Errorf("%+v", got)
	}
}

// busyChild waits for one of this process's children to run a statement, and returns its number.
// used is what children had used before the statement was asked for.
func busyChild(t *testing.T, used map[int]int) int {
	for t.Context().Err() == nil {
		for pid, ticks := range childTicks(t) {
			if before, ok := used[pid]; ok && ticks > before+5 {
				return pid
			}
		}
	}

	return 0
}

// childTicks returns what children of this process have used of processors, in ticks, by their
// number.
func childTicks(t *testing.T) map[int]int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("no /proc: ", err)
	}

	used := map[int]int{}

	for _, path := range stats {
		text, _ := os.ReadFile(path) // it may have ended
		_, after, _ := strings.Cut(string(text), ") ")

		fields := strings.Fields(after)
		if len(fields) >= 13 && fields[1] == strconv.Itoa(os.Getpid()) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			used[pid], _ = strconv.Atoi(fields[11])
		}
	}
	return used
}

// TestHostileNeighbours asks something beside eight callers that send nothing but statements that
// never end by themselves: it has its turn before each of them has had eight. With TOOLEVO_HOSTILE
// it does so for a minute at the usual deadline, at which none may wait 10 s.
func TestHostileNeighbours(t *testing.T) {
	opts, rounds := Options{Timeout: 300 * time.Millisecond}, 3
	if os.Getenv("TOOLEVO_HOSTILE") != "" {
		opts, rounds = Options{}, 20
	}

	in := interpreter(t, opts, synthetic(t))
	stop := make(chan struct{})

	// The statement beside them has time, as a busy machine may keep it from running.
	asker := *in
	asker.opts.Timeout = time.Minute

	var bombs sync.WaitGroup
	var ended atomic.Int64
	for n := range 8 {
		bombs.Go(func() {
			for i := n; ; i++ {
				select {
				case <-stop:
					return
				default:
					query(t, in, slow[i%len(slow)].sql)
					ended.Add(1)
				}
			}
		})
	}

	var worst time.Duration
	var most int64

	for i := range rounds {
		start, before := time.Now(), ended.Load()

		got := query(t, &asker, fmt.Sprintf("SELECT COUNT(*) + %d AS n FROM coffee.coffee_data", i))
		if got.Outcome != envs.OK {
			t.Errorf("%+v", got)
		}

		worst, most = max(worst, time.Since(start)), max(most, ended.Load()-before)
	}

	close(stop)
	bombs.Wait()
	t.Logf("%d statements waited %v, and for %d others, at most", rounds, worst, most)

	if os.Getenv("TOOLEVO_HOSTILE") != "" && worst > 10*time.Second {
		t.Errorf("a statement beside the bombs waited %v", worst)
	}

	if most > 64 {
		t.Errorf("%d bombs ended before a statement beside them was answered", most)
	}
}
