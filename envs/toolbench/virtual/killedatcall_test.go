//go:build linux && amd64

package virtual_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"toolevo/envs/killtest"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// atCallVariable names the cache with which a process of this test is killed, and putVariable is
// set where it keeps its answers before.
const (
	atCallVariable = "TOOLEVO_TEST_KILLED_CACHE"
	putVariable    = "TOOLEVO_TEST_KILLED_AFTER_PUT"
)

// TestKilledAtEachCall kills a process at every system call that changes a file while it makes a
// cache and keeps answers, and while it closes one. The cache opens, has what was kept, and takes
// more.
func TestKilledAtEachCall(t *testing.T) {
	if path := os.Getenv(atCallVariable); path != "" {
		makeAndClose(t, path, os.Getenv(putVariable) != "")
		return
	}

	for name, kept := range map[string]int{"made": 0, "closed": someAnswers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var path string

			killtest.EachCall(t, func() *exec.Cmd {
				path = filepath.Join(t.TempDir(), "cache.db")
				cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtEachCall$")

				cmd.Env = append(os.Environ(), atCallVariable+"="+path)
				if kept > 0 {
					cmd.Env = append(cmd.Env, putVariable+"=1")
				}
				return cmd
			}, func(call string) {
				c, err := virtual.OpenCache(context.Background(), path)
				if err != nil {
					t.Errorf("killed at %s: %v", call, err)
					return
				}
				defer c.Close()

				for i := range someAnswers {
					_, ok, err := c.Get(t.Context(), numbered(i))
					if err != nil || !ok && i < kept {
						t.Errorf("killed at %s: answer %d: %v, %v", call, i, ok, err)
					}
				}

				if err := c.Put(t.Context(), answer(someAnswers)); err != nil {
					t.Errorf("killed at %s: %v", call, err)
				}
			})
		})
	}
}

// someAnswers is how many answers a process keeps.
const someAnswers = 3

// makeAndClose is what is killed: all of it, or what comes after the answers.
func makeAndClose(t *testing.T, path string, afterPut bool) {
	if !afterPut {
		killtest.Now()
	}

	c := openCacheAt(t, path)

	for i := range someAnswers {
		if err := c.Put(t.Context(), answer(i)); err != nil {
			t.Fatal(err)
		}
	}

	if afterPut {
		killtest.Now()
	}
}

func answer(i int) virtual.Entry {
	return virtual.Entry{Call: numbered(i), Answer: toolbench.Answer{Response: fmt.Sprint("answer ", i)}}
}
