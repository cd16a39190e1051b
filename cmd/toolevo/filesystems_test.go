//go:build linux && amd64

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/disk"
	"toolevo/envs/faulttest"
)

// TestFileSystems collects and exports on file systems that lack something: the same run, or what
// is missing and what to do. A run that is there can be read on any.
func TestFileSystems(t *testing.T) {
	t.Parallel()

	whole := uninterrupted["efficient"](t)

	for name, tt := range map[string]struct {
		lacks  []string
		refuse bool
	}{
		"flock":                   {[]string{faulttest.Flock}, false},
		"shared memory":           {[]string{faulttest.SharedMemory}, false},
		"flock and shared memory": {[]string{faulttest.Flock, faulttest.SharedMemory}, false},
		"record locks":            {[]string{faulttest.RecordLocks}, true},
		"all":                     {[]string{faulttest.Flock, faulttest.RecordLocks, faulttest.SharedMemory}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			run := filepath.Join(dir, "run")
			does := func(args ...string) (said string, code int) {
				cmd := exec.Command(binary(), args...)
				cmd.Env = append(slices.Clip(ordinary), "TMPDIR="+dir) // others remove what is not locked

				said, _ = faulttest.Run(cmd, tt.lacks...)
				return said, cmd.ProcessState.ExitCode()
			}

			said, code := does(grown("efficient", "--data", smallData(t), "--out", run)...)

			switch refused := strings.Contains(said, disk.ErrNoLocks.Error()); {
			case refused != tt.refuse, code != map[bool]int{true: exitUsage}[refused]:
				t.Errorf("exit %d\n%s", code, said)
			case refused:
				if err := os.RemoveAll(run); err != nil {
					t.Fatal(err)
				}

				if err := os.CopyFS(run, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
			}

			sameRun(t, "efficient", run)

			for _, args := range [][]string{
				{"inspect", run}, {"check", run, "--data", smallData(t)},
				{"export", run, "--data", smallData(t), "--allow-scripted",
					"--out", filepath.Join(dir, "export")},
			} {
				if said, code := does(args...); code != exitDone {
					t.Errorf("%s: exit %d\n%s", args[0], code, said)
				}
			}
		})
	}
}
