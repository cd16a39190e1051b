package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/envtest/suitetest"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/simserver"
)

// A worker says what its servers did, serves their figures, and its log ends well where the run
// does.
func TestWorkerTells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, logFile := filepath.Join(dir, "run"), filepath.Join(dir, "worker.log")

	server, err := simserver.Start(simserver.Options{
		Policy: scripted.New(scripted.Profile{}, suitetest.Shop{}.Plans()), Model: "sim",
		MaxModelLen: 32768,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	joined, coordinated := make(chan struct{}), make(chan error, 1)
	organizer := &listener{said: func(text string) {
		if strings.HasPrefix(text, "Workers join") {
			close(joined)
		}
	}}

	job := app.CollectJob{RunJob: app.RunJob{
		Host: app.Host{Progress: organizer}, Data: dir, Out: out, Coordinate: &app.Coordination{
			Listen: "127.0.0.1:0", Patience: time.Minute,
		},
		Settings: app.Settings{}.With("suite", "shop", "prompt", "old", "api", "new", "policy",
			"openai:sim", "limit", "2", "search.trees", "1", "search.simulations", "2",
			"server.window", "32768", "server.shots", "0"),
	}}

	go func() {
		_, err := app.Collect(t.Context(), job)
		coordinated <- err
	}()

	select {
	case <-joined:
	case err := <-coordinated:
		t.Fatalf("the coordinator ended: %v", err)
	}

	// What is served while it works.
	var figures, health string

	worker := &listener{}
	worker.steps = func(what string) {
		if what == "Working" {
			address := worker.metrics()
			figures = page(t.Context(), address+"metrics")
			health = page(t.Context(), address+"healthz")
		}
	}

	host := app.Host{Progress: worker}
	servers := host.DefaultServers()
	servers.Addresses = server.URL()

	w, err := app.Work(t.Context(), app.WorkJob{
		Host: host, Join: out, Data: dir, Servers: servers, Metrics: "0",
		Log: console.Log{File: logFile, Level: "info"},
	})
	if err != nil || w.Units == 0 {
		t.Errorf("worked %+v, %v", w, err)
	}

	if err := <-coordinated; err != nil {
		t.Error(err)
	}

	said := worker.String()
	if !strings.Contains(said, "openai:sim: ") || !strings.Contains(said, " answered") {
		t.Errorf("it does not say what its servers did:\n%s", said)
	}

	for _, want := range []string{
		"toolevo_run_info{", "toolevo_server_requests_total{", "toolevo_model_calls_total 1",
	} {
		if !strings.Contains(figures, want) {
			t.Errorf("no %s in its figures, of %d bytes", want, len(figures))
		}
	}

	if !strings.HasPrefix(health, "ok") {
		t.Errorf("it is healthy: %s", health)
	}

	text, err := os.ReadFile(logFile)
	if err != nil || strings.Contains(string(text), "level=ERROR") {
		t.Errorf("its log has an error: %v\n%s", err, text)
	}
}

// page returns what a page has.
func page(ctx context.Context, url string) string {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}

	reply, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err.Error()
	}
	defer reply.Body.Close()

	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// listener keeps what a job says, and calls for it and its steps what is not nil. It implements
// [app.Progress].
type listener struct {
	said  func(text string)
	steps func(what string)

	mu  sync.Mutex
	all []string
}

func (l *listener) Say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)

	l.mu.Lock()
	l.all = append(l.all, text)
	l.mu.Unlock()

	if l.said != nil {
		l.said(text)
	}
}

func (l *listener) Step(what string) (done func()) {
	if l.steps != nil {
		l.steps(what)
	}
	return func() {}
}

func (*listener) Report(func() console.Status) (stop func()) { return func() {} }

// String returns all that was said.
func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// metrics returns the address that was said to serve them, with a slash behind.
func (l *listener) metrics() string {
	_, rest, _ := strings.Cut(l.String(), "Metrics: ")
	address, _, _ := strings.Cut(rest, "metrics,")
	return address
}
