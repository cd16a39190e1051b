package interop

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// vllm is the server under test.
type vllm struct {
	url, model string
	backend    *openai.Backend
	sent       *counting
}

func openVLLM(t *testing.T) vllm {
	v := vllm{
		url:   setting(t, "TOOLEVO_VLLM_URL", "vllm.sh"),
		model: setting(t, "TOOLEVO_VLLM_MODEL", "vllm.sh"),
		sent:  &counting{},
	}
	v.backend = v.open(t, openai.Options{Endpoint: server.Endpoint{Transport: v.sent}})

	return v
}

func (v vllm) open(t *testing.T, o openai.Options) *openai.Backend {
	t.Helper()

	o.URL, o.Extensions = v.url, true
	if o.Model == "" {
		o.Model = v.model
	}

	b, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(b.Close)
	return b
}

func (v vllm) metrics(t *testing.T) server.Gauges {
	t.Helper()

	g, ok := v.backend.Gauges(testContext(t))
	if !ok {
		t.Fatal("the server has no gauges")
	}
	return g
}

func (v vllm) window(t *testing.T) int {
	t.Helper()

	models, err := v.backend.Models(testContext(t))
	if err != nil {
		t.Fatal(err)
	}

	i := slices.IndexFunc(models, func(m openai.Model) bool { return m.ID == v.model })
	if i < 0 || models[i].MaxModelLen < 1 {
		t.Fatalf("the models %+v have no %s with a window", models, v.model)
	}
	return models[i].MaxModelLen
}

// TestVLLM is one test: its parts read the server's counters, and so must not run beside each
// other.
func TestVLLM(t *testing.T) {
	v := openVLLM(t)
	t.Run("version", v.testVersion)
	t.Run("one request", v.testOneRequest)
	t.Run("seeds", v.testSeeds)
	t.Run("temperature 0", v.testCold)
	t.Run("no default in force", v.testDefaults)
	t.Run("stop", v.testStop)
	t.Run("chat", v.testChat)
	t.Run("prior", v.testPrior)
	t.Run("token ids", v.testTokenIDs)
	t.Run("prefix cache", v.testPrefixCache)
	t.Run("too long", v.testTooLong)
	t.Run("unknown model", v.testUnknownModel)
	t.Run("cancelled", v.testCancelled)
}

func (v vllm) testVersion(t *testing.T) {
	version, err := v.backend.Version(testContext(t))
	if err != nil || version == "" {
		t.Fatalf("version %q, %v", version, err)
	}

	t.Logf("vLLM %s at %s: %s with a window of %d tokens", version, v.backend.Address(), v.model, v.window(t))
}

// The samples of one completion come from one request, each with the log-probabilities of its
// tokens.
func (v vllm) testOneRequest(t *testing.T) {
	const n, tokens = 5, 24
	sent := v.sent.requests.Load()

	reply := complete(t, v.backend, server.Completion{Prompt: question, N: n, Seed: 7, Sampling: sampling(tokens)})
	if got := v.sent.requests.Load() - sent; got != 1 {
		t.Errorf("%d requests for %d samples", got, n)
	}

	if got := distinct(texts(reply)); got != n {
		t.Errorf("%d different texts of %d samples", got, n)
	}

	drawn := 0

	for i, c := range reply.Choices {
		t.Logf("sample %d, %d tokens, %s: %q", i, c.Tokens, c.Finish, c.Text)

		if c.Tokens < 1 || len(c.LogProbs) != c.Tokens {
			t.Errorf("sample %d: %d log-probabilities of %d tokens", i, len(c.LogProbs), c.Tokens)
		}

		for _, l := range c.LogProbs {
			if !(l <= 0) {
				t.Errorf("sample %d: a log-probability of %v", i, l)
			}
		}

		drawn += c.Tokens
	}

	if reply.CompletionTokens != drawn || reply.PromptTokens < 1 {
		t.Errorf("the server counts %d tokens of prompt, %d of %d samples that hold %d", reply.PromptTokens,
			reply.CompletionTokens, n, drawn)
	}
}

// Sample i of a completion is the one of a completion with the seed moved by i.
func (v vllm) testSeeds(t *testing.T) {
	c := server.Completion{Prompt: question, N: 4, Seed: 1000, Sampling: sampling(24)}

	want := texts(complete(t, v.backend, c))
	if diff := cmp.Diff(want, texts(complete(t, v.backend, c))); diff != "" {
		t.Errorf("the same request again (-first +second):\n%s", diff)
	}
	var got []string

	for i := range c.N {
		one := c
		one.N, one.Seed = 1, c.Seed+uint64(i)
		got = append(got, texts(complete(t, v.backend, one))...)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("one request (-) and one for each sample (+) differ:\n%s", diff)
	}
}

