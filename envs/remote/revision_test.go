package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/remote"
)

// spoken begins a session with a server and returns it with the revision of the protocol that both
// came to.
func spoken(t *testing.T, m *remote.MCP) (remote.Instance, string) {
	t.Helper()

	instance, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := instance.Close(); err != nil {
			t.Error(err)
		}
	})

	return instance, instance.(interface{ InitializeResult() *mcp.InitializeResult }).InitializeResult().ProtocolVersion
}

// own is this binary as a server over a pipe.
func own(t *testing.T, what string, environment map[string]string) *remote.MCP {
	t.Helper()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &remote.MCP{Command: []string{binary, what, "{dir}"}, Shown: "/workspace", Environment: environment}
}

// web serves a server over streamable HTTP until the test ends.
func web(t *testing.T, s *mcp.Server, o mcp.StreamableHTTPOptions) *remote.MCP {
	t.Helper()

	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &o))
	t.Cleanup(at.Close)
	return &remote.MCP{URL: at.URL}
}

// The newest revision is spoken that a server knows, over both transports, and its tools are the
// same: page by page, with their annotations.
func TestRevisions(t *testing.T) {
	t.Parallel()

	for _, revision := range mcp.SupportedProtocolVersions() {
		dir := t.TempDir()
		o := mcp.ServerOptions{SupportedProtocolVersions: []string{revision}, PageSize: 1}

		for transport, m := range map[string]*remote.MCP{
			"stdio": own(t, "serve-notes", map[string]string{revisionVariable: revision}),
			"HTTP":  web(t, notesServer(dir, o), mcp.StreamableHTTPOptions{Stateless: revision >= "2026-07-28"}),
		} {
			t.Run(revision+" "+transport, func(t *testing.T) {
				t.Parallel()

				tools, left, err := m.Tools(t.Context())
				if err != nil || len(tools) != 4 || len(left) > 0 || !tools[2].Annotations.ReadOnlyHint ||
					tools[3].Annotations.ReadOnlyHint {
					t.Fatalf("the tools are %v, %v, %v", tools, left, err)
				}

				where := "/workspace"
				if transport == "HTTP" {
					where = dir
				}

				instance, got := spoken(t, m)
				if got != revision {
					t.Errorf("%s is spoken", got)
				}

				for tool, want := range map[string]envs.Outcome{"list": envs.OK, "none": envs.InvocationError} {
					result, err := instance.Call(t.Context(), tool, envs.Object("path", where))
					if err != nil || result.Outcome != want {
						t.Errorf("%s: %+v, %v", tool, result, err)
					}
				}
			})
		}
	}
}

// Where a server knows all revisions the newest is spoken; over HTTP one with sessions cannot.
func TestTheNewestRevision(t *testing.T) {
	t.Parallel()

	all := func() *mcp.Server { return notesServer(t.TempDir(), mcp.ServerOptions{}) }

	for want, ms := range map[string][]*remote.MCP{
		"2026-07-28": {own(t, "serve-notes", nil), web(t, all(), mcp.StreamableHTTPOptions{Stateless: true})},
		"2025-11-25": {web(t, all(), mcp.StreamableHTTPOptions{})},
	} {
		for _, m := range ms {
			if _, got := spoken(t, m); got != want {
				t.Errorf("%s %q: %s is spoken, want %s", m.URL, m.Command, got, want)
			}
		}
	}
}

// Servers of before that end, or say nothing, where no handshake comes first are started again.
func TestServersThatWantAHandshake(t *testing.T) {
	remote.SetPatienceWithProbe(t, 200*time.Millisecond)

	for _, what := range []string{"serve-strict", "serve-silent"} {
		m := own(t, what, nil)

		for range 2 { // the second time at once
			instance, got := spoken(t, m)
			if got != "2025-11-25" {
				t.Errorf("%s: %s is spoken", what, got)
			}

			result, err := instance.Call(t.Context(), "list", envs.Object("path", "/workspace"))
			if err != nil || result.Outcome != envs.OK {
				t.Errorf("%s: %+v, %v", what, result, err)
			}
		}
	}
}

// regional is a server whose tool wants a parameter repeated in a header, which a proxy before it
// may read. It counts its lists, which hold for a time.
func regional(schema string, ttl time.Duration) (s *mcp.Server, lists *atomic.Int64) {
	lists = new(atomic.Int64)
	s = mcp.NewServer(&mcp.Implementation{Name: "regional", Version: "1"}, &mcp.ServerOptions{
		SetCacheable: func(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
			if _, ok := r.GetParams().(*mcp.ListToolsParams); ok {
				lists.Add(1)
			}

			c.TTLMs = int(ttl.Milliseconds())
		},
	})
	s.AddTool(region(schema))
	return s, lists
}

func region(schema string) (*mcp.Tool, mcp.ToolHandler) {
	return &mcp.Tool{Name: "ask", InputSchema: json.RawMessage(schema)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said := r.Extra.Header.Get("Mcp-Param-Region")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "in " + said}}}, nil
		}
}

const (
	plain    = `{"type": "object", "properties": {"region": {"type": "string"}}}`
	mirrored = `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}`
)

