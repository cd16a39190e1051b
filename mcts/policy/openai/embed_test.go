package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// embedder is an embedder on the fake server that tries twice without much of a wait.
func embedder(t testing.TB, address string, change ...func(*server.Endpoint)) *Embedder {
	t.Helper()

	opts := server.Endpoint{URL: address + "/v1", Model: "m", Timeout: time.Minute}
	for _, c := range change {
		c(&opts)
	}

	e, err := NewEmbedder(opts, server.Retry{Attempts: 2, Base: time.Millisecond, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(e.Close)
	return e
}

// inputs are the texts of a request.
func inputs(t testing.TB, body []byte) []string {
	t.Helper()

	var r struct{ Input []string }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return r.Input
}

// lengths answers each text with a vector of its length and a one, the last one first.
func lengths(t testing.TB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}

		var data []map[string]any
		for i, text := range slices.Backward(inputs(t, body)) {
			data = append(data, map[string]any{"object": "embedding", "index": i,
				"embedding": []float32{float32(len(text)), 1}})
		}

		if err := json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": "m"}); err != nil {
			t.Error(err)
		}
	}
}

// words are n texts of different lengths.
func words(n int) (texts []string, want [][]float32) {
	for i := range n {
		texts = append(texts, strings.Repeat("é", i+1))
		want = append(want, []float32{float32(2 * (i + 1)), 1})
	}
	return texts, want
}

func TestEmbed(t *testing.T) {
	s := wiretest.Serve(t, lengths(t))
	e := embedder(t, s.URL, func(o *server.Endpoint) { o.APIKey = "password" })
	texts, want := words(2*mostTexts + 1)

	got, err := e.Embed(t.Context(), texts)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}

	requests := s.Received()
	if len(requests) != 3 || len(inputs(t, requests[0].Body)) != mostTexts || len(inputs(t, requests[2].Body)) != 1 {
		t.Errorf("%d requests", len(requests))
	}

	first := requests[0]
	if first.Path != "/v1/embeddings" || first.Header.Get("Authorization") != "Bearer password" ||
		first.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s with %v", first.Path, first.Header)
	}

	sent := fields(t, requests[2].Body)
	if diff := cmp.Diff(map[string]any{"model": "m", "input": []any{texts[len(texts)-1]}, "encoding_format": "float"},
		sent); diff != "" {
		t.Error(diff)
	}

	if none, err := e.Embed(t.Context(), nil); err != nil || len(none) != 0 || len(s.Received()) != 3 {
		t.Errorf("of no texts: %v, %v", none, err)
	}

	if e.Model() != "m" || e.Address() != s.URL+"/v1" {
		t.Errorf("%s at %s", e.Model(), e.Address())
	}
}

// TestEmbedDivides: servers that take fewer texts at a time, or shorter ones, get what they take.
func TestEmbedDivides(t *testing.T) {
	const most, longest = 5, 20

	for name, refuse := range map[string]struct {
		status      int
		many, large string
	}{
		"text-embeddings-inference": {413,
			`{"error":"batch size 32 > maximum allowed batch size 5","error_type":"Validation"}`,
			"{\"error\":\"Input validation error: `inputs` must have less than 20 tokens. Given: " +
				"28\",\"error_type\":\"Validation\"}"},
		"vLLM": {400, nested("batch size is invalid, it should not be larger than 5.: input.contents", "", 400),
			nested("This model's maximum context length is 20 tokens. However, you requested 28 tokens in the "+
				"input for embedding generation.", "", 400)},
		"llama.cpp": {500, nested("input is too large to process. increase the physical batch size", "", 500),
			nested("input (28 tokens) is too large to process. increase the physical batch size (current batch "+
				"size: 20)", "", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			answer := lengths(t)
			s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}

				texts := inputs(t, body)
				r.Body = io.NopCloser(strings.NewReader(string(body)))

				switch {
				case len(texts) > most:
					wiretest.Answers(refuse.status, refuse.many)(w, r)
				case slices.ContainsFunc(texts, func(text string) bool { return len(text) > longest }):
					wiretest.Answers(refuse.status, refuse.large)(w, r)
				default:
					answer(w, r)
				}
			})
			texts, want := words(14) // 2 to 28 bytes

			got, err := embedder(t, s.URL).Embed(t.Context(), texts)
			for i, text := range texts {
				if len(text) > longest {
					want[i][0] = float32(len(shortened(text)))
				}
			}

			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}

	s := wiretest.Serve(t, wiretest.Answers(413, "no"))

	_, err := embedder(t, s.URL).Embed(t.Context(), []string{"some text"})
	if f := wiretest.FaultOf(t, err); f.Status != 413 {
		t.Errorf("error %v of a server that takes nothing", err)
	}
}

