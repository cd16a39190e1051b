package ollama

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

const oneSample = `{"model":"m","response":"t","done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":1}`

// TestRequest holds every field that is sent.
func TestRequest(t *testing.T) {
	options := func() map[string]any {
		return map[string]any{
			"num_ctx": 256.0, "num_predict": 64.0, "num_keep": 4.0, "seed": 7.0, "temperature": 0.5, "top_k": 20.0,
			"top_p": 0.9,
			"min_p": 0.05, "typical_p": 1.0, "repeat_last_n": 64.0, "repeat_penalty": 1.1, "presence_penalty": -0.5,
			"frequency_penalty": 1.2, "stop": []any{"\nObservation"},
		}
	}
	base := func() map[string]any {
		return map[string]any{
			"model": "m", "prompt": "Question: <|x|>\n", "raw": true, "stream": false, "truncate": false,
			"shift": false, "keep_alive": -1.0,
			"think": false, "logprobs": true, "system": "", "template": "", "suffix": "", "options": options(),
		}
	}

	tests := []struct {
		name string
		opts func(*Options)
		ask  func(*server.Completion)
		want func(body, options map[string]any)
	}{
		{name: "usual"},
		{
			name: "greedy, nothing left out",
			ask:  func(c *server.Completion) { c.Sampling = c.Sampling.Greedy() },
			want: func(_, o map[string]any) {
				o["temperature"], o["top_k"], o["top_p"], o["min_p"] = 0.0, 0.0, 1.0, 0.0
				o["repeat_penalty"], o["presence_penalty"], o["frequency_penalty"] = 1.0, 0.0, 0.0
			},
		},
		{
			name: "no stop",
			ask:  func(c *server.Completion) { c.Sampling.Stop = nil },
			want: func(_, o map[string]any) { o["stop"] = []any{} },
		},
		{
			name: "some left out",
			ask: func(c *server.Completion) {
				c.Dialect.LeaveOut = []string{"seed", "stop", "max_tokens", "repetition_penalty", "logprobs"}
			},
			want: func(b, o map[string]any) {
				for _, name := range []string{"seed", "stop", "num_predict", "repeat_penalty"} {
					delete(o, name)
				}

				delete(b, "logprobs")
			},
		},
		{name: "never the seed for chance", ask: func(c *server.Completion) { c.Seed = math.MaxUint64 },
			want: func(_, o map[string]any) { o["seed"] = float64(1<<31 - 1) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := wiretest.Serve(t, wiretest.Answers(200, oneSample))

			c, want := ask(1), base()
			if tt.ask != nil {
				tt.ask(&c)
			}

			if tt.want != nil {
				tt.want(want, want["options"].(map[string]any))
			}

			b := backend(t, f, func(o *Options) {
				if tt.opts != nil {
					tt.opts(o)
				}
			})
			if _, err := b.Complete(t.Context(), c); err != nil {
				t.Fatal(err)
			}

			got := f.Received()
			if len(got) != 1 || got[0].Path != "/api/generate" {
				t.Fatalf("requests %v, want one to /api/generate", got)
			}

			if diff := cmp.Diff(want, decoded(t, got[0].Body)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// bySeed answers with the seed as the text.
func bySeed(w http.ResponseWriter, _ *http.Request, body map[string]any) {
	seed := body["options"].(map[string]any)["seed"]
	fmt.Fprintf(w, `{"model":"m","response":"s%v","done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":2,"logprobs":[{"token":"s","logprob":-0.5}]}`, seed)
}

// TestSamples: one request for each sample, all at once, in the order of the seeds.
func TestSamples(t *testing.T) {
	const n = 5
	var together sync.WaitGroup // all are there before the first is answered
	together.Add(n)

	f := serve(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		together.Done()
		together.Wait()
		bySeed(w, r, body)
	})

	got, err := backend(t, f).Complete(t.Context(), ask(n))
	if err != nil {
		t.Fatal(err)
	}

	want := server.Reply{Model: "m", PromptTokens: 5, CompletionTokens: 2 * n}
	for i := range n {
		want.Choices = append(want.Choices,
			server.Choice{
				Text:     fmt.Sprintf("s%d", 7+i),
				LogProbs: []float64{-0.5},
				Finish:   server.FinishStop,
				Tokens:   2,
			})
	}

	got.Details = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

// TestCold: at temperature 0 all samples are one.
func TestCold(t *testing.T) {
	f := serve(t, bySeed)
	c := ask(3)
	c.Sampling.Temperature = 0

	got, err := backend(t, f).Complete(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	if len(f.Received()) != 1 || len(got.Choices) != 3 || got.CompletionTokens != 2 ||
		!cmp.Equal(got.Choices[0], got.Choices[2]) {
		t.Errorf("%d requests for %+v", len(f.Received()), got)
	}
}

// TestReplies holds the shapes of good replies.
func TestReplies(t *testing.T) {
	tests := []struct {
		name, body string
		want       server.Choice
		detail     server.Detail
	}{
		{"fewer figures than tokens", `{"response":"ab","done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":6,"load_duration":7,
			"logprobs":[{"token":"a","logprob":-0.1234567890123,"bytes":[97]},{"token":"b","logprob":-0.5},{"token":"c","logprob":-2}]}`,
			server.Choice{
				Text:     "ab",
				LogProbs: []float64{-0.1234567890123, -0.5, -2},
				Finish:   server.FinishStop,
				Tokens:   6,
			},
			server.Detail{Tokens: []string{"a", "b", "c"}, Finish: "stop", PromptTokens: 5, Load: 7}},
		{"before 0.12.11: no figures", oneSample, server.Choice{Text: "t", Finish: server.FinishStop, Tokens: 1},
			server.Detail{Finish: "stop", PromptTokens: 5}},
		{"at the end of the window", `{"response":"x","done":true,"done_reason":"length","prompt_eval_count":200,"eval_count":57}`,
			server.Choice{Text: "x", Finish: server.FinishLength, Tokens: 57},
			server.Detail{Finish: "length", PromptTokens: 200}},
		{"a stream", `{"response":"a","done":false}` + "\n" + `{"response":"b","done":false}` + "\n" +
			`{"response":"","done":true,"done_reason":"stop","eval_count":2}` + "\n",
			server.Choice{Text: "ab", Finish: server.FinishStop, Tokens: 2}, server.Detail{Finish: "stop"}},
		{"a thought split off", `{"response":"","thinking":"a","done":false}` + "\n" +
			`{"response":"b","thinking":"c","done":true,"done_reason":"stop","eval_count":3}`,
			server.Choice{Text: "b", Reasoning: "ac", Finish: server.FinishStop, Tokens: 3},
			server.Detail{Finish: "stop"}},
		{"figures as texts and floats", `{"response":"x","done":true,"done_reason":{"type":"stop"},` +
			`"prompt_eval_count":"5","eval_count":1.0,"load_duration":7.0}`,
			server.Choice{Text: "x", Finish: server.FinishStop, Tokens: 1},
			server.Detail{Finish: "stop", PromptTokens: 5, Load: 7}},
		{"figures that are none", "\ufeff" + `{"model":7,"response":"x","done":true,"done_reason":"stop",` +
			`"prompt_eval_count":"many","eval_count":[1],"eval_duration":null,"created_at":{}}`,
			server.Choice{Text: "x", Finish: server.FinishStop}, server.Detail{Finish: "stop"}},
		{"empty", `{"response":"","done":true,"done_reason":"stop","eval_count":1}`,
			server.Choice{Finish: server.FinishStop, Tokens: 1}, server.Detail{Finish: "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, tt.body))).Complete(t.Context(),
				askLong(1))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tt.want, got.Choices[0]); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff(tt.detail, got.Details[0]); diff != "" {
				t.Errorf("detail (-want +got):\n%s", diff)
			}
		})
	}
}

// The texts of tokens tell where a call ends. They end with the sample.
func TestPieces(t *testing.T) {
	const body = `{"response":"ab\nObservation: c","done":true,"done_reason":"length","prompt_eval_count":5,"eval_count":4,
		"logprobs":[{"token":"a","logprob":-1},{"token":"b","logprob":-2},{"token":"\nObservation:","logprob":-3},
			{"token":" c","logprob":-4}]}`

	for _, omits := range []bool{false, true} {
		c := askLong(1)
		c.Pieces, c.Sampling.Stop = true, []string{"\nObservation"}

		want := []string{"a", "b", "\nObservation:", " c"}
		if omits {
			c.Dialect.LeaveOut = []string{"stop"}
			want = want[:2]
		}

		got, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, body))).Complete(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		if one := got.Choices[0]; !slices.Equal(one.Pieces, want) || len(one.LogProbs) != len(want) {
			t.Errorf("stop left out %v: %q, %v", omits, one.Pieces, one.LogProbs)
		}
	}
}

// TestOwnEnds: a server's own words for an end count when they are declared, and say nothing of a
// limit.
func TestOwnEnds(t *testing.T) {
	for _, tt := range []struct {
		ends         []string
		reason, want string // "" is a fault
		tokens       int
	}{
		{nil, "", "", 1},
		{nil, `,"done_reason":"abort"`, "", 1},
		{nil, `,"done_reason":"eos"`, server.FinishStop, 1},
		{[]string{""}, "", server.FinishStop, 63},
		{[]string{""}, "", server.FinishLength, 64},
		{[]string{"fin"}, `,"done_reason":"fin"`, server.FinishStop, 1},
		{[]string{"fin"}, `,"done_reason":"abort"`, "", 1},
	} {
		body := fmt.Sprintf(`{"response":%q,"done":true%s,"eval_count":%d}`, strings.Repeat("x", tt.tokens), tt.reason,
			tt.tokens)
		b := backend(t, wiretest.Serve(t, wiretest.Answers(200, body)), func(o *Options) { o.Ends = tt.ends })

		got, err := b.Complete(t.Context(), ask(1))
		switch {
		case tt.want == "" && (wiretest.FaultOf(t, err).Kind != server.Transient || !errors.Is(err, server.ErrNoEnd)):
			t.Errorf("%s with %q: %+v, %v; want a fault", tt.reason, tt.ends, got, err)
		case tt.want != "" && (err != nil || got.Choices[0].Finish != tt.want):
			t.Errorf("%s with %q: %+v, %v; want %s", tt.reason, tt.ends, got, err, tt.want)
		}
	}
}

// TestSpoiledReplies are those that cannot be what a model wrote, or may not be all of it.
func TestSpoiledReplies(t *testing.T) {
	reply := func(response, rest string) string {
		return `{"model":"m","response":` + response + `,"done":true,"done_reason":"stop","prompt_eval_count":5` +
			rest + `}`
	}

	figures := func(list string) string { return reply(`"ab"`, `,"eval_count":2,"logprobs":`+list) }
	for _, tt := range []struct{ name, body, want string }{
		{"an error beside a text", reply(`"a"`, `,"error":"the runner died"`), "the runner died"},
		{"an error that is an object", reply(`"a"`, `,"error":{"message":"the runner died"}`), "the runner died"},
		{"tokens, and no text", reply(`""`, `,"eval_count":60`), "60 tokens, and no text"},
		{"tokens, and white space", reply(`"\n"`, `,"eval_count":60`), "60 tokens, and no text"},
		{"tokens, and null", reply(`null`, `,"eval_count":60`), "60 tokens, and no text"},
		{"tokens, and nothing", `{"done":true,"done_reason":"length","eval_count":60}`, "60 tokens, and no text"},
		{"positive", figures(`[{"token":"a","logprob":0.5}]`), "a log-probability of 0.5"},
		{"overflowing", figures(`[{"token":"a","logprob":-1e308}]`), "a log-probability of -1e+308"},
		{"no number", figures(`[{"token":"a","logprob":NaN}]`), "not the JSON"},
		{"one is null", figures(`[{"token":"a","logprob":null},{"token":"b","logprob":-1}]`), "of 1 tokens out of 2"},
		{"figures of few tokens", reply(`"ab"`, `,"eval_count":60,"logprobs":[{"token":"a","logprob":-1}]`),
			"of 1 tokens out of 60"},
		{"more tokens than allowed", reply(`"ab"`, `,"eval_count":100000`), "100000 tokens in a completion of " +
			"at most 64"},
		{"a window that no prompt fills", strings.Replace(reply(`"ab"`, ""), ":5", ":256", 1),
			"256 tokens in a prompt of 16 bytes"},
		{"half a character", reply(`"a\ud83d"`, ""), "surrogate"},
		{"no UTF-8", reply("\"a\xff\"", ""), "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, tt.body))).Complete(t.Context(), ask(1))
			if f := wiretest.FaultOf(t, err); f.Kind != server.Transient || f.Status != 200 ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v; want transient with %q", got, err, tt.want)
			}
		})
	}
}

