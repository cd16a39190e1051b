package interop

import (
	"bytes"
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/server"
)

// ollamaServer is the server under test.
type ollamaServer struct {
	host, model, log string
	window           int
	backend          *ollama.Backend
	sent             *counting
}

func openOllama(t *testing.T) ollamaServer {
	o := ollamaServer{
		host:  setting(t, "TOOLEVO_OLLAMA_HOST", "ollama.sh"),
		model: setting(t, "TOOLEVO_OLLAMA_MODEL", "ollama.sh"),
		log:   setting(t, "TOOLEVO_OLLAMA_LOG", "ollama.sh"),
		sent:  &counting{},
	}

	var err error
	if o.window, err = strconv.Atoi(setting(t, "TOOLEVO_OLLAMA_WINDOW", "ollama.sh")); err != nil {
		t.Fatal(err)
	}

	o.backend = o.open(t, ollama.Options{Endpoint: server.Endpoint{Transport: o.sent}})
	return o
}

func (o ollamaServer) open(t *testing.T, options ollama.Options) *ollama.Backend {
	t.Helper()

	options.URL = o.host
	if options.Model == "" {
		options.Model = o.model
	}

	if options.Window == 0 {
		options.Window = o.window
	}

	b, err := ollama.New(options)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(b.Close)
	return b
}

// loads is how often the server loaded the model, by its log.
func (o ollamaServer) loads(t *testing.T) int {
	t.Helper()

	text, err := os.ReadFile(o.log)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte(`msg="starting llama server"`))
}

// TestOllama is one test: its parts count how often the model is loaded, and so must not run beside
// each other.
func TestOllama(t *testing.T) {
	o := openOllama(t)
	t.Run("version", o.testVersion)
	complete(t, o.backend, server.Completion{Prompt: question, N: 1, Sampling: sampling(1)})

	loads := o.loads(t)
	if loads < 1 {
		t.Fatalf("the log %s does not say that the model was loaded", o.log)
	}

	t.Run("samples", o.testSamples)
	t.Run("seeds", o.testSeeds)
	t.Run("temperature 0", o.testCold)
	t.Run("no default in force", o.testDefaults)
	t.Run("stop", o.testStop)
	t.Run("raw", o.testRaw)
	t.Run("not scored", o.testNotScored)
	t.Run("unknown model", o.testUnknownModel)
	t.Run("cancelled", o.testCancelled)

	if got := o.loads(t); got != loads {
		t.Errorf("the model was loaded %d times more: a request changed its window", got-loads)
	}

	t.Run("window", o.testWindow)
}

func (o ollamaServer) testVersion(t *testing.T) {
	ctx := testContext(t)

	version, err := o.backend.Version(ctx)
	if err != nil || version == "" {
		t.Fatalf("version %q, %v", version, err)
	}

	models, err := o.backend.Models(ctx)
	if err != nil || !slices.Contains(models, o.model+":latest") {
		t.Fatalf("models %q, %v: want %s among them", models, err, o.model)
	}

	var show server.Listing
	if err := o.backend.Describe(ctx, &show); err != nil || show.Trained != o.window {
		t.Fatalf("the model is %+v, %v; want a window of %d", show, err, o.window)
	}

	t.Logf("Ollama %s at %s: %s, with a window of %d tokens", version, o.backend.Address(), o.model, show.Trained)
}

// The protocol has no n: each sample is a request, and each is another text.
func (o ollamaServer) testSamples(t *testing.T) {
	const n, tokens = 5, 24
	sent := o.sent.requests.Load()

	reply := complete(t, o.backend, server.Completion{Prompt: question, N: n, Seed: 7, Sampling: sampling(tokens)})
	if got := o.sent.requests.Load() - sent; got != n {
		t.Errorf("%d requests for %d samples", got, n)
	}

	if got := distinct(texts(reply)); got != n {
		t.Errorf("%d different texts of %d samples", got, n)
	}

	drawn := 0

	for i, c := range reply.Choices {
		t.Logf("sample %d, %d tokens, %s: %q", i, c.Tokens, c.Finish, c.Text)

		if c.Tokens < 1 || c.Tokens > tokens {
			t.Errorf("sample %d: %d tokens", i, c.Tokens)
		}

		drawn += c.Tokens
	}

	if reply.CompletionTokens != drawn || reply.PromptTokens < 1 {
		t.Errorf("%d tokens of prompt, %d of samples that hold %d", reply.PromptTokens, reply.CompletionTokens, drawn)
	}
}

// Sample i of a completion is the one of a completion with the seed moved by i.
func (o ollamaServer) testSeeds(t *testing.T) {
	c := server.Completion{Prompt: question, N: 4, Seed: 1000, Sampling: sampling(24)}
	want := texts(complete(t, o.backend, c))
	var got []string

	for i := range c.N {
		one := c
		one.N, one.Seed = 1, c.Seed+uint64(i)
		got = append(got, texts(complete(t, o.backend, one))...)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples drawn at the same time (-) and one by one (+) differ:\n%s", diff)
	}
}

func (o ollamaServer) testCold(t *testing.T) {
	c := server.Completion{Prompt: question, N: 3, Seed: 1, Sampling: greedy(48)}

	want := texts(complete(t, o.backend, c))
	if distinct(want) != 1 || want[0] == "" {
		t.Errorf("the most likely text: %q", want)
	}

	c.Seed = 2
	if diff := cmp.Diff(want, texts(complete(t, o.backend, c))); diff != "" {
		t.Errorf("the same prompt again (-first +second):\n%s", diff)
	}
}

