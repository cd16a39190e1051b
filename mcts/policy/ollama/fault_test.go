package ollama

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/mcts/policy/server"
)

func TestFaults(t *testing.T) {
	reset := func(http.ResponseWriter, *http.Request, map[string]any) { panic(http.ErrAbortHandler) }
	tests := []struct {
		name   string
		handle handler
		kind   server.Kind
		want   string // in the error
		wait   time.Duration
	}{
		{name: "too long", handle: answers(400, `{"error":"the input length exceeds the context length"}`), kind: server.TooLong},
		{name: "too long, as a failure", handle: answers(500, `{"error":"input length exceeds maximum context length"}`), kind: server.TooLong},
		{name: "too long, llama-server", kind: server.TooLong,
			handle: answers(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`)},
		{name: "before 0.12.6: the prompt was cut", kind: server.TooLong, want: "may have cut",
			handle: answers(200, `{"response":"x","done":true,"done_reason":"stop","prompt_eval_count":256,"eval_count":3}`)},
		{name: "before 0.12.6: the window slid", kind: server.TooLong, want: "slid",
			handle: answers(200, `{"response":"x","done":true,"done_reason":"length","prompt_eval_count":200,"eval_count":64}`)},
		{name: "unknown model", handle: answers(404, `{"error":"model 'm' not found"}`), kind: server.Refused, want: "ollama pull m"},
		{name: "another program", handle: answers(404, "404 page not found"), kind: server.Refused, want: "is this an Ollama server?"},
		{name: "raw refused", handle: answers(400, `{"error":"raw mode does not support template, system, or context"}`), kind: server.Refused, want: "raw mode"},
		{name: "embedding model", handle: answers(400, `{"error":"\"m\" does not support generate"}`), kind: server.Refused},
		{name: "wrong type of an option", handle: answers(500, `{"error":"option \"top_k\" must be of type integer"}`), kind: server.Refused, want: "top_k"},
		{name: "not enough memory", handle: answers(500, `{"error":"model requires more system memory (9 GiB) than is available (1 GiB)"}`), kind: server.Refused},
		{name: "wrong key", handle: answers(401, `{"error":"unauthorized","signin_url":"https://x"}`), kind: server.Refused, want: "unauthorized"},
		{name: "moved", handle: answers(308, "", "Location", "https://elsewhere/"), kind: server.Refused, want: "elsewhere"},
		{name: "busy", handle: answers(503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, "Retry-After", "3"),
			kind: server.Transient, want: "server busy, please", wait: 3 * time.Second},
		{name: "busy until a date", kind: server.Transient, wait: time.Minute,
			handle: answers(429, "", "Date", "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After", "Wed, 21 Oct 2026 07:29:00 GMT")},
		{name: "a failure without a body", handle: answers(500, ""), kind: server.Transient, want: "Internal Server Error"},
		{name: "the runner died", handle: answers(500, `{"error":"an error was encountered while running the model: unexpected EOF"}`), kind: server.Transient},
		{name: "gateway", handle: answers(502, "<html>Bad Gateway</html>"), kind: server.Transient, want: "Bad Gateway"},
		{name: "client gone, says a gateway", handle: answers(499, ""), kind: server.Transient},
		{name: "an error in the middle", handle: answers(200, `{"response":"a","done":false}`+"\n"+`{"error":"llama runner process has terminated"}`),
			kind: server.Transient, want: "terminated"},
		{name: "too long, in the middle", handle: answers(200, `{"error":"the input length exceeds the context length"}`), kind: server.TooLong},
		{name: "never done", handle: answers(200, `{"response":"a","done":false}`+"\n"), kind: server.Transient, want: "broke off"},
		{name: "nothing", handle: answers(200, ""), kind: server.Transient, want: "broke off"},
		{name: "garbage", handle: answers(200, "Ollama is running"), kind: server.Transient, want: "not the JSON"},
		{name: "half a reply", handle: answers(200, oneSample[:30]), kind: server.Transient, want: "not the JSON"},
		{name: "two replies", handle: answers(200, oneSample+oneSample), kind: server.Transient, want: "goes on"},
		{name: "only loaded", handle: answers(200, `{"response":"","done":true,"done_reason":"load"}`), kind: server.Refused, want: `"load"`},
		{name: "a thought split off", handle: answers(200, `{"response":"a","thinking":"b","done":true,"done_reason":"stop"}`), kind: server.Refused, want: "split"},
		{name: "too long a reply", handle: answers(200, `{"response":"`+strings.Repeat("y", 1<<20)+`"}`), kind: server.Transient, want: "bound"},
		{name: "reset", handle: reset, kind: server.Transient, want: "EOF"},
		{name: "cut short", kind: server.Transient, want: "EOF", handle: func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"response":`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := backend(t, newFake(t, tt.handle), func(o *Options) { o.MaxReply = 1 << 20 })
			_, err := b.Complete(t.Context(), ask(2))
			fault := faultOf(t, err)
			if fault.Kind != tt.kind || fault.RetryAfter != tt.wait || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, to be tried after %v; want %s with %q after %v", err, fault.RetryAfter, tt.kind, tt.want, tt.wait)
			}
			if fault.Address != b.Address() || len(fault.Message) > 4*longestMessage {
				t.Errorf("address %q, message of %d bytes", fault.Address, len(fault.Message))
			}
		})
	}
}

