package openenv

import (
	"github.com/prometheus/client_golang/prometheus"
)

// figures are what Prometheus is told.
type figures struct {
	registry *prometheus.Registry
	sessions prometheus.Gauge
	episodes *prometheus.CounterVec
	turns    *prometheus.CounterVec
	errors   *prometheus.CounterVec
}

func newFigures() *figures {
	counter := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "toolevo_env_" + name + "_total", Help: help},
			[]string{label})
	}
	f := &figures{
		registry: prometheus.NewRegistry(),
		sessions: prometheus.NewGauge(prometheus.GaugeOpts{Name: "toolevo_env_sessions", Help: "Open sessions."}),
		episodes: counter("episodes", "Episodes that are over: correct, incorrect or unanswered.", "end"),
		turns:    counter("turns", "Turns by outcome.", "outcome"),
		errors:   counter("errors", "Messages that were answered with an error, by its code.", "code"),
	}
	f.registry.MustRegister(f.sessions, f.episodes, f.turns, f.errors)

	return f
}

// count counts an episode that is over.
func (f *figures) count(e *episode) {
	end := "unanswered"

	if n := len(e.turns); n > 0 && e.turns[n-1].Turn.Outcome.Ends() {
		end = e.turns[n-1].Turn.Outcome.String()
	}

	f.episodes.WithLabelValues(end).Inc()
}

// Counts is how a server was used.
type Counts struct {
	Episodes map[string]int64 `json:"episodes"` // that are over, by how they ended: correct, incorrect or unanswered
	Turns    map[string]int64 `json:"turns"`    // by outcome
	Errors   map[string]int64 `json:"errors"`   // that clients were answered with, by code
}

// Counts returns how the server was used so far.
func (s *Server) Counts() Counts {
	counts := map[string]map[string]int64{}

	all, _ := s.figures.registry.Gather() // it holds nothing that can fail
	for _, family := range all {
		by := map[string]int64{}

		for _, m := range family.GetMetric() {
			if labels := m.GetLabel(); len(labels) > 0 {
				by[labels[0].GetValue()] = int64(m.GetCounter().GetValue())
			}
		}

		counts[family.GetName()] = by
	}

	return Counts{
		Episodes: orEmpty(counts["toolevo_env_episodes_total"]), Turns: orEmpty(counts["toolevo_env_turns_total"]),
		Errors: orEmpty(counts["toolevo_env_errors_total"]),
	}
}

// orEmpty is a map that is not nil.
func orEmpty(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}

	return m
}
