package openai

import (
	"testing"

	"toolevo/mcts/policy/internal/wiretest"
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
		{"vLLM", text, 200, server.Gauges{
			Running:       3,
			Waiting:       2,
			KVUsage:       0.25,
			Preemptions:   7,
			PrefixCounted: true,
			PrefixQueried: 1000,
			PrefixHit:     900,
		}, true},
		{"another server's metrics", "go_goroutines 12\n", 200, server.Gauges{}, false},
		{"no metrics", "not found", 404, server.Gauges{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := backend(t, wiretest.Serve(t, wiretest.Answers(test.status, test.body)))
			if got, ok := b.Gauges(t.Context()); got != test.want || ok != test.ok {
				t.Errorf("%+v %v, want %+v %v", got, ok, test.want, test.ok)
			}
		})
	}
}
