package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// nested is the envelope of current servers, flat that of vLLM before 0.10.1.
func nested(message, param string, code int) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"BadRequestError","param":%q,"code":%d}}`, message, param, code)
}

func flat(message string, code int) string {
	return fmt.Sprintf(`{"object":"error","message":%q,"type":"BadRequestError","param":null,"code":%d}`, message, code)
}

const inWindow = "This model's maximum context length is 512 tokens. However, you requested 600 tokens."

func TestFaults(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		kind    server.FaultKind
		want    string // in the message
		wait    time.Duration
	}{
		{
			name:    "too long, nested",
			handler: wiretest.Answers(400, nested(inWindow, "", 400)),
			kind:    server.TooLong,
			want:    "512 tokens",
		},
		{
			name:    "too long, flat",
			handler: wiretest.Answers(400, flat(inWindow, 400)),
			kind:    server.TooLong,
			want:    "512 tokens",
		},
		{
			name: "too long, counted as far as needed",
			kind: server.TooLong,
			handler: wiretest.Answers(400, nested("You passed at least 513 input tokens and requested 0 "+
				"output tokens.", "", 400)),
		},
		{
			name:    "too long, by the field",
			handler: wiretest.Answers(400, nested("Invalid value.", "input_tokens", 400)),
			kind:    server.TooLong,
		},
		{
			name: "max_tokens above the window, whatever the prompt",
			kind: server.BadRequest,
			want: "cannot be greater",
			handler: wiretest.Answers(400, nested("max_tokens=9999 cannot be greater than "+
				"max_model_len=max_total_tokens=512. Please request fewer output tokens.", "max_tokens", 400)),
		},
		{
			name: "max_tokens too large",
			kind: server.TooLong,
			handler: wiretest.Answers(400, nested("'max_tokens' or 'max_completion_tokens' is too large: 9999.",
				"max_tokens", 400)),
		},
		{
			name: "too long, OpenAI",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"error":{"message":"Please reduce the length.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`),
		},
		{
			name: "too long, Ollama",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error","param":null,"code":null}}`),
		},
		{
			name: "too long, llama.cpp",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`),
		},
		{
			name: "too long, SGLang and Together",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				flat("The input (61709 tokens) is longer than the model's context length (40960 "+
					"tokens).", 400)),
		},
		{
			name: "too long for the memory, SGLang",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				flat("Input length (160062 tokens) exceeds the maximum allowed length (59862 "+
					"tokens).", 400)),
		},
		{
			name: "too long, xAI",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 `+
					`but the request contains 136973 tokens."}`),
		},
		{
			name: "too long, xAI since",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`{"code":"invalid-argument","error":"[input_too_large] Current message (1149677 `+
					`tokens) exceeds budget (975424 tokens)"}`),
		},
		{
			name: "too long, Gemini",
			kind: server.TooLong,
			handler: wiretest.Answers(400,
				`[{"error":{"code":400,"message":"The input token count (1054016) exceeds the `+
					`maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`),
		},
		{
			name: "too long, LM Studio",
			kind: server.TooLong,
			handler: wiretest.Answers(400, `{"error":"Trying to keep the first 9000 tokens when `+
				`context the overflows. The number of tokens to keep from the initial prompt is `+
				`greater than the context length."}`),
		},
		{
			name:    "too long, with a good status",
			kind:    server.TooLong,
			handler: wiretest.Answers(200, nested(inWindow, "", 400)),
		},
		{
			name:    "greedy with n",
			handler: wiretest.Answers(400, nested("n must be 1 when using greedy sampling, got 2.", "", 400)),
			kind:    server.BadRequest,
			want:    "greedy",
		},
		{
			name: "wrong type",
			kind: server.BadRequest,
			want: "valid integer",
			handler: wiretest.Answers(400,
				`{"error":{"message":"Input should be a valid integer","type":"Bad Request","param":null,"code":400}}`),
		},
		{
			name:    "a list of messages",
			handler: wiretest.Answers(400, `{"error":{"message":["one","two"]}}`),
			kind:    server.BadRequest,
			want:    "one, two",
		},
		{
			name:    "a text for an error",
			handler: wiretest.Answers(404, `{"error":"model 'm' not found"}`),
			kind:    server.Refused,
			want:    `'m' not found`,
		},
		{name: "field apart from the message", kind: server.BadRequest, want: "Unknown argument. (top_k)",
			handler: wiretest.Answers(400, nested("Unknown argument.", "top_k", 400))},
		{
			name: "unknown field, as a list",
			kind: server.BadRequest,
			want: "min_p",
			handler: wiretest.Answers(422,
				`{"detail":[{"type":"extra_forbidden","loc":["body","min_p"],"msg":"Extra inputs are not permitted"}]}`),
		},
		{
			name:    "wrong key",
			handler: wiretest.Answers(401, `{"error":"Unauthorized"}`),
			kind:    server.Refused,
			want:    "wants a key",
		},
		{name: "forbidden", handler: wiretest.Answers(403, ""), kind: server.Refused, want: "Forbidden"},
		{
			name:    "unknown model",
			handler: wiretest.Answers(404, nested("The model `m` does not exist.", "model", 404)),
			kind:    server.Refused,
			want:    `asked for the model "m"`,
		},
		{
			name:    "wrong path",
			handler: wiretest.Answers(404, `{"detail":"Not Found"}`),
			kind:    server.Refused,
			want:    "base URL",
		},
		{
			name:    "wrong program",
			handler: wiretest.Answers(404, "404 page not found"),
			kind:    server.Refused,
			want:    "base URL",
		},
		{
			name:    "moved",
			handler: wiretest.Answers(307, "", "Location", "https://elsewhere/v1/completions"),
			kind:    server.Refused,
			want:    "elsewhere",
		},
		{name: "request timeout", handler: wiretest.Answers(408, ""), kind: server.Transient, want: "Request Timeout"},
		{name: "conflict", handler: wiretest.Answers(409, ""), kind: server.Transient},
		{
			name:    "busy",
			handler: wiretest.Answers(429, nested("slow down", "", 429), "Retry-After", "7"),
			kind:    server.Transient,
			want:    "slow down",
			wait:    7 * time.Second,
		},
		{
			name:    "busy until a moment",
			handler: wiretest.Answers(429, nested("slow down", "", 429), "X-RateLimit-Reset", "9"),
			kind:    server.Transient,
			wait:    9 * time.Second,
		},
		{
			name: "busy, in a reply",
			handler: wiretest.Answers(200, `{"error":{"message":"Rate limit exceeded","code":429,
				"metadata":{"headers":{"X-RateLimit-Reset":"11"}}}}`),
			kind: server.Transient,
			want: "(HTTP 429): the reply holds an error: Rate limit exceeded",
			wait: 11 * time.Second,
		},
		{
			name:    "no quota",
			handler: wiretest.Answers(429, `{"error":{"message":"plan","type":"insufficient_quota"}}`),
			kind:    server.OutOfQuota,
			want:    "plan",
		},
		{
			name:    "no quota, in a reply",
			handler: wiretest.Answers(200, `{"error":{"message":"plan","code":"insufficient_quota"}}`),
			kind:    server.OutOfQuota,
			want:    "plan",
		},
		{
			name:    "no credits, in a reply",
			handler: wiretest.Answers(200, nested("more credits", "", 402)),
			kind:    server.OutOfQuota,
		},
		{
			name:    "full queue",
			kind:    server.Transient,
			handler: wiretest.Answers(503, nested("too many queued requests", "", 503)),
		},
		{
			name:    "engine death",
			handler: wiretest.Answers(500, nested("EngineCore encountered an issue.", "", 500)),
			kind:    server.Transient,
			want:    "EngineCore",
		},
		{
			name:    "garbage",
			handler: wiretest.Answers(200, "<html>welcome</html>"),
			kind:    server.Transient,
			want:    "not the JSON",
		},
		{
			name:    "a stream",
			handler: wiretest.Answers(200, "data: "+oneChoice+"\n\ndata: [DONE]\n\n"),
			kind:    server.Transient,
			want:    "not the JSON",
		},
		{
			name:    "half a reply",
			handler: wiretest.Answers(200, oneChoice[:40]),
			kind:    server.Transient,
			want:    "not the JSON",
		},
		{name: "nothing", handler: wiretest.Answers(200, ""), kind: server.Transient, want: "not the JSON"},
		{
			name:    "no choices",
			handler: wiretest.Answers(200, `{"choices":[]}`),
			kind:    server.Transient,
			want:    "no choices",
		},
		{
			name:    "two errors in one",
			handler: wiretest.Answers(200, `{"error":null,"choices":[],"error":"x"}`),
			kind:    server.Transient,
			want:    "twice",
		},
		{name: "goes on", handler: wiretest.Answers(200, oneChoice+oneChoice), kind: server.Transient, want: "goes on"},
		{
			name:    "an error with a good status",
			handler: wiretest.Answers(200, nested("overloaded", "", 529)),
			kind:    server.Transient,
			want:    "overloaded",
		},
		{
			name:    "too long a reply",
			handler: wiretest.Answers(200, `{"x":"`+strings.Repeat("y", 2<<20)+`"}`),
			kind:    server.Transient,
			want:    "longer than the bound",
		},
		{name: "reset", kind: server.Transient, want: "EOF", handler: wiretest.Reset},
		{name: "cut short", kind: server.Transient, want: "EOF", handler: wiretest.CutShort(`{"choices":[`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := wiretest.Serve(t, tt.handler)
			b := backend(t, f)
			_, err := b.Complete(t.Context(), ask(2))

			fault := wiretest.FaultOf(t, err)
			if fault.Kind != tt.kind || fault.RetryAfter != tt.wait || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, to be tried after %v; want %s with %q after %v", err, fault.RetryAfter, tt.kind, tt.want,
					tt.wait)
			}

			if fault.Address != b.Address() {
				t.Errorf("address %q", fault.Address)
			}

			if n := len(f.Received()); n != 1 {
				t.Errorf("%d requests: trying again is the caller's", n)
			}
		})
	}
}

