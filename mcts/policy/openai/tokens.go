package openai

import (
	"context"
	"errors"
	"io"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// inTokens reports whether the server is asked to continue the tokens of a chat, and not its
// messages.
func (o *Options) inTokens() bool { return o.Chat && o.Tools.Ask == server.AskTokens }

// tokens returns those of a chat in the model's own template, as vLLM's /tokenize reports them; nil
// if the server is not asked in tokens.
func (b *Backend) tokens(ctx context.Context, c server.Completion) (ids []int, err error) {
	if !b.opts.inTokens() {
		return nil, nil
	}

	fields := map[string]any{"model": b.opts.Model, "add_generation_prompt": true}
	b.addMessages(fields, c)

	err = b.do(ctx, wire.Call{
		URL: b.root.JoinPath("tokenize"), Body: fields, Header: b.sessionHeader(c),
		Read: func(body io.Reader) error {
			return wire.NewDocument(body).Object(map[string]any{"tokens": &ids})
		},
	})

	if err == nil && len(ids) == 0 { // llama.cpp's, which takes no messages
		return nil, b.link.NotSent(errors.New("/tokenize makes no tokens of messages: " + wantsVLLM))
	}
	return ids, err
}

// wantsVLLM is the advice for other servers.
const wantsVLLM = "server.tools.ask: tokens wants a vLLM"
