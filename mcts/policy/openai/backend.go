package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"

	api "github.com/sashabaranov/go-openai"

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
		return Transcript{}, b.fault(server.Refused, 0, "not sent: "+err.Error(), nil)
	}
	x, err := b.exchange(c)
	if err != nil {
		return Transcript{}, b.fault(server.Refused, 0, "not sent", err)
	}
	n := c.N
	if c.Sampling.Temperature == 0 {
		n = samplesWhenCold
	}
	if err := b.do(ctx, x, func(ctx context.Context) error { return b.call(ctx, c, n) }); err != nil {
		return Transcript{}, err
	}
	t, err := decodeReply(x.body, n, c.Sampling.MaxTokens, tokens)
	if err != nil {
		return Transcript{}, b.replyFault(x, err)
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

// do carries one exchange out: it returns nil once the server has answered with a 2xx, and the body is in x.
func (b *Backend) do(ctx context.Context, x *exchange, call func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	err := call(withExchange(limited, x))
	switch {
	case x.status >= 200 && x.status < 300:
		return nil
	case x.status != 0:
		return b.statusFault(x)
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		// Not wrapped: the deadline is ours, and must not be taken for the caller's.
		return b.fault(server.Transient, 0, fmt.Sprintf("no answer within %v", b.opts.Timeout), nil)
	case !x.sent:
		return b.fault(server.Refused, 0, "not sent", err)
	default:
		return b.fault(wayKind(err), 0, "", err)
	}
}

// wayKind is the kind of a failure on the way to the server. A certificate that is not trusted stays so.
func wayKind(err error) server.Kind {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) {
		return server.Refused
	}
	return server.Transient
}

// get asks for one document below an address.
func (b *Backend) get(ctx context.Context, address string) (*exchange, error) {
	x := &exchange{}
	err := b.do(ctx, x, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		resp, err := b.http.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
	return x, err
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