// That a server cannot read what its model called is no fault of the server: the sample is without
// text.
func TestUnreadCalls(t *testing.T) {
	for _, message := range []string{ // llama.cpp b9000 and later, and before; Ollama 0.32
		"The model produced output that does not match the expected peg-native format",
		"Failed to parse input at pos 40: <tool_call>",
		"error parsing tool call: raw='{\"a\": [}', err=invalid character '}' looking for beginning of value",
	} {
		f := wiretest.Serve(t, wiretest.Answers(500, nested(message, "", 500)))
		c := ask(1)

		if _, err := backend(t, f).Complete(t.Context(), c); server.FaultOf(err) == nil {
			t.Errorf("%s: no fault of a raw prompt: %v", message, err)
		}

		c.Prompt, c.Messages, c.Tools = "", []chat.Message{{Role: "user", Content: "x"}}, "[]"

		r, err := backend(t, f, func(o *Options) { o.Chat = true }).Complete(t.Context(), c)
		if err != nil || len(r.Choices) != 1 || r.Choices[0].Text != "" || r.Choices[0].Finish != server.FinishStop {
			t.Errorf("%s: %+v, %v", message, r, err)
		}
	}
}

// An unreadable call costs no other sample: where one of several is lost with its reply, the others
// are drawn by their seeds.
func TestUnreadCallOfSeveral(t *testing.T) {
	const unread = 100
	f := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Seed int }
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.NotFound(w, r) // how many slots it has
			return
		}

		if asked.Seed == unread {
			wiretest.Answers(500, nested("error parsing tool call: raw='{'", "", 500))(w, r)
			return
		}

		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"content":"sample %d"},`+
			`"finish_reason":"stop"}]}`, asked.Seed)
	})

	p, err := server.New(server.Options{
		Backends: []server.Backend{backend(t, f, func(o *Options) { o.Chat = true })},
		Sampling: sampling(),
		Messages: func(h envs.History) []chat.Message {
			return []chat.Message{{Role: chat.UserRole, Content: h.Task().Question}}
		},
		Tools: func(envs.History) string { return "[]" },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()

	propose := func(seed int) []mcts.Proposal {
		got, err := p.Propose(t.Context(), mcts.Request{
			History: envs.NewHistory(envs.Task{ID: "q",
				Question: fmt.Sprint("What is ", seed, "?")}),
			N: 3, Seed: uint64(seed),
		})
		if err != nil || len(got) != 3 {
			t.Fatalf("seed %d: %+v, %v", seed, got, err)
		}
		return got
	}

	for i, proposal := range propose(unread) {
		want := fmt.Sprint("sample ", unread+i)
		if got := action.ParseMessage(proposal.Text).Content; i > 0 && got != want {
			t.Errorf("sample %d is %q", i, proposal.Text)
		}
	}

	// It is asked how many slots it has, too, now and then.
	asked := func() (n int) {
		for _, r := range f.Received() {
			if len(r.Body) > 0 {
				n++
			}
		}
		return n
	}

	for i := range 20 { // of the first ones, some ask for three samples in vain
		before := asked()
		propose(1000 + 10*i)

		if n := asked() - before; i >= 10 && n > 3 {
			t.Errorf("request %d takes %d requests for 3 samples", i, n)
		}
	}
}

// TestCancel: the context ends the request, at the server too.
func TestCancel(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	b := backend(t, wiretest.Serve(t, wiretest.Hang(begun, ended)))
	ctx, cancel := context.WithCancel(t.Context())

	go func() {
		<-begun
		cancel()
	}()

	if _, err := b.Complete(ctx, ask(1)); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}

	<-ended
}

// TestSecrets: a key occurs in no error and in no print, wherever it is kept and however it is
// echoed.
func TestSecrets(t *testing.T) {
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://elsewhere/?key="+url.QueryEscape(wiretest.Secret))
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":%q}}`, wiretest.Echo(r, 380))
		}
	}
	raw := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, "<p>"+wiretest.Echo(r, 0)) // in no envelope
	}
	quote := func(w http.ResponseWriter, r *http.Request) { // in a sample, which would be kept
		text, _ := json.Marshal("Thought: " + wiretest.Echo(r, 0))
		fmt.Fprintf(w, `{"choices":[{"index":0,"text":%s,"finish_reason":"stop"}]}`, text)
	}
	handlers := map[string]http.HandlerFunc{
		"quotes": quote,
		"400":    echo(400), "401": echo(401), "404": echo(404), "307": echo(307), "503": echo(503), "200": echo(200),
		"raw":   raw,
		"reset": wiretest.Reset,
	}
	wiretest.Secrets(t, handlers, func(t *testing.T, address, key string) []any {
		e := server.Endpoint{URL: address + "/v1", APIKey: key, Model: "m"}

		b, err := New(Options{Endpoint: e, Extensions: true})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()

		_, err = b.Complete(t.Context(), ask(1))
		_, other := b.Models(t.Context())
		return []any{wiretest.FaultOf(t, err), other, b, *b, b.Address()}
	})
}

// TestShortSecrets: a dummy key, as servers without authentication are given, does not garble
// messages.
func TestShortSecrets(t *testing.T) {
	b := backend(t, wiretest.Serve(t, wiretest.Answers(400, nested("an extra example", "", 400))),
		func(o *Options) { o.APIKey = "x" })
	if _, err := b.Complete(t.Context(), ask(1)); !strings.Contains(err.Error(), "an extra example") {
		t.Errorf("%v", err)
	}
}

func FuzzComplaint(f *testing.F) {
	f.Add([]byte(nested(inWindow, "input_tokens", 400)), 400)
	f.Add([]byte(flat("x", 404)), 404)
	f.Add([]byte(`{"error":null,"detail":[]}`), 422)
	f.Add([]byte(`{"error":[1,"a"],"message":{}}`), 500)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		a := wire.Answer{Status: status, Body: body}

		switch kind := kindOf(a, wire.ReadComplaint(body)); {
		case kind == server.TooLong && status < 500, kind == server.OutOfQuota && status < 500:
		case kind != server.KindOfStatus(status):
			t.Fatalf("status %d is %s", status, kind)
		}
	})
}
