package simserver

import (
	"bytes"
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

// ollamaRequest is a request of /api/generate or, with messages, of /api/chat.
type ollamaRequest struct {
	api.GenerateRequest
	Messages []message `json:"messages"`
}

func (s *Server) generateOllama(x *exchange) { x.ollama(false) }

func (s *Server) chatOllama(x *exchange) { x.ollama(true) }

// ollama answers a request of either path.
func (x *exchange) ollama(chat bool) {
	began := time.Now()

	var q ollamaRequest
	if err := json.Unmarshal(x.body, &q); err != nil {
		x.refuse(http.StatusBadRequest, err.Error(), "")
		return
	}

	if q.Model != x.s.o.served() && q.Model != x.s.o.served()+":latest" {
		x.refuse(http.StatusNotFound, fmt.Sprintf("model '%s' not found", q.Model), "")
		return
	}

	if q.Raw && (q.Template != "" || q.System != "" || len(q.Context) > 0) {
		x.refuse(http.StatusBadRequest, "raw mode does not support template, system, or context", "")
		return
	}

	a, window, err := x.s.ollamaSampling(q.Options)
	if err != nil {
		x.refuse(http.StatusInternalServerError, err.Error(), "")
		return
	}

	p := x.s.ollamaPrompt(&q, chat)
	window = x.s.load(window, q.KeepAlive)

	if !x.fitOllama(&q, p, &a, window) {
		return
	}

	lists, ok := x.generate([]*input{p}, a)
	if !ok {
		return
	}

	x.sendOllama(&q, chat, p, x.spoil(lists)[0][0], time.Since(began))
}

func (s *Server) ollamaPrompt(q *ollamaRequest, chat bool) *input {
	switch {
	case chat:
		return s.chatPrompt(q.Messages)
	case q.Raw:
		return s.newPrompt(q.Prompt)
	case q.System != "":
		return s.chatPrompt([]message{{"system", messageText(q.System)}, {"user", messageText(q.Prompt)}})
	}

	return s.chatPrompt([]message{{"user", messageText(q.Prompt)}})
}

// ollamaSampling reads the options that have an effect here. A value of the wrong type is an error, in Ollama's words.
// window is 0 when it is not stated.
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
		a.seed = s.sampleSeed()
	}

	return a, o.NumCtx, nil
}

// How long a model stays loaded after a request: by default, and when it is told to stay forever.
const (
	defaultKeepAlive = 5 * time.Minute
	maxKeepAlive     = 290 * 365 * 24 * time.Hour
)

// load returns the context window of a request, and loads the model again when it is not that of the request before.
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

// fitOllama cuts or refuses a prompt that is longer than the window, and limits the completion to what is left of it
// unless the window may slide.
func (x *exchange) fitOllama(q *ollamaRequest, p *input, a *sampling, window int) bool {
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

func (x *exchange) sendOllama(q *ollamaRequest, chat bool, p *input, d drawn, took time.Duration) {
	thinking, text := "", d.text
	if x.s.o.Thoughts == ThinkingThoughts {
		thinking, text = action.Part(d.text)
	}

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

	if q.Logprobs && x.fault != LostLogProbs && !x.s.o.wrong(NoLogProbs) {
		last.Logprobs = d.chatLogProbs(d.inText, q.TopLogprobs)
	}

	lines, contentType := []api.GenerateResponse{last}, "application/json; charset=utf-8"
	if q.Stream == nil || *q.Stream {
		first := api.GenerateResponse{
			Model: q.Model, CreatedAt: last.CreatedAt, Response: text, Thinking: thinking,
			Logprobs: last.Logprobs,
		}
		last.Response, last.Thinking, last.Logprobs = "", "", nil
		lines, contentType = []api.GenerateResponse{first, last}, "application/x-ndjson"
	}

	var b bytes.Buffer

	enc := json.NewEncoder(&b)
	for _, line := range lines {
		if err := enc.Encode(ollamaLine(chat, line)); err != nil {
			x.refuse(http.StatusInternalServerError, err.Error(), "")
			return
		}
	}

	x.answer(contentType, b.Bytes())
}

// ollamaLine is one line of an answer, in the form of the path that was asked.
func ollamaLine(chat bool, r api.GenerateResponse) any {
	if !chat {
		return r
	}

	return api.ChatResponse{
		Model: r.Model, CreatedAt: r.CreatedAt,
		Message: api.Message{Role: "assistant", Content: r.Response, Thinking: r.Thinking},
		Done:    r.Done, DoneReason: r.DoneReason, Metrics: r.Metrics, Logprobs: r.Logprobs,
	}
}
