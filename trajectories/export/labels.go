package export

import (
	"math"

	"github.com/goccy/go-yaml"
)

// labelWeights are the trainers' names for the weights of wanted and unwanted replies.
var labelWeights = map[Trainer][2]string{
	LlamaFactory: {"kto_chosen_weight", "kto_rejected_weight"},
	TRL:          {"desirable_weight", "undesirable_weight"},
}

// Labels counts samples by whether their last message is wanted.
type Labels struct {
	Desirable   int `json:"desirable"`   // wanted: on trajectories that ended with the right answer
	Undesirable int `json:"undesirable"` // unwanted: they left such a trajectory for good
}

// add counts a sample.
func (l *Labels) add(s *Sample) {
	if s.Good {
		l.Desirable++
	} else {
		l.Undesirable++
	}
}

// balance is how much more all wanted replies together are to weigh than all unwanted ones: between
// the bounds of equation 8 of KTO's paper (arXiv 2402.01306), 1 and 4/3.
const balance = 7. / 6

// Weights returns the arguments of a trainer that balance the labels: the kind that is too rare
// weighs more, the other 1. It returns none if either kind is missing.
func (l Labels) Weights(t Trainer) yaml.MapSlice {
	names, known := labelWeights[t]
	if l.Desirable == 0 || l.Undesirable == 0 || !known {
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
