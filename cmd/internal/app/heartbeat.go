package app

import (
	"log/slog"
	"time"

	"toolevo/envs/console"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
)

// beatEvery is how often the log of a run says how it is doing.
const beatEvery = time.Minute

// pulse is what a run reports in its log.
type pulse struct {
	log    *slog.Logger
	status func() console.Status
	spent  func() account.Total
	served func() map[string]server.Snapshot
}

// beat logs how a run is doing until stop is called, which waits for the last record.
func (p *pulse) beat() (stop func()) {
	clock := console.NewClock()
	return console.Every(beatEvery, func() { p.record(clock) })
}

// record logs how the run is doing now.
func (p *pulse) record(clock *console.Clock) {
	s, spent := p.status(), p.spent()

	var (
		faults int64
		load   server.Load
	)

	for _, counts := range p.served() {
		faults += counts.Failed()
		load.InFlight += counts.InFlight
		load.Waiting += counts.Load.Waiting
	}

	p.log.Info("the run goes on", "done", s.Done, "of", s.Total, "left", clock.ETA(s.Work),
		"progress", s.Text, "in_flight", load.InFlight, "waiting", load.Waiting, "faults", faults,
		"calls", spent.Calls, "prompt_tokens", spent.PromptTokens, "cached_tokens", spent.CachedTokens,
		"completion_tokens", spent.CompletionTokens, "cost", spent.Cost)
}
