package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/bench"
)

// sky is a version of one function, which answers with its arguments.
type sky struct {
	name    string
	calls   atomic.Int64
	working func() error // before it answers; nil is at once
}

func (s *sky) Functions() []bench.Function {
	schema, _, err := pytext.DecodeObject(`{"type": "object", "properties": {"city": {"type": "string"}}}`)
	if err != nil {
		panic(err)
	}
	return []bench.Function{
		{Name: s.name, Description: "tells the weather", Schema: schema, ReadsOnly: s.name == "forecast"},
	}
}

func (s *sky) Find(api toolbench.Key) (string, bool) { return s.name, api.Tool == "Sky" }

func (s *sky) Call(_ context.Context, name string, args envs.Args) (bench.Answer, error) {
	s.calls.Add(1)

	if s.working != nil {
		if err := s.working(); err != nil {
			return bench.Answer{}, err
		}
	}

	text := toolbench.Answer{Response: envs.Args{{Name: name, Value: args}}}.Text()
	if _, ok := args.Get("town"); ok {
		return bench.Answer{Text: `{"error": "want city", "response": ""}`, Outcome: envs.InvocationError}, nil
	}

	_, respelled := args.Get("is_city")
	return bench.Answer{Text: text, Respelled: map[bool]int{true: 1}[respelled]}, nil
}

// served starts a server of two versions, p_c and p_s, until the test ends.
func served(t testing.TB, o Options) (*httptest.Server, *Server) {
	t.Helper()

	if o.Versions == nil {
		o.Versions = map[string]Version{"p_c": &sky{name: "forecast"}, "p_s": &sky{name: "tell_weather"}}
	}

	o.Default = "p_c"

	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}

	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server, s
}

// post sends a body and returns the status and the answer.
func post(t testing.TB, server *httptest.Server, body string, header ...string) (int, string) {
	t.Helper()

	r, err := http.NewRequest(http.MethodPost, server.URL+"/virtual", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// Names that were spelled as StableToolBench's client does are counted beside the body.
func TestStandardisedNames(t *testing.T) {
	t.Parallel()

	server, s := served(t, Options{})

	for argument, want := range map[string]string{"is_city": "1", "city": ""} {
		reply, err := http.Post(server.URL+"/virtual", "application/json",
			strings.NewReader(asked+`{"`+argument+`": "Bern"}}`))
		if err != nil {
			t.Fatal(err)
		}

		_ = reply.Body.Close()

		if got := reply.Header.Get(StandardisedHeader); got != want {
			t.Errorf("%s is counted as %q, want %q", argument, got, want)
		}
	}

	if s.Standardised()["ok"] != 1 || s.Counts()["ok"] != 2 {
		t.Errorf("%v of %v calls", s.Standardised(), s.Counts())
	}
}

const asked = `{"category": "Weather", "tool_name": "Sky", "api_name": "Forecast", "strip": "", "tool_input": `

func TestVirtual(t *testing.T) {
	t.Parallel()

	server, _ := served(t, Options{})

	for body, want := range map[string]struct {
		status int
		text   string // how the answer begins
	}{
		asked + `"{\"city\": \"Bern\"}"}`:           {200, `{"error": "", "response": {"forecast": {"city": "Bern"}}}`},
		asked + `{"city": "Bern"}}`:                 {200, `{"error": "", "response": {"forecast": {"city": "Bern"}}}`},
		asked + `""}`:                               {200, `{"error": "", "response": {"forecast": {}}}`},
		asked + `null}`:                             {200, `{"error": "", "response": {"forecast": {}}}`},
		asked + `{}, "version": "p_s"}`:             {200, `{"error": "", "response": {"tell_weather": {}}}`},
		asked + `{"town": "Bern"}}`:                 {200, `{"error": "want city", "response": ""}`},
		asked + `["Bern"]}`:                         {200, `{"error": "tool input parse error: want a JSON object, not a list`},
		asked + `"[]"}`:                             {200, `{"error": "tool input parse error: want a JSON object, not a list`},
		asked + `7}`:                                {200, `{"error": "tool input parse error: want a JSON object, not a int`},
		asked + `"{city: Bern}"}`:                   {200, `{"error": "tool input parse error: invalid JSON: Expecting property`},
		asked + `{}, "api_name": "chat_with_user"}`: {200, `{"error": "", "response": "There is no user`},
		`{"tool_name": "Sea", "api_name": "Tide"}`:  {200, `{"error": "there is no API`},
		`{}`:                            {200, `{"error": "there is no API`},
		asked + `{}, "version": "p_x"}`: {400, `{"error": "the version \"p_x\" is not served`},
		`[]`:                            {400, `{"error": "the body: want a JSON object, not a list`},
		`{"category": `:                 {400, `{"error": "the body: invalid JSON: Expecting value`},
		``:                              {400, `{"error": "the body: invalid JSON`},
		"\xff":                          {400, `{"error": "the body: invalid JSON`},
		asked + `"` + strings.Repeat("a", 2<<20) + `"}`:  {413, `{"error": "the body is too large`},
		asked + `"` + strings.Repeat("[", 100000) + `"}`: {200, `{"error": "tool input parse error: invalid JSON: maximum recursion`},
	} {
		status, text := post(t, server, body)
		if status != want.status || !strings.HasPrefix(text, want.text) {
			t.Errorf("%.150s\nis answered %d %.200s, want %d %s", body, status, text, want.status, want.text)
		}

		if o, _, err := pytext.DecodeObject(text); err != nil || strings.Join(o.Names(), " ") != "error response" {
			t.Errorf("%.150s\nis answered %s, want an object of error and response", body, text)
		}
	}
}

// A body whose length nobody says is read as far as the limit; one that says it is too long is not
// read at all.
func TestLargeBodies(t *testing.T) {
	t.Parallel()

	_, s := served(t, Options{MaxBody: 1000})

	for _, length := range []int64{-1, 100 << 20} {
		body := &endless{}
		r := httptest.NewRequest(http.MethodPost, "/virtual", body)
		r.ContentLength, r.Host = length, "localhost"

		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)

		if w.Code != http.StatusRequestEntityTooLarge || body.read > 1<<16 || length > 0 && body.read > 0 {
			t.Errorf("a body of length %d: status %d after %d bytes", length, w.Code, body.read)
		}
	}
}

// endless is a body without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, strings.Repeat(" ", len(p))), nil
}

