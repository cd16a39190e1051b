package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// router is what stands before servers and sends requests of one session to one of them. It
// remembers the sessions, by the prompts in which they came.
type router struct {
	http.Handler
	mu       sync.Mutex
	sessions map[string]int // how many requests each has; "" is of those without any
	differ   bool           // a request's header and field differ
}

func (s *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))

	if r.Method == http.MethodPost {
		var fields struct {
			Session string `json:"session_id"`
		}

		// What is no JSON the server refuses.
		_ = json.Unmarshal(body, &fields)

		s.mu.Lock()
		s.sessions[fields.Session]++
		s.differ = s.differ || fields.Session != r.Header.Get("X-Session")
		s.mu.Unlock()
	}

	s.Handler.ServeHTTP(w, r)
}

// TestSessions collects two trees of each of two questions through a router: each tree has a
// session of its own, in the header and the field that the settings name, and the greeting has
// none.
func TestSessions(t *testing.T) {
	t.Parallel()

	s := &router{Handler: serve(t, simserver.Options{Slots: 16}), sessions: map[string]int{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)

	must(t, "collect", "--data", smallData(t), "--policy", "openai:sim", "--server", web.URL, "--limit", "2",
		"--dataset", "coffee", "--difficulty", "easy", "--trees", "2", "--preset", "paper",
		"--set", "search.simulations=2",
		"--set", "server.window=32768", "--set", "server.session.header=X-Session",
		"--set", "server.session.field=session_id", "--progress", "none",
		"--out", filepath.Join(t.TempDir(), "run"))

	if len(s.sessions) != 4+1 || s.sessions[""] == 0 || s.differ {
		t.Errorf("sessions %v, header and field differ: %v", s.sessions, s.differ)
	}
}