// packed is a part of a gzip stream.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer

	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}

	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDecodedSizes: what a reply grows to in memory is bounded, packed or not.
func TestDecodedSizes(t *testing.T) {
	for name, unit := range map[string]string{
		"lines": `{"response":"x"}`, "a long text": "xxxxxxxxxxxxxxxx",
		"figures": `{"response":"","logprobs":[{},{},{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			begin, block := "", packed(t, strings.Repeat(unit, 1<<16))
			if name == "a long text" {
				begin = packed(t, `{"response":"`)
			}

			s := wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				io.WriteString(w, begin)

				for range 1 << 8 {
					if _, err := io.WriteString(w, block); err != nil {
						return // the client has seen enough
					}
				}
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)

			_, err := backend(t, s).Complete(t.Context(), ask(1))

			runtime.ReadMemStats(&after)

			if f := wiretest.FaultOf(t, err); f.Kind != server.Transient || !strings.Contains(err.Error(), "bound") {
				t.Errorf("%.1000v", err)
			}

			if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
}

// TestNotSent refuses what the server would change or ignore in silence.
func TestNotSent(t *testing.T) {
	tests := []struct {
		want   string
		change func(*server.Completion)
	}{
		{"0 samples", func(c *server.Completion) { c.N = 0 }},
		{"raw prompts", func(c *server.Completion) { c.Prompt = "" }},
		{"raw prompts", func(c *server.Completion) { c.Messages = []chat.Message{{Role: "user"}} }},
		{"temperature", func(c *server.Completion) { c.Sampling.Temperature = -1 }},
		{"top_p", func(c *server.Completion) { c.Sampling.TopP = math.NaN() }},
		{"top_k", func(c *server.Completion) { c.Sampling.TopK = -1 }},
		{"min_p", func(c *server.Completion) { c.Sampling.MinP = 2 }},
		{"frequency_penalty", func(c *server.Completion) { c.Sampling.FrequencyPenalty = 3 }},
		{"presence_penalty", func(c *server.Completion) { c.Sampling.PresencePenalty = -3 }},
		{"repetition_penalty", func(c *server.Completion) { c.Sampling.RepetitionPenalty = 0 }},
		{"max_tokens", func(c *server.Completion) { c.Sampling.MaxTokens = -1 }},
		{"stop", func(c *server.Completion) { c.Sampling.Stop = []string{""} }},
	}
	for _, tt := range tests {
		f := wiretest.Serve(t, wiretest.Answers(200, oneSample))
		c := ask(2)
		tt.change(&c)

		_, err := backend(t, f).Complete(t.Context(), c)
		if fault := wiretest.FaultOf(t, err); fault.Kind != server.Refused || !strings.Contains(err.Error(), tt.want) ||
			len(f.Received()) > 0 {
			t.Errorf("%v after %d requests, want refused with %q", err, len(f.Received()), tt.want)
		}
	}
}

