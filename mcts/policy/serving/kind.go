package serving

import (
	"slices"
	"strings"

	"toolevo/mcts/policy/server"
)

// Kind is a kind of model server.
type Kind = server.Kind

// Register adds a kind of server to those that policies may name, at the beginning of a program.
func Register(k *Kind) { server.Register(k) }

// Offers says what policies on servers are called, e.g. "openai:MODEL or ollama:MODEL".
func Offers() string { return strings.Join(server.Models(), " or ") }

// Speaking returns the kind of a server's protocol, by its own name or by that of the server, or
// nil.
func Speaking(name string) *Kind {
	for _, k := range server.Kinds() {
		if k.Name == name || slices.Contains(k.Speak, name) {
			return k
		}
	}

	return nil
}
