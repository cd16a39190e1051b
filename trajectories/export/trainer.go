package export

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/names"
)

// Trainer names the trainer whose names columns and roles have.
type Trainer string

// The trainers.
const (
	LlamaFactory Trainer = "llamafactory" // sharegpt: conversations of human, gpt, function_call and observation
	TRL          Trainer = "trl"          // messages, prompts and completions of user, assistant and tool
)

// Trainers lists every trainer.
func Trainers() []Trainer { return []Trainer{LlamaFactory, TRL} }

// Arguments says in what form a message for [TRL] holds the arguments of a call.
type Arguments string

// The kinds of arguments.
const (
	ArgumentObject Arguments = "object" // what nearly all chat templates want
	ArgumentText   Arguments = "string" // a string of JSON, as in OpenAI's API
)

// ParseArguments returns the kind of a name; the error of an unknown one names the valid ones.
func ParseArguments(name string) (Arguments, error) {
	return names.Parse("kind of arguments", name, []Arguments{ArgumentObject, ArgumentText})
}

// ParseTrainer returns the trainer of a name; the error of an unknown one names the valid ones.
func ParseTrainer(name string) (Trainer, error) { return names.Parse("trainer", name, Trainers()) }

// instructions are what a trainer has to be told about samples of a format.
type instructions struct {
	Command string        // to train them with
	Lines   yaml.MapSlice // of its configuration
	Loss    string        // where the loss then falls, in words
}

// YAML returns the lines of the trainer's configuration.
func (t instructions) YAML() (string, error) {
	text, err := yaml.Marshal(t.Lines)
	return strings.TrimSpace(string(text)), err
}

// instructions returns what the trainer has to be told about the samples.
func (m *Manifest) instructions() instructions {
	f, t := m.Format, m.Trainer
	all := f.words().Told[t]
	all.Lines = append(slices.Clip(all.Lines), m.Labels.Weights(t)...)
	return all
}

// Command returns the command that trains the export, without its options.
func (m *Manifest) Command() string { return m.instructions().Command }
