package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

var _ server.Backend = (*Backend)(nil)

// Complete draws c.N samples, one request each. The error is a [*server.Fault], or the context's.
func (b *Backend) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	t, err := b.Transcribe(ctx, c)
	if err != nil {
		return server.Reply{}, err
	}
	return t.Reply, nil
}

// Transcribe draws c.N samples, and keeps what the server tells beyond a [server.Reply]. When one sample fails, the
// others are given up: the server's prompt cache makes the second try cheap.
func (b *Backend) Transcribe(ctx context.Context, c server.Completion) (Transcript, error) {
	if err := b.check(c); err != nil {
		return Transcript{}, b.link.NotSent(err)
	}
	n := c.N
	if c.Sampling.Temperature == 0 {
		n = 1
	}
	samples := make([]sample, n)
	group, gctx := errgroup.WithContext(ctx)
	if b.opts.Parallel > 0 {
		group.SetLimit(b.opts.Parallel)
	}
	for i := range n {
		group.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			s, err := b.sample(gctx, c, c.Seed+uint64(i))
			samples[i] = s
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return Transcript{}, ctx.Err()
		}
		return Transcript{}, err
	}
	t := gather(samples)
	for len(t.Choices) < c.N {
		copied := t.Choices[0]
		copied.LogProbs = slices.Clone(copied.LogProbs)
		t.Choices = append(t.Choices, copied)
		t.Details = append(t.Details, t.Details[0])
	}
	return t, nil
}

// sample draws one sample.
func (b *Backend) sample(ctx context.Context, c server.Completion, seed uint64) (sample, error) {
	body, err := json.Marshal(b.request(c, seed))
	if err != nil {
		return sample{}, b.link.NotSent(err)
	}
	a, err := b.do(ctx, http.MethodPost, "/api/generate", body)
	if err != nil {
		return sample{}, err
	}
	s, err := decodeSample(a.Body)
	if err != nil {
		return sample{}, b.sampleFault(a.Status, err)
	}
	if err := s.check(b.opts.Window); err != nil {
		return sample{}, b.sampleFault(a.Status, err)
	}
	s.choice.Finish = finish(s.doneReason, s.choice.Tokens, c.Sampling.MaxTokens)
	return s, nil
}

// do sends one request, and returns the answer when its status is a 2xx.
func (b *Backend) do(ctx context.Context, method, path string, body []byte) (*wire.Answer, error) {
	a, err := b.link.Do(ctx, func(ctx context.Context) (*wire.Answer, error) {
		req, err := http.NewRequestWithContext(ctx, method, b.base.JoinPath(path).String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "application/json")
		if len(body) > 0 {
			req.Header.Set("Content-Type", "application/json")
		}
		return b.link.Send(req)
	})
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return nil, b.statusFault(a)
	}
	return a, nil
}
