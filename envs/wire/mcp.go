package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// MCPTool is a function as clients see it.
type MCPTool struct {
	Name        string
	Description string
	Schema      envs.Args // the JSON Schema of its arguments
	ReadsOnly   bool      // it is known that no call changes anything

	// Call returns what the client reads, and whether that says what the client did wrong. input is
	// the arguments as they were sent: JSON, or "". An error is a failure of the server.
	Call func(ctx context.Context, input string) (text string, wrong bool, err error)
}

// NewMCP returns a server of tools, which introduces itself as a version of this program. Options
// that are left out have the SDK's defaults.
func NewMCP(version string, tools []MCPTool, o mcp.ServerOptions) *mcp.Server {
	o.Capabilities = &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "toolevo", Version: version}, &o)

	for _, t := range tools {
		shown := &mcp.Tool{
			Name: t.Name, Description: t.Description,
			InputSchema: json.RawMessage(pytext.AppendJSON(nil, t.Schema)),
		}
		if t.ReadsOnly { // nothing is said of others
			shown.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
		}

		server.AddTool(shown, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, wrong, err := t.Call(ctx, string(r.Params.Arguments))
			if err != nil {
				return nil, err
			}
			content := []mcp.Content{&mcp.TextContent{Text: text}}
			return &mcp.CallToolResult{Content: content, IsError: wrong}, nil
		})
	}
	return server
}

// mostBatch is how many requests a batch may have, because its answers multiply what was sent.
// Newer clients send no batches.
const mostBatch = 16

// MCPOverHTTP serves clients over streamable HTTP with complete answers, each by the server of its
// request. [Guard] decides who has access. A request has at most o.MaxRequestBodyBytes.
func MCPOverHTTP(
	serverOf func(*http.Request) *mcp.Server, o mcp.StreamableHTTPOptions,
) http.Handler {
	o.JSONResponse, o.DisableLocalhostProtection = true, true
	h := mcp.NewStreamableHTTPHandler(serverOf, &o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := read(w, r, o.MaxRequestBodyBytes)
		if !ok {
			return
		}

		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) == nil && len(batch) > mostBatch {
			why := fmt.Sprintf("a batch of %d requests: want at most %d", len(batch), mostBatch)
			http.Error(w, why, http.StatusBadRequest)
			return
		}

		h.ServeHTTP(w, r)
	})
}

// read reads the body of a request, which can then be read again, or says what is wrong with it.
func read(w http.ResponseWriter, r *http.Request, most int64) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return nil, false
	}

	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// sessionKey is the key of the server in the context of a request that begins a session.
type sessionKey struct{}

// MCPSessions is [MCPOverHTTP] with a server for each session, and a limit on sessions.
func MCPSessions(begin func() *mcp.Server, most int, o mcp.StreamableHTTPOptions) http.Handler {
	var (
		mu      sync.Mutex
		open    []*mcp.Server
		outside = begin() // says which versions of the protocol there are, before any session
	)

	h := MCPOverHTTP(func(r *http.Request) *mcp.Server {
		if s, ok := r.Context().Value(sessionKey{}).(*mcp.Server); ok {
			return s
		}
		return outside
	}, o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The SDK knows the server of a session. Only a request that begins one needs a new server.
		if r.Header.Get("Mcp-Session-Id") != "" {
			h.ServeHTTP(w, r)
			return
		}

		// The body is read first: a client that is slow to send it must not hold the lock.
		if _, ok := read(w, r, o.MaxRequestBodyBytes); !ok {
			return
		}

		mu.Lock()
		defer mu.Unlock()

		// Nobody says when a session ends, so those that are over are found here.
		open = slices.DeleteFunc(open, func(s *mcp.Server) bool {
			for range s.Sessions() {
				return false
			}
			return true
		})
		if len(open) >= most {
			why := fmt.Sprintf("all %d sessions are in use: end one, or wait", most)
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}

		server := begin()
		open = append(open, server)
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, server)))
	})
}

// MCPOverStdio serves the client at the other end of a pipe until the client closes it or ctx ends.
// No line has more bytes than most.
func MCPOverStdio(
	ctx context.Context, s *mcp.Server, in io.ReadCloser, out io.WriteCloser, most int64,
) error {
	return s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: int(most)})
}