// TestHosts reads hosts as Ollama's own programs do.
func TestHosts(t *testing.T) {
	tests := []struct{ host, address, err string }{
		{"", "http://127.0.0.1:11434", ""},
		{"h", "http://h:11434", ""},
		{`"h:1"`, "http://h:1", ""},
		{":5000", "http://127.0.0.1:5000", ""},
		{"[::1]", "http://[::1]:11434", ""},
		{"[::1]:5000", "http://[::1]:5000", ""},
		{"::1", "http://[::1]:11434", ""},
		{"fe80::1%25eth0", "", "not a URL"}, // with a zone only in brackets
		{"[fe80::1%25eth0]", "http://[fe80::1%25eth0]:11434", ""},
		{"0.0.0.0", "http://127.0.0.1:11434", ""},
		{"0.0.0.0:8080", "http://127.0.0.1:8080", ""},
		{"[::]:8080", "http://[::1]:8080", ""},
		{"::", "http://[::1]:11434", ""},
		{"h/proxy", "http://h:11434/proxy", ""},
		{"h:1/proxy/", "http://h:1/proxy", ""},
		{" h:1 ", "http://h:1", ""},
		{"http://h", "http://h:80", ""},
		{"https://h", "https://h:443", ""},
		{"HTTPS://h", "https://h:443", ""},
		{"https://h/proxy/", "https://h:443/proxy", ""},
		{"user:secretword@h", "http://h:11434", ""},
		{"ftp://h", "", "http://"},
		{"unix:///run/secretword.sock", "", "http://"},
		{"/run/secretword.sock", "", "socket"},
		{"h:secretword", "", "host:port"},
		{"h:70000", "", "port"},
		{"http://secretword:no port", "", "host:port"},
		{"http://h?secretword", "", "query"},
	}
	for _, tt := range tests {
		b, err := New(Options{Endpoint: server.Endpoint{URL: tt.host, Model: "m"}, Window: 1})
		switch {
		case tt.err == "" && (err != nil || b.Address() != tt.address):
			t.Errorf("%q: %v, %v, want %s", tt.host, b, err, tt.address)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) ||
			strings.Contains(err.Error(), "secretword")):
			t.Errorf("%q: error %v, want %q", tt.host, err, tt.err)
		}
	}

	for _, opts := range []Options{
		{Window: 1},
		{Endpoint: server.Endpoint{Model: "m"}},
		{Endpoint: server.Endpoint{Model: "m", APIKey: "a\nb"}, Window: 1},
	} {
		if _, err := New(opts); err == nil {
			t.Errorf("%+v is taken", opts)
		}
	}
}