// TestOneFails: a sample that fails is the fault of all, and not the end of the others' context.
func TestOneFails(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		if body["options"].(map[string]any)["seed"] == 8.0 {
			answers(503, `{"error":"busy"}`)(w, r, body)
			return
		}
		<-r.Context().Done() // until the other's failure ends it
	})
	_, err := backend(t, f).Complete(t.Context(), ask(3))
	if fault := faultOf(t, err); fault.Message != "busy" {
		t.Errorf("%v", err)
	}
}

// TestUnreachable is a server that is not there, and one that does not answer in time.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	b, err := New(Options{Host: address, Model: "m", Window: 256})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Complete(t.Context(), ask(1))
	if fault := faultOf(t, err); fault.Kind != server.Transient || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, want transient, refused by the machine", err)
	}

	hang := func(_ http.ResponseWriter, r *http.Request, _ map[string]any) { <-r.Context().Done() }
	b = backend(t, newFake(t, hang), func(o *Options) { o.Timeout = 20 * time.Millisecond })
	_, err = b.Complete(t.Context(), ask(1))
	if fault := faultOf(t, err); fault.Kind != server.Transient || !strings.Contains(fault.Message, "no answer within 20ms") {
		t.Errorf("%v, want transient", err)
	}
}

// TestSecrets: a key occurs in no error, wherever it is kept and however it is echoed.
func TestSecrets(t *testing.T) {
	const key = `sk-s3cr/et"+ wörd`
	basic := base64.StdEncoding.EncodeToString([]byte("someone:" + key))
	echo := func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":%q}`, strings.Repeat("x", longestMessage-20)+
			strings.Join([]string{key, r.Header.Get("Authorization"), url.PathEscape(key), basic}, " "))
	}
	raw := func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		w.WriteHeader(500)
		fmt.Fprintf(w, `<p>%q %s`, key, r.Header.Get("Authorization"))
	}
	stream := func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		fmt.Fprintf(w, `{"error":%q}`, key+r.Header.Get("Authorization"))
	}
	reset := func(http.ResponseWriter, *http.Request, map[string]any) { panic(http.ErrAbortHandler) }
	places := map[string]func(*Options){
		"key":      func(o *Options) { o.APIKey = key + "\n" },
		"password": func(o *Options) { o.Host = strings.Replace(o.Host, "//", "//someone:"+escaped(key)+"@", 1) },
		"name":     func(o *Options) { o.Host = strings.Replace(o.Host, "//", "//"+escaped(key)+"@", 1) },
		"path":     func(o *Options) { o.APIKey, o.Host = key, o.Host+"/"+url.PathEscape(key) },
	}
	for place, put := range places {
		for name, handle := range map[string]handler{"echo": echo, "raw": raw, "stream": stream, "reset": reset} {
			t.Run(place+"/"+name, func(t *testing.T) {
				f := newFake(t, handle)
				b := backend(t, f, put)
				_, err := b.Complete(t.Context(), ask(1))
				texts := []string{fmt.Sprintf("%+v %#v", err, err), b.Address()}
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
				if f.received()[0].header.Get("Authorization") == "" {
					t.Error("the key was not sent")
				}
			})
		}
	}
}

// escaped is a text as it stands in the credentials of a URL.
func escaped(text string) string { return url.User(text).String() }
