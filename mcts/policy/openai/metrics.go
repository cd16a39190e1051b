package openai

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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

// field is the figure that a metric feeds; rank tells names for the same figure apart, the newest having the highest.
func (m *Metrics) field(name string) (f *Figure, rank int) {
	switch strings.TrimSuffix(name, "_total") {
	case "vllm:num_requests_running":
		return &m.Running, 1
	case "vllm:num_requests_waiting":
		return &m.Waiting, 1
	case "vllm:kv_cache_usage_perc":
		return &m.KVUsage, 2
	case "vllm:gpu_cache_usage_perc":
		return &m.KVUsage, 1
	case "vllm:num_preemptions":
		return &m.Preemptions, 1
	case "vllm:prefix_cache_queries":
		return &m.PrefixQueries, 2
	case "vllm:gpu_prefix_cache_queries":
		return &m.PrefixQueries, 1
	case "vllm:generation_tokens":
		return &m.GenerationTokens, 1
	case "vllm:prefix_cache_hits":
		return &m.PrefixHits, 2
	case "vllm:gpu_prefix_cache_hits":
		return &m.PrefixHits, 1
	}

	return nil, 0
}

// ParseMetrics reads the text format of Prometheus. Metrics that are not of interest are passed over unread; one of
// interest that cannot be read is an error, and one that is not a number is not known.
func ParseMetrics(text []byte) (Metrics, error) {
	var m Metrics
	ranks := map[*Figure]int{}

	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)

		name := line
		if end := strings.IndexAny(line, "{ \t"); end >= 0 {
			name = line[:end]
		}

		f, rank := m.field(name)
		if f == nil || rank < ranks[f] {
			continue
		}

		value, err := sampleValue(line[len(name):])
		if err != nil {
			return Metrics{}, fmt.Errorf("metrics, line %d, %s: %w", number, name, err)
		}

		if math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}

		if rank > ranks[f] {
			*f, ranks[f] = Figure{}, rank
		}

		switch {
		case f == &m.KVUsage:
			f.Value = max(f.Value, value)
		default:
			f.Value += value
		}

		f.Known = true
	}

	return m, nil
}

// sampleValue reads what follows a metric's name: labels in braces or none, the value, and perhaps a time.
func sampleValue(rest string) (float64, error) {
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "{") {
		end := labelsEnd(rest)
		if end < 0 {
			return 0, fmt.Errorf("labels without an end")
		}

		rest = rest[end:]
	}

	fields := strings.Fields(rest)
	if len(fields) < 1 || len(fields) > 2 {
		return 0, fmt.Errorf("%d fields where a value and perhaps a time stand", len(fields))
	}

	value, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		return 0, fmt.Errorf("the value: %w", err)
	}

	return value, nil
}

// labelsEnd is the index behind the closing brace of labels that begin at 0; -1 when there is none. A brace inside a
// quoted value, where a backslash escapes, closes nothing.
func labelsEnd(text string) int {
	quoted := false

	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && text[i] == '}':
			return i + 1
		}
	}

	return -1
}