// TestCancel: the context ends all requests, at the server too.
func TestCancel(t *testing.T) {
	const n = 3
	begun, ended := make(chan struct{}, n), make(chan struct{}, n)
	f := wiretest.Serve(t, wiretest.Hang(begun, ended))
	ctx, cancel := context.WithCancel(t.Context())

	go func() {
		for range n {
			<-begun
		}

		cancel()
	}()

	if _, err := backend(t, f).Complete(ctx, ask(n)); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}

	for range n {
		<-ended
	}
}

func TestStatus(t *testing.T) {
	documents := map[string]string{
		"/api/version": `{"version":"0.17.4"}`,
		"/api/tags":    `{"models":[{"name":"m:latest","model":"m:latest","size":1},{"name":"n:1b"}]}`,
		"/api/show": `{"parameters":"temperature 0.6","template":"{{ .Prompt }}","details":{"quantization_level":"Q4_K_M"},
			"model_info":{"general.architecture":"qwen2","vision.context_length":77,"general.parameter_count":5e8,
			"qwen2.context_length":32768,"qwen2.block_count":2}}`,
		"/api/ps": `{"models":[{"name":"n:1b","context_length":8},{"name":"m:latest","context_length":4096}]}`,
	}
	f := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		wiretest.Answers(200, documents[r.URL.Path])(w, r)
	})
	b := backend(t, f, func(o *Options) { o.APIKey = "keyword" })
	version, err1 := b.Version(t.Context())
	models, err2 := b.Models(t.Context())

	show, err3 := b.List(t.Context())
	if err3 == nil {
		err3 = b.Describe(t.Context(), &show)
	}

	window, _, err4 := b.Loaded(t.Context())
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Error(err)
		}
	}

	if version != "0.17.4" || !slices.Equal(models, []string{"m:latest", "n:1b"}) || window != 4096 {
		t.Errorf("version %q, models %q, window %d", version, models, window)
	}

	want := server.Listing{
		Names: []string{"m:latest", "n:1b"}, Listed: true,
		Window: b.opts.Window, Trained: 32768, Parameters: 5e8, Bits: 4,
	}
	if diff := cmp.Diff(want, show); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}

	for _, r := range f.Received() {
		if r.Header.Get("Authorization") != "Bearer keyword" {
			t.Errorf("%s went without the key", r.Path)
		}

		if r.Path == "/api/show" && decoded(t, r.Body)["model"] != "m" {
			t.Errorf("asked for %v", string(r.Body))
		}
	}

	if _, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, "Ollama is running"))).Version(
		t.Context()); wiretest.FaultOf(t, err).Kind != server.Transient {
		t.Errorf("%v, want transient", err)
	}
}

func FuzzDecodeSample(f *testing.F) {
	f.Add([]byte(oneSample))
	f.Add([]byte(`{"response":"a"}{"error":"x"}`))
	f.Add([]byte(`{"done":true,"logprobs":[{"logprob":null},{}],"eval_count":-1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var s sample
		if err := s.read(bytes.NewReader(body)); err != nil {
			return
		}

		if s.choice.Tokens < 0 || s.detail.PromptTokens < 0 || len(s.choice.LogProbs) > len(s.detail.Tokens) {
			t.Fatalf("%+v", s)
		}

		if !json.Valid(body) && !strings.Contains(string(body), "}") {
			t.Fatalf("%q is taken", body)
		}
	})
}
