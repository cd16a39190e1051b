package virtual_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// cacheVariable names the cache that a process of this test fills until it is killed.
const cacheVariable = "TOOLEVO_TEST_FILLS_CACHE"

func TestMain(m *testing.M) {
	if path := os.Getenv(cacheVariable); path != "" {
		fmt.Fprintln(os.Stderr, fill(path))
		os.Exit(1)
	}

	os.Exit(m.Run())
}

func numbered(i int) virtual.Call {
	return virtual.NewCall("p_c", forecast.Key, envs.Args{arg("city", fmt.Sprint(i))})
}

// fill keeps answers and says of each that it is kept.
func fill(path string) error {
	c, err := virtual.OpenCache(context.Background(), path)
	if err != nil {
		return err
	}

	for i := 0; ; i++ {
		e := virtual.Entry{Call: numbered(i), Answer: toolbench.Answer{Response: fmt.Sprint("answer ", i)}}
		if err := c.Put(context.Background(), e); err != nil {
			return err
		}

		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
}

// After kill -9 the cache is readable, and has every answer that was kept.
func TestKilled(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")
	kept := 0

	for range 3 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), cacheVariable+"="+path)

		said, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}

		if err := child.Start(); err != nil {
			t.Fatal(err)
		}

		kept += 40 // the answers of the child before are there, and stay

		lines := bufio.NewScanner(said)
		for range kept {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
		}

		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}

		_ = child.Wait() // it was killed

		c := openCacheAt(t, path)

		for i := range kept {
			e, ok, err := c.Get(t.Context(), numbered(i))
			if err != nil || !ok || e.Answer.Response != fmt.Sprint("answer ", i) {
				t.Fatalf("answer %d of %d: %+v, %v (%v)", i, kept, e, ok, err)
			}
		}
	}
}
