package ollama

import (
	"context"
	"io"
	"slices"

	"github.com/ollama/ollama/api"
	"golang.org/x/sync/errgroup"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

var _ server.Backend = (*Backend)(nil)

// Complete draws c.N samples, one request each. The error is a [*server.Fault], or the context's.
// When one sample fails, the others are given up: the server's prompt cache makes the second try
// cheap.
func (b *Backend) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	if err := b.check(c); err != nil {
		return server.Reply{}, b.link.NotSent(err)
	}

	n := c.N
	// All samples would be one text: it is drawn once, and repeated below.
	if c.Sampling.Temperature == 0 {
		n = 1
	}

	samples := make([]sample, n)

	group, gctx := errgroup.WithContext(ctx)
	for i := range n {
		group.Go(func() error {
			// Not even begun once another failed: the whole completion is asked for again.
			if gctx.Err() != nil {
				return gctx.Err()
			}

			s, err := b.sample(gctx, c, b.request(c, c.Seed+uint64(i)))
			samples[i] = s
			return err
		})
	}

	if err := group.Wait(); err != nil {
		// If the caller gives up, what that does to a request is not the server's fault.
		if ctx.Err() != nil {
			return server.Reply{}, ctx.Err()
		}
		return server.Reply{}, err
	}

	t := gather(samples)
	if n < c.N {
		t.Choices, t.Details = slices.Repeat(t.Choices, c.N), slices.Repeat(t.Details, c.N)
	}
	return t, nil
}

// sample draws one sample.
func (b *Backend) sample(ctx context.Context, c server.Completion, req *api.GenerateRequest) (sample, error) {
	var s sample
	err := b.do(ctx, "/api/generate", req, wire.SampleLimit(1, c.Sampling.MaxTokens),
		func(body io.Reader) error {
			err := s.read(body)
			if err == nil {
				err = s.check(c, b.opts.Window, b.opts.Ends)
			}

			if err == nil {
				err = b.link.CheckQuoted([]server.Choice{s.choice})
			}
			return b.sampleFault(err)
		})

	if c.Pieces {
		s.choice.Pieces = s.detail.Tokens
	}

	if c.Dialect.Omits("stop") {
		wire.Cut(&s.choice, s.detail.Tokens, c.Sampling.Stop)
	}
	return s, err
}

// do makes a call: it posts a body, or asks for a document if that is nil.
func (b *Backend) do(
	ctx context.Context, path string, body any, limit int64, read func(io.Reader) error,
) error {
	return b.link.Do(ctx, wire.Call{
		URL: b.base.JoinPath(path), Body: body, Limit: limit, Read: read, Refused: b.statusFault,
	})
}
