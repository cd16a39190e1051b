package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

const oneChoice = `{"choices":[{"index":0,"text":"t","finish_reason":"stop","message":{"content":"t"}}]}`

// TestRequest holds every field that is sent, in each mode.
func TestRequest(t *testing.T) {
	num := func(s string) json.Number { return json.Number(s) }
	common := map[string]any{
		"model": "m", "max_tokens": num("64"), "n": num("3"), "seed": num("7"), "stream": false,
		"stop": []any{"\nObservation"}, "temperature": num("0.5"), "top_p": num("0.9"),
		"frequency_penalty": num("1.2"), "presence_penalty": num("-0.5"),
	}
	prompt := map[string]any{"prompt": "Question: <|x|> & é\n", "logprobs": num("0")}
	vllm := map[string]any{
		"top_k": num("20"), "min_p": num("0.05"), "repetition_penalty": num("1.1"), "include_stop_str_in_output": false,
	}
	messages := map[string]any{"logprobs": true, "top_logprobs": num("0"), "messages": []any{
		map[string]any{"role": "system", "content": ""}, map[string]any{"role": "user", "content": "u"},
	}}
	off := func(s *server.Sampling) { s.TopK, s.MinP, s.RepetitionPenalty = 0, 0, 1 }

	tests := []struct {
		name string
		opts func(*Options)
		ask  func(*server.Completion)
		path string
		want []map[string]any // merged, later ones win; a nil value deletes
	}{
		{name: "vLLM", path: "/v1/completions", want: []map[string]any{common, prompt, vllm}},
		{name: "plain", path: "/v1/completions", opts: func(o *Options) { o.Extensions = false },
			ask: func(c *server.Completion) { off(&c.Sampling) }, want: []map[string]any{common, prompt}},
		{name: "chat", path: "/v1/chat/completions", opts: func(o *Options) { o.Chat = true },
			ask: func(c *server.Completion) {
				c.Prompt, c.Messages = "", []chat.Message{{Role: "system"}, {Role: "user", Content: "u"}}
			}, want: []map[string]any{common, messages, vllm}},
		{name: "greedy", path: "/v1/completions", // zeros are sent, top_k off is -1, and one sample is drawn
			ask: func(c *server.Completion) { c.Sampling = c.Sampling.Greedy() },
			want: []map[string]any{common, prompt, vllm, {
				"temperature": num("0"), "top_p": num("1"), "frequency_penalty": num("0"), "presence_penalty": num("0"),
				"n": num("1"), "top_k": num("-1"), "min_p": num("0"), "repetition_penalty": num("1"),
			}}},
		{name: "special tokens", path: "/v1/completions", opts: func(o *Options) { o.AddSpecialTokens = ptr(false) },
			want: []map[string]any{common, prompt, vllm, {"add_special_tokens": false}}},
		{name: "session", path: "/v1/completions",
			opts: func(o *Options) { o.Session = server.SessionKeys{Header: "X-Session", Field: "session_id"} },
			ask:  func(c *server.Completion) { c.Session = "t1" },
			want: []map[string]any{common, prompt, vllm, {"session_id": "t1"}}},
		{name: "session of no tree", path: "/v1/completions",
			opts: func(o *Options) { o.Session = server.SessionKeys{Header: "X-Session", Field: "session_id"} },
			want: []map[string]any{common, prompt, vllm}},
		{name: "no log-probabilities", path: "/v1/completions", opts: func(o *Options) { o.OmitLogProbs = true },
			want: []map[string]any{common, prompt, vllm, {"logprobs": nil}}},
		{name: "no stop", path: "/v1/completions", ask: func(c *server.Completion) { c.Sampling.Stop = nil },
			want: []map[string]any{common, prompt, vllm, {"stop": nil}}},
		{name: "large seed", path: "/v1/completions", ask: func(c *server.Completion) { c.Seed = math.MaxUint64 },
			want: []map[string]any{common, prompt, vllm, {"seed": num("2147483647")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := wiretest.Serve(t, wiretest.Answers(200, oneChoice))

			c := ask(3)
			if tt.ask != nil {
				tt.ask(&c)
			}

			b := backend(t, f, func(o *Options) {
				if tt.opts != nil {
					tt.opts(o)
				}
			})
			if _, err := b.Complete(t.Context(), c); err != nil {
				t.Fatal(err)
			}

			want := map[string]any{}
			for _, m := range tt.want {
				for k, v := range m {
					want[k] = v
					if v == nil {
						delete(want, k)
					}
				}
			}

			got := f.Received()
			if len(got) != 1 || got[0].Path != tt.path {
				t.Fatalf("requests %v, want one to %s", got, tt.path)
			}

			if diff := cmp.Diff(want, fields(t, got[0].Body)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestModelNames sends names that go-openai refuses on its own side, and names that need escapes.
func TestModelNames(t *testing.T) {
	for _, name := range []string{"o1", "gpt-4o", "gpt-5", "o3-mini", "gpt-6-sol", "davinci", "text-davinci-003",
		`a"b\c`, "/models/Llama-3"} {
		for _, messages := range []bool{false, true} {
			t.Run(fmt.Sprint(name, messages), func(t *testing.T) {
				f := wiretest.Serve(t, wiretest.Answers(200, oneChoice))
				b := backend(t, f, func(o *Options) { o.Model, o.Chat = name, messages })

				c := ask(2)
				if messages {
					c.Prompt, c.Messages = "", []chat.Message{{Role: "user", Content: "u"}}
				}

				if _, err := b.Complete(t.Context(), c); err != nil {
					t.Fatal(err)
				}

				if got := fields(t, f.Received()[0].Body)["model"]; got != name {
					t.Errorf("model %v, want %q", got, name)
				}
			})
		}
	}
}

// TestNotSent refuses what a server would change or ignore in silence, before it sends anything.
func TestNotSent(t *testing.T) {
	tests := []struct {
		name, want string
		opts       func(*Options)
		change     func(*server.Completion)
	}{
		{"nothing asked", "0 samples", nil, func(c *server.Completion) { c.N = 0 }},
		{"messages as a prompt", "prompts", nil,
			func(c *server.Completion) { c.Messages = []chat.Message{{Role: "user"}} }},
		{"no prompt", "prompts", nil, func(c *server.Completion) { c.Prompt = "" }},
		{"a prompt as messages", "messages", func(o *Options) { o.Chat = true }, func(*server.Completion) {}},
		{"observation role", `role "observation"`, func(o *Options) { o.Chat = true }, func(c *server.Completion) {
			c.Prompt, c.Messages = "", []chat.Message{{Role: "user"}, {Role: "observation"}}
		}},
		{"the model's own last", "last message", func(o *Options) { o.Chat = true }, func(c *server.Completion) {
			c.Prompt, c.Messages = "", []chat.Message{{Role: "user"}, {Role: "assistant"}}
		}},
		{"lukewarm", "temperature", nil, func(c *server.Completion) { c.Sampling.Temperature = 0.001 }},
		{"too hot", "temperature", nil, func(c *server.Completion) { c.Sampling.Temperature = 2.1 }},
		{"not a number", "temperature", nil, func(c *server.Completion) { c.Sampling.Temperature = math.NaN() }},
		{"top_p 0", "top_p", nil, func(c *server.Completion) { c.Sampling.TopP = 0 }},
		{"top_k", "top_k", nil, func(c *server.Completion) { c.Sampling.TopK = -1 }},
		{"min_p", "min_p", nil, func(c *server.Completion) { c.Sampling.MinP = 1.5 }},
		{"frequency", "frequency_penalty", nil, func(c *server.Completion) { c.Sampling.FrequencyPenalty = 3 }},
		{"presence", "presence_penalty", nil, func(c *server.Completion) { c.Sampling.PresencePenalty = -3 }},
		{"repetition", "repetition_penalty", nil, func(c *server.Completion) { c.Sampling.RepetitionPenalty = 0 }},
		{"default of 16 tokens", "max_tokens", nil, func(c *server.Completion) { c.Sampling.MaxTokens = 0 }},
		{"empty stop", "stop", nil, func(c *server.Completion) { c.Sampling.Stop = []string{"a", ""} }},
		{"top_k without extensions", "switched off", func(o *Options) { o.Extensions = false },
			func(c *server.Completion) {
				c.Sampling.MinP, c.Sampling.RepetitionPenalty = 0, 1
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := wiretest.Serve(t, wiretest.Answers(200, oneChoice))
			b := backend(t, f, func(o *Options) {
				if tt.opts != nil {
					tt.opts(o)
				}
			})
			c := ask(2)
			tt.change(&c)
			_, err := b.Complete(t.Context(), c)

			fault := wiretest.FaultOf(t, err)
			if fault.Kind != server.Refused || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want refused with %q", err, tt.want)
			}

			if n := len(f.Received()); n != 0 {
				t.Errorf("%d requests sent", n)
			}
		})
	}
}

func TestNew(t *testing.T) {
	at := func(url string) Options { return Options{Endpoint: server.Endpoint{URL: url, Model: "m"}} }
	tests := []struct {
		name, address, err string
		opts               Options
	}{
		{name: "no path", opts: at("http://h:8000"), address: "http://h:8000/v1"},
		{name: "slash", opts: at("https://h/proxy/v1/"), address: "https://h/proxy/v1"},
		{
			name:    "credentials",
			opts:    at("http://user:secretword@h/v1"),
			address: "http://h/v1",
		},
		{name: "IPv6", opts: at("http://[::1]:8000/v1"), address: "http://[::1]:8000/v1"},
		{name: "no host", opts: at("http://:8000/v1"), err: "no host"},
		{name: "a socket", opts: at("unix:///run/secretword"), err: "http://"},
		{name: "no such port", opts: at("http://h:80000/v1"), err: "port"},
		{name: "no scheme", opts: at("h:8000"), err: "http://"},
		{name: "not a URL", opts: at("http://secretword:bad port/%"), err: "not a URL"},
		{name: "query", opts: at("http://h/v1?key=secretword"), address: "http://h/v1"},
		{name: "no model", opts: Options{Endpoint: server.Endpoint{URL: "http://h/v1"}}, err: "model"},
		{
			name: "key with a line",
			opts: Options{Endpoint: server.Endpoint{URL: "http://h", Model: "m", APIKey: "secretword\nx"}},
			err:  "control",
		},
		{
			name: "extension",
			opts: Options{Endpoint: server.Endpoint{URL: "http://h", Model: "m"}, AddSpecialTokens: ptr(true)},
			err:  "switched off",
		},
		{
			name: "session in place of a seed",
			opts: Options{Endpoint: server.Endpoint{
				URL: "http://h", Model: "m", Session: server.SessionKeys{Field: "seed"},
			}},
			err: "seed",
		},
		{
			name: "negative",
			opts: Options{Endpoint: server.Endpoint{URL: "http://h", Model: "m", Timeout: -1}},
			err:  "negative",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := New(tt.opts)
			if tt.err == "" {
				if err != nil || b.Address() != tt.address {
					t.Fatalf("address %v, error %v, want %s", b, err, tt.address)
				}
				return
			}

			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secretword") {
				t.Errorf("error %v, want %q and no secret", err, tt.err)
			}
		})
	}
}

// TestPromptBytes: whatever the prompt, the server reads the same text, and the seed leaves room
// for the samples.
func TestPromptBytes(t *testing.T) {
	b, err := New(Options{Endpoint: server.Endpoint{URL: "http://h", Model: "m"}, Extensions: true})
	if err != nil {
		t.Fatal(err)
	}

	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.String().Draw(t, "prompt")
		var body bytes.Buffer
		enc := json.NewEncoder(&body)
		enc.SetEscapeHTML(false)

		c := server.Completion{Prompt: prompt, N: 1, Sampling: sampling()}
		if err := enc.Encode(b.request(c, nil, 1)); err != nil {
			t.Fatal(err)
		}

		var got struct {
			Prompt string `json:"prompt"`
			TopK   int    `json:"top_k"`
		}
		if err := json.Unmarshal(body.Bytes(), &got); err != nil || got.Prompt != prompt || got.TopK != 20 {
			t.Fatalf("%s: %+v, %v", body.Bytes(), got, err)
		}
	})
}
