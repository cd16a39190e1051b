package serving

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/server"
)

// served is what a policy on servers has counted when n seconds have passed, at a rate.
func served(seconds float64, in, out int64, gauges *server.Gauges) server.Snapshot {
	s := server.ServerSnapshot{Address: "a", Gauges: gauges}
	s.PromptTokens, s.CompletionTokens = int64(seconds*float64(in)), int64(seconds*float64(out))
	s.Limit, s.InFlight, s.Load.Waiting = 64, 60, 15
	s.Busy, s.Idle = time.Duration(seconds*60)*time.Second, time.Duration(seconds*4)*time.Second
	return server.Snapshot{Servers: []server.ServerSnapshot{s}}
}

func TestLoadText(t *testing.T) {
	t.Parallel()
	gauges := func(queried, hit int64) *server.Gauges {
		return &server.Gauges{Running: 64, Waiting: 12, PrefixQueried: queried, PrefixHit: hit}
	}
	cached := served(10, 400, 50, nil)
	cached.Servers[0].CachedTokens = 3000
	slots := served(10, 400, 50, nil)
	slots.Servers[0].Slots = 64
	one := served(10, 400, 50, nil)
	one.Servers = append(one.Servers, slots.Servers[0])
	two := served(10, 400, 50, nil)
	two.Servers = append(two.Servers, served(10, 100, 50, gauges(0, 0)).Servers[0])
	two.Servers[1].Address, two.Servers[1].Down = "b", true
	two.Servers[1].Since = time.Date(2026, 1, 1, 12, 34, 56, 0, time.UTC)

	huge := served(100_000, 987_654, 98_765, &server.Gauges{
		Running:       1024,
		Waiting:       256,
		PrefixQueried: 1e12,
		PrefixHit:     1e12,
	})
	for _, tt := range []struct {
		name   string
		before server.Snapshot
		now    server.Snapshot
		want   string
	}{
		{"a server that tells nothing", server.Snapshot{}, served(10, 400, 50, nil),
			"tok/s 400 in 50 out, 60 running 15 waiting"},
		{"a server with slots", server.Snapshot{}, slots,
			"tok/s 400 in 50 out, 60 running 15 waiting, idle 1s (6%)"},
		{"one of them", server.Snapshot{}, one,
			"tok/s 800 in 100 out, 120 running 30 waiting, idle 1s (6%)"},
		{"the server's own figures, and hits since the first look", served(0, 0, 0, gauges(5000, 0)),
			served(10, 141_234, 26_543, gauges(15000, 9700)),
			"tok/s 141k in 27k out, 64 running 12 waiting, 97% cached, idle 1s (6%)"},
		{"a server that began anew", served(0, 0, 0, gauges(5000, 5000)), served(10, 400, 50, gauges(1000, 500)),
			"tok/s 400 in 50 out, 64 running 12 waiting, 50% cached, idle 1s (6%)"},
		{"hits told with the replies", server.Snapshot{}, cached,
			"tok/s 400 in 50 out, 60 running 15 waiting, 75% cached"},
		{"a server that is away", server.Snapshot{}, two,
			"1 of 2 away since 12:34:56, tok/s 500 in 100 out, 124 running 27 waiting"},
		{"large figures", server.Snapshot{}, huge,
			"tok/s 9877M in 988M out, 1024 running 256 waiting, idle 2h (6%)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			m := &loadMeter{last: start.Add(-time.Second), first: map[string]server.Gauges{}}
			m.read(start, []server.Snapshot{tt.before})
			m.read(start.Add(10*time.Second), []server.Snapshot{tt.now})

			if diff := cmp.Diff(tt.want, m.text); diff != "" {
				t.Error(diff)
			}

			if n := utf8.RuneCountInString(m.text); n > 74 {
				t.Errorf("it takes %d columns", n)
			}
		})
	}
}
