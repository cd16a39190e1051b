package openenv

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"toolevo/envs"
	"toolevo/envs/wire"
)

// openAPI describes the routes to clients that look for them.
//
//go:embed openapi.json
var openAPI string

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		wire.SendJSON(w, http.StatusOK, `{"status":"healthy"}`)
	})

	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /ws":       s.socket,
		"GET /metadata": s.metadata,
		"GET /schema":   s.schema,
		"GET /tasks":    s.tasks,
		"POST /reset":   s.resetOnce,
		"POST /step":    s.stepOnce,
		"POST /mcp":     s.mcpOnce,
		"GET /state": func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, http.StatusOK, s.stated(nil))
		},
		"GET /openapi.json": func(w http.ResponseWriter, _ *http.Request) {
			wire.SendJSON(w, http.StatusOK, openAPI)
		},
		"GET /metrics": promhttp.HandlerFor(s.figures.registry, promhttp.HandlerOpts{}).ServeHTTP,
	} {
		mux.Handle(pattern, s.guard.WithKey(handle))
	}

	return mux
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // see encode
	}

	wire.SendJSON(w, status, string(text))
}

// sendError answers as OpenEnv's server does.
func sendError(w http.ResponseWriter, status int, detail any) {
	sendJSON(w, status, map[string]any{"detail": detail})
}

// refuse answers a request that is not allowed in.
func refuse(w http.ResponseWriter, status int, why string) { sendError(w, status, why) }

// metadata says what is served.
func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK, map[string]string{
		"name": "toolevo-" + s.o.Name,
		"description": "Tools whose APIs have moved on since the prompt was written: the suite " + s.o.Name +
			" of toolevo",
		"version": s.o.Software,
	})
}

// servedTask is a task as clients may choose it.
type servedTask struct {
	ID         string `json:"task_id"`
	Dataset    string `json:"dataset"`
	Difficulty string `json:"difficulty"`
	Question   string `json:"question"`
}

// tasks lists what a reset may choose.
func (s *Server) tasks(w http.ResponseWriter, _ *http.Request) {
	all := struct {
		Split    string       `json:"split"`
		Versions []string     `json:"versions"`
		Families []string     `json:"families"`
		Tasks    []servedTask `json:"tasks"`
	}{Split: s.o.Split, Versions: s.families[""].Versions}

	for _, f := range s.o.Deployed.Families {
		all.Families = append(all.Families, f.Name)
	}

	for _, t := range s.o.Tasks {
		all.Tasks = append(all.Tasks, servedTask{
			t.ID, t.Labels[envs.LabelDataset], t.Labels[envs.LabelDifficulty], t.Question,
		})
	}

	sendJSON(w, http.StatusOK, all)
}

// resetOnce begins an episode that nobody continues.
func (s *Server) resetOnce(w http.ResponseWriter, r *http.Request) {
	s.answerOnce(w, r, func(object envs.Args) (observed, error) {
		return (&session{s: s}).reset(r.Context(), object)
	})
}

// stepOnce acts without an episode.
func (s *Server) stepOnce(w http.ResponseWriter, r *http.Request) {
	s.answerOnce(w, r, func(object envs.Args) (observed, error) {
		f := fields{object: object, known: []string{"timeout_s", "request_id"}}
		f.require("action")
		action := f.mapping("action")

		if err := f.fault(); err != nil {
			return observed{}, err
		}
		return (&session{s: s}).step(r.Context(), action)
	})
}

// answerOnce answers a request that has no session.
func (s *Server) answerOnce(
	w http.ResponseWriter, r *http.Request, answer func(envs.Args) (observed, error),
) {
	var object envs.Args

	text, err := io.ReadAll(r.Body)
	// The body is too large, unless the client is gone and does not read this.
	if err != nil {
		sendError(w, http.StatusRequestEntityTooLarge, wire.TooLarge(s.o.MaxBytes).Error())
		return
	}

	// A reset needs no body: all of its data is optional.
	if len(text) > 0 {
		object, err = parseObject(text)
	}

	var o observed
	if err == nil {
		o, err = answer(object)
	}

	if err == nil {
		sendJSON(w, http.StatusOK, o)
		return
	}

	told, status := s.clientError(err), http.StatusUnprocessableEntity
	// The request is well formed, but cannot be done here and now.
	if told.Code == ExecutionError {
		status = http.StatusConflict
	}

	sendError(w, status, told)
}

// mcpOnce answers a request of JSON-RPC that has no session.
func (s *Server) mcpOnce(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		sendError(w, http.StatusRequestEntityTooLarge, wire.TooLarge(s.o.MaxBytes).Error())
		return
	}

	object, err := parseObject(text)
	if err != nil {
		sendJSON(w, http.StatusOK, rpcReply{
			Version: "2.0", ID: json.RawMessage("null"), Error: &rpcError{parseError, err.Error()},
		})
		return
	}

	sendJSON(w, http.StatusOK, s.rpc(r.Context(), &session{s: s}, object))
}
