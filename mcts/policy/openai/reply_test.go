package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// TestReplies holds the shapes of good replies.
func TestReplies(t *testing.T) {
	tests := []struct {
		name, body string
		n          int
		want       server.Reply
	}{
		{"vLLM's completions, out of order", `{"model":"served","choices":[
			{"index":1,"text":"b","finish_reason":"length","stop_reason":null,"logprobs":{"tokens":["b"],"token_logprobs":[-9999.0],"top_logprobs":[{"b":-9999.0}],"text_offset":[0]}},
			{"index":0,"text":"a","finish_reason":"stop","stop_reason":"\nObservation","logprobs":{"tokens":["a","\nObs","ervation"],"token_logprobs":[-0.1234567890123,-0.5,-2],"top_logprobs":null,"text_offset":[0,1,2]}}],
			"usage":{"prompt_tokens":10,"total_tokens":14,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}`, 2,
			server.Reply{
				Model:            "served",
				PromptTokens:     10,
				CachedTokens:     8,
				CompletionTokens: 4,
				Choices: []server.Choice{
					{
						Text:     "a",
						LogProbs: []float64{-0.1234567890123, -0.5, -2},
						Finish:   server.FinishStop,
						Tokens:   3,
					},
					{Text: "b", LogProbs: []float64{-9999}, Finish: server.FinishLength, Tokens: 1}},
				Details: []server.Detail{
					{Tokens: []string{"a", "\nObs", "ervation"}, StopReason: "\nObservation", Finish: "stop"},
					{Tokens: []string{"b"}, Finish: "length", Likeliest: ptr(-9999.0)},
				},
				CachedKnown: true,
			}},
		{"chat", `{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop","stop_reason":128009,
			"logprobs":{"content":[{"token":"hi","logprob":-0.25,"bytes":[104],"top_logprobs":[]}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"prompt_tokens_details":null}}`, 1,
			server.Reply{PromptTokens: 3, CompletionTokens: 1, Choices: []server.Choice{
				{Text: "hi", LogProbs: []float64{-0.25}, Finish: server.FinishStop, Tokens: 1}},
				Details: []server.Detail{{Tokens: []string{"hi"}, StopReason: "128009", Finish: "stop"}}}},
		{"an empty completion, its stop token counted",
			`{"choices":[{"text":"","finish_reason":"stop","stop_reason":2,"logprobs":{"tokens":["</s>"],"token_logprobs":[-0.5]}}]}`, 1,
			server.Reply{
				Choices: []server.Choice{{
					LogProbs: []float64{-0.5},
					Finish:   server.FinishStop,
					Tokens:   1,
				}},
				Details: []server.Detail{{Tokens: []string{"</s>"}, StopReason: "2", Finish: "stop"}},
			}},
		{"only nulls", `{"choices":[{"text":"ab","finish_reason":"stop","logprobs":{"tokens":["a","b"],"token_logprobs":[ null , null ]}}]}`, 1,
			server.Reply{
				Choices: []server.Choice{{Text: "ab", Finish: server.FinishStop, Tokens: 2}},
				Details: []server.Detail{{Tokens: []string{"a", "b"}, Finish: "stop"}},
			}},
		{"no figures: Ollama's completions, and n ignored",
			`{"choices":[{"index":0,"text":"x","finish_reason":"stop"}],"usage":{"prompt_tokens":22,"completion_tokens":5}}`, 3,
			server.Reply{
				PromptTokens:     22,
				CompletionTokens: 5,
				Choices:          []server.Choice{{Text: "x", Finish: server.FinishStop, Tokens: 5}},
				Details:          []server.Detail{{Finish: "stop"}},
			}},
		{"llama.cpp's timings", `{"choices":[{"index":0,"text":"x","finish_reason":"stop"}],"timings":{"cache_n":0,"prompt_n":4,"prompt_ms":12.5,"predicted_ms":3}}`, 1,
			server.Reply{
				Choices: []server.Choice{{Text: "x", Finish: server.FinishStop}},
				Reading: 12500 * time.Microsecond,
				Details: []server.Detail{{Finish: "stop"}},
			}},
		{"somebody's timings", `{"choices":[{"index":0,"text":"x","finish_reason":"stop"}],"timings":{"prompt_ms":"12 ms"}}`, 1,
			server.Reply{
				Choices: []server.Choice{{Text: "x", Finish: server.FinishStop}},
				Details: []server.Detail{{Finish: "stop"}},
			}},
		{"one was lost", `{"choices":[{"index":2,"text":"c","finish_reason":"stop"},{"index":0,"text":"a","finish_reason":"length"}],"usage":{"completion_tokens":192}}`, 3,
			server.Reply{
				CompletionTokens: 192,
				Choices: []server.Choice{{Text: "a", Finish: server.FinishLength},
					{Text: "c", Finish: server.FinishStop}},
				Details: []server.Detail{{Finish: "length"}, {Finish: "stop"}},
			}},
		{"no index", `{"choices":[{"text":"a","finish_reason":"stop"},{"text":"b","finish_reason":"stop"}]}`, 2,
			server.Reply{
				Choices: []server.Choice{{Text: "a", Finish: server.FinishStop},
					{Text: "b", Finish: server.FinishStop}},
				Details: []server.Detail{{Finish: "stop"}, {Finish: "stop"}},
			}},
		{"rounded up", `{"choices":[{"text":"a","finish_reason":"stop","logprobs":{"tokens":["a"],"token_logprobs":[1.1920929e-07]}}]}`, 1,
			server.Reply{
				Choices: []server.Choice{{
					Text:     "a",
					LogProbs: []float64{1.1920929e-07},
					Finish:   server.FinishStop,
					Tokens:   1,
				}},
				Details: []server.Detail{{Tokens: []string{"a"}, Finish: "stop"}},
			}},
		{"a pair of surrogates, and half of a character that the model wrote",
			`{"choices":[{"text":"\ud83d\ude00 \\ud83d \ufffd","finish_reason":"stop"}]}`, 1,
			server.Reply{
				Choices: []server.Choice{{
					Text:   "\U0001f600 \\ud83d \ufffd",
					Finish: server.FinishStop,
				}},
				Details: []server.Detail{{Finish: "stop"}},
			}},
		{"a stop text at once", `{"choices":[{"text":"","finish_reason":"stop","stop_reason":"\nObservation","logprobs":{"tokens":["\nO","b","servation"],"token_logprobs":[-1,-1,-1]}}],"usage":{"completion_tokens":3}}`, 1,
			server.Reply{
				CompletionTokens: 3,
				Choices: []server.Choice{{
					LogProbs: []float64{-1, -1, -1},
					Finish:   server.FinishStop,
					Tokens:   3,
				}},
				Details: []server.Detail{{
					Tokens:     []string{"\nO", "b", "servation"},
					Finish:     "stop",
					StopReason: "\nObservation",
				}},
			}},
		{"the stop text's tokens left out",
			`{"choices":[{"text":"ab","finish_reason":"stop","logprobs":{"content":[{"token":"a","logprob":-1},{"token":"b","logprob":-1}]}}],"usage":{"completion_tokens":6}}`, 1,
			server.Reply{
				CompletionTokens: 6,
				Choices: []server.Choice{{
					Text:     "ab",
					LogProbs: []float64{-1, -1},
					Finish:   server.FinishStop,
					Tokens:   2,
				}},
				Details: []server.Detail{{Tokens: []string{"a", "b"}, Finish: "stop"}},
			}},
		{"nothing said", `{"choices":[{"message":{"content":null},"finish_reason":"stop","logprobs":null}],"error":null}`, 1,
			server.Reply{
				Choices: []server.Choice{{Finish: server.FinishStop}},
				Details: []server.Detail{{Finish: "stop"}},
			}},
		{"eos", `{"choices":[{"text":"x","finish_reason":"eos"}]}`, 1,
			server.Reply{
				Choices: []server.Choice{{Text: "x", Finish: server.FinishStop}},
				Details: []server.Detail{{Finish: "eos"}},
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := backend(t, wiretest.Serve(t, wiretest.Answers(200, tt.body)))

			c := ask(tt.n)
			c.Details = true

			got, err := b.Complete(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCold: vLLM refuses n above 1 at temperature 0, where all samples are one.
func TestCold(t *testing.T) {
	f := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		r.Body.Read(body)

		if !strings.Contains(string(body), `"n":1,`) {
			wiretest.Answers(400, `{"error":{"message":"n must be 1 when using greedy sampling, got 3.","code":400}}`)(
				w, r)
			return
		}

		wiretest.Answers(200, `{"choices":[{"text":"x","finish_reason":"stop","logprobs":{"tokens":["x"],"token_logprobs":[-1]}}],"usage":{"completion_tokens":1}}`)(w, r)
	})
	c := ask(3)
	c.Sampling.Temperature = 0

	got, err := backend(t, f).Complete(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	one := server.Choice{Text: "x", LogProbs: []float64{-1}, Finish: server.FinishStop, Tokens: 1}

	want := server.Reply{Choices: []server.Choice{one, one, one}, CompletionTokens: 1}
	got.Details = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

// TestOwnEnds: a server's own words for an end count when they are declared, and say nothing of a
// limit.
func TestOwnEnds(t *testing.T) {
	for _, tt := range []struct {
		ends       []string
		word, want string // "" is a fault
		tokens     int
	}{
		{nil, `"eos_token"`, "", 1},
		{[]string{"eos_token"}, `"eos_token"`, server.FinishStop, 1},
		{[]string{"eos_token"}, `"eos_token"`, server.FinishLength, 64},
		{[]string{"eos_token"}, `"tool_use"`, "", 1},
		{[]string{"eos_token"}, "null", "", 1},
		{[]string{""}, "null", server.FinishStop, 63},
		{[]string{""}, `""`, server.FinishLength, 64},
		{[]string{""}, `"abort"`, "", 64},
		{[]string{""}, `"length"`, server.FinishLength, 3},
	} {
		body := fmt.Sprintf(`{"choices":[{"text":%q,"finish_reason":%s}],"usage":{"completion_tokens":%d}}`,
			strings.Repeat("x", tt.tokens), tt.word, tt.tokens)
		b := backend(t, wiretest.Serve(t, wiretest.Answers(200, body)), func(o *Options) { o.Ends = tt.ends })

		got, err := b.Complete(t.Context(), ask(1))
		switch {
		case tt.want == "" && (wiretest.FaultOf(t, err).Kind != server.Transient || !errors.Is(err, server.ErrNoEnd)):
			t.Errorf("%s with %q: %+v, %v; want a fault", tt.word, tt.ends, got, err)
		case tt.want != "" && (err != nil || got.Choices[0].Finish != tt.want):
			t.Errorf("%s with %q: %+v, %v; want %s", tt.word, tt.ends, got, err, tt.want)
		}
	}
}

// TestSpoiledReplies are those that cannot be what a model wrote, or may not be all of it.
func TestSpoiledReplies(t *testing.T) {
	one := func(text, word, logprobs, usage string) string {
		return `{"choices":[{"index":0,"text":` + text + `,"finish_reason":` + word + `,"logprobs":` + logprobs +
			`}],"usage":{"completion_tokens":` + usage + `}}`
	}
	figures := func(list string) string {
		return one(`"a b"`, `"stop"`, `{"tokens":["a"," b"],"token_logprobs":`+list+`}`, "2")
	}
	list := func(value string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
	}
	sixty := `{"tokens":` + list(`"x"`, 60) + `,"token_logprobs":` + list("-0.5", 60) + `}`

	choices := func(indices ...string) string {
		text := ""
		for _, i := range indices {
			text += `,{"index":` + i + `,"text":"x","finish_reason":"stop"}`
		}
		return `{"choices":[` + text[1:] + `]}`
	}
	for _, tt := range []struct{ name, body, want string }{
		{"figures of few of all tokens", `{"choices":[{"index":0,"text":"x","finish_reason":"stop","logprobs":{"token_logprobs":[-1]}},
			{"index":1,"text":"x","finish_reason":"stop","logprobs":{"token_logprobs":[-1]}}],"usage":{"completion_tokens":120}}`, "of 2 tokens out of 120"},
		{"no end", one(`"x"`, "null", "null", "1"), "says nothing, where stop, eos or length belongs"},
		{"an unknown end", one(`"x"`, `"eos_token"`, "null", "1"), `says "eos_token", where`},
		{"broken off", one(`"x"`, `"abort"`, "null", "1"), `says "abort"`},
		{"filtered", one(`"x"`, `"content_filter"`, "null", "1"), `says "content_filter"`},
		{"an end of megabytes", one(`"x"`, `"`+strings.Repeat("y", 1<<20)+`"`, "null", "1"), `yy", where`},
		{"choices and an error", `{"choices":[{"text":"x","finish_reason":"stop"}],"error":{"message":"worker died"}}`,
			"worker died"},
		{"an error first", `{"error":"worker died","choices":[{"text":"x","finish_reason":"stop"}]}`, "worker died"},
		{"an empty error", `{"choices":[{"text":"x","finish_reason":"stop"}],"error":{}}`, "holds an error"},

		{"tokens, and no text", one(`""`, `"stop"`, sixty, "60"), "60 tokens, and no text"},
		{"tokens, and white space", one(`" \n "`, `"length"`, sixty, "60"), "60 tokens, and no text"},
		{"tokens by the usage alone", one(`""`, `"stop"`, "null", "60"), "60 tokens, and no text"},
		{"text null", one("null", `"stop"`, sixty, "60"), "no text"},
		{"text missing", `{"choices":[{"finish_reason":"stop"}]}`, "no text"},
		{"a chat's text null", `{"choices":[{"message":{"content":null,"reasoning_content":null},"finish_reason":"stop"}],"usage":{"completion_tokens":60}}`, "60 tokens, and no text"},
		{"a chat's text missing", `{"choices":[{"message":{},"finish_reason":"stop"}],"usage":{"completion_tokens":60}}`, "60 tokens, and no text"},
		{"vLLM saw no stop text", `{"choices":[{"text":"","finish_reason":"stop","stop_reason":null}],"usage":{"completion_tokens":2}}`, "2 tokens, and no text"},

		{"positive", figures("[-0.5,0.5]"), "a log-probability of 0.5"},
		{"overflowing", figures("[-0.5,-1e308]"), "a log-probability of -1e+308"},
		{"no number", figures("[-0.5,NaN]"), "not the JSON"},
		{"infinite", figures("[-0.5,-Infinity]"), "not the JSON"},
		{"too large", figures("[-0.5,1e999]"), "a log-probability"},
		{"an object", figures("{}"), "no list"},
		{"a text", figures(`["-1","-1"]`), "token_logprobs"},
		{"a truth", figures(`[true,-1]`), "token_logprobs"},
		{"a list", figures(`[[-1,-1]]`), "token_logprobs"},
		{"one is missing", figures("[-0.5]"), "of 1 tokens out of 2"},
		{"one is null", figures("[-0.5,null]"), "of 1 tokens out of 2"},
		{"a chat's is null", `{"choices":[{"message":{"content":"ab"},"finish_reason":"stop","logprobs":{"content":[{"token":"a","logprob":-1},{"token":"b","logprob":null}]}}]}`, "of 1 tokens out of 2"},

		{"a negative index", choices("-1", "0"), "index -1"},
		{"an index beyond", choices("0", "2"), "index 2"},
		{"an index that is another's", choices(`"1"`, "null"), "index 1"},
		{"a choice too many", choices("0", "1", "2"), "more than 2"},
		{"choices twice", `{"choices":[{"text":"x","finish_reason":"stop"}],"choices":[]}`, "twice"},

		{"half a character", one(`"a\ud83d"`, `"stop"`, "null", "1"), "surrogate"},
		{"the other half", one(`"\ude00a"`, `"stop"`, "null", "1"), "surrogate"},
		{"two first halves", one(`"\ud83d\ud83d\ude00"`, `"stop"`, "null", "1"), "surrogate"},
		{"halves apart", one(`"\ud83d \ude00"`, `"stop"`, "null", "1"), "surrogate"},
		{"no UTF-8", one("\"a\xff\"", `"stop"`, "null", "1"), "UTF-8"},
		{"surrogates as bytes", one("\"a\xed\xa0\xbd\"", `"stop"`, "null", "1"), "UTF-8"},
		{"a character cut short", one("\"a\xf0\x9f\"", `"stop"`, "null", "1"), "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, tt.body))).Complete(t.Context(), ask(2))

			f := wiretest.FaultOf(t, err)
			if f.Kind != server.Transient || f.Status != 200 || !strings.Contains(err.Error(), tt.want) ||
				len(err.Error()) > 1000 {
				t.Errorf("%+v, %.2000v; want transient with %q", got, err, tt.want)
			}
		})
	}
}

// Reasoning that is kept from us has tokens and no text, and a refusal has its own member: both are
// what the model answered, which is paid for.
func TestHiddenReasoning(t *testing.T) {
	for _, tt := range []struct{ name, message, finish, reasoned, text string }{
		{"all of it", `"content":""`, "length", "60", ""},
		{"most of it", `"content":"So."`, "stop", "58", "So."},
		{"a refusal", `"content":null,"refusal":"I cannot help."`, "stop", "0", "I cannot help."},
	} {
		body := `{"choices":[{"index":0,"message":{"role":"assistant",` + tt.message + `},"finish_reason":"` + tt.finish +
			`"}],"usage":{"completion_tokens":60,"completion_tokens_details":{"reasoning_tokens":` + tt.reasoned + `}}}`
		got, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, body))).Complete(t.Context(), ask(1))

		if err != nil || got.CompletionTokens != 60 || got.Choices[0].Text != tt.text ||
			got.Choices[0].Reasoned != (tt.reasoned != "0") {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

// TestAllSilent: what is reported of all samples together counts, too.
func TestAllSilent(t *testing.T) {
	// a stop text of 12 bytes, and what ends a text, twice
	for tokens, silent := range map[int]bool{26: false, 27: true} {
		body := fmt.Sprintf(`{"choices":[{"index":0,"text":"","finish_reason":"stop"},{"index":1,"text":"","finish_reason":"stop"}],
			"usage":{"completion_tokens":%d}}`, tokens)

		_, err := backend(t, wiretest.Serve(t, wiretest.Answers(200, body))).Complete(t.Context(), ask(2))
		if (err != nil) != silent {
			t.Errorf("%d tokens: %v", tokens, err)
		}
	}
}

// TestNoFiguresWanted: what was not asked for is not read, however wrong.
func TestNoFiguresWanted(t *testing.T) {
	const body = `{"choices":[{"text":"a","finish_reason":"stop","logprobs":{"tokens":["a"],"token_logprobs":[7]}}]}`
	b := backend(t, wiretest.Serve(t, wiretest.Answers(200, body)), func(o *Options) { o.OmitLogProbs = true })

	got, err := b.Complete(t.Context(), ask(1))
	if err != nil || got.Choices[0].LogProbs != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDecodedSizes: what a reply grows to in memory is bounded, packed or not.
func TestDecodedSizes(t *testing.T) {
	packed := func(prefix, unit string, times int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")

			z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
			if err != nil {
				t.Error(err)
				return
			}

			io.WriteString(z, prefix)

			block := strings.Repeat(unit, 1<<10)
			for range times >> 10 {
				if _, err := io.WriteString(z, block); err != nil {
					return // the client has seen enough
				}
			}

			z.Close()
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"empty choices", packed(`{"choices":[{}`, ",{}", 20<<20), "more than 2"},
		{"good choices", packed(`{"choices":[`, `{"text":"x","finish_reason":"stop"},`, 1<<20), "more than 2"},
		{"white space", packed(`{"choices":`, "    ", 256<<20), "bound of 1114112 bytes"},
		{"a long text", packed(`{"choices":[{"text":"`, "xxxx", 256<<20), "bound"},
		{"deep", packed("", `{"x":[`, 64<<20), "not the JSON"},
		{"other fields", packed("{", `"":0,`, 64<<20), "more than 1024 members"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			b := backend(t, wiretest.Serve(t, tt.handler))

			runtime.ReadMemStats(&before)

			_, err := b.Complete(t.Context(), ask(2))

			runtime.ReadMemStats(&after)

			if f := wiretest.FaultOf(t, err); f.Kind != server.Transient || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.1000v, want %q", err, tt.want)
			}

			if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
}

// TestCancelWhileDecoding: a reply that trickles in forever ends with the context.
func TestCancelWhileDecoding(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"choices":[{"text":"`)
		w.(http.Flusher).Flush()

		begun <- struct{}{}

		for {
			if _, err := io.WriteString(w, "x"); err != nil || r.Context().Err() != nil {
				break
			}

			w.(http.Flusher).Flush()
		}

		ended <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())

	go func() {
		<-begun
		cancel()
	}()

	if _, err := backend(t, s).Complete(ctx, ask(1)); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}

	<-ended
}

// decode reads a reply.
func decode(body []byte, n int) (server.Reply, error) {
	d := decoder{n: n, sampling: server.Sampling{MaxTokens: 16}, figures: true, details: true}
	err := d.read(bytes.NewReader(body))
	return d.reply, err
}

func FuzzDecodeReply(f *testing.F) {
	f.Add([]byte(oneChoice), 1)
	f.Add([]byte(`{"choices":[{"index":-1,"logprobs":{"tokens":["a"],"token_logprobs":[null]}},{}],"usage":{"prompt_tokens":-1}}`), 2)
	f.Add([]byte(`{"choices":[{"stop_reason":{},"message":{"content":null},"logprobs":{"content":[{"logprob":1e308}]}}]}`), 1)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = 1 + n&7

		got, err := decode(body, n)
		if err != nil {
			return
		}

		if len(got.Choices) < 1 || len(got.Choices) > n || len(got.Details) != len(got.Choices) {
			t.Fatalf("%d choices and %d details for %d samples", len(got.Choices), len(got.Details), n)
		}

		for _, c := range got.Choices {
			if !utf8.ValidString(c.Text) {
				t.Fatalf("text %q", c.Text)
			}

			for _, p := range c.LogProbs {
				if !(p <= 1e-5 && p >= -1e4) {
					t.Fatalf("log-probability %v", p)
				}
			}

			if c.Finish != server.FinishStop && c.Finish != server.FinishLength {
				t.Fatalf("finish %q", c.Finish)
			}
		}
	})
}

func BenchmarkDecodeReply(b *testing.B) {
	var choice strings.Builder
	choice.WriteString(`{"text":"` + strings.Repeat("word ", 200) +
		`","finish_reason":"stop","logprobs":{"tokens":["w"`)
	choice.WriteString(strings.Repeat(`,"word"`, 199) + `],"token_logprobs":[-1` +
		strings.Repeat(`,-0.123456789`, 199) + `],"top_logprobs":[{"w":-1}`)
	choice.WriteString(strings.Repeat(`,{"word":-0.123456789}`, 199) + `],"text_offset":[0` +
		strings.Repeat(",1", 199) + `]}}`)
	body := []byte(`{"choices":[` + choice.String() + strings.Repeat(","+choice.String(), 4) + `]}`)
	b.SetBytes(int64(len(body)))

	for b.Loop() {
		d := decoder{n: 5, sampling: server.Sampling{MaxTokens: 1024}, figures: true}
		if err := d.read(bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReasoning holds the shapes in which servers send what a model reasons.
func TestReasoning(t *testing.T) {
	for name, test := range map[string]struct{ message, text, reasoning string }{
		"vLLM":                 {`"content":"b","reasoning":"a"`, "b", "a"},
		"vLLM, nothing else":   {`"content":null,"reasoning":"a"`, "", "a"},
		"vLLM, both names":     {`"content":"b","reasoning":"a","reasoning_content":"a"`, "b", "a"},
		"vLLM, no reasoning":   {`"content":"b","reasoning":null,"tool_calls":[]`, "b", ""},
		"llama.cpp and SGLang": {`"reasoning_content":"a\n","content":"\n\nb"`, "\n\nb", "a\n"},
		"Ollama's native name": {`"content":"b","thinking":"a"`, "b", "a"},
		"OpenRouter": {`"content":"b","reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]`,
			"b", "a"},
		"Mistral": {`"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"},{"type":"text","text":"c"}]},` +
			`{"type":"text","text":"b"}]`, "b", "ac"},
		"others' parts": {`"content":[{"type":"reasoning","text":"a"},{"type":"text","text":"b"},` +
			`{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"c"}]`, "bc", "a"},
		"Anthropic's parts":   {`"content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"text","text":"b"}]`, "b", "a"},
		"in tags":             {`"content":"<think>a</think>b"`, "<think>a</think>b", ""},
		"something else":      {`"content":"b","reasoning":{"effort":"low"}`, "b", ""},
		"something else, too": {`"content":"b","reasoning":7`, "b", ""},
	} {
		b := backend(t, wiretest.Serve(t, wiretest.Answers(200,
			`{"choices":[{"message":{"role":"assistant",`+test.message+`},"finish_reason":"stop"}]}`)))

		reply, err := b.Complete(t.Context(), ask(1))
		if err != nil || len(reply.Choices) != 1 || reply.Choices[0].Text != test.text ||
			reply.Choices[0].Reasoning != test.reasoning {
			t.Errorf("%s: %+v, %v; want %q and %q", name, reply.Choices, err, test.text, test.reasoning)
		}
	}
}

// TestWhatNobodyNeeds: nothing beside the samples spoils a reply; what cannot be read is not known.
func TestWhatNobodyNeeds(t *testing.T) {
	const plain = `"usage":{"prompt_tokens":7,"completion_tokens":2}`

	for name, reply := range map[string]string{
		"usage as floats":     `{"choices":[%s,%s],"usage":{"prompt_tokens":7.0,"completion_tokens":2.0}}`,
		"usage as texts":      `{"choices":[%s,%s],"usage":{"prompt_tokens":"7","completion_tokens":" 2 "}}`,
		"more usage":          `{"choices":[%s,%s],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":[]}}`,
		"usage as a list":     `{"choices":[%s,%s],"usage":[1,2]}`,
		"usage as a text":     `{"choices":[%s,%s],"usage":"none"}`,
		"created as a text":   `{"created":"2026-11-25T10:00:00Z","choices":[%s,%s],` + plain + `}`,
		"a name as a number":  `{"model":7,"id":null,"choices":[%s,%s],` + plain + `}`,
		"a byte-order mark":   "\uFEFF" + `{"choices":[%s,%s],` + plain + `}`,
		"timings as a text":   `{"timings":"fast","choices":[%s,%s],` + plain + `}`,
		"a cached null":       `{"choices":[%s,%s],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":null}}}`,
		"an unknown envelope": `{"object":7,"warnings":{"a":[1]},"choices":[%s,%s],` + plain + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			for form, texts := range map[string][2]string{
				"in order":           {`{"index":0,"text":"a","finish_reason":"stop"}`, `{"index":1,"text":"b","finish_reason":"stop"}`},
				"out of order":       {`{"index":1,"text":"b","finish_reason":"stop"}`, `{"index":0,"text":"a","finish_reason":"stop"}`},
				"all the first":      {`{"index":0,"text":"a","finish_reason":"stop"}`, `{"index":0,"text":"b","finish_reason":"stop"}`},
				"no index":           {`{"text":"a","finish_reason":"stop"}`, `{"text":"b","finish_reason":"stop"}`},
				"an index as text":   {`{"index":"1","text":"b","finish_reason":"stop"}`, `{"index":"0","text":"a","finish_reason":"stop"}`},
				"a reason of object": {`{"index":0,"text":"a","finish_reason":{"type":"stop"}}`, `{"index":1.0,"text":"b","finish_reason":{"reason":"stop","at":3}}`},
				"parts": {`{"index":0,"message":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}`,
					`{"index":1,"message":{"content":[{"type":"text","text":"b","annotations":7}]},"finish_reason":"stop"}`},
			} {
				if form == "parts" && name != "usage as floats" {
					continue
				}

				d := decoder{n: 2, sampling: server.Sampling{MaxTokens: 9}}
				err := d.read(strings.NewReader(fmt.Sprintf(reply, texts[0], texts[1])))

				got := d.reply.Choices
				if err != nil || len(got) != 2 || got[0].Text != "a" || got[1].Text != "b" {
					t.Errorf("%s: %v, %+v", form, err, got)
				}

				if counted := !strings.Contains(reply, "usage as") && !strings.Contains(name, "a list") &&
					name != "usage as a text"; counted && d.reply.PromptTokens != 7 {
					t.Errorf("%s: %d tokens of the prompt", form, d.reply.PromptTokens)
				}
			}
		})
	}
}

// TestToolCalls holds the shapes in which servers send native calls.
func TestToolCalls(t *testing.T) {
	const call = `{"id":"chatcmpl-tool-1f","type":"function","function":{"name":"A","arguments":"{\"x\":2.50}"}}`
	const text = `"calls": [{"name": "A", "arguments": {"x": 2.50}}]`

	for name, test := range map[string]struct{ message, finish, text, reasoning string }{
		"vLLM":            {`"content":null,"tool_calls":[` + call + `]`, "tool_calls", `{` + text + `}`, ""},
		"text and a call": {`"content":"b\n","tool_calls":[` + call + `]`, "tool_calls", `{"content": "b", ` + text + `}`, ""},
		"reasoning":       {`"content":"","reasoning":"a","tool_calls":[` + call + `]`, "tool_calls", `{` + text + `}`, "a"},
		"reasoning in the content": {`"content":"<think>a</think>\n\nb","tool_calls":[` + call + `]`, "stop",
			`{"content": "b", ` + text + `}`, "a"},
		"Ollama": {`"content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"A",` +
			`"arguments":{"x":2.50}}}]`, "tool_calls", `{` + text + `}`, ""},
		"two calls": {`"tool_calls":[` + call + `,` + call + `]`, "tool_calls",
			`{"calls": [{"name": "A", "arguments": {"x": 2.50}}, {"name": "A", "arguments": {"x": 2.50}}]}`, ""},
		"unreadable": {`"tool_calls":[{"function":{"name":"A","arguments":"{\"x"}}]`, "tool_calls",
			`{"calls": [{"name": "A", "arguments": "{\"x"}]}`, ""},
		"no arguments":     {`"tool_calls":[{"function":{"name":"A"}}]`, "tool_calls", `{"calls": [{"name": "A", "arguments": {}}]}`, ""},
		"null for calls":   {`"content":"b","tool_calls":null`, "stop", `{"content": "b"}`, ""},
		"a text for calls": {`"content":"b","tool_calls":"none"`, "stop", `{"content": "b"}`, ""},
		"a number for one": {`"content":"b","tool_calls":[7]`, "stop",
			`{"content": "b", "calls": [{"name": "", "arguments": {}}]}`, ""},
		"silence":          {`"content":null`, "stop", "", ""},
		"a gateway's word": {`"tool_calls":[` + call + `]`, "tool_use", `{` + text + `}`, ""},
		"cut":              {`"content":"b"`, "length", `{"content": "b", "cut": true}`, ""},
	} {
		b := backend(t, wiretest.Serve(t, wiretest.Answers(200, `{"choices":[{"message":{"role":"assistant",`+test.message+
			`},"finish_reason":"`+test.finish+`"}],"usage":{"completion_tokens":9}}`)), func(o *Options) { o.Chat = true })

		c := ask(1)
		c.Prompt, c.Messages, c.Tools = "", []chat.Message{{Role: "user", Content: "u"}}, "[]"
		b.opts.OmitLogProbs = true

		reply, err := b.Complete(t.Context(), c)
		if err != nil || len(reply.Choices) != 1 || reply.Choices[0].Text != test.text ||
			reply.Choices[0].Reasoning != test.reasoning {
			t.Errorf("%s: %+v, %v; want %q and %q", name, reply.Choices, err, test.text, test.reasoning)
		}
	}
}

// TestCutCalls: a reply as long as it may be is cut, whatever the server says of its end.
func TestCutCalls(t *testing.T) {
	const call = `{"function":{"name":"A","arguments":"{}"}}`

	for calls, several := range map[string]bool{call: false, call + "," + call: true} { // the first of several is whole
		for _, finish := range []string{"tool_calls", "stop", "length"} {
			for tokens, cut := range map[int]bool{63: finish == "length", 64: true} {
				b := backend(t, wiretest.Serve(t, wiretest.Answers(200, fmt.Sprintf(`{"choices":[{"message":{"tool_calls":`+
					`[%s]},"finish_reason":%q}],"usage":{"completion_tokens":%d}}`, calls, finish, tokens))),
					func(o *Options) { o.Chat, o.OmitLogProbs = true, true })

				c := ask(1)
				c.Prompt, c.Messages, c.Tools = "", []chat.Message{{Role: "user", Content: "u"}}, "[]"

				reply, err := b.Complete(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}

				_, wrong := action.Tools{}.Parse(reply.Choices[0].Text)
				if (wrong != nil) != (cut && !several) || (reply.Choices[0].Finish == server.FinishLength) != cut {
					t.Errorf("%s after %d of 64 tokens: %+v", finish, tokens, reply.Choices[0])
				}
			}
		}
	}
}
