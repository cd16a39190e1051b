package app

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"toolevo/envs/console"
	"toolevo/envs/wire"
	"toolevo/mcts/metrics"
	"toolevo/mcts/store"
)

// MetricsKeyVariable holds the key that readers of metrics send.
const MetricsKeyVariable = "TOOLEVO_METRICS_KEY"

// serveMetrics serves the metrics of the run to come, if asked to, until the Bench is closed.
func (j *RunJob) serveMetrics(b *Bench) error {
	if j.Metrics == "" {
		return nil
	}

	s, err := metrics.Start(j.Metrics, j.Lookup(MetricsKeyVariable))
	if errors.Is(err, wire.ErrOpen) {
		return console.Usage("‹metrics›: %w: set %s, which Prometheus then has to send", err,
			MetricsKeyVariable)
	} else if err != nil {
		return console.Usage("‹metrics›: %w\nChoose another port, or 0 for any that is free", err)
	}

	b.metrics = s
	j.Say("Metrics: http://%s/metrics, health: http://%[1]s/healthz", s.Address())
	return nil
}

// publish serves the figures of a run. It is healthy as long as work is done, or servers answer.
func (j *RunJob) publish(b *Bench, run *store.Run, w followed) error {
	if b.metrics == nil {
		return nil
	}

	m := run.Manifest
	work := func() int64 { return w.work(b) }
	all := []prometheus.Collector{
		metrics.Run(m.ID, m.Kind, Software()), metrics.Servers(b.Snapshots),
		metrics.Spent(j.Servers.Account.Pass),
	}
	if w.figures != nil {
		all = append(all, w.figures)
	}

	if w.workers != nil {
		all = append(all, metrics.Workers(w.workers.Status))
	}
	return b.metrics.Watch(&metrics.Health{Work: work, Policies: b.Snapshots, Patience: b.Servers.Timeout}, all...)
}

// work grows with everything that is done.
func (w *followed) work(b *Bench) int64 {
	sum := w.done()
	for _, s := range b.Snapshots() {
		sum += s.Answered
	}

	// A unit that workers do takes long, and they append to its log all along.
	if w.workers != nil {
		sum += int64(w.workers.Counts().Messages)
	}
	return sum
}
