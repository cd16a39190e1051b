package openai

import (
	"context"
	"net/http"
	"slices"

	api "github.com/sashabaranov/go-openai"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

var _ server.Backend = (*Backend)(nil)

// Complete draws c.N samples in one request. The error is a [*server.Fault], or the context's.
func (b *Backend) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	t, err := b.draw(ctx, c, false)
	return t.Reply, err
}

// Transcribe draws c.N samples in one request, and keeps what the server tells beyond a [server.Reply].
func (b *Backend) Transcribe(ctx context.Context, c server.Completion) (Transcript, error) {
	return b.draw(ctx, c, true)
}

// draw draws c.N samples, with the texts of the tokens if they are wanted.
func (b *Backend) draw(ctx context.Context, c server.Completion, tokens bool) (Transcript, error) {
	if err := b.check(c); err != nil {
		return Transcript{}, b.link.NotSent(err)
	}
	x, err := b.exchange(c)
	if err != nil {
		return Transcript{}, b.link.NotSent(err)
	}
	n := c.N
	if c.Sampling.Temperature == 0 {
		n = samplesWhenCold
	}
	a, err := b.do(ctx, func(ctx context.Context) (*wire.Answer, error) {
		err := b.call(withExchange(ctx, x), c, n)
		if err != nil && !x.sent {
			return nil, b.link.NotSent(err)
		}
		return x.answer, err
	})
	if err != nil {
		return Transcript{}, err
	}
	t, err := decodeReply(a.Body, n, c.Sampling.MaxTokens, tokens)
	if err != nil {
		return Transcript{}, b.replyFault(a, err)
	}
	return t.repeat(c.N / n), nil
}

// call hands the request to go-openai, with the fields that it always sends when they are set.
func (b *Backend) call(ctx context.Context, c server.Completion, n int) error {
	seed := int(c.Seed & (1<<seedBits - 1))
	var err error
	if b.opts.Chat {
		_, err = b.client.CreateChatCompletion(ctx, api.ChatCompletionRequest{
			N: n, Seed: &seed, Stop: c.Sampling.Stop,
		})
	} else {
		_, err = b.client.CreateCompletion(ctx, api.CompletionRequest{
			Prompt: "", N: n, Seed: &seed, Stop: c.Sampling.Stop,
		})
	}
	return err
}

// do carries one request out, and returns the answer when its status is a 2xx.
func (b *Backend) do(ctx context.Context, send func(context.Context) (*wire.Answer, error)) (*wire.Answer, error) {
	a, err := b.link.Do(ctx, send)
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return nil, b.statusFault(a)
	}
	return a, nil
}

// get asks for one document below an address.
func (b *Backend) get(ctx context.Context, address string) (*wire.Answer, error) {
	return b.do(ctx, func(ctx context.Context) (*wire.Answer, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		return b.link.Send(req)
	})
}

// repeat is the transcript of a cold completion asked for times times.
func (t Transcript) repeat(times int) Transcript {
	if times <= 1 || len(t.Choices) == 0 {
		return t
	}
	first, detail := t.Choices[0], t.Details[0]
	for range times - 1 {
		first.LogProbs = slices.Clone(first.LogProbs)
		t.Choices = append(t.Choices, first)
		t.Details = append(t.Details, detail)
	}
	return t
}
