package doctor

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// openAIClient is a server that speaks OpenAI's protocol.
type openAIClient struct {
	o Options
	b *openai.Backend
	t tap
}

func newOpenAI(o Options) (*openAIClient, error) {
	t := tap{o.transport()}

	b, err := openai.New(openai.Options{
		BaseURL:          o.URL,
		APIKey:           o.APIKey,
		Model:            o.Model,
		Chat:             o.Chat,
		Extensions:       o.Extensions,
		AddSpecialTokens: o.AddSpecialTokens,
		OmitLogProbs:     !o.LogProbs,
		Ends:             o.Ends,
		Timeout:          o.Timeout,
		Transport:        t,
	})
	if err != nil {
		return nil, err
	}

	return &openAIClient{o, b, t}, nil
}

func (c *openAIClient) address() string { return c.b.Address() }
func (c *openAIClient) close()          { (&http.Client{Transport: c.t.base}).CloseIdleConnections() }

func (c *openAIClient) greet(ctx context.Context) error {
	_, err := c.b.Models(ctx)
	return err
}

func (c *openAIClient) version(ctx context.Context) (string, error) { return c.b.Version(ctx) }

func (c *openAIClient) catalogue(ctx context.Context) (catalogue, error) {
	models, err := c.b.Models(ctx)
	if err != nil {
		return catalogue{}, err
	}

	var all catalogue
	for _, m := range models {
		all.names = append(all.names, m.ID)
		if m.ID == c.o.Model {
			all.has, all.window, all.owner = true, m.MaxModelLen, m.OwnedBy
		}
	}

	return all, nil
}

func (c *openAIClient) hits(ctx context.Context) (float64, bool) {
	m, err := c.b.Metrics(ctx)
	return m.PrefixHits.Value, err == nil && m.PrefixHits.Known
}

func (c *openAIClient) running(ctx context.Context) (int, bool) {
	m, err := c.b.Metrics(ctx)
	return int(m.Running.Value), err == nil && m.Running.Known
}

func (c *openAIClient) draw(ctx context.Context, a ask) (reply, error) {
	n := &note{}
	if len(a.leaveOut) > 0 || a.alternative {
		n.edit = func(f fields) error { return c.edit(f, a) }
	}

	began := time.Now()
	t, err := c.b.Transcribe(withNote(ctx, n), server.Completion{
		Prompt: a.prompt.Text, Messages: a.prompt.Messages, N: a.n, Seed: a.seed, Sampling: a.sampling,
	})

	r := reply{Reply: t.Reply, took: time.Since(began), sent: n.sent, likeliest: 1}
	for _, d := range t.Details {
		r.tokens = append(r.tokens, d.Tokens)
	}

	if err != nil || len(n.bodies) == 0 {
		return r, err
	}

	var body openAIBody
	if json.Unmarshal(n.bodies[len(n.bodies)-1], &body) == nil {
		r.cachedKnown = body.Usage.Details != nil
		r.likeliest = body.likeliest()
	}

	return r, nil
}

func (c *openAIClient) check(ctx context.Context, r reply) error {
	return server.CheckModel(ctx, c.b, r.Reply)
}

func (c *openAIClient) edit(f fields, a ask) error {
	if err := f.leaveOut("", a.leaveOut); err != nil {
		return err
	}

	if !a.alternative {
		return nil
	}

	if c.o.Chat {
		return f.set("top_logprobs", 2) // the first that vLLM lists is the drawn one
	}

	return f.set("logprobs", 1)
}

// openAIBody is what the backend does not pass on of a reply.
type openAIBody struct {
	Usage struct {
		Details *struct{} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Choices []struct {
		LogProbs struct {
			Top     []map[string]float64 `json:"top_logprobs"`
			Content []struct {
				Top []struct {
					LogProb float64 `json:"logprob"`
				} `json:"top_logprobs"`
			} `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
}

// likeliest is the log-probability of the likeliest first token, 1 when there is none.
func (b openAIBody) likeliest() float64 {
	var all []float64

	if len(b.Choices) > 0 {
		l := b.Choices[0].LogProbs
		if len(l.Top) > 0 {
			all = slices.Collect(maps.Values(l.Top[0]))
		}

		if len(l.Content) > 0 {
			for _, v := range l.Content[0].Top {
				all = append(all, v.LogProb)
			}
		}
	}

	if len(all) == 0 {
		return 1
	}

	return slices.Max(all)
}
