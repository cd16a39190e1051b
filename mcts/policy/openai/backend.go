package openai

import (
	"context"
	"io"
	"net/url"
	"slices"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

var _ server.Backend = (*Backend)(nil)

// toolEnds are the words for an end with a native call: OpenAI's, and Anthropic's from gateways.
var toolEnds = []string{"tool_calls", "tool_use"}

// mostPrompt is more tokens than a prompt has.
const mostPrompt = 1 << 24

// Complete draws c.N samples in one request. The error is a [*server.Fault], or the context's.
func (b *Backend) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	if err := b.check(c); err != nil {
		return server.Reply{}, b.link.NotSent(err)
	}

	n, path := c.N, "completions"
	if c.Sampling.Temperature == 0 {
		n = 1 // all are one, and vLLM refuses to draw more
	}

	// Asked in tokens, a chat is a prompt: only completions give back what the model wrote as text.
	ids, err := b.tokens(ctx, c)
	if err != nil {
		return server.Reply{}, err
	}

	if b.opts.Chat && ids == nil {
		path = "chat/completions"
	}

	tokens := c.Sampling.MaxTokens
	if b.opts.TokenIDs {
		tokens = mostPrompt // each sample comes with the ids of its prompt
	}

	d := decoder{
		n:        n,
		ids:      b.opts.TokenIDs,
		sampling: c.Sampling,
		ends:     b.opts.Ends,
		tools:    c.Tools != "",
		pieces:   c.Pieces,
		figures:  !b.opts.OmitLogProbs && !c.Dialect.Omits("logprobs"),
		details:  c.Details || c.Dialect.Omits("stop"), // to cut by the tokens
	}

	if d.tools {
		d.ends = append(slices.Clone(d.ends), toolEnds...)
	}

	err = b.do(ctx, wire.Call{
		URL:  b.base.JoinPath(path),
		Body: b.request(c, ids, n),

		Header: b.sessionHeader(c),
		Limit:  wire.SampleLimit(n, tokens),
		Read: func(body io.Reader) error {
			err := d.read(body)
			if err == nil {
				err = b.link.CheckQuoted(d.reply.Choices)
			}
			return b.replyFault(err)
		},
	})
	if f := server.FaultOf(err); d.tools && f != nil && wire.Unread(f.Status, f.Message) {
		// The model wrote something that the server's parser cannot read, and it is lost. That is
		// no fault of the server's: it counts as if the model had written nothing. Which of several
		// samples it was is not known, and the others are asked for again.
		err, d.reply = nil, server.Reply{Details: make([]server.Detail, 1)}
		d.reply.Choices = []server.Choice{{Finish: server.FinishStop, Unread: true}}
	}

	if err != nil {
		return server.Reply{}, err
	}

	// The server was not sent the stop texts, so the samples run on beyond them.
	t := d.reply
	if c.Dialect.Omits("stop") {
		for i := range t.Choices {
			wire.Cut(&t.Choices[i], t.Details[i].Tokens, c.Sampling.Stop)
		}
	}

	if n < c.N {
		t.Choices, t.Details = slices.Repeat(t.Choices, c.N), slices.Repeat(t.Details, c.N)
	}
	return t, nil
}

// do makes a call.
func (b *Backend) do(ctx context.Context, c wire.Call) error {
	c.Refused = b.statusFault
	return b.link.Do(ctx, c)
}

// get reads one document.
func (b *Backend) get(ctx context.Context, address *url.URL, read func(io.Reader) error) error {
	return b.do(ctx, wire.Call{URL: address, Read: read})
}
