package simserver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routes says what the server answers. A server of either kind speaks the OpenAI protocol.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("POST /v1/completions", s.guard(s.completion(s.completions)))
	s.mux.HandleFunc("POST /v1/chat/completions", s.guard(s.completion(s.chatCompletions)))
	s.mux.HandleFunc("GET /v1/models", s.guard(s.models))

	if s.o.llamaCpp() {
		s.llamaCppRoutes()
		return
	}

	if s.o.Kind == VLLM {
		s.mux.HandleFunc("POST /tokenize", s.tokenize)
		s.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]string{"version": s.o.Version})
		})
		s.mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})

		registry := prometheus.NewRegistry()
		registry.MustRegister(s.engine)
		s.mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

		return
	}

	s.mux.HandleFunc("POST /api/generate", s.completion(s.generateOllama))
	s.mux.HandleFunc("POST /api/chat", s.completion(s.chatOllama))
	s.mux.HandleFunc("GET /api/tags", s.tags)
	s.mux.HandleFunc("GET /api/ps", s.ps)
	s.mux.HandleFunc("POST /api/show", s.show)
	s.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": s.o.Version})
	})
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Ollama is running") })
}

// guard asks for the key, where there is one.
func (s *Server) guard(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.o.APIKey != "" && r.Header.Get("Authorization") != "Bearer "+s.o.APIKey {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}

		handle(w, r)
	}
}

// began is a fixed time for what a server states about its model.
var began = time.Unix(1_760_000_000, 0).UTC()

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	model := map[string]any{"id": s.o.served(), "object": "model", "created": began.Unix(), "owned_by": "library"}

	switch {
	case s.o.llamaCpp():
		model["owned_by"] = "llamacpp"
		model["meta"] = map[string]int{"n_ctx": s.o.MaxModelLen, "n_ctx_train": s.o.MaxModelLen}
	case s.o.Kind == VLLM:
		model["owned_by"], model["root"], model["parent"] = "vllm", s.o.served(), nil
		model["max_model_len"] = s.o.MaxModelLen
	}

	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{model}})
}

// tokenize answers with the tokens of a prompt or a chat.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model            string    `json:"model"`
		Prompt           *string   `json:"prompt"`
		Messages         []message `json:"messages"`
		AddSpecialTokens *bool     `json:"add_special_tokens"`
		ReturnTokenStrs  bool      `json:"return_token_strs"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(http.StatusBadRequest, "Bad Request", err.Error(), badField(err)))
		return
	}
	var text string

	switch {
	case q.Model != "" && q.Model != s.o.served():
		writeJSON(w, http.StatusNotFound,
			errorBody(http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", q.Model),
				"model"))

		return
	case q.Prompt == nil:
		text = s.chatPrompt(q.Messages).text
	case q.AddSpecialTokens == nil || *q.AddSpecialTokens:
		text = beginOfText + *q.Prompt
	default:
		text = *q.Prompt
	}

	t := tokenize(text)

	var texts []string
	if q.ReturnTokenStrs {
		texts = t.strings(text)
	}

	writeJSON(w, http.StatusOK, map[string]any{"count": t.len(), "max_model_len": s.o.MaxModelLen, "tokens": t.ids,
		"token_strs": texts})
}

// ollamaModel describes the model as /api/tags and /api/ps do.
func (s *Server) ollamaModel() map[string]any {
	sum := sha256.Sum256([]byte(s.o.served()))

	return map[string]any{
		"name": s.o.served(), "model": s.o.served(), "size": 1 << 20, "digest": hex.EncodeToString(sum[:]),
		"details": s.ollamaDetails(),
	}
}

func (s *Server) ollamaDetails() map[string]any {
	return map[string]any{
		"parent_model": "", "format": "gguf", "family": "llama", "families": []string{"llama"},
		"parameter_size": "0", "quantization_level": "F16",
	}
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	m := s.ollamaModel()
	m["modified_at"] = began
	writeJSON(w, http.StatusOK, map[string]any{"models": []any{m}})
}

// ps lists the model once a request has loaded it.
func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	window, keepAlive := s.window, s.keepAlive
	s.mu.Unlock()

	models := []any{}

	if window > 0 {
		m := s.ollamaModel()
		m["size_vram"], m["context_length"], m["expires_at"] = 0, window, time.Now().Add(keepAlive).UTC()
		models = append(models, m)
	}

	writeJSON(w, http.StatusOK, map[string]any{"models": models})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var q struct{ Model, Name string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}

	name := cmp.Or(q.Model, q.Name)
	if name != s.o.served() && name != s.o.served()+":latest" {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": fmt.Sprintf("model '%s' not found", name)})
		return
	}

	writeJSON(w, http.StatusOK, map[string]any{
		"modelfile": "FROM " + s.o.served() + "\n", "parameters": "", "template": "{{ .Prompt }}",
		"details": s.ollamaDetails(),
		"model_info": map[string]any{
			"general.architecture": "llama", "general.parameter_count": s.o.Parameters,
			"llama.context_length": s.o.MaxModelLen,
		},
		"capabilities": []string{"completion"}, "modified_at": began,
	})
}
