package openai

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

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
		kind    server.Kind
		want    string // in the message
		wait    time.Duration
	}{
		{name: "too long, nested", handler: answers(400, nested(inWindow, "", 400)), kind: server.TooLong, want: "512 tokens"},
		{name: "too long, flat", handler: answers(400, flat(inWindow, 400)), kind: server.TooLong, want: "512 tokens"},
		{name: "too long, counted as far as needed", kind: server.TooLong,
			handler: answers(400, nested("You passed at least 513 input tokens and requested 0 output tokens.", "", 400))},
		{name: "too long, by the field", handler: answers(400, nested("Invalid value.", "input_tokens", 400)), kind: server.TooLong},
		{name: "max_tokens above the window", kind: server.TooLong,
			handler: answers(400, nested("max_tokens=9999 cannot be greater than max_model_len=512", "max_tokens", 400))},
		{name: "max_tokens too large", kind: server.TooLong,
			handler: answers(400, nested("'max_tokens' or 'max_completion_tokens' is too large: 9999.", "max_tokens", 400))},
		{name: "too long, OpenAI", kind: server.TooLong,
			handler: answers(400, `{"error":{"message":"Please reduce the length.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)},
		{name: "too long, Ollama", kind: server.TooLong,
			handler: answers(400, `{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error","param":null,"code":null}}`)},
		{name: "too long, llama.cpp", kind: server.TooLong,
			handler: answers(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`)},
		{name: "too long, with a good status", kind: server.TooLong, handler: answers(200, nested(inWindow, "", 400))},
		{name: "greedy with n", handler: answers(400, nested("n must be 1 when using greedy sampling, got 2.", "", 400)), kind: server.Refused, want: "greedy"},
		{name: "wrong type", kind: server.Refused, want: "valid integer",
			handler: answers(400, `{"error":{"message":"Input should be a valid integer","type":"Bad Request","param":null,"code":400}}`)},
		{name: "a list of messages", handler: answers(400, `{"error":{"message":["one","two"]}}`), kind: server.Refused, want: "one, two"},
		{name: "a text for an error", handler: answers(404, `{"error":"model 'm' not found"}`), kind: server.Refused, want: `'m' not found`},
		{name: "unknown field", kind: server.Refused, want: "switch the extensions off",
			handler: answers(400, nested("Unrecognized request argument supplied: top_k", "", 400))},
		{name: "unknown field, as a list", kind: server.Refused, want: "does not take min_p",
			handler: answers(422, `{"detail":[{"type":"extra_forbidden","loc":["body","min_p"],"msg":"Extra inputs are not permitted"}]}`)},
		{name: "wrong key", handler: answers(401, `{"error":"Unauthorized"}`), kind: server.Refused, want: "wants a key"},
		{name: "forbidden", handler: answers(403, ""), kind: server.Refused, want: "Forbidden"},
		{name: "unknown model", handler: answers(404, nested("The model `m` does not exist.", "model", 404)), kind: server.Refused, want: `asked for the model "m"`},
		{name: "wrong path", handler: answers(404, `{"detail":"Not Found"}`), kind: server.Refused, want: "base URL"},
		{name: "wrong program", handler: answers(404, "404 page not found"), kind: server.Refused, want: "base URL"},
		{name: "moved", handler: answers(307, "", "Location", "https://elsewhere/v1/completions"), kind: server.Refused, want: "elsewhere"},
		{name: "request timeout", handler: answers(408, ""), kind: server.Transient, want: "Request Timeout"},
		{name: "conflict", handler: answers(409, ""), kind: server.Transient},
		{name: "busy", handler: answers(429, nested("slow down", "", 429), "Retry-After", "7"), kind: server.Transient, want: "slow down", wait: 7 * time.Second},
		{name: "busy, for a part of a second", handler: answers(429, "", "Retry-After-Ms", "250", "Retry-After", "1"), kind: server.Transient, wait: 250 * time.Millisecond},
		{name: "full queue", kind: server.Transient, wait: 90 * time.Second, // until a date, by the server's clock
			handler: answers(503, nested("too many queued requests", "", 503), "Date", "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After", "Wed, 21 Oct 2026 07:29:30 GMT")},
		{name: "a date gone by", kind: server.Transient,
			handler: answers(503, "", "Date", "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After", "Wed, 21 Oct 2026 07:27:00 GMT")},
		{name: "forever", handler: answers(503, "", "Retry-After", "1e99"), kind: server.Transient, wait: longestWait},
		{name: "no time at all", handler: answers(503, "", "Retry-After", "soon"), kind: server.Transient},
		{name: "engine death", handler: answers(500, nested("EngineCore encountered an issue.", "", 500)), kind: server.Transient, want: "EngineCore"},
		{name: "gateway's page", handler: answers(502, "<html>\r\n<h1>Bad Gateway</h1>\x00"), kind: server.Transient, want: "<html> <h1>Bad Gateway</h1>"},
		{name: "long page", handler: answers(500, strings.Repeat("é", 1<<20)), kind: server.Transient, want: "…"},
		{name: "garbage", handler: answers(200, "<html>welcome</html>"), kind: server.Transient, want: "not the JSON"},
		{name: "half a reply", handler: answers(200, oneChoice[:40]), kind: server.Transient, want: "not the JSON"},
		{name: "nothing", handler: answers(200, ""), kind: server.Transient, want: "not the JSON"},
		{name: "no choices", handler: answers(200, `{"choices":[]}`), kind: server.Transient, want: "no choices"},
		{name: "broken off", handler: answers(200, `{"choices":[{"text":"x","finish_reason":"abort"}]}`), kind: server.Transient, want: "broke"},
		{name: "an error with a good status", handler: answers(200, nested("overloaded", "", 529)), kind: server.Transient, want: "overloaded"},
		{name: "too long a reply", handler: answers(200, `{"x":"`+strings.Repeat("y", 1<<20)+`"}`), kind: server.Transient, want: "longer than the bound"},
		{name: "reset", kind: server.Transient, want: "EOF", handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{name: "cut short", kind: server.Transient, want: "EOF", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, tt.handler)
			b := backend(t, f, func(o *Options) { o.MaxReply = 1 << 20 })
			if strings.HasPrefix(tt.name, "long page") {
				b = backend(t, f)
			}
			_, err := b.Complete(t.Context(), ask(2))
			fault := faultOf(t, err)
			if fault.Kind != tt.kind || fault.RetryAfter != tt.wait || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, to be tried after %v; want %s with %q after %v", err, fault.RetryAfter, tt.kind, tt.want, tt.wait)
			}
			if fault.Address != b.Address() || len(fault.Message) > 4*longestMessage {
				t.Errorf("address %q, message of %d bytes", fault.Address, len(fault.Message))
			}
			if n := len(f.received()); n != 1 {
				t.Errorf("%d requests: trying again is the caller's", n)
			}
		})
	}
}

// TestUnreachable is a server that is not there: the cause can be told.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	b, err := New(Options{BaseURL: "http://" + address, Model: "m", Extensions: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Complete(t.Context(), ask(1))
	if fault := faultOf(t, err); fault.Kind != server.Transient || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, want transient, refused by the machine", err)
	}
}

// TestUntrusted is a server that no second try will make trustworthy, and one that does not speak TLS.
func TestUntrusted(t *testing.T) {
	secure := httptest.NewUnstartedServer(answers(200, oneChoice))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(answers(200, oneChoice))
	defer plain.Close()
	for _, address := range []string{secure.URL, strings.Replace(plain.URL, "http:", "https:", 1)} {
		b, err := New(Options{BaseURL: address, Model: "m", Extensions: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Complete(t.Context(), ask(1))
		if fault := faultOf(t, err); fault.Kind != server.Refused {
			t.Errorf("%v, want refused", err)
		}
	}
}

// hang answers nothing until the client goes away, and says when it begins and ends.
func hang(begun, ended chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}
}

// TestCancel: the context ends the request, at the server too.
func TestCancel(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	b := backend(t, newFake(t, hang(begun, ended)))
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

// TestTimeout: the backend's own limit is a fault, and never looks like the caller's deadline.
func TestTimeout(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	b := backend(t, newFake(t, hang(begun, ended)), func(o *Options) { o.Timeout = 20 * time.Millisecond })
	_, err := b.Complete(t.Context(), ask(1))
	if fault := faultOf(t, err); fault.Kind != server.Transient || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want transient, and no deadline of the caller's", err)
	}
}

// TestSecrets: a key occurs in no error, wherever it is kept and however it is echoed.
func TestSecrets(t *testing.T) {
	const key = `sk-s3cr/et"+ wörd`
	basic := base64.StdEncoding.EncodeToString([]byte("someone:" + key))
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://elsewhere/?key="+url.QueryEscape(key))
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":%q}}`, strings.Repeat("x", longestMessage-20)+
				strings.Join([]string{key, r.Header.Get("Authorization"), url.PathEscape(key), basic}, " "))
		}
	}
	raw := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		fmt.Fprintf(w, `<p>%q %s`, key, r.Header.Get("Authorization")) // escaped, in no envelope
	}
	places := map[string]func(*Options){
		"key": func(o *Options) { o.APIKey = key + "\n" },
		"password": func(o *Options) {
			u, _ := url.Parse(o.BaseURL)
			u.User = url.UserPassword("someone", key)
			o.BaseURL = u.String()
		},
		"name": func(o *Options) {
			u, _ := url.Parse(o.BaseURL)
			u.User = url.User(key)
			o.BaseURL = u.String()
		},
		"path": func(o *Options) { o.APIKey, o.BaseURL = key, o.BaseURL+"/"+url.PathEscape(key) },
	}
	handlers := map[string]http.HandlerFunc{
		"400": echo(400), "401": echo(401), "404": echo(404), "307": echo(307), "503": echo(503), "200": echo(200), "raw": raw,
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for place, put := range places {
		for name, handler := range handlers {
			t.Run(place+"/"+name, func(t *testing.T) {
				f := newFake(t, handler)
				b := backend(t, f, put)
				_, err := b.Complete(t.Context(), ask(1))
				texts := []string{err.Error(), fmt.Sprintf("%+v %#v", err, err), b.Address()}
				for cause := err; cause != nil; cause = errors.Unwrap(cause) {
					texts = append(texts, cause.Error())
				}
				for _, text := range texts {
					for _, secret := range []string{"s3cr", basic[:20], base64.StdEncoding.EncodeToString([]byte(key))[:12]} {
						if strings.Contains(text, secret) {
							t.Errorf("%q occurs in %s", secret, text)
						}
					}
				}
				if got := f.received()[0].header.Get("Authorization"); got == "" {
					t.Error("the key was not sent")
				}
			})
		}
	}
}

// TestShortSecrets: a placeholder for a key does not garble messages.
func TestShortSecrets(t *testing.T) {
	b := backend(t, newFake(t, answers(400, nested("an extra example", "", 400))), func(o *Options) { o.APIKey = "x" })
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
		c := readComplaint(body)
		switch c.kind(status) {
		case server.TooLong, server.Transient, server.Refused:
		default:
			t.Fatalf("kind %q", c.kind(status))
		}
		if status >= 500 && c.kind(status) != server.Transient {
			t.Fatalf("status %d is %s", status, c.kind(status))
		}
		if text := shorten(c.message); len([]rune(text)) > longestMessage+1 || strings.ContainsAny(text, "\n\r\x00") {
			t.Fatalf("message %q", text)
		}
	})
}
