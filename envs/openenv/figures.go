package openenv

import (
	"github.com/prometheus/client_golang/prometheus"

	"toolevo/envs/wire"
)

// figures are the metrics for Prometheus.
type figures struct {
	registry *prometheus.Registry
	sessions prometheus.Gauge
	episodes *prometheus.CounterVec
	turns    *prometheus.CounterVec
	errors   *prometheus.CounterVec
}

// The names of the counters.
const (
	episodesMetric = "toolevo_env_episodes_total"
	turnsMetric    = "toolevo_env_turns_total"
	errorsMetric   = "toolevo_env_errors_total"
)

func newFigures() *figures {
	r := prometheus.NewRegistry()
	f := &figures{
		registry: r,
		sessions: prometheus.NewGauge(prometheus.GaugeOpts{Name: "toolevo_env_sessions", Help: "Open sessions."}),
		episodes: wire.NewCounter(r, episodesMetric,
			"Episodes that are over: correct, incorrect or unanswered.", "end"),
		turns:  wire.NewCounter(r, turnsMetric, "Turns by outcome.", "outcome"),
		errors: wire.NewCounter(r, errorsMetric, "Messages that were answered with an error, by its code.", "code"),
	}
	r.MustRegister(f.sessions)

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
	r := s.figures.registry
	return Counts{wire.Counts(r, episodesMetric), wire.Counts(r, turnsMetric), wire.Counts(r, errorsMetric)}
}
