package simserver

import (
	"cmp"
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

	// The key guards what the model is asked, not what monitoring asks for.
	if s.o.Kind == VLLM {
		s.mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {}) // for routers
		s.mux.HandleFunc("POST /tokenize", s.guard(s.completion((*exchange).tokenizeChat)))
		s.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]string{"version": s.o.Version})
		})

		registry := prometheus.NewRegistry()
		registry.MustRegister(s.engine)
		s.mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		return
	}

	// Ollama has no key of its own.
	s.mux.HandleFunc("POST /api/generate", s.completion(s.generateOllama))
	s.mux.HandleFunc("GET /api/tags", s.tags)
	s.mux.HandleFunc("GET /api/ps", s.ps)
	s.mux.HandleFunc("POST /api/show", s.show)
	s.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": s.o.Version})
	})
}

// guard asks for the key, if one is set.
func (s *Server) guard(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.o.APIKey != "" && r.Header.Get("Authorization") != "Bearer "+s.o.APIKey {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}

		handle(w, r)
	}
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	model := map[string]any{"id": s.o.served(), "object": "model", "owned_by": "library"}

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

// ollamaModel describes the model as /api/tags and /api/ps do.
func (s *Server) ollamaModel() map[string]any {
	return map[string]any{
		"name": s.o.served(), "model": s.o.served(), "details": ollamaDetails,
	}
}

// ollamaDetails are those of the model.
var ollamaDetails = map[string]string{"quantization_level": "F16"}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"models": []any{s.ollamaModel()}})
}

// ps lists the model once a request has loaded it.
func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	window, keepAlive := s.window, s.keepAlive
	s.mu.Unlock()

	models := []any{}

	if window > 0 {
		m := s.ollamaModel()
		m["context_length"], m["expires_at"] = window, time.Now().Add(keepAlive).UTC()
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
		"details": ollamaDetails,
		"model_info": map[string]any{
			"general.architecture": "llama", "general.parameter_count": s.o.Parameters,
			"llama.context_length": s.o.MaxModelLen,
		},
	})
}
