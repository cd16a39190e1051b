package openai

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// TestReplies holds the shapes of good replies.
func TestReplies(t *testing.T) {
	tests := []struct {
		name, body string
		n          int
		want       Transcript
	}{
		{"vLLM's completions, out of order", `{"model":"served","choices":[
			{"index":1,"text":"b","finish_reason":"length","stop_reason":null,"logprobs":{"tokens":["b"],"token_logprobs":[-9999.0],"top_logprobs":[{"b":-9999.0}],"text_offset":[0]}},
			{"index":0,"text":"a","finish_reason":"stop","stop_reason":"\nObservation","logprobs":{"tokens":["a","\nObs","ervation"],"token_logprobs":[-0.1234567890123,null,-2],"top_logprobs":null,"text_offset":[0,1,2]}}],
			"usage":{"prompt_tokens":10,"total_tokens":14,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}`, 2,
			Transcript{Reply: server.Reply{Model: "served", PromptTokens: 10, CachedTokens: 8, CompletionTokens: 4, Choices: []server.Choice{
				{Text: "a", LogProbs: []float64{-0.1234567890123, -2}, Finish: server.FinishStop, Tokens: 3},
				{Text: "b", LogProbs: []float64{-9999}, Finish: server.FinishLength, Tokens: 1}}},
				Details: []Detail{{Tokens: []string{"a", "\nObs", "ervation"}, StopReason: "\nObservation", Finish: "stop"},
					{Tokens: []string{"b"}, Finish: "length"}}}},
		{"chat", `{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop","stop_reason":128009,
			"logprobs":{"content":[{"token":"hi","logprob":-0.25,"bytes":[104],"top_logprobs":[]}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"prompt_tokens_details":null}}`, 1,
			Transcript{Reply: server.Reply{PromptTokens: 3, CompletionTokens: 1, Choices: []server.Choice{
				{Text: "hi", LogProbs: []float64{-0.25}, Finish: server.FinishStop, Tokens: 1}}},
				Details: []Detail{{Tokens: []string{"hi"}, StopReason: "128009", Finish: "stop"}}}},
		{"chat, a null among the figures", `{"choices":[{"message":{"content":"ab"},"finish_reason":"length","logprobs":{"content":[{"token":"a","logprob":null},{"token":"b","logprob":-1}]}}]}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{Text: "ab", LogProbs: []float64{-1}, Finish: server.FinishLength, Tokens: 2}}},
				Details: []Detail{{Tokens: []string{"a", "b"}, Finish: "length"}}}},
		{"an empty completion, its stop token counted", `{"choices":[{"text":"","finish_reason":"stop","stop_reason":2,"logprobs":{"tokens":["</s>"],"token_logprobs":[-0.5]}}]}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{LogProbs: []float64{-0.5}, Finish: server.FinishStop, Tokens: 1}}},
				Details: []Detail{{Tokens: []string{"</s>"}, StopReason: "2", Finish: "stop"}}}},
		{"only nulls", `{"choices":[{"text":"ab","finish_reason":"stop","logprobs":{"tokens":["a","b"],"token_logprobs":[ null , null ]}}]}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{Text: "ab", Finish: server.FinishStop, Tokens: 2}}},
				Details: []Detail{{Tokens: []string{"a", "b"}, Finish: "stop"}}}},
		{"no figures: Ollama's completions, and n ignored", `{"choices":[{"index":0,"text":"x","finish_reason":"stop"}],"usage":{"prompt_tokens":22,"completion_tokens":5}}`, 3,
			Transcript{Reply: server.Reply{PromptTokens: 22, CompletionTokens: 5, Choices: []server.Choice{{Text: "x", Finish: server.FinishStop, Tokens: 5}}},
				Details: []Detail{{Finish: "stop"}}}},
		{"more choices than asked", `{"choices":[{"index":0,"text":"x","finish_reason":"stop"},{"index":1,"text":"y","finish_reason":"stop"}]}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{Text: "x", Finish: server.FinishStop}}}, Details: []Detail{{Finish: "stop"}}}},
		{"nothing said", `{"choices":[{"message":{"content":null},"finish_reason":"stop","logprobs":null}],"error":null}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{Finish: server.FinishStop}}}, Details: []Detail{{Finish: "stop"}}}},
		{"no reason, at the limit", `{"choices":[{"text":"x","finish_reason":null}],"usage":{"completion_tokens":64}}`, 1,
			Transcript{Reply: server.Reply{CompletionTokens: 64, Choices: []server.Choice{{Text: "x", Finish: server.FinishLength, Tokens: 64}}}, Details: []Detail{{}}}},
		{"another word", `{"choices":[{"text":"x","finish_reason":"eos_token"}]}`, 1,
			Transcript{Reply: server.Reply{Choices: []server.Choice{{Text: "x", Finish: server.FinishStop}}}, Details: []Detail{{Finish: "eos_token"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := backend(t, wiretest.Serve(t, wiretest.Answers(200, tt.body)))
			got, err := b.Transcribe(t.Context(), ask(tt.n))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
			reply, err := b.Complete(t.Context(), ask(tt.n))
			if diff := cmp.Diff(tt.want.Reply, reply); diff != "" || err != nil {
				t.Errorf("reply (-want +got):\n%s%v", diff, err)
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
			wiretest.Answers(400, `{"error":{"message":"n must be 1 when using greedy sampling, got 3.","code":400}}`)(w, r)
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

// TestBadFigures are lists that hold something else than numbers and nulls.
func TestBadFigures(t *testing.T) {
	for _, list := range []string{`{}`, `"x"`, `["1"]`, `[[1,2]]`, `[true]`, `[1e999]`} {
		body := `{"choices":[{"text":"x","logprobs":{"token_logprobs":` + list + `}}]}`
		if got, err := decodeReply([]byte(body), 1, 9, false); err == nil {
			t.Errorf("%s is %+v, want an error", list, got)
		}
	}
}

func FuzzDecodeReply(f *testing.F) {
	f.Add([]byte(oneChoice), 1)
	f.Add([]byte(`{"choices":[{"index":-1,"logprobs":{"tokens":["a"],"token_logprobs":[null]}},{}],"usage":{"prompt_tokens":-1}}`), 2)
	f.Add([]byte(`{"choices":[{"stop_reason":{},"message":{"content":null},"logprobs":{"content":[{"logprob":1e308}]}}]}`), 1)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = 1 + n&7
		got, err := decodeReply(body, n, 16, true)
		if err != nil {
			if len(got.Choices) != 0 {
				t.Fatal("an error, and choices")
			}
			return
		}
		if len(got.Choices) < 1 || len(got.Choices) > n || len(got.Details) != len(got.Choices) {
			t.Fatalf("%d choices and %d details for %d samples", len(got.Choices), len(got.Details), n)
		}
		for _, c := range got.Choices {
			for _, p := range c.LogProbs {
				if math.IsNaN(p) || math.IsInf(p, 0) {
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
	choice.WriteString(`{"index":0,"text":"` + strings.Repeat("word ", 200) + `","finish_reason":"stop","logprobs":{"tokens":["w"`)
	choice.WriteString(strings.Repeat(`,"word"`, 199) + `],"token_logprobs":[-1` + strings.Repeat(`,-0.123456789`, 199) + `],"top_logprobs":[{"w":-1}`)
	choice.WriteString(strings.Repeat(`,{"word":-0.123456789}`, 199) + `],"text_offset":[0` + strings.Repeat(",1", 199) + `]}}`)
	body := []byte(`{"choices":[` + choice.String() + strings.Repeat(","+choice.String(), 4) + `]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := decodeReply(body, 5, 1024, false); err != nil {
			b.Fatal(err)
		}
	}
}
