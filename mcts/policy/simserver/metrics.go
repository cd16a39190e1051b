package simserver

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// labels are those of every metric.
func (o *Options) labels() prometheus.Labels {
	return prometheus.Labels{"engine": "0", "model_name": o.served()}
}

// Describe implements [prometheus.Collector]: what is collected describes itself.
func (e *engine) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]: the engine's figures under vLLM's names.
func (e *engine) Collect(metrics chan<- prometheus.Metric) {
	// Read at one moment, so that they fit together; the channel below may block.
	e.mu.Lock()
	f, running, waiting, kv := e.figures, len(e.running), len(e.waiting), e.kv
	e.mu.Unlock()

	// A sequence that is too large for the memory runs alone, and so exceeds it.
	usage := 0.0
	if e.o.KVTokens > 0 {
		usage = min(1, float64(kv)/float64(e.o.KVTokens))
	}

	// No sequence is ever preempted: they reserve their memory before they start.
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"num_requests_running", "Number of requests in model execution batches.", float64(running)},
		{"num_requests_waiting", "Number of requests waiting to be processed.", float64(waiting)},
		{"kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", usage},
		{"num_preemptions_total", "Cumulative number of preemption from the engine.", 0},
		{"prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.",
			float64(f.QueriedTokens)},
		{"prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.",
			float64(f.HitTokens)},
		{"generation_tokens_total", "Number of generation tokens processed.", float64(f.CompletionTokens)},
	} {
		kind, labels := prometheus.GaugeValue, e.o.labels()
		if strings.HasSuffix(m.name, "_total") {
			kind = prometheus.CounterValue
		}

		desc := prometheus.NewDesc("vllm:"+m.name, m.help, nil, labels)
		metrics <- prometheus.MustNewConstMetric(desc, kind, m.value)
	}
}