func TestKey(t *testing.T) {
	t.Parallel()

	server, _ := served(t, Options{Key: "secret"})

	for _, test := range []struct {
		body   string
		header []string
		want   int
	}{
		{asked + `{}}`, nil, 401},
		{asked + `{}, "toolbench_key": "secrets"}`, nil, 401},
		{asked + `{}}`, []string{"Authorization", "Bearer wrong"}, 401},
		{asked + `{}, "toolbench_key": "secret"}`, nil, 200},
		{asked + `{}}`, []string{"Authorization", "Bearer secret"}, 200},
	} {
		if status, text := post(t, server, test.body, test.header...); status != test.want {
			t.Errorf("%s %v is answered %d %s, want %d", test.body, test.header, status, text, test.want)
		}
	}

	for _, path := range []string{"/mcp", "/mcp/p_s", "/metrics"} {
		reply, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()

		if reply.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a key is answered %d", path, reply.StatusCode)
		}
	}
}

// A page of a foreign site cannot have a browser call anything.
func TestForeignPages(t *testing.T) {
	t.Parallel()

	server, _ := served(t, Options{})

	if status, _ := post(t, server, asked+`{}}`, "Origin", "https://example.com"); status != http.StatusForbidden {
		t.Errorf("a request of a foreign page is answered %d", status)
	}
}

// A failure of ours is no answer of the API.
func TestFailure(t *testing.T) {
	t.Parallel()

	down := func() error { return errors.New("the model is down") }
	server, s := served(t, Options{Versions: map[string]Version{"p_c": &sky{name: "forecast", working: down}}})

	status, text := post(t, server, asked+`{}}`)
	if status != http.StatusBadGateway || !strings.Contains(text, "the model is down") {
		t.Errorf("a failure is answered %d %s", status, text)
	}

	if got := s.Counts()["failed"]; got != 1 {
		t.Errorf("%d failures are counted", got)
	}
}

// No more calls run at the same time than may; all are answered.
func TestCallsAtTheSameTime(t *testing.T) {
	t.Parallel()

	var running, most atomic.Int64

	v := &sky{name: "forecast"}
	v.working = func() error {
		n := running.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}

		running.Add(-1)
		return nil
	}
	server, s := served(t, Options{Versions: map[string]Version{"p_c": v}, MaxCalls: 3})

	var clients sync.WaitGroup
	for range 50 {
		clients.Go(func() {
			if status, text := post(t, server, asked+`{}}`); status != 200 {
				t.Errorf("%d %s", status, text)
			}
		})
	}

	clients.Wait()

	if v.calls.Load() != 50 || most.Load() > 3 || s.Counts()["ok"] != 50 {
		t.Errorf("%d calls, at most %d at the same time, counted %v", v.calls.Load(), most.Load(), s.Counts())
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()

	server, _ := served(t, Options{})
	post(t, server, asked+`{}}`)
	post(t, server, asked+`[]}`)

	reply, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{`{outcome="ok"} 1`, `{outcome="invocation-error"} 1`} {
		if !strings.Contains(string(text), "toolevo_served_calls_total"+want) {
			t.Errorf("the metrics lack %s:\n%s", want, text)
		}
	}
}

