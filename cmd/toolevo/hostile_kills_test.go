package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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
