package ollama

import (
	_ "embed"

	"toolevo/mcts/policy/server"
)

//go:embed findings.yaml
var findings []byte

// Kind is the kind of Ollama's servers, in their own protocol.
var Kind = &server.Kind{
	Name:  "ollama",
	Title: "Ollama",

	AddressVariable: "OLLAMA_HOST",
	KeyVariable:     "OLLAMA_API_KEY",
	DefaultAddress:  defaultHost,
	AddressExample:  "HOST:11434",

	Open: func(e server.Endpoint, m server.Manner) (server.Client, error) {
		return New(Options{Endpoint: e, Window: m.Window, OmitLogProbs: !m.LogProbs})
	},

	Single:        true,
	AllTaken:      true,
	NoMessages:    "Ollama gets raw text, so that it cuts no prompt silently",
	ScoredSince:   "0.12.11",
	OwnDefaults:   true,
	PromptPerSlot: true,

	Findings:    findings,
	VersionFlaw: versionFlaw,

	Hosting: server.Hosting{
		Needs:   []string{"{port}"},
		Address: "127.0.0.1:%s",
		Publish: publish,
	},
}

// versionFlaw is the doctor's finding about a version.
func versionFlaw(version string, s server.Sampling) string {
	penalties := s.FrequencyPenalty != 0 || s.PresencePenalty != 0 || s.RepetitionPenalty != 1

	switch {
	case server.Before(version, "0.12.6"):
		return "version-cuts"
	case penalties && server.Before(version, "0.30.0"):
		return "version-penalties"
	}

	return ""
}
