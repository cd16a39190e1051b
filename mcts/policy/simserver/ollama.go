package simserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// ollamaWindow is the context window that Ollama gives a request that states none.
const ollamaWindow = 4096

// ollamaRequest is a request of /api/generate or /api/chat.
type ollamaRequest struct {
	Model       string         `json:"model"`
	Prompt      string         `json:"prompt"`
	System      string         `json:"system"`
	Template    string         `json:"template"`
	Context     []int          `json:"context"`
	Messages    []message      `json:"messages"`
	Raw         bool           `json:"raw"`
	Stream      *bool          `json:"stream"` // nil is true
	Truncate    *bool          `json:"truncate"`
	Shift       *bool          `json:"shift"`
	LogProbs    bool           `json:"logprobs"`
	TopLogProbs int            `json:"top_logprobs"`
	KeepAlive   any            `json:"keep_alive"` // a text like "5m", or seconds; below 0 is forever
	Options     map[string]any `json:"options"`
}

// ollamaAnswer is one line of an answer.
type ollamaAnswer struct {
	Model              string         `json:"model"`
	CreatedAt          time.Time      `json:"created_at"`
	Response           *string        `json:"response,omitempty"`
	Message            *openAIMessage `json:"message,omitempty"`
	Done               bool           `json:"done"`
	DoneReason         string         `json:"done_reason,omitempty"`
	TotalDuration      time.Duration  `json:"total_duration,omitempty"`
	LoadDuration       time.Duration  `json:"load_duration,omitempty"`
	PromptEvalCount    int            `json:"prompt_eval_count,omitempty"`
	PromptEvalDuration time.Duration  `json:"prompt_eval_duration,omitempty"`
	EvalCount          int            `json:"eval_count,omitempty"`
	EvalDuration       time.Duration  `json:"eval_duration,omitempty"`
	LogProbs           []chatLogProb  `json:"logprobs,omitempty"`
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

	options, err := readOllamaOptions(q.Options)
	if err != nil {
		x.refuse(http.StatusInternalServerError, err.Error(), "")
		return
	}

	p := x.s.ollamaPrompt(&q, chat)
	window := x.s.load(options.window, keepAlive(q.KeepAlive))

	a := options.sampling
	if !options.seeded {
		a.seed = x.s.sampleSeed()
	}

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

// How long a model stays loaded after a request: by default, and when it is told to stay forever.
const (
	defaultKeepAlive = 5 * time.Minute
	maxKeepAlive     = 290 * 365 * 24 * time.Hour
)

// keepAlive returns how long a request asks the model to stay loaded.
func keepAlive(v any) time.Duration {
	d := defaultKeepAlive

	switch v := v.(type) {
	case float64:
		d = time.Duration(min(v, maxKeepAlive.Seconds()) * float64(time.Second))
	case string:
		if parsed, err := time.ParseDuration(v); err == nil {
			d = parsed
		}
	}

	if d < 0 {
		return maxKeepAlive
	}

	return d
}

// load returns the context window of a request, and loads the model again when it is not that of the request before.
func (s *Server) load(window int, keepAlive time.Duration) int {
	if window <= 0 {
		window = min(ollamaWindow, s.o.MaxModelLen)
	}

	window = min(window, s.o.window())
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.window != 0 && s.window != window {
		s.reloads++
	}

	s.window, s.keepAlive = window, keepAlive

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
	last := ollamaAnswer{
		Model: q.Model, CreatedAt: time.Now().UTC(), Done: x.fault != WrongN, DoneReason: "stop",
		TotalDuration: took, PromptEvalCount: p.tokens.len(), PromptEvalDuration: d.prefill,
		EvalCount: len(d.tokens), EvalDuration: d.decode,
	}
	if d.length {
		last.DoneReason = "length"
	}

	if !last.Done {
		last.DoneReason = ""
	}

	if q.LogProbs && x.fault != LostLogProbs && !x.s.o.wrong(NoLogProbs) {
		last.LogProbs = d.chatLogProbs(d.inText, q.TopLogProbs)
	}
	var lines []ollamaAnswer

	if q.Stream == nil || *q.Stream {
		first := ollamaAnswer{Model: q.Model, CreatedAt: last.CreatedAt, LogProbs: last.LogProbs}
		first.say(chat, d.text)

		last.LogProbs = nil
		last.say(chat, "")
		lines = []ollamaAnswer{first, last}
	} else {
		last.say(chat, d.text)
		lines = []ollamaAnswer{last}
	}
	var b bytes.Buffer

	enc := json.NewEncoder(&b)
	for _, line := range lines {
		if err := enc.Encode(line); err != nil {
			x.refuse(http.StatusInternalServerError, err.Error(), "")
			return
		}
	}

	contentType := "application/json; charset=utf-8"
	if len(lines) > 1 {
		contentType = "application/x-ndjson"
	}

	x.answer(contentType, b.Bytes())
}

func (a *ollamaAnswer) say(chat bool, text string) {
	if chat {
		a.Message = &openAIMessage{"assistant", text}
	} else {
		a.Response = &text
	}
}
