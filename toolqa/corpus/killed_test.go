//go:build linux && amd64

package corpus

import (
	"os"
	"os/exec"
	"testing"

	"toolevo/envs/killtest"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

// TestKilledAtEachCall kills a program at every system call that changes a file while it builds a
// corpus. There is the whole corpus of before or the whole new one, and nothing beside it.
func TestKilledAtEachCall(t *testing.T) {
	next := synth.Options{Seed: 2, Rows: 5}

	if dir := os.Getenv("CORPUS_TEST_KILLED"); dir != "" {
		killtest.Now()
		mustBuild(t, dir, toolqa.Coffee, next)
		return
	}

	t.Parallel()

	dir := t.TempDir()
	after := mustBuild(t, t.TempDir(), toolqa.Coffee, next)

	var before layout.Info

	killtest.EachCall(t, func() *exec.Cmd {
		before = mustBuild(t, dir, toolqa.Coffee, synth.Options{Seed: 1, Rows: 3})
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtEachCall$")
		cmd.Env = append(os.Environ(), "CORPUS_TEST_KILLED="+dir)
		return cmd
	}, func(call string) {
		c := mustOpen(t, dir, toolqa.Coffee)
		if err := c.Prove(t.Context()); err != nil || c.Info() != before && c.Info() != after {
			t.Errorf("killed at %s: %+v, %v", call, c.Info(), err)
		}

		if left := leftBehind(t, dir); len(left) != 1 {
			t.Errorf("killed at %s: left %v", call, left)
		}
	})
}
