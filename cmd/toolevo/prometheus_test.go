package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// scraping is how long Prometheus may take until every query of the dashboard has an answer.
const scraping = 2 * time.Minute

// A real Prometheus scrapes a collection and an evaluation that are under way: its own linter finds
// nothing wrong with their metrics, and each query of the dashboard returns a series.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	prometheus := prometheusBinary(t)
	model := serve(t, simserver.Options{
		Slots:   4,
		Latency: simserver.Latency{PerCompletion: time.Second},
		Faults:  simserver.Faults{Rates: map[simserver.Fault]float64{simserver.InternalError: 0.2}},
	})
	args := []string{"--data", smallData(t), "--policy", "openai:sim", "--server", model.URL(), "--set",
		"server.window=32768", "--metrics", "127.0.0.1:0", "--progress", "none", "--parallel", "4"}

	args = slices.Clip(args)
	collection := measured(t, "collect", append(args, "--preset", "paper", "--out", filepath.Join(t.TempDir(), "run")))
	evaluation := measured(t, "eval", append(args, "--out", filepath.Join(t.TempDir(), "run")))
	checkNames(t, prometheus, collection)
	checkNames(t, prometheus, evaluation)

	address := scrape(t, prometheus, collection, evaluation)
	unanswered := dashboardQueries(t)

	deadline, ticker := time.After(scraping), time.NewTicker(500*time.Millisecond)
	defer ticker.Stop()

	for len(unanswered) > 0 {
		select {
		case <-ticker.C:
			maps.DeleteFunc(unanswered, func(query, _ string) bool { return series(t, address, query) > 0 })
		case <-deadline:
			for query, panel := range unanswered {
				t.Errorf("%s: no series for %s", panel, query)
			}
			return
		}
	}
}

// prometheusBinary returns the path of a Prometheus, or skips.
func prometheusBinary(t *testing.T) string {
	t.Helper()

	path, err := exec.LookPath("prometheus")
	if named := os.Getenv("TOOLEVO_PROMETHEUS"); named != "" {
		path, err = named, nil
	}

	if err != nil {
		t.Skip("no prometheus on the PATH or in TOOLEVO_PROMETHEUS: make test-metrics fetches one")
	}
	return path
}

// measured starts a command that serves metrics, and returns the address of these. The test ends
// it.
func measured(t *testing.T, command string, flags []string) string {
	t.Helper()

	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	screen := &addressed{found: make(chan string, 1)}

	a := on(screen)
	a.Environ, a.open, a.attack = modulesHere(), openShared, attackedOnce
	a.backoff, a.probe = soon, time.Minute

	var running sync.WaitGroup
	running.Go(func() {
		if code := a.run(ctx, append([]string{command}, flags...)); code != exitInterrupted {
			t.Errorf("toolevo %s: exit %d before the test ended it\n%s", command, code, screen)
		}

		close(screen.found)
	})
	t.Cleanup(func() { cancel(); running.Wait() })

	address, ok := <-screen.found
	if !ok {
		t.FailNow()
	}
	return address
}

// addressed is a screen that looks for the address of metrics.
type addressed struct {
	found chan string

	mu   sync.Mutex
	text bytes.Buffer
}

var metricsAddress = regexp.MustCompile(`Metrics: http://([^/]+)/metrics`)

// Write implements io.Writer.
func (s *addressed) Write(p []byte) (int, error) {
	if m := metricsAddress.FindSubmatch(p); m != nil {
		s.found <- string(m[1])
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// String returns what was written.
func (s *addressed) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// checkNames has Prometheus' own tool check what is served.
func checkNames(t *testing.T, prometheus, address string) {
	t.Helper()

	tool := filepath.Join(filepath.Dir(prometheus), "promtool")
	if _, err := os.Stat(tool); err != nil {
		t.Logf("metrics are not checked: %v", err)
		return
	}

	check := exec.Command(tool, "check", "metrics")
	check.Stdin = strings.NewReader(fetched(t, "http://"+address+"/metrics"))

	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

func fetched(t *testing.T, address string) string {
	t.Helper()

	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()

	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scrape starts a Prometheus that scrapes some addresses, and returns its own.
func scrape(t *testing.T, prometheus string, targets ...string) string {
	t.Helper()

	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := free.Addr().String()
	free.Close()

	dir := t.TempDir()
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs: [{job_name: toolevo, static_configs: [{targets: ['%s']}]}]
`, strings.Join(targets, "', '")))

	var words bytes.Buffer

	cmd := exec.Command(prometheus, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path",
		filepath.Join(dir, "data"), "--web.listen-address", address)
	cmd.Stdout, cmd.Stderr = &words, &words

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()

		if t.Failed() {
			t.Logf("prometheus said:\n%s", &words)
		}
	})
	return address
}

// dashboardQueries returns the queries of the dashboard, as Grafana would ask them, with the titles
// of their panels.
func dashboardQueries(t *testing.T) map[string]string {
	t.Helper()

	dashboard := document[struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}](t, string(read(t, filepath.FromSlash("../../configs/grafana/toolevo.json"))))
	filled := strings.NewReplacer("$instance", ".*", "$__rate_interval", "10s")
	queries := map[string]string{}

	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			queries[filled.Replace(target.Expr)] = p.Title
		}
	}

	if len(queries) < 20 || slices.Contains(slices.Collect(maps.Keys(queries)), "") {
		t.Fatalf("%d queries", len(queries))
	}
	return queries
}

// series returns how many series a Prometheus answers a query with, 0 while it is not up.
func series(t *testing.T, address, query string) int {
	t.Helper()

	r, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return 0
	}
	defer r.Body.Close()

	var answer struct {
		Error string
		Data  struct{ Result []json.RawMessage }
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || answer.Error != "" {
		if r.StatusCode < http.StatusInternalServerError { // above, it is not ready
			t.Fatalf("%s: %v %s", query, err, answer.Error)
		}
		return 0
	}
	return len(answer.Data.Result)
}