func (v vllm) testCold(t *testing.T) {
	c := server.Completion{Prompt: question, N: 3, Seed: 1, Sampling: greedy(48)}

	want := texts(complete(t, v.backend, c))
	if distinct(want) != 1 || want[0] == "" {
		t.Errorf("the most likely text: %q", want)
	}

	c.Seed = 2
	if diff := cmp.Diff(want, texts(complete(t, v.backend, c))); diff != "" {
		t.Errorf("the same prompt again (-first +second):\n%s", diff)
	}
}

// The model brings along a temperature and a top_k of 3. They would show in the first tokens of
// many samples.
func (v vllm) testDefaults(t *testing.T) {
	const n = 40
	reply := complete(t, v.backend, server.Completion{Prompt: question, N: n, Seed: 1, Sampling: sampling(1)})
	ours := distinct(texts(reply))
	var raw rawReply
	post(t, v.url+"/completions", map[string]any{
		"model": v.model, "prompt": question, "n": n, "seed": 1, "max_tokens": 1,
	}, &raw)

	var bare []string
	for _, c := range raw.Choices {
		bare = append(bare, c.Text)
	}

	t.Logf("first tokens of %d samples: %d different ones, %d in a request that leaves the defaults in force", n, ours,
		distinct(bare))

	if distinct(bare) > 3 {
		t.Errorf("the model's top_k of 3 was not in force: the check proves nothing")
	}

	if ours <= 3 {
		t.Errorf("only %d different first tokens: a default is in force", ours)
	}
}

// A stop text ends a completion, is not part of it, and is named; its tokens are among the
// log-probabilities.
func (v vllm) testStop(t *testing.T) {
	whole := complete(t, v.backend, server.Completion{Prompt: question, N: 1, Sampling: greedy(64)}).Choices[0]
	stop, before := stopIn(t, whole.Text)

	reply, err := v.backend.Complete(testContext(t), server.Completion{
		Prompt: question, N: 1, Sampling: greedy(64, "no such text", stop),
		Details: true,
	})
	if err != nil {
		t.Fatal(err)
	}

	got, detail := reply.Choices[0], reply.Details[0]
	t.Logf("stopped by %q after %d tokens: %q", detail.StopReason, got.Tokens, got.Text)

	if got.Text != before || got.Finish != server.FinishStop || detail.StopReason != stop {
		t.Errorf("stop text %q: %q, %s, %q; want %q", stop, got.Text, got.Finish, detail.StopReason, before)
	}

	if len(got.LogProbs) != got.Tokens || got.Tokens >= whole.Tokens {
		t.Errorf("%d log-probabilities of %d tokens", len(got.LogProbs), got.Tokens)
	}
}

// stopIn picks a text inside a completion, and what stands before its first occurrence.
func stopIn(t *testing.T, text string) (stop, before string) {
	t.Helper()

	const length = 3
	for i := len(text) / 3; i+length < len(text); i++ {
		stop = text[i : i+length]

		printable := !strings.ContainsFunc(stop, func(r rune) bool { return r <= ' ' || r > '~' })
		if before, _, _ = strings.Cut(text, stop); printable && before != "" {
			return stop, before
		}
	}

	t.Fatalf("no place to stop in %q", text)
	return "", ""
}

func (v vllm) testChat(t *testing.T) {
	b := v.open(t, openai.Options{Chat: true})

	reply := complete(t, b, server.Completion{
		Messages: []chat.Message{
			{Role: "system", Content: "You answer."}, {Role: "user", Content: question},
		},
		N: 2, Seed: 3, Sampling: sampling(16),
	})
	for i, c := range reply.Choices {
		t.Logf("sample %d: %q", i, c.Text)

		if c.Tokens != 16 || len(c.LogProbs) != c.Tokens {
			t.Errorf("sample %d: %d log-probabilities of %d tokens", i, len(c.LogProbs), c.Tokens)
		}
	}
}

// rawReply is what no backend asks for: the ids of the tokens, and what the model makes of a
// prompt's.
type rawReply struct {
	Choices []struct {
		Text           string  `json:"text"`
		PromptTokenIDs []int   `json:"prompt_token_ids"`
		TokenIDs       []int   `json:"token_ids"`
		PromptLogProbs []prior `json:"prompt_logprobs"`
	} `json:"choices"`
}

// prior is the log-probabilities of one place in a prompt, by token id; null for the first.
type prior map[int]struct {
	LogProb float64 `json:"logprob"`
}

