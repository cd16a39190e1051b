package serve

import "github.com/prometheus/client_golang/prometheus"

// figures are what Prometheus is told.
type figures struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
}

func newFigures() *figures {
	f := &figures{prometheus.NewRegistry(), prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "toolevo_served_calls_total",
		Help: "Requests by what became of them: an outcome, refused (no call), or failed (our failure).",
	}, []string{"outcome"})}
	f.registry.MustRegister(f.calls)

	return f
}

func (f *figures) count(outcome string) { f.calls.WithLabelValues(outcome).Inc() }

// Counts returns how many requests had each outcome.
func (s *Server) Counts() map[string]int64 {
	counts := map[string]int64{}

	all, err := s.figures.registry.Gather()
	if err != nil {
		return counts // it holds nothing that can fail
	}

	for _, family := range all {
		for _, m := range family.GetMetric() {
			counts[m.GetLabel()[0].GetValue()] = int64(m.GetCounter().GetValue())
		}
	}

	return counts
}
