package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/stategen/voice"
	"toolevo/envs/stategen/voice/serve"
	"toolevo/envs/wire"
)

func served(t *testing.T) (*serve.Server, string) {
	t.Helper()

	s, err := serve.New(1, "test", &wire.Guard{})
	if err != nil {
		t.Fatal(err)
	}

	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	return s, at.URL + "/mcp"
}

// connect begins a session, which ends with the test.
func connect(t *testing.T, over mcp.Transport) *mcp.ClientSession {
	t.Helper()

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)

	s, err := client.Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call calls a tool and returns what it says.
func call(t *testing.T, s *mcp.ClientSession, tool string, args any) (text string, refused bool) {
	t.Helper()

	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return "", false
	}

	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestToolsAreServed(t *testing.T) {
	_, url := served(t)
	s := connect(t, &mcp.StreamableClientTransport{Endpoint: url})

	listed, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}

	if got, want := len(listed.Tools), len(voice.Domain{}.APIs()); got != want {
		t.Errorf("%d tools are listed, want %d", got, want)
	}

	said, refused := call(t, s, "text_to_speech", map[string]any{"text": "One two."})
	if refused || !strings.HasPrefix(said, `{"speech": "speech_1", "text": "One two.", "voice_name": null`) {
		t.Errorf("a text is spoken as %s", said)
	}

	said, refused = call(t, s, "speech_to_text", map[string]any{"input_speech": "speech_1"})
	if refused || said != `"One two."` {
		t.Errorf("it is transcribed as %s", said)
	}
}

// A request of the protocol without sessions is refused by name, with the revisions that are
// spoken; a client that knows one of these begins a session.
func TestRevisions(t *testing.T) {
	s, url := served(t)
	spoken := []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	request := `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {` +
		`"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}`

	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()

	go func() { _ = s.Stdio(t.Context(), fromClient, toClient) }()
	go func() { _, _ = io.WriteString(toServer, request+"\n") }()

	for name, answer := range map[string]io.Reader{"HTTP": posted(t, url, request), "stdio": fromServer} {
		var refused struct {
			Error struct {
				Code    int64
				Message string
				Data    mcp.UnsupportedProtocolVersionData
			}
		}

		err := json.NewDecoder(answer).Decode(&refused)
		if e := refused.Error; err != nil || e.Code != mcp.CodeUnsupportedProtocolVersion ||
			!strings.Contains(e.Message, "protocol version") || e.Data.Requested != "2026-07-28" ||
			!slices.Equal(e.Data.Supported, spoken) {
			t.Errorf("%s: %v, %+v", name, err, refused)
		}
	}

	for _, revision := range append(spoken, "2026-07-28") {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)

		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url},
			&mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatal(err)
		}

		want := min(revision, "2025-11-25")
		if got := session.InitializeResult().ProtocolVersion; got != want {
			t.Errorf("a client of %s speaks %s, want %s", revision, got, want)
		}

		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// posted returns the answer to a request of the protocol without sessions.
func posted(t *testing.T, url, request string) io.Reader {
	t.Helper()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}

	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"},
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { reply.Body.Close() })
	return reply.Body
}

// A session knows nothing of the speeches of another one.
func TestSessionsAreApart(t *testing.T) {
	s, url := served(t)
	one := connect(t, &mcp.StreamableClientTransport{Endpoint: url})
	other := connect(t, &mcp.StreamableClientTransport{Endpoint: url})

	call(t, one, "text_to_speech", map[string]any{"text": "Hello."})

	if said, refused := call(t, other, "isolate_audio", map[string]any{"input_speech": "speech_1"}); !refused {
		t.Errorf("another session has the speech: %s", said)
	}

	if said, refused := call(t, one, "isolate_audio", map[string]any{"input_speech": "speech_1"}); refused {
		t.Error(said)
	}

	if got, want := s.Counts(), (serve.Counts{Calls: 2, Refused: 1}); got != want {
		t.Errorf("it counts %+v, want %+v", got, want)
	}
}

// Calls of a session that come at once are made one after the other.
func TestCallsAtOnce(t *testing.T) {
	_, url := served(t)
	s := connect(t, &mcp.StreamableClientTransport{Endpoint: url})

	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			if said, refused := call(t, s, "text_to_speech", map[string]any{"text": "Hello."}); refused {
				t.Error(said)
			}
		})
	}

	clients.Wait()

	if said, refused := call(t, s, "isolate_audio", map[string]any{"input_speech": "speech_20"}); refused {
		t.Errorf("of 20 speeches the last is missing: %s", said)
	}
}

// There are so many sessions at most, and one that ends makes room for another.
func TestMostSessions(t *testing.T) {
	_, url := served(t)

	begin := func() (session string, status int) {
		t.Helper()

		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
				`"clientInfo":{"name":"test","version":"1"}}}`))
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

		return reply.Header.Get("Mcp-Session-Id"), reply.StatusCode
	}

	var last string

	for range serve.MostSessions {
		session, status := begin()
		if status != http.StatusOK || session == "" {
			t.Fatalf("a session is answered %d", status)
		}

		last = session
	}

	if _, status := begin(); status != http.StatusServiceUnavailable {
		t.Errorf("one session too many is answered %d", status)
	}

	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("Mcp-Session-Id", last)

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	if _, status := begin(); status != http.StatusOK {
		t.Errorf("behind one that ended (%s), a session is answered %d", reply.Status, status)
	}
}

func TestRefusals(t *testing.T) {
	_, url := served(t)
	s := connect(t, &mcp.StreamableClientTransport{Endpoint: url})

	for _, args := range []any{
		nil, map[string]any{"text": 3}, map[string]any{"text": "a", "speed": 1}, []any{1}, "text",
	} {
		if said, refused := call(t, s, "text_to_speech", args); !refused || said == "" {
			t.Errorf("%v is answered %q", args, said)
		}
	}
}

func TestForeignPagesAreRefused(t *testing.T) {
	_, url := served(t)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("Origin", "https://example.org")
	r.Header.Set("Sec-Fetch-Site", "cross-site")

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	if reply.StatusCode != http.StatusForbidden {
		t.Errorf("a page of a foreign site is answered %s", reply.Status)
	}
}

func TestStdio(t *testing.T) {
	s, err := serve.New(1, "test", &wire.Guard{})
	if err != nil {
		t.Fatal(err)
	}

	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)

	go func() { ended <- s.Stdio(t.Context(), fromClient, toClient) }()

	client := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})

	call(t, client, "text_to_speech", map[string]any{"text": "Hello."})

	if said, refused := call(t, client, "isolate_audio", map[string]any{"input_speech": "speech_1"}); refused {
		t.Error(said)
	}

	if err := client.Close(); err != nil {
		t.Error(err)
	}

	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// A seed has one library, and another seed another.
func TestLibraries(t *testing.T) {
	library := func(seed uint64) string {
		s, err := serve.New(seed, "test", &wire.Guard{})
		if err != nil {
			t.Fatal(err)
		}

		at := httptest.NewServer(s)
		defer at.Close()

		session := connect(t, &mcp.StreamableClientTransport{Endpoint: at.URL + "/mcp"})
		found, _ := call(t, session, "search_voice_library", map[string]any{
			"search_category": "any", "search_gender": "any",
		})
		return found
	}

	if one := library(1); one != library(1) || one == library(2) || strings.Count(one, "voice_name") != 10 {
		t.Errorf("the library of the seed 1 is %s, of 2 %s", one, library(2))
	}
}
