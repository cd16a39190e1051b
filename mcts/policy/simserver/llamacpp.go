package simserver

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

// llamaCppRoutes are what llama.cpp's server answers beside the OpenAI protocol. It has neither
// /version nor, unless it was told to, metrics.
func (s *Server) llamaCppRoutes() {
	s.mux.HandleFunc("GET /props", s.guard(s.props))
	s.mux.HandleFunc("GET /slots", s.guard(s.slots))
	s.mux.HandleFunc("POST /tokenize", s.guard(s.tokenizeContent))
	s.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotImplemented, llamaCppError(http.StatusNotImplemented,
			"This server does not support metrics endpoint. Start it with `--metrics`"))
	})
}

// llamaCppErrors are the names that llama.cpp's server gives errors.
var llamaCppErrors = map[int]string{
	http.StatusBadRequest:          "invalid_request_error",
	http.StatusNotFound:            "not_found_error",
	http.StatusInternalServerError: "server_error",
	http.StatusNotImplemented:      "not_supported_error",
	http.StatusServiceUnavailable:  "unavailable_error",
}

// llamaCppError is the envelope of errors of llama.cpp's server.
func llamaCppError(status int, text string) any {
	kind := llamaCppErrors[status]
	return map[string]any{"error": map[string]any{"code": status, "message": text, "type": kind}}
}

// placement reads what a request says about slots. Values of other types are not looked at.
func (q *openAIRequest) placement() (p placement) {
	slot, cache := -1, true
	if json.Unmarshal(q.IDSlot, &slot) == nil && slot >= 0 {
		p.wanted = &slot
	}

	p.afresh = json.Unmarshal(q.CachePrompt, &cache) == nil && !cache

	return p
}

// llamaCppTimings are what a reply of llama.cpp's server tells about the time that it took.
type llamaCppTimings struct {
	CacheN            int     `json:"cache_n"`  // tokens of the prompt that were cached
	PromptN           int     `json:"prompt_n"` // tokens of the prompt that were read
	PromptMS          float64 `json:"prompt_ms"`
	PromptPerTokenMS  float64 `json:"prompt_per_token_ms"`
	PromptPerSecond   float64 `json:"prompt_per_second"`
	PredictedN        int     `json:"predicted_n"` // tokens that were written
	PredictedMS       float64 `json:"predicted_ms"`
	PredictedPerToken float64 `json:"predicted_per_token_ms"`
	PredictedPerSec   float64 `json:"predicted_per_second"`
}

// asLlamaCpp gives an answer the usage and timings of llama.cpp's server, which are those of the
// first choice alone.
func (a *openAIAnswer) asLlamaCpp(p *input, d drawn) {
	a.Usage = openai.Usage{
		PromptTokens:        p.tokens.len(),
		CompletionTokens:    len(d.tokens),
		TotalTokens:         p.tokens.len() + len(d.tokens),
		PromptTokensDetails: &openai.PromptTokensDetails{CachedTokens: p.cached},
	}

	t := &llamaCppTimings{
		CacheN:      p.cached,
		PromptN:     p.tokens.len() - p.cached,
		PromptMS:    milliseconds(d.prefill),
		PredictedN:  len(d.tokens),
		PredictedMS: milliseconds(d.decode),
	}
	t.PromptPerTokenMS, t.PromptPerSecond = rates(t.PromptMS, t.PromptN)
	// The first token comes with the prompt.
	t.PredictedPerToken, t.PredictedPerSec = rates(t.PredictedMS, t.PredictedN-1)
	a.Timings = t
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// rates are the milliseconds for each of n tokens and the tokens in each second, 0 where there is
// nothing to tell.
func rates(ms float64, n int) (perToken, perSecond float64) {
	if n < 1 || ms <= 0 {
		return 0, 0
	}

	return ms / float64(n), float64(n) / ms * 1000
}

// llamaCppTemplate renders chats as renderChat does.
const llamaCppTemplate = "{%- for message in messages %}" +
	"{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}" +
	"{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"

// props tells how many slots there are, which model the server has, and what it does with requests
// that say nothing else.
func (s *Server) props(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"default_generation_settings": map[string]any{
			"n_ctx": s.o.MaxModelLen,
			"params": map[string]any{
				"seed": 1<<32 - 1, "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05,
				"repeat_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0,
				"max_tokens": -1, "n_predict": -1, "n_keep": 0, "n_probs": 0,
				"ignore_eos": false, "stream": false, "timings_per_token": false,
			},
		},
		"total_slots":        s.o.Slots,
		"model_alias":        s.o.served(),
		"model_path":         "models/" + s.o.served() + ".gguf",
		"modalities":         map[string]bool{"vision": false, "video": false, "audio": false},
		"endpoint_slots":     true,
		"endpoint_props":     false,
		"endpoint_metrics":   false,
		"chat_template":      llamaCppTemplate,
		"chat_template_caps": map[string]bool{"supports_system_role": true},
		"bos_token":          beginOfText,
		"eos_token":          chatML.end,
		"build_info":         s.o.Version,
		"is_sleeping":        false,
	})
}

// slotState is what llama.cpp's server tells about a slot.
type slotState struct {
	ID           int  `json:"id"`
	NCtx         int  `json:"n_ctx"`
	Speculative  bool `json:"speculative"`
	IsProcessing bool `json:"is_processing"`
	PromptTokens int  `json:"n_prompt_tokens"` // that it holds
}

func (s *Server) slots(w http.ResponseWriter, _ *http.Request) {
	states := s.engine.slotStates()
	for i := range states {
		states[i].NCtx = s.o.MaxModelLen
	}

	writeJSON(w, http.StatusOK, states)
}

// slotStates tells which slots are in use, and how much each holds or, while it runs, held before.
func (e *engine) slotStates() []slotState {
	e.mu.Lock()
	defer e.mu.Unlock()

	states := make([]slotState, e.o.Slots)
	for i := range states {
		states[i] = slotState{ID: i, PromptTokens: len(e.prompts.held[i])}
	}

	for s := range e.running {
		states[s.slot].IsProcessing = true
	}

	return states
}

// tokenizeContent answers with the tokens of a text. A text in another field than llama.cpp's is
// none.
func (s *Server) tokenizeContent(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Content    string `json:"content"`
		AddSpecial bool   `json:"add_special"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		writeJSON(w, http.StatusBadRequest, llamaCppError(http.StatusBadRequest, err.Error()))
		return
	}

	text := q.Content
	if q.AddSpecial {
		text = beginOfText + text
	}

	writeJSON(w, http.StatusOK, map[string]any{"tokens": tokenize(text).ids})
}
