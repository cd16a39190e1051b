package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"toolevo/mcts"
	"toolevo/mcts/policy/simserver"
)

// serveReport says how a simulated server was used. Slot-time is time in use summed over the slots.
type serveReport struct {
	URL      string  `json:"url"`             // of the server
	Protocol string  `json:"protocol"`        // "vllm" or "ollama"
	Slots    int     `json:"slots"`           // sequences that run at a time
	PerSlot  bool    `json:"prompt_per_slot"` // whether each slot kept a prompt
	Speed    float64 `json:"speed"`           // how many times faster it ran than its latencies say

	Seconds   float64 `json:"seconds"`    // from the first request to the end of the last sequence
	SlotsBusy float64 `json:"slots_busy"` // share of the slot-time of these seconds, 0..1

	simserver.Counts

	PrefixReused float64 `json:"prefix_reused"` // share of these bytes that were cached, 0..1

	Faults map[simserver.Fault]int `json:"faults"` // by kind
	Cut    int                     `json:"cut"`    // connections cut while it was flapping

	ProcessorSeconds float64 `json:"processor_seconds"` // of this process

	// Timeline has figures since the first request, about one per second, so that any part of a run
	// can be judged.
	Timeline []serveMoment `json:"timeline"`

	server *simserver.Server
}

// serveMoment is what had been done by some time after the first request.
type serveMoment struct {
	Seconds   float64 `json:"seconds"`           // since the first request
	Busy      float64 `json:"busy_slot_seconds"` // slot-time until then
	Completed int     `json:"completed"`         // sequences until then
}

// timelineEvery is the time between two moments of the timeline.
const timelineEvery = time.Second

func newServeReport(f *serveFlags, s *simserver.Server) *serveReport {
	return &serveReport{
		URL:      s.URL(),
		Protocol: f.protocol,
		PerSlot:  f.PromptPerSlot,
		Speed:    f.Speed,
		Timeline: []serveMoment{},
		server:   s,
	}
}

// watch keeps the timeline until ctx ends.
func (r *serveReport) watch(ctx context.Context) {
	for mcts.Wait(ctx, timelineEvery) == nil {
		r.note(r.server.Stats())
	}
}

// note adds a moment. While nothing happens it moves the last one instead.
func (r *serveReport) note(st simserver.Stats) {
	if st.First.IsZero() {
		return
	}

	m := serveMoment{
		Seconds: st.Now.Sub(st.First).Seconds(), Busy: busySeconds(st), Completed: st.Completed,
	}
	if n := len(r.Timeline); n > 1 && r.Timeline[n-1].Busy == m.Busy && r.Timeline[n-2].Busy == m.Busy {
		r.Timeline[n-1] = m
		return
	}

	r.Timeline = append(r.Timeline, m)
}

func busySeconds(st simserver.Stats) float64 {
	var busy time.Duration
	for _, b := range st.Busy {
		busy += b
	}
	return busy.Seconds()
}

// end reads the figures of the whole time.
func (r *serveReport) end() *serveReport {
	st := r.server.Stats()
	r.note(st)
	r.Slots = len(st.Busy)
	r.Counts, r.PrefixReused, r.Faults, r.Cut = st.Counts, st.Reused(), st.Faults, st.Cut

	last := st.Last
	if st.Running > 0 {
		last = st.Now
	}

	if r.Seconds = max(0, last.Sub(st.First).Seconds()); st.First.IsZero() {
		r.Seconds = 0
	}

	if r.Seconds > 0 {
		r.SlotsBusy = busySeconds(st) / r.Seconds / float64(r.Slots)
	}

	r.ProcessorSeconds = processorTime(syscall.RUSAGE_SELF).Seconds()
	return r
}

// text is the report for people.
func (r *serveReport) text() string {
	// All times count from the first request.
	if r.Requests == 0 {
		return "no requests came in\n"
	}

	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-15s "+format+"\n", append([]any{name}, args...)...)
	}
	line("time", "%.1f s from the first request to the end of the last sequence", r.Seconds)
	line("slots", "%d, busy %.1f %% of that time; %d sequences ran at most, %d waited",
		r.Slots, 100*r.SlotsBusy, r.MaxRunning, r.MaxWaiting)
	line("requests", "%d, %d answered", r.Requests, r.Answered)
	line("sequences", "%d, %d completed, %d given up by clients", r.Sequences, r.Completed, r.Aborted)

	// What did not happen is left out, except for faults: a run without any is worth a line.
	if r.Rejected > 0 {
		line("queue full", "%d requests turned away", r.Rejected)
	}

	if r.Reloads > 0 {
		line("model reloads", "%d, because requests changed its window", r.Reloads)
	}

	line("tokens", "%d in, %d of them read, %d out", r.PromptTokens, r.PromptTokensRead,
		r.CompletionTokens)
	line("cached", "%.1f %% of the prompts' bytes", 100*r.PrefixReused)

	if len(r.Faults) == 0 {
		line("faults", "none")
	}

	for _, kind := range slices.Sorted(maps.Keys(r.Faults)) {
		line("fault "+string(kind), "%d", r.Faults[kind])
	}

	if r.Cut > 0 {
		line("cut", "%d connections while it was flapping", r.Cut)
	}

	line("processor time", "%.1f s of this process", r.ProcessorSeconds)
	return b.String()
}

// processorTime returns the processor time of this process, or of the children it waited for.
func processorTime(who int) time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(who, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