// Arguments stand in headers where the list says so. A list is asked for again once it is older
// than its server said, and where headers are missing that its server has come to want.
func TestArgumentsInHeaders(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		first, then string
		ttl         time.Duration
		lists       int64 // in two calls
	}{
		"a list that holds":      {mirrored, mirrored, time.Hour, 1},
		"a list that is stale":   {mirrored, mirrored, 0, 3},
		"headers that are new":   {plain, mirrored, 0, 3},
		"no headers, and no ttl": {plain, plain, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server, lists := regional(test.first, test.ttl)
			instance, _ := spoken(t, web(t, server, mcp.StreamableHTTPOptions{Stateless: true}))
			server.AddTool(region(test.then))

			want := "in "
			if test.then == mirrored {
				want = "in us"
			}

			for range 2 {
				result, err := instance.Call(t.Context(), "ask", envs.Object("region", "us"))
				if err != nil || result.Observation != want {
					t.Errorf("%+v, %v; want %s", result, err, want)
				}
			}

			if got := lists.Load(); got != test.lists {
				t.Errorf("%d lists, want %d", got, test.lists)
			}
		})
	}
}

// A tool that no client may use is left by name.
func TestToolsThatNoClientMayUse(t *testing.T) {
	t.Parallel()

	server, _ := regional(plain, 0)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, r)
			if list, ok := result.(*mcp.ListToolsResult); ok {
				schema := json.RawMessage(strings.Replace(mirrored, "Region", "a b", 1))
				list.Tools = append(list.Tools, &mcp.Tool{Name: "spoilt", InputSchema: schema})
			}

			return result, err
		}
	})

	tools, left, err := web(t, server, mcp.StreamableHTTPOptions{Stateless: true}).Tools(t.Context())
	if err != nil || len(tools) != 1 || len(left) != 1 || left[0].Name != "spoilt" ||
		!strings.Contains(left[0].Why, "x-mcp-header") {
		t.Errorf("%v, left %v, %v", tools, left, err)
	}
}

// What a tool asks of its user nobody answers: that is no mistake in the call, and says what it is.
func TestToolsThatAsk(t *testing.T) {
	t.Parallel()

	server := mcp.NewServer(&mcp.Implementation{Name: "asking", Version: "1"}, nil)
	add := func(name string, result *mcp.CallToolResult, err error) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(plain)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, err })
	}

	add("sure", &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "Sure?"}},
	}, nil)
	add("roots", nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "roots wanted"})

	instance, _ := spoken(t, web(t, server, mcp.StreamableHTTPOptions{Stateless: true}))

	for tool, want := range map[string]string{"sure": "elicitation/create", "roots": "roots wanted"} {
		_, err := instance.Call(t.Context(), tool, nil)

		var asks *remote.Asks
		if !errors.As(err, &asks) || asks.Tool != tool || !strings.Contains(asks.For, want) {
			t.Errorf("%s: %v, want %s", tool, err, want)
		}

		if _, ok := envs.GivenUp(err); !ok {
			t.Errorf("%s ends the run", tool)
		}
	}
}

// Contents that are no text are named; none of them ends the run or this process. What the client
// library cannot read is named where a reply comes over a pipe, and else is given up.
func TestContentsThatAreNoText(t *testing.T) {
	t.Parallel()

	pipe, _ := spoken(t, own(t, "serve-odd", nil))
	network, _ := spoken(t, web(t, oddServer(), mcp.StreamableHTTPOptions{}))

	for tool, want := range map[string]string{
		"media": "[blob]", "no bytes": "[image]", "bytes": "[image/png, 3 bytes]",
		"untyped": "[resource, 3 bytes]", "memo": "buy milk", "bare": "[resource]",
		"picture": "[image/png, 3 bytes]",
	} {
		result, err := pipe.Call(t.Context(), tool, nil)
		if err != nil || result.Observation != "here:\n"+want || result.Outcome != envs.OK {
			t.Errorf("%s over a pipe: %+v, %v, want %s", tool, result, err, want)
		}

		result, err = network.Call(t.Context(), tool, nil)
		if _, alone := envs.GivenUp(err); tool == "media" || tool == "no bytes" {
			if !alone || !strings.Contains(err.Error(), tool) {
				t.Errorf("%s over HTTP: %+v, %v, want it given up", tool, result, err)
			}
		} else if err != nil || result.Observation != "here:\n"+want {
			t.Errorf("%s over HTTP: %+v, %v, want %s", tool, result, err, want)
		}
	}
}

// What is larger than an answer of a service may be is to be asked for in a smaller size.
func TestLargeReplies(t *testing.T) {
	t.Parallel()

	instance, _ := spoken(t, own(t, "serve-odd", nil))

	want := envs.Result{Observation: "The answer has more than 1048576 bytes: ask for less.",
		Outcome: envs.ToolError}

	result, err := instance.Call(t.Context(), "endless", nil)
	if err != nil || result != want {
		t.Errorf("%.99s (%s), %v, want %s", result.Observation, result.Outcome, err,
			want.Observation)
	}
}

// A number that JSON has not is a mistake in the call, which is not sent.
func TestArgumentsThatAreNotJSON(t *testing.T) {
	t.Parallel()

	instance, _ := spoken(t, own(t, "serve-odd", nil))

	for _, number := range []envs.Number{"NaN", "Infinity", "-Infinity"} {
		result, err := instance.Call(t.Context(), "memo", envs.Object("n", []any{number}))
		if err != nil || result.Outcome != envs.InvocationError ||
			!strings.Contains(result.Observation, "JSON") {
			t.Errorf("%s: %+v, %v", number, result, err)
		}
	}
}
