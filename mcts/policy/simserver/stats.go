package simserver

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats are the figures of a server at one moment.
type Stats struct {
	// when the first request for a completion arrived, and the last sequence ended; zero before that
	First, Last time.Time
	Now         time.Time

	Requests  int // for completions, with whatever came of them
	Answered  int // of these, with status 200 and to the last byte; the faults that spoil an answer included
	Sequences int // that the engine took
	Completed int // of these, run to their end
	Aborted   int // because the client went away
	Rejected  int // requests that found the queue full
	Reloads   int // of the model, because a request changed the context window (Ollama)

	Running, Waiting       int // sequences now
	MaxRunning, MaxWaiting int

	// Busy is for how long each slot has been in use, up to Now.
	Busy []time.Duration

	PromptTokens, CompletionTokens int // of all sequences that started, and of all completed
	QueriedTokens, HitTokens       int // of the prompts of all sequences, looked up and found in the prefix cache
	PromptChars, CachedChars       int // bytes of the prompt of each request, and how many the prefix cache held

	Faults map[Fault]int // how often each was injected
	Cut    int           // connections cut while the server was flapping
}

// Reused is the share of all prompts' bytes that the prefix cache held.
func (s Stats) Reused() float64 {
	if s.PromptChars == 0 {
		return 0
	}

	return float64(s.CachedChars) / float64(s.PromptChars)
}

// figures are what is counted, under the engine's lock.
type figures struct {
	Stats              // but for what is so now
	cutShort       int // of Completed, by their length
	queue, latency prometheus.Histogram
}

// count changes the figures.
func (e *engine) count(note func(*Stats)) {
	e.mu.Lock()
	defer e.mu.Unlock()

	note(&e.figures.Stats)
}

// Stats returns the figures as of now.
func (s *Server) Stats() Stats { return s.engine.stats() }

func (e *engine) stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()

	st := e.figures.Stats
	st.Now, st.Running, st.Waiting = time.Now(), len(e.running), len(e.waiting)
	st.Faults, st.Busy = maps.Clone(st.Faults), slices.Clone(st.Busy)

	for r := range e.running {
		st.Busy[r.slot] += st.Now.Sub(r.since)
	}

	return st
}
