package openai

import (
	"context"

	"toolevo/mcts/policy/server"
)

// Gauges implements server.Observer: what vLLM's /metrics says of its load. A server without it has no gauges.
func (b *Backend) Gauges(ctx context.Context) (server.Gauges, bool) {
	m, err := b.Metrics(ctx)
	if err != nil || !m.Running.Known || !m.Waiting.Known {
		return server.Gauges{}, false
	}

	return server.Gauges{
		Running:       int(m.Running.Value),
		Waiting:       int(m.Waiting.Value),
		KVUsage:       m.KVUsage.Value,
		Preemptions:   int64(m.Preemptions.Value),
		PrefixQueried: int64(m.PrefixQueries.Value),
		PrefixHit:     int64(m.PrefixHits.Value),
	}, true
}
