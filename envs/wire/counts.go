package wire

import "github.com/prometheus/client_golang/prometheus"

// NewCounter returns a counter with a label, and registers it for Prometheus.
func NewCounter(r *prometheus.Registry, name, help, label string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	r.MustRegister(c)
	return c
}

// Counts returns the counts of the counter of a name, by its label.
func Counts(r *prometheus.Registry, name string) map[string]int64 {
	counts := map[string]int64{}

	all, _ := r.Gather() // counters cannot fail
	for _, family := range all {
		if family.GetName() != name {
			continue
		}

		for _, m := range family.GetMetric() {
			counts[m.GetLabel()[0].GetValue()] = int64(m.GetCounter().GetValue())
		}
	}
	return counts
}
