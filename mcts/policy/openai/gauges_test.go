package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"toolevo/mcts/policy/server"
)

var _ server.Observer = (*Backend)(nil)

func TestGauges(t *testing.T) {
	const text = `vllm:num_requests_running{model_name="m"} 3
vllm:num_requests_waiting{model_name="m"} 2
vllm:kv_cache_usage_perc{model_name="m"} 0.25
vllm:num_preemptions_total{model_name="m"} 7
vllm:prefix_cache_queries_total{model_name="m"} 1000
vllm:prefix_cache_hits_total{model_name="m"} 900
`
	for _, test := range []struct {
		name, body string
		status     int
		want       server.Gauges
		ok         bool
	}{
		{"vLLM", text, 200, server.Gauges{Running: 3, Waiting: 2, KVUsage: 0.25, Preemptions: 7, PrefixQueried: 1000, PrefixHit: 900}, true},
		{"another server's metrics", "go_goroutines 12\n", 200, server.Gauges{}, false},
		{"no metrics", "not found", 404, server.Gauges{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			defer s.Close()
			b, err := New(Options{BaseURL: s.URL + "/v1", Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if got, ok := b.Gauges(context.Background()); got != test.want || ok != test.ok {
				t.Errorf("%+v %v, want %+v %v", got, ok, test.want, test.ok)
			}
		})
	}
}
