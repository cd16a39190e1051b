package openai

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Options say which server, which model, and how to speak to it.
type Options struct {
	// Endpoint's URL ends in the version of the protocol: http://host:8000/v1. One without a path
	// gets /v1. Its query is part of every request.
	server.Endpoint

	// Chat sends messages to /chat/completions, where the server applies the model's chat template.
	// Otherwise prompts go to /completions as they are.
	Chat bool
	// Tools is how native calls are asked for, of completions with tools.
	Tools    server.ToolCalls
	Template server.TemplateArguments
	// Extensions sends vLLM's own fields. Without them, a parameter that needs one is refused
	// unless it is off.
	Extensions bool
	// AddSpecialTokens says whether vLLM puts the beginning-of-text token before the prompt; nil is
	// its default, which is true for prompts and false for chats. It needs Extensions.
	AddSpecialTokens *bool
	// TokenIDs asks for the ids of the tokens that are read and sampled, which vLLM reports.
	TokenIDs bool
	// OmitLogProbs asks for no log-probabilities, and reads none: for servers that refuse the
	// field, or give meaningless figures.
	OmitLogProbs bool
}

// Backend is one server. It is safe for concurrent use.
type Backend struct {
	opts Options  // without key and address, so that no print of a backend shows them
	base *url.URL // without credentials
	root *url.URL // base without its /v1, where a server keeps what is not OpenAI's
	link *wire.Link

	names *server.Names
}

// New returns the backend of one server. It sends nothing. Errors never contain the key or the
// address's credentials.
func New(opts Options) (*Backend, error) {
	address, err := parseBase(opts.URL)
	if err != nil {
		return nil, err
	}

	if opts.Model == "" {
		return nil, errors.New("openai: no model named")
	}

	// Refused, not dropped: whether prompts begin with a token decides what the model reads.
	if opts.AddSpecialTokens != nil && !opts.Extensions {
		return nil, errors.New("openai: add_special_tokens is one of vLLM's own fields, and those are switched off")
	}

	if name := opts.Session.Field; slices.Contains(ownFields, name) {
		return nil, fmt.Errorf("openai: server.session.field: %s holds something else in requests", name)
	}

	link, err := wire.NewLink(address, opts.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}

	// Secrets are with the link; nothing that is printed or logged may hold them.
	opts.APIKey, opts.URL, opts.Headers = "", "", nil
	return &Backend{
		opts:  opts,
		base:  address.URL,
		root:  rootOf(address.URL),
		link:  link,
		names: server.NewNames(opts.Endpoint),
	}, nil
}

// Address names the server, without credentials.
func (b *Backend) Address() string { return b.link.Address() }

// Close ends the connections that are idle.
func (b *Backend) Close() { b.link.Close() }

// parseBase reads a base URL. Its errors show nothing of the text, which may hold a key anywhere.
func parseBase(text string) (wire.Address, error) {
	address, err := wire.ParseAddress(text)
	switch {
	case err != nil:
		return wire.Address{}, fmt.Errorf("openai: the base URL (such as http://host:8000/v1): %w", err)
	case address.URL.Hostname() == "":
		return wire.Address{}, errors.New("openai: the base URL: it names no host")
	case address.URL.Path == "":
		address.URL.Path = "/v1"
	}

	return address, nil
}

// rootOf is the address below which /metrics, /health and /version are.
func rootOf(base *url.URL) *url.URL {
	root := *base
	root.Path, root.RawPath = strings.TrimSuffix(root.Path, "/v1"), strings.TrimSuffix(root.RawPath, "/v1")
	return &root
}
