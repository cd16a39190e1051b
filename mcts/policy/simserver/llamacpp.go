package simserver

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

// llamaCppRoutes adds what llama.cpp's server answers beside the OpenAI protocol. It has neither
// /version nor, by default, metrics.
func (s *Server) llamaCppRoutes() {
	s.mux.HandleFunc("GET /props", s.guard(s.props))
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

// placement reads what a request says about slots. Values of other types are ignored.
func (q *openAIRequest) placement() (p placement) {
	slot, cache := -1, true
	if json.Unmarshal(q.IDSlot, &slot) == nil && slot >= 0 {
		p.wanted = &slot
	}

	p.afresh = json.Unmarshal(q.CachePrompt, &cache) == nil && !cache
	return p
}

// llamaCppTimings are what a reply of llama.cpp's server reports about the time that it took.
type llamaCppTimings struct {
	CacheN      int     `json:"cache_n"`  // tokens of the prompt that were cached
	PromptN     int     `json:"prompt_n"` // tokens of the prompt that were read
	PromptMS    float64 `json:"prompt_ms"`
	PredictedN  int     `json:"predicted_n"` // tokens that were written
	PredictedMS float64 `json:"predicted_ms"`
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
	a.Timings = &llamaCppTimings{
		CacheN:      p.cached,
		PromptN:     p.tokens.len() - p.cached,
		PromptMS:    milliseconds(d.prefill),
		PredictedN:  len(d.tokens),
		PredictedMS: milliseconds(d.decode),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// props reports how many slots the server has, and which model.
func (s *Server) props(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"default_generation_settings": map[string]any{"n_ctx": s.o.MaxModelLen},
		"total_slots":                 s.o.Slots,
		"model_alias":                 s.o.served(),
		"build_info":                  s.o.Version,
	})
}
