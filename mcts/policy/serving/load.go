package serving

import (
	"fmt"
	"strings"
	"time"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// Room returns how many more lanes the servers could serve if each call draws that number of
// samples; nil without servers, where no lane has to wait.
func (m *Models) Room() func(samples int) int {
	if len(m.open) == 0 {
		return nil
	}
	return func(samples int) int {
		room := 0
		for _, p := range m.open {
			room += p.Room(samples)
		}
		return room
	}
}

// Load returns the line about servers below the progress, "" without any.
func (m *Models) Load() func() string {
	meter := &loadMeter{last: time.Now(), first: map[string]server.Gauges{}}
	return func() string {
		if len(m.open) == 0 {
			return ""
		}

		if now := time.Now(); meter.text == "" || now.Sub(meter.last) >= time.Second {
			var all []server.Snapshot
			for _, p := range m.open {
				all = append(all, p.Snapshot())
			}

			meter.read(now, all)
		}
		return meter.text
	}
}

// loadMeter turns what policies have counted into rates.
type loadMeter struct {
	last    time.Time // time of the last reading
	in, out int64     // tokens then
	first   map[string]server.Gauges
	text    string
}

// read refreshes the line: tokens a second, sequences, the share of prompts found in the prefix
// cache, and for how long the average slot of the servers waited for this program, of those that
// are known to have as many as the limit.
func (m *loadMeter) read(now time.Time, policies []server.Snapshot) {
	var t loadTotal

	for _, p := range policies {
		for _, s := range p.Servers {
			t.add(s, m.first)
		}
	}

	// Two readings at one moment must not divide by zero.
	passed := max(now.Sub(m.last).Seconds(), 1e-3)
	rates := fmt.Sprintf("tok/s %s in %s out", display.Count(float64(t.in-m.in)/passed),
		display.Count(float64(t.out-m.out)/passed))
	sequences := fmt.Sprintf("%d running %d waiting", t.running, t.waiting)

	// While servers are away, that is what matters: the line has no room for both.
	m.last, m.in, m.out = now, t.in, t.out
	if t.away > 0 {
		m.text = fmt.Sprintf("%d of %d away since %s, %s, %s", t.away, t.servers, t.since.Format(time.TimeOnly), rates,
			sequences)
		return
	}

	parts := []string{rates, sequences}
	if t.queried > 0 {
		parts = append(parts, fmt.Sprintf("%.0f%% cached", 100*float64(t.hit)/float64(t.queried)))
	}

	if t.slots > 0 {
		parts = append(parts, fmt.Sprintf("idle %s (%.0f%%)", display.Duration(t.load.Idle/time.Duration(t.slots)),
			100*(1-t.load.Utilization())))
	}

	m.text = strings.Join(parts, ", ")
}

// loadTotal is what the line says about all servers together.
type loadTotal struct {
	servers, away    int
	since            time.Time // when the first of those away went
	in, out          int64     // tokens
	running, waiting int       // sequences: at the servers as they report, else as sent from here
	hit, queried     int64     // tokens of the prefix caches, since the first look
	slots            int       // that the servers have, as far as that is known
	load             server.Load
}

func (t *loadTotal) add(s server.ServerSnapshot, first map[string]server.Gauges) {
	if s.Left { // it is not away, and what it has in flight comes to an end
		t.in += s.PromptTokens
		t.out += s.CompletionTokens
		t.running += s.InFlight
		return
	}

	t.servers++
	if s.Down {
		if t.away++; t.since.IsZero() || s.Since.Before(t.since) {
			t.since = s.Since
		}
	}

	t.in += s.PromptTokens
	t.out += s.CompletionTokens

	// A limit that is only a guess may exceed the slots, which would then seem idle.
	if slots := s.Known(); slots > 0 {
		t.slots += slots
		t.load.Busy += s.Busy
		t.load.Idle += s.Idle
	}

	if s.Gauges == nil {
		t.running += s.InFlight
		t.waiting += s.Load.Waiting

		// A server that never reports a hit may not report them at all.
		t.hit += s.CachedTokens
		if s.CachedTokens > 0 {
			t.queried += s.PromptTokens
		}
		return
	}

	t.running += s.Gauges.Running
	t.waiting += s.Gauges.Waiting

	// The server counts since it started, also for others: only what came after the first look is
	// shown. A count that fell means that it was started again.
	began, ok := first[s.Address]
	if !ok || s.Gauges.PrefixQueried < began.PrefixQueried {
		began = *s.Gauges
		if ok {
			began = server.Gauges{}
		}

		first[s.Address] = began
	}

	t.hit += s.Gauges.PrefixHit - began.PrefixHit
	t.queried += s.Gauges.PrefixQueried - began.PrefixQueried
}
