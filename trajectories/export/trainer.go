package export

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/names"
)

// Trainer says whose names columns and roles have.
type Trainer string

// The trainers.
const (
	LlamaFactory Trainer = "llamafactory" // sharegpt: conversations of human, gpt, function_call and observation
	TRL          Trainer = "trl"          // messages, prompts and completions of user, assistant and tool
)

// Trainers lists every trainer.
func Trainers() []Trainer { return []Trainer{LlamaFactory, TRL} }

// Arguments says what the arguments of a call are, as a member of a message for [TRL].
type Arguments string

// The kinds of arguments.
const (
	ArgumentObject Arguments = "object" // what nearly all chat templates want
	ArgumentText   Arguments = "string" // a text of JSON, as OpenAI's API has them
)

// ParseArguments returns the kind of a name; the error of an unknown one names the valid ones.
func ParseArguments(name string) (Arguments, error) {
	return names.Parse("kind of arguments", name, []Arguments{ArgumentObject, ArgumentText})
}

// ParseTrainer returns the trainer of a name; the error of an unknown one names the valid ones.
func ParseTrainer(name string) (Trainer, error) { return names.Parse("trainer", name, Trainers()) }

// told is what a trainer has to be told of samples of a format.
type told struct {
	Command string        // that trains them
	Lines   yaml.MapSlice // of its configuration
	Loss    string        // where the loss then falls, in words
}

// YAML are the lines of the trainer's configuration.
func (t told) YAML() (string, error) {
	text, err := yaml.Marshal(t.Lines)
	return strings.TrimSpace(string(text)), err
}

// told is what the trainer has to be told of the samples.
func (m *Manifest) told() told {
	f, t := m.Format, m.Trainer
	all := f.words().Told[t]
	all.Lines = append(slices.Clip(all.Lines), m.Labels.Weights(t)...)
	return all
}

// Command is what trains the export with its trainer, without what it is told.
func (m *Manifest) Command() string { return m.told().Command }
