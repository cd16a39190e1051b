package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// mcpHandler serves every version over streamable HTTP.
func (s *Server) mcpHandler() http.Handler {
	servers := make(map[string]*mcp.Server, len(s.o.Versions))
	for name, v := range s.o.Versions {
		servers[name] = s.mcpServer(v)
	}

	of := func(r *http.Request) *mcp.Server { return servers[cmp.Or(r.PathValue("version"), s.o.Default)] }

	// Calls depend on nothing that was before, so that a client needs no session.
	return mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: s.o.MaxBody,
	})
}

// mcpServer returns the functions of a version as tools.
func (s *Server) mcpServer(v Version) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "toolevo", Version: s.o.Software}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})

	for _, f := range v.Functions() {
		tool := &mcp.Tool{
			Name: f.Name, Description: f.Description, InputSchema: json.RawMessage(pytext.AppendJSON(nil, f.Schema)),
		}
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.callTool(ctx, v, f.Name, string(r.Params.Arguments))
		})
	}

	return server
}

// callTool calls a function for a client of MCP.
func (s *Server) callTool(ctx context.Context, v Version, name, input string) (*mcp.CallToolResult, error) {
	args, err := arguments(input)
	if err != nil {
		return toolResult(s.refusal(envs.InvocationError, err.Error()), true), nil
	}

	a, err := s.call(ctx, v, name, args)
	if err != nil {
		s.o.Log.Error("a call failed", "error", err)
		return nil, err
	}

	return toolResult(a.Text, a.Outcome != envs.OK), nil
}

func toolResult(text string, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: failed}
}

// Stdio serves the first version to the client at the other end of a pipe, until that closes it or ctx ends.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcpServer(s.o.Versions[s.o.Default]).Run(ctx, &mcp.IOTransport{
		Reader: in, Writer: out, MaxLineLength: int(s.o.MaxBody),
	})
}
