package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// Servers join and leave while a run is on, and it writes what a run on one server writes.
func TestServersComeAndGo(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	args := []string{"collect", "--data", data, "--policy", "openai:sim", "--limit", "24", "--trees", "1",
		"--set", "search.simulations=3", "--set", "server.window=32768", "--run-id", "one", "--engine", "unsafe"}
	alone := filepath.Join(dir, "alone")
	undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kindOpenAI), "--out", alone)...)

	list := filepath.Join(dir, "servers.txt")
	write := func(urls ...string) {
		// Whoever reads meanwhile has the old list or the new one.
		text := []byte(strings.Join(urls, "\n") + "\n")
		if err := os.WriteFile(list+".new", text, 0o644); err != nil {
			t.Error(err)
		}

		if err := os.Rename(list+".new", list); err != nil {
			t.Error(err)
		}
	}

	// Each list stands until a server that it brought has been asked.
	asked := make([]chan struct{}, 3)
	urls := make([]string, len(asked))

	for i := range asked {
		s := serve(t, simserver.Options{Slots: 16, Latency: simserver.Latency{PerCompletion: 150 * time.Millisecond}})
		asked[i] = make(chan struct{})
		first := sync.OnceFunc(func() { close(asked[i]) })

		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.ContentLength > 2000 { // and not a greeting
				first()
			}
			s.ServeHTTP(w, r)
		}))
		t.Cleanup(front.Close)
		urls[i] = front.URL
	}
	write(urls[0])

	changed := make(chan bool)

	go func() {
		<-asked[0]
		write(urls[0], urls[1])
		<-asked[1]
		write(urls[1], urls[2])
		<-asked[2]
		write(urls[2])
		close(changed)
	}()

	run := filepath.Join(dir, "run")
	r := cli(t, append(slices.Clip(args), "--server", "file:"+list, "--parallel", "4", "--log-level", "info",
		"--out", run)...)
	if r.code != exitDone {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}

	select {
	case <-changed:
	default:
		t.Fatalf("the run ended before all servers were asked\n%s", r.err)
	}

	says(t, "collect", r.err, "server has joined", urls[2], "server is off the list", urls[0])

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ from those of one server")
	}
}
