// Package serve serves the mocked voice service to MCP clients.
//
// Every session has a service of its own: a library of voices, the same for all sessions, and no
// speeches. Results are JSON text; refusals are errors that say why.
//
// Over streamable HTTP, a session ends when its client says so, or was idle for IdleTime. Only
// versions of the protocol with sessions are supported: in later ones (2026-07-28) every request is
// independent, and no speech would outlive its call. Package envs/wire decides who may connect.
package serve

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/voice"
	"toolevo/envs/wire"
)

// IdleTime is how long a session without requests is kept.
const IdleTime = 30 * time.Minute

// MostSessions is how many sessions there may be at a time.
const MostSessions = 256

// mostBytes is the largest size of a request.
const mostBytes = 1 << 20

// sessionless is the first version of the protocol without sessions.
const sessionless = "2026-07-28"

// Server serves the service. It implements [http.Handler], for streamable HTTP at /mcp.
type Server struct {
	http.Handler

	software string
	start    stategen.State
	protocol []string // versions
	counts   counts
}

// Counts say how a server was used.
type Counts struct {
	Calls   int64 `json:"calls"`   // that were answered
	Refused int64 `json:"refused"` // calls that the service could not do
}

type counts struct{ calls, refused atomic.Int64 }

// New returns a server behind a guard, whose library is drawn from a seed. software is the version
// of this program, for clients.
func New(seed uint64, software string, g *wire.Guard) (*Server, error) {
	p := voice.Domain{}.Init(rand.New(rand.NewPCG(seed, 0))).Program()

	start, err := voice.Domain{}.Begin(&p, p.Values(stategen.Case{}))
	if err != nil {
		return nil, err
	}

	s := &Server{software: software, start: start}
	s.protocol = slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v >= sessionless })

	h := wire.MCPSessions(s.session, MostSessions, mcp.StreamableHTTPOptions{
		SessionTimeout: IdleTime, MaxRequestBodyBytes: mostBytes,
	})

	// Nothing is ever sent unasked: the stream that a GET opens would only keep the server from
	// ending.
	mux := http.NewServeMux()
	mux.Handle("POST /mcp", h)
	mux.Handle("DELETE /mcp", h)
	s.Handler = g.Handler(g.WithKey(mux))

	return s, nil
}

// session returns the tools over a service of its own.
func (s *Server) session() *mcp.Server {
	c := &caller{server: s, state: s.start}

	var tools []wire.MCPTool

	for _, a := range (voice.Domain{}).APIs() {
		tools = append(tools, wire.MCPTool{
			Name: a.Name, Description: a.Description, Schema: a.Parameters.Schema(),
			Call: func(_ context.Context, input string) (string, bool, error) { return c.call(a.Name, input) },
		})
	}

	return wire.NewMCP(s.software, tools, mcp.ServerOptions{SupportedProtocolVersions: s.protocol})
}

// Stdio serves the client at the other end of a pipe, until it closes the pipe or ctx ends.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return wire.MCPOverStdio(ctx, s.session(), in, out, mostBytes)
}

// Counts returns how the server was used up to now.
func (s *Server) Counts() Counts { return Counts{s.counts.calls.Load(), s.counts.refused.Load()} }

// caller is a session with its service.
type caller struct {
	server *Server

	mu    sync.Mutex // a client may send several calls at once
	state stategen.State
}

// call makes a call and returns what the client reads.
func (c *caller) call(tool, input string) (text string, wrong bool, err error) {
	args, err := wire.Arguments(input)
	if err != nil {
		err = stategen.Refuse("the arguments: %v", err)
	}

	var result any

	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()

		c.state, result, err = voice.Domain{}.Call(c.state, tool, args)
	}

	var refusal *stategen.Refusal

	switch {
	case errors.As(err, &refusal):
		c.server.counts.refused.Add(1)
		return refusal.Text, true, nil
	case err != nil:
		return "", false, err
	}

	c.server.counts.calls.Add(1)
	return pytext.JSON(result), false, nil
}
