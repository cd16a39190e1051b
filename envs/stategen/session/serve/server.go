package serve

import (
	"fmt"
	"maps"
	"net/http"
	"sync"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// Server is the service with its sessions, none at first. It implements [http.Handler].
type Server struct {
	domain  *session.Domain
	handler http.Handler

	mu    sync.Mutex
	state stategen.State
	calls map[string]int
	sizes map[string]int // of the sessions, by id
	size  int            // of all of them
	most  int            // that it may be
}

// mostBytes is the largest size of all sessions together. Each counts as overhead and its data.
const (
	mostBytes = 64 << 20
	overhead  = 1 << 10
)

// New returns a server of a deployed version behind a guard; base is the version that defines the
// tools.
func New(base, deployed *toolapi.Version, g *wire.Guard) (*Server, error) {
	s := &Server{domain: session.New(), calls: map[string]int{}, sizes: map[string]int{}, most: mostBytes}

	for _, r := range session.Routes() {
		if _, ok := deployed.ForTool(r.Tool); !ok {
			return nil, fmt.Errorf("serve: the version %s does not have the tool %s", deployed.Name, r.Tool)
		}
	}

	var err error
	if s.state, err = s.domain.Begin(&stategen.Program{}, nil); err != nil {
		return nil, err
	}

	s.handler = g.Handler(g.WithKey(Handler(base, deployed, s.call)))
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// call calls a tool, and keeps the state after it.
func (s *Server) call(tool string, args envs.Args) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.calls[tool]++

	size := 0
	if data, ok := args.Get("data"); ok {
		size = overhead + len(pytext.AppendJSON(nil, data))
	}

	if size > 0 && s.size+size > s.most {
		return nil, stategen.RefuseState("The service is full: delete some sessions first.")
	}

	next, result, err := s.domain.Call(s.state, tool, args)
	if err == nil {
		s.state = next
		s.weigh(tool, args, result, size)
	}

	return result, err
}

// weigh notes the size of the session that a call changed.
func (s *Server) weigh(tool string, args envs.Args, result any, size int) {
	if tool != session.Add && tool != session.Update && tool != session.Delete {
		return
	}

	id, _ := args.Text("id")
	if made, ok := result.(envs.Args); ok {
		id, _ = made.Text("id")
	}

	s.size += size - s.sizes[id]

	if s.sizes[id] = size; tool == session.Delete {
		delete(s.sizes, id)
	}
}

// Calls returns how often each tool was called.
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}
