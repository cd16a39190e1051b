//go:build linux && amd64

package store_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"toolevo/envs/killtest"
	"toolevo/envs/sqlite"
	"toolevo/mcts/store"
)

// dirVariable is the folder of the run with which a process of this test is killed, and
// doesVariable what it does there.
const (
	dirVariable  = "TOOLEVO_TEST_KILLED_RUN"
	doesVariable = "TOOLEVO_TEST_KILLED_DOES"
)

// TestKilledAtEachCall kills a process at every system call that changes a file while a run begins,
// while it is finished and closed, and while it is finished again after it was resumed. Whatever
// was logged before is there, and the run goes on and ends.
func TestKilledAtEachCall(t *testing.T) {
	if dir := os.Getenv(dirVariable); dir != "" {
		killedWork(t, dir, os.Getenv(doesVariable))
		return
	}

	for _, does := range []string{"begin", "end", "resume"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()

			var dir string

			killtest.EachCall(t, func() *exec.Cmd {
				dir = filepath.Join(t.TempDir(), "run")
				cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtEachCall$")
				cmd.Env = append(os.Environ(), dirVariable+"="+dir, doesVariable+"="+does)
				return cmd
			}, func(call string) { goesOn(t, call, dir, does != "begin") })
		})
	}
}

// killedWork is what is killed.
func killedWork(t *testing.T, dir, does string) {
	m := store.Manifest{ID: "killed", Kind: "collect", ConfigHash: "h", Data: os.TempDir(), Software: "v1"}

	if does == "begin" {
		killtest.Now()
		closed(t, begin(t, dir, m))
		return
	}

	r := begin(t, dir, m)
	called(t, r.Store)

	if err := r.SaveTree(t.Context(), tree("q", 0)); err != nil {
		t.Fatal(err)
	}

	if does == "resume" {
		closed(t, r)
		killtest.Now()

		var err error
		if r, err = resume(t.Context(), dir); err != nil {
			t.Fatal(err)
		}

		if err := r.SaveTree(t.Context(), tree("q", 1)); err != nil {
			t.Fatal(err)
		}
	} else {
		killtest.Now()
	}

	if err := r.Finish(t.Context(), 0, ""); err != nil {
		t.Fatal(err)
	}

	closed(t, r)
}

// goesOn holds that a run that was killed at a call can be looked at, gone on with and ended.
func goesOn(t *testing.T, call, dir string, begun bool) {
	t.Helper()

	ctx := context.Background()

	if !begun {
		if store.Vacant(ctx, dir) == nil { // it is as if it had never begun
			closed(t, begin(t, dir, store.Manifest{ID: "again", Kind: "collect", Data: os.TempDir()}))
		}
	} else if err := looked(ctx, dir); err != nil {
		t.Errorf("killed at %s: it cannot be looked at: %v", call, err)
	}

	r, err := resume(ctx, dir)
	if err != nil {
		t.Errorf("killed at %s: it cannot be resumed: %v", call, err)
		return
	}

	if err := r.Finish(ctx, 0, ""); err != nil {
		t.Errorf("killed at %s: %v", call, err)
	}

	closed(t, r)

	for _, part := range sqlite.Parts("run.db")[1:] {
		if slices.Contains(names(t, dir), part) {
			t.Errorf("killed at %s: %s is left", call, part)
		}
	}
}

// looked reads a run of one call and one tree at least.
func looked(ctx context.Context, dir string) error {
	r, err := store.OpenRun(ctx, dir)
	if err != nil {
		return err
	}
	defer r.Close()

	if err := r.Intact(ctx); err != nil {
		return err
	}

	problems, err := r.Check(ctx)
	if err == nil && len(problems) > 0 {
		err = errors.New(problems[0])
	}

	if err == nil {
		_, _, err = r.LoadTree(ctx, "q", 0)
	}
	return err
}
