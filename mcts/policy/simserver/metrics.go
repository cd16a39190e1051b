package simserver

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// bounds are the upper ends of a histogram's buckets in seconds, those of vLLM's latency histograms.
var bounds = [...]float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}

// histogram counts durations.
type histogram struct {
	counts [len(bounds)]int // at most the bound
	n      int
	sum    float64
}

func (h *histogram) observe(d time.Duration) {
	seconds := d.Seconds()
	h.n++

	h.sum += seconds
	for i, b := range bounds {
		if seconds <= b {
			h.counts[i]++
		}
	}
}

// metrics writes the engine's figures under vLLM's names in the Prometheus text format.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	e := s.engine
	e.mu.Lock()
	f := e.figures
	running, waiting, kv := len(e.running), len(e.waiting), e.kv
	e.mu.Unlock()

	usage, hits := 0.0, float64(f.HitTokens)
	if s.o.KVTokens > 0 {
		usage = min(1, float64(kv)/float64(s.o.KVTokens))
	}

	m := metricsText{labels: fmt.Sprintf("engine=\"0\",model_name=%q", s.o.served())}
	m.value("num_requests_running", "gauge", "Number of requests in model execution batches.", float64(running))
	m.value("num_requests_waiting", "gauge", "Number of requests waiting to be processed.", float64(waiting))
	m.value("kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", usage)
	m.value("num_preemptions", "counter", "Cumulative number of preemption from the engine.", 0)
	m.value("prefix_cache_queries", "counter", "Prefix cache queries, in terms of number of queried tokens.",
		float64(f.QueriedTokens))
	m.value("prefix_cache_hits", "counter", "Prefix cache hits, in terms of number of cached tokens.", hits)
	m.value("prompt_tokens", "counter", "Number of prefill tokens processed.", float64(f.PromptTokens))
	m.value("prompt_tokens_cached", "counter", "Number of prompt tokens found in the prefix cache.", hits)
	m.value("generation_tokens", "counter", "Number of generation tokens processed.", float64(f.CompletionTokens))
	m.value("admission_rejections", "counter", "Number of requests refused because the queue was full.",
		float64(f.Rejected))
	m.head("request_success", "counter", "Count of successfully processed requests.")
	fmt.Fprintf(&m.b, "vllm:request_success_total{%s,finished_reason=\"stop\"} %d\n", m.labels, f.Completed-f.cutShort)
	fmt.Fprintf(&m.b, "vllm:request_success_total{%s,finished_reason=\"length\"} %d\n", m.labels, f.cutShort)
	fmt.Fprintf(&m.b, "vllm:request_success_total{%s,finished_reason=\"abort\"} %d\n", m.labels, f.Aborted)
	m.histogram("e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", &f.latency)
	m.histogram("request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", &f.queue)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(m.b.Bytes())
}

// metricsText is a page of metrics while it is written.
type metricsText struct {
	b      bytes.Buffer
	labels string
}

func (m *metricsText) head(name, kind, help string) {
	suffix := ""
	if kind == "counter" {
		suffix = "_total"
	}

	fmt.Fprintf(&m.b, "# HELP vllm:%s%s %s\n# TYPE vllm:%s%s %s\n", name, suffix, help, name, suffix, kind)
}

func (m *metricsText) value(name, kind, help string, v float64) {
	m.head(name, kind, help)

	if kind == "counter" {
		name += "_total"
	}

	fmt.Fprintf(&m.b, "vllm:%s{%s} %v\n", name, m.labels, v)
}

func (m *metricsText) histogram(name, help string, h *histogram) {
	m.head(name, "histogram", help)

	for i, b := range bounds {
		fmt.Fprintf(&m.b, "vllm:%s_bucket{%s,le=\"%v\"} %d\n", name, m.labels, b, h.counts[i])
	}

	fmt.Fprintf(&m.b, "vllm:%s_bucket{%s,le=\"+Inf\"} %d\n", name, m.labels, h.n)
	fmt.Fprintf(&m.b, "vllm:%s_sum{%s} %v\nvllm:%s_count{%s} %d\n", name, m.labels, h.sum, name, m.labels, h.n)
}
