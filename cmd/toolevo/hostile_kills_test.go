package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/improve"
	"toolevo/mcts/store"
)

// TestHostileKills kills runs at random moments, from the first millisecond to past their end, goes
// on with each, kills it again, and holds that every run ends with the bytes of one that nothing
// disturbed, and leaves nothing behind.
func TestHostileKills(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	presets := []string{"efficient", "paper"}
	killed, atStart := 0, 0
	longest := 2 * time.Second

	for round := range rounds(2, 200) {
		preset := presets[round%len(presets)]
		whole := uninterrupted[preset](t)
		run := filepath.Join(t.TempDir(), "run")
		args := grown(preset, "--data", smallData(t), "--workers", "3", "--out", run)

		for range 1 + random.IntN(3) {
			p := start(t, goOn(run, args)...)
			if killAt(p, time.Duration(random.Int64N(int64(longest)))) {
				killed++
				untilFree(t, run)

				if !exists(filepath.Join(run, "run.json")) {
					atStart++
				}
			}
		}

		began := time.Now()

		p := start(t, goOn(run, args)...)
		if code := p.wait(); code != exitDone {
			t.Fatalf("round %d, %s: going on ends with exit %d\n%s", round, preset, code, p.err)
		}

		longest = max(longest, time.Since(began))

		if !bytes.Equal(read(t, filepath.Join(whole, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
			t.Errorf("round %d, %s: the trajectories differ from those of an undisturbed run", round, preset)
		}

		if got, want := logged(t, run), logged(t, whole); got != want {
			t.Errorf("round %d, %s: %d calls in the log, %d undisturbed", round, preset, got, want)
		}

		leavesNothing(t, whole, run)
	}

	t.Logf("killed %d times, %d of them before there was a run", killed, atStart)
}

// kills is how many kills a campaign makes: TOOLEVO_HOSTILE_KILLS, or as many as rounds says.
func kills(t *testing.T, small, full int) int {
	t.Helper()

	text := os.Getenv("TOOLEVO_HOSTILE_KILLS")
	if text == "" {
		return rounds(small, full)
	}

	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("TOOLEVO_HOSTILE_KILLS: %v", err)
	}
	return n
}

// TestHostileLastKills kills runs in their last second: while the last trees are stored, the rows
// are written and the log is folded. Everything that was started ends, the run opens and passes the
// check, and it can be resumed to the bytes of one that nothing disturbed.
func TestHostileLastKills(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	took := map[string]time.Duration{} // a run of a preset, as far as is known

	killed, late := 0, 0

	for want := kills(t, 2, 200); killed < want; {
		preset := []string{"efficient", "paper"}[killed%2]
		whole := uninterrupted[preset](t)
		run := filepath.Join(t.TempDir(), "run")
		args := grown(preset, "--data", smallData(t), "--workers", "3", "--out", run)

		if took[preset] == 0 {
			took[preset] = lasts(t, start(t, append(args, "--out", run+"-timed")...))
		}

		began, p := time.Now(), start(t, args...)
		if !killFamily(t, p, took[preset]-time.Duration(random.Int64N(int64(time.Second)))) {
			late++
			took[preset] = time.Since(began)

			continue
		}

		killed++
		took[preset] += took[preset] / 50 // else a slow one at first would be believed for good

		if exists(filepath.Join(run, "run.json")) {
			opens(t, run)
		}

		if p := start(t, goOn(run, args)...); p.wait() != exitDone {
			t.Fatalf("kill %d: going on ends with exit %d\n%s", killed, p.wait(), p.err)
		}

		if !bytes.Equal(read(t, filepath.Join(whole, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
			t.Errorf("kill %d, %s: the trajectories differ from those of an undisturbed run", killed, preset)
		}

		leavesNothing(t, whole, run)
	}

	t.Logf("killed %d runs, and %d had ended before", killed, late)
}

// TestHostileImproveKills kills improvements at random moments. Everything that was started ends,
// the trainer and its server, too; what is there opens; and the same command goes on to the table
// of an improvement that nothing disturbed.
func TestHostileImproveKills(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)

	improved := func() (dir string, args []string) {
		dir = t.TempDir()
		file, _ := improvement(t, dir, "*-2")
		return filepath.Join(dir, "out"), []string{
			"improve", file, "--out", filepath.Join(dir, "out"), "--progress", "none",
		}
	}

	whole, args := improved()
	took := lasts(t, start(t, args...))

	killed, ended := 0, 0
	for want := kills(t, 1, 50); killed < want; ended++ {
		out, args := improved()

		p := start(t, args...)
		for killFamily(t, p, time.Duration(random.Int64N(int64(took)))) {
			killed++

			for _, path := range files(t, out) {
				if filepath.Base(path) == "run.json" {
					opens(t, filepath.Dir(path))
				}
			}

			p = start(t, args...)
		}

		if code := p.wait(); code != exitDone {
			t.Fatalf("after %d kills: exit %d\n%s", killed, code, p.err)
		}

		table := func(dir string) string { return string(read(t, filepath.Join(dir, improve.CSVFile))) }
		if diff := cmp.Diff(table(whole), table(out)); diff != "" {
			t.Errorf("after %d kills: -undisturbed +killed:\n%s", killed, diff)
		}
	}

	t.Logf("killed %d times in %d improvements", killed, ended)
}

// lasts waits for the good end of a process, and returns how long that takes.
func lasts(t *testing.T, p *process) time.Duration {
	t.Helper()

	began := time.Now()
	if code := p.wait(); code != exitDone {
		t.Fatalf("exit %d\n%s", code, p.err)
	}
	return time.Since(began)
}

// opens holds that a run can be inspected and checked.
func opens(t *testing.T, run string) {
	t.Helper()

	for _, command := range []string{"inspect", "check"} {
		if r := cli(t, command, run); r.code != exitDone {
			t.Errorf("%s: exit %d\n%s%s", command, r.code, r.out, r.err)
		}
	}
}

// killFamily is killAt, and holds that all processes end that the killed one has started.
func killFamily(t *testing.T, p *process, after time.Duration) bool {
	t.Helper()

	moment := time.NewTimer(after)
	defer moment.Stop()

	select {
	case <-p.ended:
		return false
	case <-moment.C:
	}

	left := family(p.Process.Pid)
	if !killAt(p, 0) {
		return false
	}

	overdue := time.After(time.Minute)

	for tick := time.NewTicker(5 * time.Millisecond); len(left) > 0; <-tick.C {
		maps.DeleteFunc(left, func(pid int, began string) bool {
			_, now := parentOf(pid)
			return isGone(pid) || now != began
		})

		select {
		case <-overdue:
			t.Fatalf("of what the killed process had started, these live: %v", slices.Collect(maps.Keys(left)))
		default:
		}
	}

	return true
}

// family are the processes that a process has started, and those that these have, by number, with
// when they began, which tells them from later ones of their numbers.
func family(pid int) map[int]string {
	all := map[int]string{}
	for more := map[int]bool{pid: true}; len(more) > 0; {
		next := map[int]bool{}

		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, path := range stats {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if parent, began := parentOf(child); more[parent] && all[child] == "" {
				all[child], next[child] = began, true
			}
		}

		more = next
	}
	return all
}

// parentOf returns the parent of a process, and when it began; 0 where there is no such process.
func parentOf(pid int) (parent int, began string) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, ""
	}

	// Behind the name, which may hold anything: the state, the parent, …
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[19]
}