// The model brings along a top_k of 1, with which all samples would be one text.
func (o ollamaServer) testDefaults(t *testing.T) {
	first := func(c server.Completion) string { return complete(t, o.backend, c).Choices[0].Text }
	bare := map[string]bool{}

	ours := map[string]bool{}
	for seed := range uint64(8) {
		ours[first(server.Completion{Prompt: question, N: 1, Seed: seed, Sampling: sampling(12)})] = true
		bare[o.generate(t, question, true, map[string]any{
			"num_ctx": o.window, "seed": seed, "num_predict": 12, "temperature": 1, "top_p": 1,
		}).Response] = true
	}

	t.Logf("8 seeds: %d different texts, %d in requests that leave the model's own options in force", len(ours),
		len(bare))

	if len(bare) != 1 {
		t.Errorf("%d texts under the model's top_k of 1: the check proves nothing", len(bare))
	}

	if len(ours) < 8 {
		t.Errorf("%d different texts of 8 seeds: one of the model's own options is in force", len(ours))
	}
}

func (o ollamaServer) testStop(t *testing.T) {
	whole := complete(t, o.backend, server.Completion{Prompt: question, N: 1, Sampling: greedy(64)}).Choices[0]
	stop, before := stopIn(t, whole.Text)
	got := complete(t, o.backend, server.Completion{
		Prompt: question, N: 1, Sampling: greedy(64, "no such text", stop),
	}).Choices[0]
	t.Logf("stopped by %q after %d tokens: %q", stop, got.Tokens, got.Text)

	if got.Text != before || got.Finish != server.FinishStop || got.Tokens >= whole.Tokens {
		t.Errorf("stop text %q: %q, %s, %d tokens; want %q", stop, got.Text, got.Finish, got.Tokens, before)
	}
}

// generated is what the server answers.
type generated struct {
	Response        string `json:"response"`
	PromptEvalCount int    `json:"prompt_eval_count"`
}

// generate sends a request of its own.
func (o ollamaServer) generate(t *testing.T, prompt string, raw bool, options map[string]any) generated {
	t.Helper()
	var g generated
	post(t, o.backend.Address()+"/api/generate", map[string]any{
		"model": o.model, "prompt": prompt, "raw": raw, "stream": false, "options": options,
	}, &g)

	return g
}

// The model has a template that adds words. A raw prompt is not put into it.
func (o ollamaServer) testRaw(t *testing.T) {
	ours := complete(t, o.backend, server.Completion{Prompt: question, N: 1, Sampling: sampling(2)}).PromptTokens
	options := map[string]any{"num_ctx": o.window, "num_predict": 2, "stop": []string{}}
	raw := o.generate(t, question, true, options).PromptEvalCount
	templated := o.generate(t, question, false, options).PromptEvalCount
	t.Logf("the prompt is %d tokens, %d raw, %d in the template", ours, raw, templated)

	if ours != raw || raw >= templated {
		t.Errorf("the prompt is %d tokens, %d raw, %d in the template", ours, raw, templated)
	}
}

// A server without log-probabilities gives proposals without a score.
func (o ollamaServer) testNotScored(t *testing.T) {
	reply := complete(t, o.backend, server.Completion{Prompt: question, N: 1, Sampling: sampling(8)})
	reports := len(reply.Choices[0].LogProbs) > 0

	p := newPolicy(t, o.backend, question, sampling(8), reports)
	for i, got := range propose(t, p, 3, 5) {
		t.Logf("proposal %d: %+v", i, got)

		if got.Scored != reports || math.IsNaN(got.LogProb) || got.Text == "" {
			t.Errorf("proposal %d: %+v, scored should be %t", i, got, reports)
		}
	}
}

func (o ollamaServer) testUnknownModel(t *testing.T) {
	b := o.open(t, ollama.Options{Endpoint: server.Endpoint{Model: "nobody-knows-this"}})
	_, err := b.Complete(testContext(t), server.Completion{Prompt: question, N: 1, Sampling: sampling(8)})
	wantFault(t, err, server.Refused, 404)

	if !strings.Contains(err.Error(), "ollama pull nobody-knows-this") {
		t.Errorf("error %v does not say what to do", err)
	}
}

func (o ollamaServer) testCancelled(t *testing.T) {
	_, err := o.backend.Complete(cancelWhenSent(testContext(t)), server.Completion{
		Prompt: question, N: 4, Seed: 5, Sampling: sampling(8000),
	})
	if err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}
	// The server has given it up: it has a place for the next.
	complete(t, o.backend, server.Completion{Prompt: question, N: 4, Sampling: sampling(4)})
}

// Another window loads the model again. This version cuts a prompt that is longer than the window,
// and slides the window over the prompt's beginning when the completion outgrows it, both in
// silence and although told not to: both are found out.
func (o ollamaServer) testWindow(t *testing.T) {
	const window = 512
	loads := o.loads(t)
	b := o.open(t, ollama.Options{Window: window})
	prompt := long("Slides.", 600)

	reply := complete(t, b, server.Completion{Prompt: prompt, N: 1, Sampling: sampling(16)})
	if got := o.loads(t); got != loads+1 {
		t.Errorf("the model was loaded %d times for another window", got-loads)
	}

	t.Logf("a prompt of %d tokens in a window of %d", reply.PromptTokens, window)
	_, err := b.Complete(testContext(t), server.Completion{Prompt: prompt, N: 1, Seed: 3, Sampling: sampling(window)})
	wantFault(t, err, server.TooLong, 0)

	prompt = long("Too long.", 4*window)
	_, err = b.Complete(testContext(t), server.Completion{Prompt: prompt, N: 1, Sampling: sampling(8)})
	wantFault(t, err, server.TooLong, 0)

	want := []mcts.Proposal{{Finish: mcts.FinishTooLong}}
	if diff := cmp.Diff(want, propose(t, newPolicy(t, b, prompt, sampling(8), false), 2, 1)); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
}
