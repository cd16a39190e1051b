package export

import (
	_ "embed"
	"math"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed training.yaml
var trainingYAML []byte

// told is what a trainer has to be told of samples of a format.
type told struct {
	Command string        `yaml:"command"`
	Lines   yaml.MapSlice `yaml:"lines"`
	Balance []string      `yaml:"balance"` // the weights of wanted and unwanted replies
	Loss    string        `yaml:"loss"`    // where it falls, in words
}

var tolds = sync.OnceValue(func() (all map[Trainer]map[Format]told) {
	// The file is ours.
	if err := yaml.UnmarshalWithOptions(trainingYAML, &all, yaml.Strict()); err != nil {
		panic(err)
	}

	return all
})

// told is what the trainer has to be told of the samples.
func (m *Manifest) told() told {
	f, t := m.Format, m.Trainer
	all := tolds()[t][f]
	all.Lines = append(all.Lines[:len(all.Lines):len(all.Lines)], m.Labels.Weights(t)...)

	return all
}

// Command is what trains the export with its trainer, without what it is told.
func (m *Manifest) Command() string { return m.told().Command }

// YAML are the lines of the trainer's configuration.
func (t told) YAML() (string, error) {
	text, err := yaml.Marshal(t.Lines)
	return strings.TrimSpace(string(text)), err
}

// Labels counts samples by whether their last message is wanted.
type Labels struct {
	Desirable   int `json:"desirable"`   // wanted: on trajectories that ended with the right answer
	Undesirable int `json:"undesirable"` // not wanted: they left such a trajectory for good
}

// add counts a sample.
func (l *Labels) add(s *Sample) {
	if s.Good {
		l.Desirable++
	} else {
		l.Undesirable++
	}
}

// balance is between the bounds of equation 8 of KTO's paper (arXiv 2402.01306), 1 and 4/3: how
// much more than unwanted replies all wanted ones together are to weigh.
const balance = 7. / 6

// Weights are the arguments of a trainer that balance the labels: the kind that is too rare weighs
// more, the other 1. There are none where either kind is missing.
func (l Labels) Weights(t Trainer) yaml.MapSlice {
	names := tolds()[t][KTO].Balance
	if l.Desirable == 0 || l.Undesirable == 0 || len(names) < 2 {
		return nil
	}

	good, bad := 1., 1.
	round := func(f float64) float64 { return math.Round(f*100) / 100 }

	switch ratio := float64(l.Desirable) / float64(l.Undesirable); {
	case ratio < 1:
		good = round(balance / ratio)
	case ratio > 4./3:
		bad = round(ratio / balance)
	}

	return yaml.MapSlice{{Key: names[0], Value: good}, {Key: names[1], Value: bad}}
}
