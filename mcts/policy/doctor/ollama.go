package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/server"
)

// ollamaClient is an Ollama server, in its own protocol.
type ollamaClient struct {
	o Options
	b *ollama.Backend
	t tap
}

func newOllama(o Options) (*ollamaClient, error) {
	t := tap{o.transport()}

	b, err := ollama.New(ollama.Options{
		Host:      o.URL,
		APIKey:    o.APIKey,
		Model:     o.Model,
		Window:    o.Window,
		KeepAlive: -1,
		Ends:      o.Ends,
		Timeout:   o.Timeout,
		Transport: t,
	})
	if err != nil {
		return nil, err
	}

	return &ollamaClient{o, b, t}, nil
}

func (c *ollamaClient) address() string { return c.b.Address() }
func (c *ollamaClient) close()          { (&http.Client{Transport: c.t.base}).CloseIdleConnections() }

func (c *ollamaClient) greet(ctx context.Context) error {
	_, err := c.b.Models(ctx)
	return err
}

func (c *ollamaClient) version(ctx context.Context) (string, error) { return c.b.Version(ctx) }

func (c *ollamaClient) hits(context.Context) (float64, bool) { return 0, false }

func (c *ollamaClient) running(context.Context) (int, bool) { return 0, false }

// named reports whether the server's name of a model is the one we ask for.
func (c *ollamaClient) named(name string) bool {
	return name == c.o.Model || name == c.o.Model+":latest"
}

func (c *ollamaClient) catalogue(ctx context.Context) (catalogue, error) {
	names, err := c.b.Models(ctx)

	all := catalogue{names: names, owner: "ollama"}
	for _, name := range names {
		all.has = all.has || c.named(name)
	}

	if err != nil || !all.has {
		return all, err
	}

	d, err := c.b.Show(ctx)
	all.window, all.remote = d.ContextLength, d.RemoteHost
	all.weights = weights{d.ParameterCount, bitsOf(d.Quantization)}

	return all, err
}

// loadState says how a model is loaded.
type loadState struct {
	window  int           // 0 when it is not loaded, or the server does not say
	expires time.Duration // how long it stays without a request; 0 when it is not loaded, or the server does not say
}

// loadState asks how the model is loaded now.
func (c *ollamaClient) loadState(ctx context.Context) (loadState, error) {
	n := &note{}
	window, err := c.b.Loaded(withNote(ctx, n))

	r := loadState{window: window}
	if err != nil || len(n.bodies) == 0 {
		return r, err
	}

	var list struct {
		Models []struct {
			Name    string    `json:"name"`
			Expires time.Time `json:"expires_at"`
		} `json:"models"`
	}
	if err := json.Unmarshal(n.bodies[0], &list); err != nil {
		return r, err
	}

	for _, m := range list.Models {
		if c.named(m.Name) && !m.Expires.IsZero() {
			r.expires = time.Until(m.Expires)
		}
	}

	return r, nil
}

// optionNames are Ollama's names of the parameters that have others in OpenAI's protocol.
var optionNames = map[string]string{"repetition_penalty": "repeat_penalty"}

func (c *ollamaClient) draw(ctx context.Context, a ask) (reply, error) {
	n := &note{}
	if len(a.leaveOut) > 0 || a.alternative {
		n.edit = func(f fields) error { return c.edit(f, a) }
	}

	began := time.Now()
	t, err := c.b.Transcribe(withNote(ctx, n), server.Completion{
		Prompt:   a.prompt.Text,
		N:        a.n,
		Seed:     a.seed,
		Sampling: a.sampling,
	})

	r := reply{Reply: t.Reply, took: time.Since(began), sent: n.sent, likeliest: 1}
	for _, d := range t.Details {
		r.tokens = append(r.tokens, d.Tokens)
		r.load = max(r.load, d.LoadDuration)
	}

	if err == nil && a.n == 1 && len(n.bodies) > 0 {
		r.read(n.bodies[len(n.bodies)-1])
	}

	return r, err
}

func (c *ollamaClient) check(ctx context.Context, r reply) error {
	return server.CheckModel(ctx, c.b, r.Reply)
}

// read takes from the body of a reply what the backend does not pass on.
func (r *reply) read(body []byte) {
	var last struct {
		Prefill  time.Duration `json:"prompt_eval_duration"`
		Decode   time.Duration `json:"eval_duration"`
		LogProbs []struct {
			Top []struct {
				LogProb float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"logprobs"`
	}

	dec := json.NewDecoder(strings.NewReader(string(body)))
	for dec.More() {
		if dec.Decode(&last) != nil {
			return
		}
	}

	r.prefill, r.decode = last.Prefill, last.Decode
	if len(last.LogProbs) > 0 && len(last.LogProbs[0].Top) > 0 {
		r.likeliest = last.LogProbs[0].Top[0].LogProb
		for _, t := range last.LogProbs[0].Top {
			r.likeliest = max(r.likeliest, t.LogProb)
		}
	}
}

func (c *ollamaClient) edit(f fields, a ask) error {
	if len(a.leaveOut) > 0 {
		var names []string

		for _, name := range a.leaveOut {
			if ours, ok := optionNames[name]; ok {
				name = ours
			}

			names = append(names, name)
		}

		names = append(names, "typical_p", "repeat_last_n")
		if err := f.leaveOut("options", names); err != nil {
			return err
		}
	}

	if a.alternative {
		return f.set("top_logprobs", 1)
	}

	return nil
}
