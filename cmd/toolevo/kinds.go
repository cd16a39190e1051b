package main

import (
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/serving"
)

// The kinds of model servers that the program knows.
func init() {
	serving.Register(openai.Kind)
	serving.Register(ollama.Kind)
}
