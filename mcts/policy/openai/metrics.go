package openai

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Figure is one figure of a server's metrics.
type Figure struct {
	Value float64
	Known bool // the server tells it
}

// Metrics are the figures of vLLM that steer a run. Each is the sum over the server's engines and models, but for
// KVUsage, which is the fullest engine's.
type Metrics struct {
	Running Figure // sequences being decoded
	Waiting Figure // sequences in the queue
	KVUsage Figure // used part of the cache of keys and values, 0 to 1

	// Counters since the server started.
	Preemptions      Figure // sequences thrown out of a full cache, to be computed again
	PrefixQueries    Figure // tokens looked up in the prefix cache
	PrefixHits       Figure // tokens found there
	GenerationTokens Figure
}

// names are the metrics that feed each figure, newer names first: an older one counts only without the newer. Each may
// end in _total.
func (m *Metrics) names() map[*Figure][]string {
	return map[*Figure][]string{
		&m.Running:          {"vllm:num_requests_running"},
		&m.Waiting:          {"vllm:num_requests_waiting"},
		&m.KVUsage:          {"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"},
		&m.Preemptions:      {"vllm:num_preemptions"},
		&m.PrefixQueries:    {"vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"},
		&m.PrefixHits:       {"vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"},
		&m.GenerationTokens: {"vllm:generation_tokens"},
	}
}

// total ends the names of counters.
const total = "_total"

// parseMetrics reads the text format of Prometheus. Metrics that are not of interest are passed over unread; one of
// interest that cannot be read is an error, and one that is not a number is not known.
func parseMetrics(text []byte) (Metrics, error) {
	var m Metrics
	names := m.names()
	known := slices.Concat(slices.Collect(maps.Values(names))...)

	var ours strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name := line[:strings.IndexAny(line+" ", "{ \t")]

		if slices.Contains(known, strings.TrimSuffix(name, total)) {
			ours.WriteString(line + "\n")
		}
	}

	parser := expfmt.NewTextParser(model.LegacyValidation)

	families, err := parser.TextToMetricFamilies(strings.NewReader(ours.String()))
	if err != nil {
		return Metrics{}, fmt.Errorf("metrics: %w", err)
	}

	for figure, list := range names {
		for _, name := range list {
			if figure.Known {
				break
			}

			for _, sample := range slices.Concat(families[name].GetMetric(), families[name+total].GetMetric()) {
				figure.add(sample.GetUntyped().GetValue(), figure == &m.KVUsage)
			}
		}
	}

	return m, nil
}

// add adds a sample to the figure; of one that is not summed up, the largest sample counts.
func (f *Figure) add(value float64, largest bool) {
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return
	case largest:
		f.Value = max(f.Value, value)
	default:
		f.Value += value
	}

	f.Known = true
}
