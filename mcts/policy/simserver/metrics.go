package simserver

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// bounds are the upper ends of a histogram's buckets in seconds, those of vLLM's latency histograms.
var bounds = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}

// labels are those of every metric.
func (o *Options) labels() prometheus.Labels {
	return prometheus.Labels{"engine": "0", "model_name": o.served()}
}

func (o *Options) histogram(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "vllm:" + name, Help: help, ConstLabels: o.labels(), Buckets: bounds,
	})
}

// Describe implements [prometheus.Collector]: what is collected describes itself.
func (e *engine) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]: the engine's figures under vLLM's names.
func (e *engine) Collect(metrics chan<- prometheus.Metric) {
	e.mu.Lock()
	f, running, waiting, kv := e.figures, len(e.running), len(e.waiting), e.kv
	e.mu.Unlock()

	usage := 0.0
	if e.o.KVTokens > 0 {
		usage = min(1, float64(kv)/float64(e.o.KVTokens))
	}

	const successes = "Count of successfully processed requests."

	for _, m := range []struct {
		name, help string
		value      float64
		reason     string // why requests ended, "" of a metric that does not tell
	}{
		{"num_requests_running", "Number of requests in model execution batches.", float64(running), ""},
		{"num_requests_waiting", "Number of requests waiting to be processed.", float64(waiting), ""},
		{"kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", usage, ""},
		{"num_preemptions_total", "Cumulative number of preemption from the engine.", 0, ""},
		{"prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.",
			float64(f.QueriedTokens), ""},
		{"prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.",
			float64(f.HitTokens), ""},
		{"prompt_tokens_total", "Number of prefill tokens processed.", float64(f.PromptTokens), ""},
		{"prompt_tokens_cached_total", "Number of prompt tokens found in the prefix cache.",
			float64(f.HitTokens), ""},
		{"generation_tokens_total", "Number of generation tokens processed.", float64(f.CompletionTokens), ""},
		{"admission_rejections_total", "Number of requests refused because the queue was full.",
			float64(f.Rejected), ""},
		{"request_success_total", successes, float64(f.Completed - f.cutShort), "stop"},
		{"request_success_total", successes, float64(f.cutShort), "length"},
		{"request_success_total", successes, float64(f.Aborted), "abort"},
	} {
		kind, labels := prometheus.GaugeValue, e.o.labels()
		if strings.HasSuffix(m.name, "_total") {
			kind = prometheus.CounterValue
		}

		if m.reason != "" {
			labels["finished_reason"] = m.reason
		}

		desc := prometheus.NewDesc("vllm:"+m.name, m.help, nil, labels)
		metrics <- prometheus.MustNewConstMetric(desc, kind, m.value)
	}

	f.latency.Collect(metrics)
	f.queue.Collect(metrics)
}