// The log-probability of a proposal is the one that the model gives the same tokens when they are
// read as a prompt.
func (v vllm) testPrior(t *testing.T) {
	const n, seed, tokens = 3, 77, 24
	stop, _ := stopIn(t, complete(t, v.backend, server.Completion{Prompt: question, N: 1, Seed: seed,
		Sampling: sampling(tokens)}).Choices[0].Text)
	s := sampling(tokens, stop)
	s.Temperature = 0.7 // log-probabilities are those of the model, before temperature
	p := newPolicy(t, v.backend, question, s, true)
	proposals := propose(t, p, n, seed)

	var drawn rawReply
	post(t, v.url+"/completions", map[string]any{
		"model": v.model, "prompt": question, "n": n, "seed": seed, "max_tokens": tokens, "temperature": s.Temperature,
		"top_p": 1, "top_k": -1, "repetition_penalty": 1, "stop": s.Stop, "return_token_ids": true,
	}, &drawn)

	if len(proposals) != n || len(drawn.Choices) != n {
		t.Fatalf("%d proposals, %d choices of %d", len(proposals), len(drawn.Choices), n)
	}

	for i, got := range proposals {
		c := drawn.Choices[i]
		if c.Text != got.Text {
			t.Fatalf("sample %d is %q, and %q when its ids are asked for", i, got.Text, c.Text)
		}

		ids := slices.Concat(c.PromptTokenIDs, c.TokenIDs)
		var read rawReply
		post(t, v.url+"/completions", map[string]any{
			"model": v.model, "prompt": ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0,
		}, &read)

		want := 0.0

		for at := len(c.PromptTokenIDs); at < len(ids); at++ {
			entry, ok := read.Choices[0].PromptLogProbs[at][ids[at]]
			if !ok {
				t.Fatalf("sample %d: place %d has no figure for token %d", i, at, ids[at])
			}

			want += entry.LogProb / float64(len(c.TokenIDs))
		}

		t.Logf("sample %d, %d tokens: mean log-probability %.6f drawn, %.6f read, prior %.6f", i, len(c.TokenIDs),
			got.LogProb, want, math.Exp(got.LogProb))

		if !got.Scored || math.Abs(got.LogProb-want) > 1e-4 {
			t.Errorf("sample %d: %+v, want the log-probability %v", i, got, want)
		}
	}
}

// The server finds a prompt again in whole blocks of its cache.
func (v vllm) testPrefixCache(t *testing.T) {
	const block = 128 // of vLLM on a CPU
	prompt := long("Prefix.", 3000)
	c := server.Completion{Prompt: prompt, N: 1, Sampling: sampling(4)}
	length := complete(t, v.backend, c).PromptTokens
	before := v.metrics(t)
	c.Prompt += " And then?"
	complete(t, v.backend, c)

	after := v.metrics(t)
	if !after.PrefixCounted {
		t.Fatal("the server counts no prefix hits")
	}

	hits, queries := after.PrefixHit-before.PrefixHit, after.PrefixQueried-before.PrefixQueried
	t.Logf("a prompt of %d tokens again, and more: %v of %v tokens found in the cache", length, hits, queries)

	if want := int64((length - block) / block * block); hits < want || queries < hits {
		t.Errorf("%v hits of %v, want at least %v", hits, queries, want)
	}
}

func (v vllm) testTooLong(t *testing.T) {
	window := v.window(t)
	prompt := long("Too long.", 8*window)
	_, err := v.backend.Complete(testContext(t), server.Completion{Prompt: prompt, N: 1, Sampling: sampling(8)})
	wantFault(t, err, server.TooLong, 400)
	// No prompt leaves room for a completion longer than the window: that is not a fault of this
	// prompt.
	_, err = v.backend.Complete(testContext(t),
		server.Completion{Prompt: question, N: 1, Sampling: sampling(window + 1)})
	wantFault(t, err, server.BadRequest, 400)

	p := newPolicy(t, v.backend, prompt, sampling(8), true)

	want := []mcts.Proposal{{Finish: mcts.FinishTooLong}}
	if diff := cmp.Diff(want, propose(t, p, 5, 1)); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
}

func (v vllm) testUnknownModel(t *testing.T) {
	b := v.open(t, openai.Options{Endpoint: server.Endpoint{Model: "nobody/knows-this"}})
	_, err := b.Complete(testContext(t), server.Completion{Prompt: question, N: 1, Sampling: sampling(8)})
	wantFault(t, err, server.Refused, 404)
}

// A request whose context ends is given up, by the server too.
func (v vllm) testCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()

	window, failed := v.window(t), make(chan error, 1)
	go func() {
		_, err := v.backend.Complete(ctx, server.Completion{
			Prompt: question, N: 4, Seed: 5, Sampling: sampling(window - 1000),
		})
		failed <- err
	}()

	v.await(t, "the request to be worked on", func(m server.Gauges) bool { return m.Running > 0 })
	cancel()

	if err := <-failed; err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}

	v.await(t, "the request to be given up",
		func(m server.Gauges) bool { return m.Running+m.Waiting == 0 })

	if _, err := v.backend.Complete(cancelWhenSent(testContext(t)), server.Completion{
		Prompt: question, N: 4, Seed: 5, Sampling: sampling(1000),
	}); err != context.Canceled {
		t.Errorf("cancelled when sent: %v, want the context's", err)
	}
}

// await reads the metrics until they show what is awaited.
func (v vllm) await(t *testing.T, what string, shown func(server.Gauges) bool) {
	t.Helper()

	for ctx := testContext(t); !shown(v.metrics(t)); {
		if ctx.Err() != nil {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}
