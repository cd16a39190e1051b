package simserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/simserver"
)

const model = "sim-8b"

// start runs a server of the noisy policy.
func start(t testing.TB, o simserver.Options) *simserver.Server {
	t.Helper()
	o.Policy, o.Model = profiled(t, "noisy"), model

	s, err := simserver.Start(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.Close)
	return s
}

// body is a request: names and values in alternation on top of a usual one.
type body map[string]any

func (b body) with(pairs ...any) body {
	c := body{}
	for k, v := range b {
		c[k] = v
	}

	for i := 0; i < len(pairs); i += 2 {
		c[pairs[i].(string)] = pairs[i+1]
		if pairs[i+1] == nil {
			delete(c, pairs[i].(string))
		}
	}

	return c
}

// usual is a request with every parameter set.
func usual(prompt string) body {
	return body{"model": model, "prompt": prompt, "max_tokens": 512, "n": 3, "seed": 42, "temperature": 0.5, "top_p": 1,
		"top_k": 0,
		"min_p": 0, "repetition_penalty": 1, "frequency_penalty": 1.2, "presence_penalty": 0,
		"stop":     []string{"Observation:"},
		"logprobs": 0, "add_special_tokens": false, "no_such_field": 1}
}

// toolCall is a call in a message.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// reply is an answer of either protocol, decoded.
type reply struct {
	status int
	header http.Header
	raw    string
	err    error // of reading the body

	Object  string
	Choices []struct {
		Index   int
		Text    string
		Message struct {
			Role, Content, Reasoning string
			ToolCalls                []toolCall `json:"tool_calls"`
		}
		LogProbs *struct {
			Tokens  []string
			Token   []float64            `json:"token_logprobs"`
			Top     []map[string]float64 `json:"top_logprobs"`
			Content []struct {
				Token   string
				LogProb float64
			}
		}
		Finish string  `json:"finish_reason"`
		Stop   *string `json:"stop_reason"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
		Details    *struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}

	Response   string
	Done       bool
	DoneReason string `json:"done_reason"`
	PromptEval int    `json:"prompt_eval_count"`
	Eval       int    `json:"eval_count"`
	LogProbs   []struct {
		Token   string
		LogProb float64
	}
	Message struct{ Content string }
}

// send posts a request. The error is of the connection before the header.
func send(ctx context.Context, url string, b any) (*reply, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}

	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	// One connection a request: a cut one is then an error and not another try.
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

	r, err := c.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()

	p := &reply{status: r.StatusCode, header: r.Header}
	text, err := io.ReadAll(r.Body)

	p.raw = string(text)
	if p.err = err; err == nil {
		p.err = json.Unmarshal(text, p)
	}
	return p, nil
}

func post(t testing.TB, url string, b any) *reply {
	t.Helper()

	r, err := send(t.Context(), url, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()

	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}

	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()

	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// deep is a history with a deprecation and an update in it, and its prompt.
func deep(t testing.TB) (envs.History, prompt.Prompt) {
	t.Helper()
	env, p := environment(t, "p_s_in")
	all := histories(t, env, profiled(t, "reader"), 1, true)
	return all[len(all)-2], demonstrated(t, p)
}

func TestCompletionsAreTheScriptedOnes(t *testing.T) {
	s := start(t, simserver.Options{})
	h, p := deep(t)

	want, err := profiled(t, "noisy").Propose(t.Context(), mcts.Request{History: h, N: 3, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}

	r := post(t, s.URL()+"/v1/completions", usual(p.Render(h)))
	if r.status != 200 || r.Object != "text_completion" || len(r.Choices) != 3 {
		t.Fatalf("%d: %s", r.status, r.raw)
	}

	total := 0

	for i, c := range r.Choices {
		if c.Index != i || c.Text != want[i].Text+"\n\n" || c.Finish != "stop" || c.Stop == nil ||
			*c.Stop != "Observation:" {
			t.Errorf("choice %d is %+v, want %q", i, c, want[i].Text)
		}

		l := c.LogProbs
		if len(l.Token) != len(l.Tokens) || strings.Join(l.Tokens, "") != c.Text+
			"Observation:" {
			t.Errorf("choice %d has the tokens %q", i, l.Tokens)
		}

		if got := mean(l.Token); math.Abs(got-want[i].LogProb) > 1e-12 {
			t.Errorf("choice %d has the mean log-probability %v, want %v", i, got, want[i].LogProb)
		}

		if len(l.Top) == 0 || len(l.Top[0]) != 1 || slices.Max(l.Token) > 0 {
			t.Errorf("alternatives %v, probabilities %v", l.Top, l.Token)
		}

		total += len(l.Tokens)
	}

	if u := r.Usage; u.Completion != total || u.Total != u.Prompt+total || u.Details == nil || u.Details.Cached != 0 {
		t.Errorf("usage %+v, want %d completion tokens", u, total)
	}

	for i := range 3 { // sample i is seed+i
		one := post(t, s.URL()+"/v1/completions", usual(p.Render(h)).with("n", 1, "seed", 42+i))
		if one.Choices[0].Text != r.Choices[i].Text || one.Usage.Details.Cached < one.Usage.Prompt-16 {
			t.Errorf("seed %d: %s", 42+i, one.raw)
		}
	}
}

func TestChatCompletions(t *testing.T) {
	s := start(t, simserver.Options{})
	h, p := deep(t)
	var messages []map[string]any

	pairs := chatOf(p, h, "user", "Observation: ")
	for i := 0; i < len(pairs); i += 2 {
		messages = append(messages, map[string]any{"role": pairs[i],
			"content": []map[string]string{{"type": "text", "text": pairs[i+1]}}})
	}

	b := usual("").with("prompt", nil, "messages", messages, "temperature", 0, "n", 1, "logprobs", true, "top_logprobs",
		2)

	want, err := profiled(t, "noisy").Propose(t.Context(), mcts.Request{History: h, N: 1, Greedy: true})
	if err != nil {
		t.Fatal(err)
	}

	r := post(t, s.URL()+"/v1/chat/completions", b)
	if r.status != 200 || r.Choices[0].Message.Content != want[0].Text || r.Choices[0].Message.Role != "assistant" ||
		r.Choices[0].Stop != nil {
		t.Fatalf("%d: %s\nwant %q", r.status, r.raw, want[0].Text)
	}

	var l []float64
	for _, e := range r.Choices[0].LogProbs.Content {
		l = append(l, e.LogProb)
	}

	if math.Abs(mean(l)-want[0].LogProb) > 1e-12 || len(l) != r.Usage.Completion {
		t.Errorf("mean %v of %d, want %v of %d", mean(l), len(l), want[0].LogProb, r.Usage.Completion)
	}
}

func TestStopAndLength(t *testing.T) {
	s := start(t, simserver.Options{})
	h, p := deep(t)
	url, b := s.URL()+"/v1/completions", usual(p.Render(h)).with("n", 1)

	whole := post(t, url, b).Choices[0]
	for _, c := range []struct {
		name         string
		b            body
		text, finish string
	}{
		{"another stop text", b.with("stop", "\nAction Input:"),
			whole.Text[:strings.Index(whole.Text, "\nAction Input:")], "stop"},
		{"the first of two", b.with("stop", []string{"Observation:", "\nAction:"}),
			whole.Text[:strings.Index(whole.Text, "\nAction:")], "stop"},
		{"cut", b.with("max_tokens", 3), strings.Join(whole.LogProbs.Tokens[:3], ""), "length"},
		{"16 tokens unless told", b.with("max_tokens", nil), strings.Join(whole.LogProbs.Tokens[:16], ""), "length"},
	} {
		r := post(t, url, c.b)
		if r.status != 200 || r.Choices[0].Text != c.text || r.Choices[0].Finish != c.finish {
			t.Errorf("%s: %q, %s; want %q, %s", c.name, r.Choices[0].Text, r.Choices[0].Finish, c.text, c.finish)
		}
	}

	r := post(t, url, b.with("stop", nil))
	if c := r.Choices[0]; !strings.HasPrefix(c.Text, whole.Text+"Observation:") || c.Stop != nil {
		t.Errorf("nothing stops it: %+v", c)
	}
}

func TestRefusals(t *testing.T) {
	s := start(t, simserver.Options{MaxModelLen: 100, APIKey: "secret"})
	b := usual("Question: q").with("n", 1, "max_tokens", 50)

	url := s.URL() + "/v1/completions"
	if r := post(t, url, b); r.status != 401 || r.raw != `{"error":"Unauthorized"}` {
		t.Errorf("without a key: %d %s", r.status, r.raw)
	}

	s = start(t, simserver.Options{MaxModelLen: 100})

	url = s.URL() + "/v1/completions"
	for _, c := range []struct {
		b           body
		status      int
		kind, param string
		text        string
	}{
		{b.with("model", "other"), 404, "NotFoundError", "model", "The model `other` does not exist."},
		{b.with("n", 2, "temperature", 0), 400, "BadRequestError", "n", "n must be 1 when using greedy " +
			"sampling, got 2."},
		{b.with("n", 0), 400, "BadRequestError", "n", "n must be at least 1, got 0."},
		{b.with("n", "two"), 400, "Bad Request", "n", "validation error"},
		{b.with("max_tokens", 101), 400, "BadRequestError", "max_tokens", "max_tokens=101 cannot be greater than " +
			"max_model_len=max_total_tokens=100."},
		{b.with("prompt", strings.Repeat("a ", 60)), 400, "BadRequestError", "input_tokens",
			"This model's maximum context length is 100 tokens. " +
				"However, you requested 50 output tokens and your prompt contains at least 51 input tokens, for a " +
				"total of at least 101 tokens."},
		{b.with("prompt", []int{1, 2}), 400, "BadRequestError", "prompt", "token IDs"},
		{b.with("stream", true), 400, "BadRequestError", "stream", "not simulated"},
	} {
		r := post(t, url, c.b)

		var e struct {
			Error struct {
				Message, Type, Param string
				Code                 int
			}
		}
		if err := json.Unmarshal([]byte(r.raw), &e); err != nil {
			t.Fatalf("%v: %s", err, r.raw)
		}

		if r.status != c.status || e.Error.Code != c.status || e.Error.Type != c.kind || e.Error.Param != c.param ||
			!strings.Contains(e.Error.Message, c.text) {
			t.Errorf("want %q: %d %s", c.text, r.status, r.raw)
		}
	}

	if st := s.Stats(); st.Answered != 0 || st.Sequences != 0 || st.Requests != 8 {
		t.Errorf("%+v", st)
	}
}

func TestInformation(t *testing.T) {
	v := start(t, simserver.Options{MaxModelLen: 1234})

	o := start(t, simserver.Options{Kind: simserver.Ollama, MaxModelLen: 1234})
	for _, c := range []struct{ url, want string }{
		{v.URL() + "/v1/models", `"max_model_len":1234`}, {v.URL() + "/v1/models", `"id":"sim-8b"`},
		{v.URL() + "/version", `{"version":"0.32.0"}`},
		{o.URL() + "/api/tags", `"name":"sim-8b"`}, {o.URL() + "/api/version", `{"version":"0.17.4"}`},
		{o.URL() + "/api/ps", `{"models":[]}`}, {o.URL() + "/v1/models", `"owned_by":"library"`},
	} {
		if status, text := get(t, c.url); status != 200 || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %s", c.url, status, text, c.want)
		}
	}

	if r := post(t, o.URL()+"/api/show", body{"model": model}); !strings.Contains(r.raw,
		`"llama.context_length":1234`) {
		t.Error(r.raw)
	}

	if r := post(t, o.URL()+"/api/show", body{"model": "other"}); r.status != 404 ||
		r.raw != `{"error":"model 'other' not found"}` {
		t.Error(r.raw)
	}
}
