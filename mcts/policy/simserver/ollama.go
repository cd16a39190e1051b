package simserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/ollama/ollama/api"

	"toolevo/envs/action"
)

// ollamaWindow is the context window that Ollama gives a request that states none.
const ollamaWindow = 4096

// generateOllama answers a request of /api/generate for a raw prompt, in one piece.
func (s *Server) generateOllama(x *exchange) {
	began := time.Now()

	var q api.GenerateRequest
	if err := json.Unmarshal(x.body, &q); err != nil {
		x.refuse(http.StatusBadRequest, err.Error(), "")
		return
	}

	// To Ollama a name without a tag is the one tagged latest.
	if q.Model != x.s.o.served() && q.Model != x.s.o.served()+":latest" {
		x.refuse(http.StatusNotFound, fmt.Sprintf("model '%s' not found", q.Model), "")
		return
	}

	if !q.Raw || q.Stream == nil || *q.Stream {
		x.refuse(http.StatusBadRequest, "streams, and prompts that are not raw, are not simulated", "")
		return
	}

	a, window, err := x.s.ollamaSampling(q.Options)
	if err != nil {
		x.refuse(http.StatusInternalServerError, err.Error(), "")
		return
	}

	// The model is loaded with the request's window before its prompt is looked at.
	p := x.s.newPrompt(q.Prompt)
	window = x.s.load(window, q.KeepAlive)

	if !x.fitOllama(&q, p, &a, window) {
		return
	}

	list, ok := x.generate(p, a)
	if !ok {
		return
	}

	x.sendOllama(&q, p, x.spoil(list)[0], time.Since(began))
}

// ollamaSampling reads the options that have an effect here. A value of the wrong type is an error,
// in Ollama's words. window is 0 if it is not stated.
func (s *Server) ollamaSampling(values map[string]any) (a sampling, window int, err error) {
	o := api.Options{NumPredict: -1, Seed: -1}
	if err := o.FromMap(values); err != nil {
		return a, 0, err
	}

	missing := func(name string) bool { return values[name] == nil }
	a = sampling{
		n:         1,
		seed:      uint64(o.Seed),
		greedy:    o.Temperature == 0 && !missing("temperature"),
		maxTokens: max(o.NumPredict, -1),
		stop:      slices.DeleteFunc(o.Stop, func(text string) bool { return text == "" }),
		unset:     bits(missing("temperature"), missing("top_p"), missing("top_k"), missing("repeat_penalty")),
	}
	if o.Seed < 0 {
		a.seed = s.random64()
	}

	return a, o.NumCtx, nil
}

// How long a model stays loaded after a request: by default, and if asked to stay forever.
const (
	defaultKeepAlive = 5 * time.Minute
	maxKeepAlive     = 290 * 365 * 24 * time.Hour
)

// load returns the context window of a request, and loads the model again if it is not that of the
// request before.
func (s *Server) load(window int, keepAlive *api.Duration) int {
	if window <= 0 {
		window = min(ollamaWindow, s.o.MaxModelLen)
	}

	window = min(window, s.o.window())
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.window != 0 && s.window != window {
		s.engine.count(func(st *Stats) { st.Reloads++ })
	}

	s.window, s.keepAlive = window, defaultKeepAlive
	if keepAlive != nil {
		s.keepAlive = keepAlive.Duration
	}

	if s.keepAlive < 0 || s.keepAlive > maxKeepAlive {
		s.keepAlive = maxKeepAlive
	}
	return window
}

// fitOllama cuts or refuses a prompt that is longer than the window, and limits the completion to
// what is left of it unless the window may slide.
func (x *exchange) fitOllama(q *api.GenerateRequest, p *input, a *sampling, window int) bool {
	if p.tokens.len() > window {
		if q.Truncate != nil && !*q.Truncate && !x.s.o.wrong(SilentTruncation) {
			x.refuse(http.StatusBadRequest, "the input length exceeds the context length", "")
			return false
		}

		x.s.keepEnd(p, window)
	}

	left := max(1, window-p.tokens.len())
	if slides := q.Shift == nil || *q.Shift; slides && a.maxTokens < 0 {
		left = 10 * window // Ollama stops a text without end there
	} else if slides {
		left = a.maxTokens
	}

	if a.maxTokens < 0 || a.maxTokens > left {
		a.maxTokens = left
	}
	return true
}

func (x *exchange) sendOllama(q *api.GenerateRequest, p *input, d drawn, took time.Duration) {
	thinking, text := "", d.text
	if x.s.o.Thoughts == ThinkingThoughts {
		thinking, text = action.Part(d.text)
	}

	// A reply is one sample here, so WrongN is one that breaks off before it is done.
	last := api.GenerateResponse{
		Model: q.Model, CreatedAt: time.Now().UTC(), Response: text, Thinking: thinking,
		Done: x.fault != WrongN, DoneReason: "stop",
		Metrics: api.Metrics{
			TotalDuration: took, PromptEvalCount: p.tokens.len(), PromptEvalDuration: d.prefill,
			EvalCount: len(d.tokens), EvalDuration: d.decode,
		},
	}
	if d.length {
		last.DoneReason = "length"
	}

	if !last.Done {
		last.DoneReason = ""
	}

	// Ollama leaves out the tokens of the stop text, though it counts them.
	if q.Logprobs && x.fault != LostLogProbs && !x.s.o.wrong(NoLogProbs) {
		last.Logprobs = d.chatLogProbs(d.inText, q.TopLogprobs)
	}

	x.answer("application/json; charset=utf-8", last)
}
