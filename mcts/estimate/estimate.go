// Package estimate says what a collection would take before it begins: calls, tokens, time, disk
// and money, projected from a few of its questions for which trees were grown.
//
// # Guarantees
//
//   - A total is the number of questions times the mean of the sample. Its interval is Student's,
//     at 95 %, for means of a sample drawn without replacement: it shrinks to nothing as the sample
//     becomes all questions. One question gives none.
//   - Nothing is estimated that was not measured or given: time takes a rate, cost takes prices.
//
// # Caveats
//
// The sample stands for the questions only if the policy that grew it is the one that will grow the
// run. A model that makes other mistakes needs more calls, or fewer. Discounts for prompts that a
// server has cached are not subtracted, nor are prompts added that a server reads again because it
// gives fewer samples a request than it is asked for, which only a run finds out. Few questions
// have wide intervals, and those of a skewed distribution are too short on its long side.
package estimate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"toolevo/mcts/account"
)

// confidence is the probability that an interval covers the total.
const confidence = 0.95

// Usage is what one question took.
type Usage struct {
	Calls            int // of the model
	PromptTokens     float64
	CompletionTokens float64
}

// Options say what is known beside the sample.
type Options struct {
	Questions int             // of the run, at least as many as the sample has
	Bytes     int64           // that the sample took on disk, all of it
	Rate      float64         // completion tokens per second, of all servers together; 0 if unknown
	Prices    *account.Prices // nil if unknown
}

// Estimate is what a run would take.
type Estimate struct {
	Sample           int             `json:"sample"`                      // questions that it is projected from
	Calls            Total           `json:"calls"`                       // of the model
	PromptTokens     Total           `json:"prompt_tokens"`               // those that a server has cached included
	CompletionTokens Total           `json:"completion_tokens"`           // of all samples
	Bytes            int64           `json:"bytes"`                       // of the run's log and trees
	Seconds          *Total          `json:"seconds,omitempty"`           // where the rate is known
	Rate             float64         `json:"tokens_per_second,omitempty"` // completion tokens, as given or measured
	Cost             *Total          `json:"cost,omitempty"`              // where prices are known
	Prices           *account.Prices `json:"prices,omitempty"`            // per million tokens
}

// Total is a figure of a whole run.
type Total struct {
	Value float64 `json:"value"` // expected
	Low   float64 `json:"low"`   // lower end of the 95 % interval, at least what the sample took; without an interval value
	High  float64 `json:"high"`  // upper end; without an interval value
}

// Of projects a sample of a run's questions to all of them.
func Of(sample []Usage, o Options) (*Estimate, error) {
	switch {
	case len(sample) == 0:
		return nil, errors.New("estimate: no question was measured")
	case o.Questions < len(sample):
		return nil, fmt.Errorf("estimate: a sample of %d questions of a run that has %d", len(sample), o.Questions)
	}

	project := func(figure func(Usage) float64) Total {
		values := make([]float64, len(sample))
		for i, u := range sample {
			values[i] = figure(u)
		}
		return total(values, o.Questions)
	}

	// Bytes is no Total: a run's disk use is known for the sample as a whole, not per question.
	e := &Estimate{
		Sample:           len(sample),
		Calls:            project(func(u Usage) float64 { return float64(u.Calls) }),
		PromptTokens:     project(func(u Usage) float64 { return u.PromptTokens }),
		CompletionTokens: project(func(u Usage) float64 { return u.CompletionTokens }),
		Bytes:            o.Bytes * int64(o.Questions) / int64(len(sample)),
		Rate:             o.Rate,
		Prices:           o.Prices,
	}

	if o.Rate > 0 {
		seconds := project(func(u Usage) float64 { return u.CompletionTokens / o.Rate })
		e.Seconds = &seconds
	}

	if p := o.Prices; p != nil {
		// The bounds of a sum do not follow from those of its parts.
		cost := project(func(u Usage) float64 {
			return (u.PromptTokens*p.Prompt + u.CompletionTokens*p.Completion) / 1e6
		})
		e.Cost = &cost
	}

	return e, nil
}

// total projects the values of some of n questions to all of them.
func total(values []float64, n int) Total {
	mean, deviation := stat.MeanStdDev(values, nil)
	t := Total{Value: mean * float64(n)}
	t.Low, t.High = t.Value, t.Value

	k := float64(len(values))
	if k < 2 {
		return t
	}

	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: k - 1}.Quantile(1 - (1-confidence)/2)
	unseen := 1 - k/float64(n) // the share of the questions that can still surprise
	half := quantile * deviation / math.Sqrt(k) * math.Sqrt(unseen) * float64(n)

	t.Low, t.High = max(t.Value-half, mean*k), t.Value+half
	return t
}
