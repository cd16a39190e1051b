package openai

import (
	_ "embed"

	"toolevo/mcts/policy/server"
)

//go:embed findings.yaml
var findings []byte

// Kind is the kind of servers that speak OpenAI's protocol, vLLM above all.
var Kind = &server.Kind{
	Name:  "openai",
	Title: "vLLM",
	Speak: []string{"vllm"},

	AddressVariable: "OPENAI_BASE_URL",
	KeyVariable:     "OPENAI_API_KEY",
	DefaultAddress:  "http://127.0.0.1:8000/v1",
	AddressExample:  "http://HOST:8000/v1",

	Open: func(e server.Endpoint, m server.Manner) (server.Client, error) {
		return New(Options{
			Endpoint: e, Chat: m.Chat, Tools: m.Tools, Template: m.Template, Extensions: m.Extensions,
			AddSpecialTokens: m.AddSpecialTokens, OmitLogProbs: !m.LogProbs, TokenIDs: m.TokenIDs,
		})
	},
	Embed: func(e server.Endpoint, retry server.Retry) (server.Embedder, error) { return NewEmbedder(e, retry) },

	TokenIDs: true,
	Unlisted: true,
	Findings: findings,

	Hosting: server.Hosting{
		Needs:   []string{"{model}", "{name}", "{port}"},
		Address: "http://127.0.0.1:%s/v1",
		Adapt:   loadAdapter,
	},
}