// A client of MCP finds the functions of each version with their schemas, and calls them as other
// clients do.
func TestMCP(t *testing.T) {
	t.Parallel()

	server, s := served(t, Options{Software: "7"})
	overPipe, ours := pipes()

	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	serving.Go(func() { _ = s.Stdio(ctx, ours.in, ours.out) }) // it ends with its context

	for name, transport := range map[string]mcp.Transport{
		"forecast":     &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"},
		"tell_weather": &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp/p_s"},
		"forecast, over a pipe": &mcp.IOTransport{
			Reader: overPipe.in, Writer: overPipe.out,
		},
	} {
		function, _, _ := strings.Cut(name, ",")

		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		tools, err := client.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != function ||
			fmt.Sprint(tools.Tools[0].InputSchema) != "map[properties:map[city:map[type:string]] type:object]" {
			t.Errorf("%s: the tools are %+v (%v)", name, tools, err)
		}

		for argument, failed := range map[string]bool{"city": false, "town": true} {
			result, err := client.CallTool(ctx, &mcp.CallToolParams{
				Name: function, Arguments: map[string]any{argument: "Bern"},
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			text := result.Content[0].(*mcp.TextContent).Text
			if result.IsError != failed || !failed && !strings.Contains(text, `{"city": "Bern"}`) {
				t.Errorf("%s: %s is answered %v %s", name, argument, result.IsError, text)
			}
		}

		if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "nonsense"}); err == nil {
			t.Errorf("%s: a tool that nobody has is called", name)
		}

		if err := client.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	cancel()
	serving.Wait()
}

// Clients of every revision of the protocol are served by theirs, over HTTP and over a pipe. They
// are told of what only reads, and nothing of what may do more.
func TestRevisions(t *testing.T) {
	t.Parallel()

	server, s := served(t, Options{})

	for _, revision := range mcp.SupportedProtocolVersions() {
		overPipe, ours := pipes()
		ctx, cancel := context.WithCancel(t.Context())

		var serving sync.WaitGroup
		serving.Go(func() { _ = s.Stdio(ctx, ours.in, ours.out) }) // it ends with its context

		for name, transport := range map[string]mcp.Transport{
			"forecast":              &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"},
			"tell_weather":          &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp/p_s"},
			"forecast, over a pipe": &mcp.IOTransport{Reader: overPipe.in, Writer: overPipe.out},
		} {
			client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport,
				&mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatalf("%s, %s: %v", revision, name, err)
			}

			if got := client.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("%s: %s is spoken, want %s", name, got, revision)
			}

			tools, err := client.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) != 1 {
				t.Fatalf("%s, %s: %v, %v", revision, name, tools, err)
			}

			of := tools.Tools[0]
			reads := of.Annotations != nil && of.Annotations.ReadOnlyHint

			if reads != (of.Name == "forecast") || !reads && of.Annotations != nil {
				t.Errorf("%s, %s: the annotations are %+v", revision, name, of.Annotations)
			}

			if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: of.Name}); err != nil {
				t.Errorf("%s, %s: %v", revision, name, err)
			}

			if err := client.Close(); err != nil {
				t.Errorf("%s, %s: %v", revision, name, err)
			}
		}

		cancel()
		serving.Wait()
	}
}

// pipe is an end of a connection.
type pipe struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func pipes() (client, server pipe) {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	return pipe{fromServer, toServer}, pipe{fromClient, toClient}
}

// A batch multiplies answers, a list of all tools for sixty bytes: it has few requests.
func TestBatches(t *testing.T) {
	t.Parallel()

	server, _ := served(t, Options{})
	asked := func(n int) (status, size int) {
		requests := strings.Repeat(`,{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, n)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp",
			strings.NewReader(" ["+requests[1:]+"]"))
		if err != nil {
			t.Fatal(err)
		}

		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")

		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()

		text, err := io.ReadAll(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return reply.StatusCode, len(text)
	}

	for n, want := range map[int]int{2: http.StatusOK, 16: http.StatusOK, 17: http.StatusBadRequest,
		1300: http.StatusBadRequest} {
		if status, size := asked(n); status != want || size > 1<<16 {
			t.Errorf("a batch of %d is answered %d with %d bytes, want %d", n, status, size, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()

	if _, err := New(Options{Versions: map[string]Version{"p_c": &sky{}}, Default: "p_s"}); err == nil {
		t.Error("a default that is not served is taken")
	}
}
