package simserver

import (
	"maps"
	"slices"
	"time"
)

// Stats are the figures of a server at one moment.
type Stats struct {
	// when the first request for a completion arrived, and the last sequence ended; zero before
	// that
	First, Last time.Time
	Now         time.Time

	Counts

	Running, Waiting int // sequences now

	// Busy is for how long each slot has been in use, up to Now.
	Busy []time.Duration

	QueriedTokens, HitTokens int // of the prompts of all sequences, looked up and found in the cache
	CachedChars              int // of PromptChars, how many were cached

	Faults map[Fault]int // how often each was injected
	Cut    int           // connections cut while the server was flapping
}

// Counts are what a server counts from its first request on.
type Counts struct {
	Requests   int `json:"requests"`    // that came in
	Answered   int `json:"answered"`    // with status 200; the faults that spoil an answer included
	Sequences  int `json:"sequences"`   // that were asked for
	Completed  int `json:"completed"`   // of the sequences
	Aborted    int `json:"aborted"`     // because the client went away
	Rejected   int `json:"rejected"`    // requests that found the queue full
	Reloads    int `json:"reloads"`     // of the model, because a request changed the window (Ollama)
	MaxRunning int `json:"max_running"` // sequences at one time
	MaxWaiting int `json:"max_waiting"` // sequences in the queue at one time

	PromptTokens     int `json:"prompt_tokens"`      // of all sequences
	PromptTokensRead int `json:"prompt_tokens_read"` // of these, that were not cached
	PromptTokensTold int `json:"prompt_tokens_told"` // by OpenAI's usage, which tells those of a request once
	CachedTokensTold int `json:"cached_tokens_told"` // by OpenAI's usage
	CompletionTokens int `json:"completion_tokens"`  // of all sequences
	PromptChars      int `json:"prompt_chars"`       // bytes of the prompts, once for each request
}

// Reused is the share of all prompts' bytes that were cached.
func (s Stats) Reused() float64 {
	if s.PromptChars == 0 {
		return 0
	}
	return float64(s.CachedChars) / float64(s.PromptChars)
}

// count changes the figures.
func (e *engine) count(note func(*Stats)) {
	e.mu.Lock()
	defer e.mu.Unlock()

	note(&e.figures)
}

// Stats returns the figures as of now.
func (s *Server) Stats() Stats { return s.engine.stats() }

func (e *engine) stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()

	st := e.figures
	st.Now, st.Running, st.Waiting = time.Now(), len(e.running), len(e.waiting)
	st.Faults, st.Busy = maps.Clone(st.Faults), slices.Clone(st.Busy)

	for r := range e.running {
		st.Busy[r.slot] += st.Now.Sub(r.since)
	}
	return st
}
