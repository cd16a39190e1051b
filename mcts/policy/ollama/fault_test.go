package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		kind    server.FaultKind
		want    string // in the error
		wait    time.Duration
	}{
		{
			name:    "too long",
			handler: wiretest.Answers(400, `{"error":"the input length exceeds the context length"}`),
			kind:    server.TooLong,
		},
		{
			name:    "too long, as a failure",
			handler: wiretest.Answers(500, `{"error":"input length exceeds maximum context length"}`),
			kind:    server.TooLong,
		},
		{
			name: "too long, llama-server",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`),
		},
		{
			name: "before 0.12.6: the prompt was cut",
			kind: server.TooLong,
			want: "may have cut",
			handler: wiretest.Answers(200,
				`{"response":"x","done":true,"done_reason":"stop","prompt_eval_count":256,"eval_count":3}`),
		},
		{
			name: "before 0.12.6: the window slid",
			kind: server.TooLong,
			want: "slid",
			handler: wiretest.Answers(200,
				`{"response":"x","done":true,"done_reason":"length","prompt_eval_count":200,"eval_count":64}`),
		},
		{
			name:    "unknown model",
			handler: wiretest.Answers(404, `{"error":"model 'm' not found"}`),
			kind:    server.Refused,
			want:    "ollama pull m",
		},
		{
			name:    "another program",
			handler: wiretest.Answers(404, "404 page not found"),
			kind:    server.Refused,
			want:    "is this an Ollama server?",
		},
		{
			name:    "raw refused",
			handler: wiretest.Answers(400, `{"error":"raw mode does not support template, system, or context"}`),
			kind:    server.BadRequest,
			want:    "raw mode",
		},
		{
			name:    "embedding model",
			handler: wiretest.Answers(400, `{"error":"\"m\" does not support generate"}`),
			kind:    server.BadRequest,
		},
		{
			name:    "wrong type of an option",
			handler: wiretest.Answers(500, `{"error":"option \"top_k\" must be of type integer"}`),
			kind:    server.Refused,
			want:    "top_k",
		},
		{
			name: "not enough memory",
			handler: wiretest.Answers(500,
				`{"error":"model requires more system memory (9 GiB) than is available (1 GiB)"}`),
			kind: server.Refused,
		},
		{
			name:    "wrong key",
			handler: wiretest.Answers(401, `{"error":"unauthorized","signin_url":"https://x"}`),
			kind:    server.Refused,
			want:    "unauthorized",
		},
		{
			name:    "moved",
			handler: wiretest.Answers(308, "", "Location", "https://elsewhere/"),
			kind:    server.Refused,
			want:    "elsewhere",
		},
		{
			name: "busy",
			handler: wiretest.Answers(503,
				`{"error":"server busy, please try again.  maximum pending requests exceeded"}`, "Retry-After", "3"),
			kind: server.Transient,
			want: "server busy, please",
			wait: 3 * time.Second,
		},
		{
			name:    "a failure without a body",
			handler: wiretest.Answers(500, ""),
			kind:    server.Transient,
			want:    "Internal Server Error",
		},
		{
			name: "the runner died",
			handler: wiretest.Answers(500,
				`{"error":"an error was encountered while running the model: unexpected EOF"}`),
			kind: server.Transient,
		},
		{
			name:    "gateway",
			handler: wiretest.Answers(502, "<html>Bad Gateway</html>"),
			kind:    server.Transient,
			want:    "Bad Gateway",
		},
		{name: "client gone, says a gateway", handler: wiretest.Answers(499, ""), kind: server.Transient},
		{
			name: "an error in the middle",
			handler: wiretest.Answers(200, `{"response":"a","done":false}`+"\n"+
				`{"error":"llama runner process has terminated"}`),
			kind: server.Transient,
			want: "terminated",
		},
		{
			name:    "too long, in the middle",
			handler: wiretest.Answers(200, `{"error":"the input length exceeds the context length"}`),
			kind:    server.TooLong,
		},
		{
			name:    "never done",
			handler: wiretest.Answers(200, `{"response":"a","done":false}`+"\n"),
			kind:    server.Transient,
			want:    "broke off",
		},
		{name: "nothing", handler: wiretest.Answers(200, ""), kind: server.Transient, want: "broke off"},
		{
			name:    "garbage",
			handler: wiretest.Answers(200, "Ollama is running"),
			kind:    server.Transient,
			want:    "not the JSON",
		},
		{
			name:    "half a reply",
			handler: wiretest.Answers(200, oneSample[:30]),
			kind:    server.Transient,
			want:    "not the JSON",
		},
		{
			name:    "two replies",
			handler: wiretest.Answers(200, oneSample+oneSample),
			kind:    server.Transient,
			want:    "goes on",
		},
		{
			name:    "only loaded",
			handler: wiretest.Answers(200, `{"response":"","done":true,"done_reason":"load"}`),
			kind:    server.Refused,
			want:    `"load"`,
		},
		{
			name:    "too long a reply",
			handler: wiretest.Answers(200, `{"response":"`+strings.Repeat("y", 2<<20)+`"}`),
			kind:    server.Transient,
			want:    "bound",
		},
		{name: "reset", handler: wiretest.Reset, kind: server.Transient, want: "EOF"},
		{name: "cut short", kind: server.Transient, want: "EOF", handler: wiretest.CutShort(`{"response":`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := backend(t, wiretest.Serve(t, tt.handler))
			_, err := b.Complete(t.Context(), askLong(2))

			fault := wiretest.FaultOf(t, err)
			if fault.Kind != tt.kind || fault.RetryAfter != tt.wait || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, to be tried after %v; want %s with %q after %v", err, fault.RetryAfter, tt.kind, tt.want,
					tt.wait)
			}

			if fault.Address != b.Address() {
				t.Errorf("address %q", fault.Address)
			}
		})
	}
}

// TestOneFails: a sample that fails is the fault of all, and not the end of the others' context.
func TestOneFails(t *testing.T) {
	f := serve(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		if body["options"].(map[string]any)["seed"] == 8.0 {
			wiretest.Answers(503, `{"error":"busy"}`)(w, r)
			return
		}

		<-r.Context().Done() // until the other's failure ends it
	})

	_, err := backend(t, f).Complete(t.Context(), ask(3))
	if fault := wiretest.FaultOf(t, err); fault.Message != "busy" {
		t.Errorf("%v", err)
	}
}

// TestSecrets: a key occurs in no error and in no print, wherever it is kept and however it is
// echoed.
func TestSecrets(t *testing.T) {
	handlers := map[string]http.HandlerFunc{
		"envelope": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":%q}`, wiretest.Echo(r, 380))
		},
		"raw": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, "<p>"+wiretest.Echo(r, 0))
		},
		"quotes": func(w http.ResponseWriter, r *http.Request) { // in a sample, which would be kept
			text, _ := json.Marshal("Thought: " + wiretest.Echo(r, 0))
			fmt.Fprintf(w, `{"response":%s,"done":true,"done_reason":"stop"}`, text)
		},
		"stream": func(w http.ResponseWriter,
			r *http.Request) {
			fmt.Fprintf(w, `{"error":%q}`, wiretest.Echo(r, 0))
		},
		"redirect": wiretest.Answers(302, "", "Location", "https://elsewhere/?key="+url.QueryEscape(wiretest.Secret)),
		"reset":    wiretest.Reset,
	}
	wiretest.Secrets(t, handlers, func(t *testing.T, address, key string) []any {
		b, err := New(Options{Endpoint: server.Endpoint{URL: address, APIKey: key, Model: "m"}, Window: 256})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()

		_, err = b.Complete(t.Context(), ask(1))
		_, other := b.Models(t.Context())
		return []any{wiretest.FaultOf(t, err), other, b, *b, b.Address()}
	})
}
