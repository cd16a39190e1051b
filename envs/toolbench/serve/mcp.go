package serve

import (
	"cmp"
	"context"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/wire"
)

// mcpHandler serves every version over streamable HTTP.
func (s *Server) mcpHandler() http.Handler {
	servers := make(map[string]*mcp.Server, len(s.o.Versions))
	for name, v := range s.o.Versions {
		servers[name] = s.mcpServer(v)
	}

	serverOf := func(r *http.Request) *mcp.Server {
		return servers[cmp.Or(r.PathValue("version"), s.o.Default)]
	}

	// Calls depend on nothing that came before, so clients need no session.
	return wire.MCPOverHTTP(serverOf,
		mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: s.o.MaxBody})
}

// mcpServer returns the functions of a version as tools.
func (s *Server) mcpServer(v Version) *mcp.Server {
	var tools []wire.MCPTool

	for _, f := range v.Functions() {
		tools = append(tools, wire.MCPTool{
			Name: f.Name, Description: f.Description, Schema: f.Schema, ReadsOnly: f.ReadsOnly,
			Call: func(ctx context.Context, input string) (string, bool, error) {
				return s.callTool(ctx, v, f.Name, input)
			},
		})
	}

	return wire.NewMCP(s.o.Software, tools, mcp.ServerOptions{})
}

// callTool calls a function for a client of MCP.
func (s *Server) callTool(ctx context.Context, v Version, name, input string) (text string, wrong bool, err error) {
	args, err := wire.Arguments(input)
	if err != nil {
		return s.refusal(envs.InvocationError, err.Error()).Text, true, nil
	}

	a, err := s.call(ctx, v, name, args)
	if err != nil {
		s.o.Log.Error("a call failed", "error", err)
	}
	return a.Text, a.Outcome != envs.OK, err
}

// Stdio serves the first version to the client at the other end of a pipe, until that closes it or
// ctx ends.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return wire.MCPOverStdio(ctx, s.mcpServer(s.o.Versions[s.o.Default]), in, out, s.o.MaxBody)
}
