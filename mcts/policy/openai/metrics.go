package openai

import (
	"fmt"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"toolevo/mcts/policy/server"
)

// The metrics of vLLM that steer a run, newer names first: an older one is read only if the newer
// is missing. Each may end in _total.
var (
	runningNames    = []string{"vllm:num_requests_running"}
	waitingNames    = []string{"vllm:num_requests_waiting"}
	cacheNames      = []string{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}
	preemptionNames = []string{"vllm:num_preemptions"}
	queriedNames    = []string{"vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"}
	hitNames        = []string{"vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"}

	metricNames = slices.Concat(runningNames, waitingNames, cacheNames, preemptionNames, queriedNames, hitNames)
)

// total ends the names of counters.
const total = "_total"

// parseMetrics reads the text format of Prometheus; ok is false if it does not say how many
// sequences run and wait. Other metrics are skipped unread; one of metricNames that cannot be read
// is an error, and one that is not a number is unknown.
func parseMetrics(text []byte) (g server.Gauges, ok bool, err error) {
	var ours strings.Builder

	// Only what is needed is parsed, because this is read up to four times a second. Without the
	// lines of types every metric is untyped, which values relies on.
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name := line[:strings.IndexAny(line+" ", "{ \t")]

		if slices.Contains(metricNames, strings.TrimSuffix(name, total)) {
			ours.WriteString(line + "\n")
		}
	}

	parser := expfmt.NewTextParser(model.LegacyValidation)

	all, err := parser.TextToMetricFamilies(strings.NewReader(ours.String()))
	if err != nil {
		return g, false, fmt.Errorf("metrics: %w", err)
	}

	// Sums, because a server with several engines reports each by itself.
	running, runs := sum(all, runningNames)
	waiting, waits := sum(all, waitingNames)
	preempted, _ := sum(all, preemptionNames)
	queried, looks := sum(all, queriedNames)
	hit, finds := sum(all, hitNames)

	g = server.Gauges{
		Running:       int(running),
		Waiting:       int(waiting),
		Preemptions:   int64(preempted),
		PrefixCounted: looks && finds,
		PrefixQueried: int64(queried),
		PrefixHit:     int64(hit),
	}
	// The fullest engine is the one that has to put sequences aside.
	for _, usage := range values(all, cacheNames) {
		g.KVUsage = max(g.KVUsage, usage)
	}

	return g, runs && waits, nil
}

// sum adds up a metric over the server's engines and models.
func sum(all map[string]*dto.MetricFamily, names []string) (sum float64, known bool) {
	list := values(all, names)
	for _, value := range list {
		sum += value
	}
	return sum, len(list) > 0
}

// values returns those of the first name that has any.
func values(all map[string]*dto.MetricFamily, names []string) (list []float64) {
	for _, name := range names {
		for _, sample := range slices.Concat(all[name].GetMetric(), all[name+total].GetMetric()) {
			if value := sample.GetUntyped().GetValue(); !math.IsNaN(value) && !math.IsInf(value, 0) {
				list = append(list, value)
			}
		}

		if len(list) > 0 {
			break
		}
	}
	return list
}