// goOn returns the arguments that begin a run, or go on with it once there is one.
func goOn(run string, args []string) []string {
	if !exists(filepath.Join(run, "run.json")) {
		return args
	}
	return append(slices.Clip(args), "--resume")
}

// killAt kills a process after a time, and reports whether it was still running.
func killAt(p *process, after time.Duration) bool {
	moment := time.NewTimer(after)
	defer moment.Stop()

	select {
	case <-p.ended:
		return false
	case <-moment.C:
	}

	// The process alone, not its group: what it started has to end with it.
	_ = syscall.Kill(p.Process.Pid, syscall.SIGKILL)
	<-p.ended

	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// untilFree waits until no process has the lock of a run: a child that a killed one was starting
// has it for a moment.
func untilFree(t *testing.T, run string) {
	tick, overdue := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()

	for errors.Is(store.Busy(run), store.ErrLocked) {
		select {
		case <-tick.C:
		case <-overdue:
			t.Fatal("the lock of a killed run is kept")
		}
	}
}

// leavesNothing holds that a run's folder has the files of another's, and no others.
func leavesNothing(t *testing.T, want, run string) {
	t.Helper()

	names := func(dir string) []string {
		var all []string
		for _, path := range files(t, dir) {
			all = append(all, strings.TrimPrefix(path, dir))
		}
		return all
	}
	if got, want := names(run), names(want); !slices.Equal(got, want) {
		t.Errorf("the run's folder holds %v, an undisturbed one %v", got, want)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
