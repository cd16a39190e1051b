package openai

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// routes is a server of documents; other paths are 404.
func routes(documents map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := documents[r.URL.Path]
		if !ok {
			wiretest.Answers(404, `{"detail":"Not Found"}`)(w, r)
			return
		}

		wiretest.Answers(200, body)(w, r)
	}
}

func TestStatus(t *testing.T) {
	metrics, err := os.ReadFile("testdata/vllm.prom")
	if err != nil {
		t.Fatal(err)
	}

	f := wiretest.Serve(t, routes(map[string]string{
		"/proxy/v1/models": `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm","root":"/models/m","parent":null,"max_model_len":512}]}`,
		"/proxy/version":   `{"version":"0.32.0"}`,
		"/proxy/metrics":   string(metrics),
	}))
	b := backend(t, f, func(o *Options) { o.URL, o.APIKey = f.URL+"/proxy/v1", "keyword" })

	models, err := b.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	want := []Model{{ID: "m", OwnedBy: "vllm", Root: "/models/m", MaxModelLen: 512}}
	if diff := cmp.Diff(want, models); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}

	if version, err := b.Version(t.Context()); version != "0.32.0" || err != nil {
		t.Errorf("version %q, %v", version, err)
	}

	if g, ok := b.Gauges(t.Context()); !ok {
		t.Errorf("gauges %+v", g)
	}

	for _, r := range f.Received() {
		if r.Header.Get("Authorization") != "Bearer keyword" {
			t.Errorf("%s went without the key", r.Path)
		}
	}
}

// TestPlainStatus is a server that has only what the protocol asks for.
func TestPlainStatus(t *testing.T) {
	b := backend(t, wiretest.Serve(t, routes(map[string]string{"/v1/models": `{"data":[]}`})))
	if version, err := b.Version(t.Context()); version != "" || err != nil {
		t.Errorf("version %q, %v", version, err)
	}

	if g, ok, err := b.metrics(t.Context()); ok || err != nil {
		t.Errorf("metrics %+v, %v", g, err)
	}
}

// TestSickStatus is a server that is down behind its gateway.
func TestSickStatus(t *testing.T) {
	b := backend(t, wiretest.Serve(t, wiretest.Answers(503, "starting")))

	calls := map[string]func() error{
		"version": func() error { _, err := b.Version(t.Context()); return err },
		"models":  func() error { _, err := b.Models(t.Context()); return err },
		"metrics": func() error { _, _, err := b.metrics(t.Context()); return err },
	}
	for name, call := range calls {
		if fault := wiretest.FaultOf(t, call()); fault.Kind != server.Transient || fault.Message != "starting" {
			t.Errorf("%s: %v", name, fault)
		}
	}

	b = backend(t, wiretest.Serve(t, wiretest.Answers(200, "vllm:num_requests_running x\n")))
	for _, name := range []string{"models", "metrics"} {
		if fault := wiretest.FaultOf(t, calls[name]()); fault.Kind != server.Transient {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

func TestParseMetrics(t *testing.T) {
	current, err := os.ReadFile("testdata/vllm.prom")
	if err != nil {
		t.Fatal(err)
	}

	const idle = "\nvllm:num_requests_running 0\nvllm:num_requests_waiting 0\n"

	tests := []struct {
		name, text string
		want       server.Gauges
		ok         bool
	}{
		{"nothing", "", server.Gauges{}, false},
		{"another program's", "# HELP go_goroutines x\ngo_goroutines 9\nbroken{ line\n", server.Gauges{}, false},
		{"current, two engines", string(current), server.Gauges{
			Running: 12, Waiting: 3, KVUsage: 0.75, Preemptions: 2,
			PrefixCounted: true, PrefixQueried: 4000, PrefixHit: 3200,
		}, true},
		{"before 0.10", "vllm:gpu_cache_usage_perc{model_name=\"m\"} 0.5\nvllm:gpu_prefix_cache_queries_total " +
			"8\nvllm:gpu_prefix_cache_hits_total 4" + idle,
			server.Gauges{KVUsage: 0.5, PrefixCounted: true, PrefixQueried: 8, PrefixHit: 4}, true},
		{"both names", "vllm:gpu_cache_usage_perc 0.9\nvllm:kv_cache_usage_perc 0.5\nvllm:gpu_cache_usage_perc 0.8",
			server.Gauges{KVUsage: 0.5}, false},
		{"labels with braces and quotes, and a time",
			`vllm:num_requests_running{model_name="a}\"b\\",x=""} 1 1700000000000` + "\r\n",
			server.Gauges{Running: 1}, false},
		{"not numbers", "vllm:num_requests_running NaN\nvllm:num_requests_waiting +Inf\n", server.Gauges{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := parseMetrics([]byte(tt.text))
			if got != tt.want || ok != tt.ok || err != nil {
				t.Errorf("%+v %v %v, want %+v", got, ok, err, tt.want)
			}
		})
	}

	for _, text := range []string{"vllm:num_requests_running", "vllm:num_requests_running x",
		`vllm:num_requests_running{a="b 1`,
		"vllm:num_requests_running 1 2 3"} {
		if m, _, err := parseMetrics([]byte(text)); err == nil {
			t.Errorf("%q is %+v, want an error", text, m)
		}
	}
}

func FuzzParseMetrics(f *testing.F) {
	text, err := os.ReadFile("testdata/vllm.prom")
	if err != nil {
		f.Fatal(err)
	}

	f.Add(string(text))
	f.Add(`vllm:num_requests_running{a="\` + "\nvllm:kv_cache_usage_perc{} 1e400")
	f.Fuzz(func(t *testing.T, text string) {
		m, _, err := parseMetrics([]byte(text))
		if err != nil {
			return
		}

		// Lines of others change nothing.
		again, _, err := parseMetrics(fmt.Appendf(nil, "# TYPE x counter\nx{y=\"z\"} 1\n%s\nx 2\n", text))
		if err != nil || again != m {
			t.Fatalf("%+v among other lines is %+v, %v", m, again, err)
		}
	})
}