func TestShortened(t *testing.T) {
	for text, want := range map[string]string{"abcdefgh": "abcdef", "ééé": "é", "abc": "", "": "", "abcd  xy": "abcd"} {
		if got := shortened(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

const oneVector = `{"data":[{"index":0,"embedding":[1,2]}]}`

func TestEmbedFaults(t *testing.T) {
	one := []string{"text"}
	for _, tt := range []struct {
		name     string
		texts    []string
		handler  http.HandlerFunc
		kind     server.FaultKind
		want     string
		requests int
	}{
		{"no vectors", []string{"a", "b"}, wiretest.Answers(200, `{"data":[]}`), server.Transient,
			"0 vectors for 2 texts", 2},
		{"more vectors", one, wiretest.Answers(200,
			`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`), server.Transient, "more than 1", 2},
		{"one index twice", []string{"a", "b", "c"}, wiretest.Answers(200,
			`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`),
			server.Transient, "duplicate index 0", 2},
		{"an index beyond", one, wiretest.Answers(200, `{"data":[{"index":1,"embedding":[1]}]}`), server.Transient,
			"duplicate index 1", 2},
		{"other lengths", []string{"a", "b"},
			wiretest.Answers(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`),
			server.Refused, "of 1 and of 2 numbers", 1},
		{"null", one, wiretest.Answers(200, `{"data":[{"index":0,"embedding":[1,null]}]}`), server.Transient, "null",
			2},
		{"empty", one, wiretest.Answers(200, `{"data":[{"index":0,"embedding":[]}]}`), server.Transient,
			"not a list of numbers", 2},
		{"base64", one, wiretest.Answers(200, `{"data":[{"index":0,"embedding":"AACAPw=="}]}`), server.Transient,
			"not a list of numbers", 2},
		{"no number", one, wiretest.Answers(200, `{"data":[{"index":0,"embedding":[1e99]}]}`), server.Transient,
			"not a list of numbers", 2},
		{"nothing", one, wiretest.Answers(200, ""), server.Transient, "not the JSON", 2},
		{"an error with a good status", one, wiretest.Answers(200, nested("overloaded", "", 529)), server.Transient,
			"overloaded", 2},
		{"above the bound", one, wiretest.Answers(200, strings.Repeat(" ", 2*vectorLimit)+oneVector), server.Transient,
			"longer than the bound", 2},
		{"engine death", one, wiretest.Answers(500, nested("EngineCore encountered an issue.", "", 500)),
			server.Transient, "EngineCore", 2},
		{"reset", one, wiretest.Reset, server.Transient, "EOF", 2},
		{"wrong key", one, wiretest.Answers(401, `{"error":"Unauthorized"}`), server.Refused, "wants a key", 1},
		{"no embedding model", one, wiretest.Answers(404, nested("The model `m` does not exist.", "model", 404)),
			server.Refused, `asked for the model "m"`, 1},
		{"wrong path", one, wiretest.Answers(404, `{"detail":"Not Found"}`), server.Refused, "base URL", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := wiretest.Serve(t, tt.handler)
			e := embedder(t, s.URL)

			_, err := e.Embed(t.Context(), tt.texts)
			if f := wiretest.FaultOf(t, err); f.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) ||
				f.Address != e.Address() {
				t.Errorf("%v, want %s with %q", err, tt.kind, tt.want)
			}

			if n := len(s.Received()); n < tt.requests || n > tt.requests+1 { // it is asked something simple, too
				t.Errorf("%d requests, want %d, or one more", n, tt.requests)
			}
		})
	}
}

// TestEmbedOnePassage: a text at which a server fails costs its own vector alone, however it fails.
func TestEmbedOnePassage(t *testing.T) {
	for name, fails := range map[string]http.HandlerFunc{
		"500":           wiretest.Answers(500, nested("json: unsupported value: NaN", "", 500)),
		"400":           wiretest.Answers(400, nested("bad bytes", "", 400)),
		"403":           wiretest.Answers(403, "<html>Forbidden</html>"),
		"null":          wiretest.Answers(200, `{"data":[{"index":0,"embedding":[null]}]}`),
		"a lost answer": wiretest.Reset,
	} {
		t.Run(name, func(t *testing.T) {
			answer := lengths(t)
			s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))

				if bytes.Contains(body, []byte("unlucky")) {
					fails(w, r)
					return
				}

				answer(w, r)
			})

			texts, want := words(14)
			texts[0], texts[9] = "unlucky", "unlucky, too"
			want[0], want[9] = nil, nil

			got, err := embedder(t, s.URL).Embed(t.Context(), texts)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}

			if _, ok := envs.GivenUp(err); !ok || envs.IsFinal(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestEmbedAgain: what a second try gives counts.
func TestEmbedAgain(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"garbage": wiretest.Answers(200, "<html>"), "fewer": wiretest.Answers(200, `{"data":[]}`),
		"broken": wiretest.Answers(500, ""),
	} {
		t.Run(name, func(t *testing.T) {
			asked, answer := 0, lengths(t)
			s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked == 1 {
					first(w, r)
					return
				}

				answer(w, r)
			})

			got, err := embedder(t, s.URL).Embed(t.Context(), []string{"four"})
			if diff := cmp.Diff([][]float32{{4, 1}}, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestEmbedCancel(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	e := embedder(t, wiretest.Serve(t, wiretest.Hang(begun, ended)).URL)
	ctx, cancel := context.WithCancel(t.Context())

	go func() {
		<-begun
		cancel()
	}()

	if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}

	<-ended
}

// TestEmbedSecrets: no key occurs in what an embedder says, whatever the server sends.
func TestEmbedSecrets(t *testing.T) {
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { wiretest.Answers(status, wiretest.Echo(r, 0))(w, r) }
	}
	handlers := map[string]http.HandlerFunc{"refuses": echo(400), "fails": echo(500), "garbles": echo(200)}
	wiretest.Secrets(t, handlers, func(t *testing.T, address, key string) []any {
		e, err := NewEmbedder(server.Endpoint{URL: address, APIKey: key, Model: "m"},
			server.Retry{Attempts: 2, Base: time.Millisecond, Patience: -1})
		if err != nil {
			return []any{err}
		}
		defer e.Close()

		_, err = e.Embed(t.Context(), []string{"x"})
		if err == nil {
			t.Error("no error")
		}
		return []any{err, e.Address(), e.Model(), fmt.Sprint(e)}
	})
}

func FuzzDecodeVectors(f *testing.F) {
	for _, body := range []string{oneVector, `{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[-2e3]}]}`,
		`{"error":{}}`, `{"data":[{"index":0,"embedding":[null]}]}`, "", "[]"} {
		f.Add([]byte(body), 2)
		f.Add([]byte(body), 1)
	}

	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = min(max(n, 1), 8)

		list, _, err := decodeVectors(bytes.NewReader(body), n)
		if err != nil {
			return
		}

		if len(list) != n {
			t.Fatalf("%d vectors of %d", len(list), n)
		}

		for i, v := range list {
			if len(v) == 0 {
				t.Errorf("vector %d is empty", i)
			}
		}
	})
}
