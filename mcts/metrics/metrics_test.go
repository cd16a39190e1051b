package metrics

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"toolevo/envs/wire"
	"toolevo/mcts/collect"
	"toolevo/mcts/policy/server"
)

// oneServer is a policy on one server.
func oneServer(down bool) func() map[string]server.Snapshot {
	one := server.ServerSnapshot{Address: "http://gpu:8000/v1", Down: down, Faults: map[string]int64{"HTTP 503": 2}}
	one.Requests, one.Answered, one.CompletionTokens, one.Busy = 7, 5, 900, 90*time.Second
	return func() map[string]server.Snapshot {
		return map[string]server.Snapshot{"openai:m": {Servers: []server.ServerSnapshot{one}}}
	}
}

func figures() []prometheus.Collector {
	return []prometheus.Collector{
		Run("r1", "collect", "1.0"),
		Collection(func() collect.Snapshot { return collect.Snapshot{Questions: 9, Solved: 4, Asked: 70} }),
		Evaluation(func() Episodes { return Episodes{Planned: 8, Done: 3, Replayed: 1} }),
		Servers(oneServer(false)),
	}
}

// The figures have the names and values that dashboards ask for, and Prometheus' linter has nothing
// to say.
func TestFigures(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(figures()...)

	want := `
# HELP toolevo_collect_calls_total Calls to the model.
# TYPE toolevo_collect_calls_total counter
toolevo_collect_calls_total 70
# HELP toolevo_collect_questions_solved Questions with an accepted trajectory.
# TYPE toolevo_collect_questions_solved gauge
toolevo_collect_questions_solved 4
# HELP toolevo_eval_episodes_done Episodes that are over, or were lost.
# TYPE toolevo_eval_episodes_done gauge
toolevo_eval_episodes_done 3
# HELP toolevo_run_info Always 1; the labels say which run it is, and of which version.
# TYPE toolevo_run_info gauge
toolevo_run_info{kind="collect",run_id="r1",version="1.0"} 1
# HELP toolevo_server_faults_total Requests that failed, by what was seen.
# TYPE toolevo_server_faults_total counter
toolevo_server_faults_total{cause="HTTP 503",policy="openai:m",server="http://gpu:8000/v1"} 2
# HELP toolevo_server_slot_busy_seconds_total Slot-time in use: sequences in flight times seconds.
# TYPE toolevo_server_slot_busy_seconds_total counter
toolevo_server_slot_busy_seconds_total{policy="openai:m",server="http://gpu:8000/v1"} 90
# HELP toolevo_server_up 1 while the server answers, 0 while it is away.
# TYPE toolevo_server_up gauge
toolevo_server_up{policy="openai:m",server="http://gpu:8000/v1"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "toolevo_collect_calls_total",
		"toolevo_collect_questions_solved", "toolevo_eval_episodes_done", "toolevo_run_info",
		"toolevo_server_faults_total", "toolevo_server_slot_busy_seconds_total", "toolevo_server_up"); err != nil {
		t.Error(err)
	}

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}

	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

// Work that is not seen to go on for longer than the patience is unhealthy, and so are servers that
// are all away.
func TestHealth(t *testing.T) {
	t.Parallel()
	work, start := int64(5), time.Now()
	h := &Health{Work: func() int64 { return work }, Policies: oneServer(false), Patience: time.Minute}

	for _, step := range []struct {
		at   time.Duration
		work int64
		well bool
	}{
		{10 * time.Minute, 5, true}, // the first question, however late
		{11 * time.Minute, 5, true},
		{12 * time.Minute, 5, false},
		{13 * time.Minute, 6, true},
		{14 * time.Minute, 6, true},
		{15 * time.Minute, 6, false},
	} {
		work = step.work
		if err := h.check(start.Add(step.at)); (err == nil) != step.well {
			t.Errorf("after %v: %v", step.at, err)
		}
	}

	away := &Health{Work: h.Work, Policies: oneServer(true), Patience: time.Minute}
	if err := away.check(start); err == nil || !strings.Contains(err.Error(), "away") {
		t.Errorf("%v", err)
	}
}

// get returns the code and the text of a page.
func get(t *testing.T, s *Server, page string) (int, string) {
	t.Helper()

	r, err := http.Get("http://" + s.Address() + page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()

	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func TestServer(t *testing.T) {
	t.Parallel()

	s, err := Start("0", "")
	if err != nil {
		t.Fatal(err)
	}

	if code, text := get(t, s, "/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("before the work: %d %s", code, text)
	}

	h := &Health{Work: func() int64 { return 0 }, Policies: oneServer(true), Patience: time.Minute}
	if err := s.Watch(h, figures()...); err != nil {
		t.Fatal(err)
	}

	if code, text := get(t, s, "/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "away") {
		t.Errorf("%d %s", code, text)
	}

	_, text := get(t, s, "/metrics")
	for _, want := range []string{"\ntoolevo_collect_questions 9\n", "\ngo_goroutines ", "\nprocess_open_fds "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	if code, _ := get(t, s, "/"); code != http.StatusNotFound {
		t.Errorf("/ has code %d", code)
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Without a host it is this machine alone that is served, and an address that is taken or makes no
// sense is an error.
func TestAddresses(t *testing.T) {
	t.Parallel()

	for _, address := range []string{"0", ":0", "127.0.0.1:0", "localhost:0"} {
		s, err := Start(address, "")
		if err != nil {
			t.Fatal(err)
		}

		host, port, _ := net.SplitHostPort(s.Address())
		if ip := net.ParseIP(host); !ip.IsLoopback() {
			t.Errorf("%q listens on %s", address, host)
		}

		if _, err := Start(port, ""); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("a port in use: %v", err)
		}

		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}

	if s, err := Start("0.0.0.0:0", ""); !errors.Is(err, wire.ErrOpen) {
		t.Errorf("without a key others are served: %v, %v", s, err)
	}

	s, err := Start("0.0.0.0:0", "secret")
	if err != nil {
		t.Fatal(err)
	}

	_, port, _ := net.SplitHostPort(s.Address())
	for path, want := range map[string]int{"/metrics": http.StatusUnauthorized, "/healthz": http.StatusOK} {
		reply, err := http.Get("http://127.0.0.1:" + port + path)
		if err != nil {
			t.Fatal(err)
		}

		if reply.Body.Close(); reply.StatusCode != want {
			t.Errorf("%s is answered %d without the key, want %d", path, reply.StatusCode, want)
		}
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}

	for _, address := range []string{"", ":", "host:", "1:2:3", "port", "99999", fmt.Sprint(-1)} {
		if s, err := Start(address, ""); err == nil {
			t.Errorf("%q is taken", address)
			s.Close()
		}
	}
}
