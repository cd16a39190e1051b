package judge

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"toolevo/finetune/statistics"
)

// Rate is a mean of statuses, in 0..1: Solved counts 1, Unsure 1/2. Over one group its interval is the 95 % Wilson
// interval, over several the 95 % bootstrap interval of their mean, in which queries are drawn.
type Rate struct {
	N         int       `json:"n"`               // queries of which at least one judgement was read
	Mean      float64   `json:"mean"`            // over the passes
	Deviation float64   `json:"deviation"`       // population standard deviation of the passes
	Low       float64   `json:"low"`             // lower end of the interval
	High      float64   `json:"high"`            // upper end
	Passes    []float64 `json:"passes"`          // of each pass of the judge
	Lost      int       `json:"lost_judgements"` // that could not be read, and count in no pass
}

// verdicts are what was said of a query in each pass.
type verdicts []Status

// cluster is what the passes of a query add up to, in halves.
func (v verdicts) cluster() (c statistics.Cluster) {
	for _, s := range v {
		if s != Lost {
			c.Successes += s.halves()
			c.Trials += 2
		}
	}

	return c
}

// resamples is how often the bootstrap of a mean draws, as for accuracies.
const resamples = 2000

// rateOf returns the rate of some groups, each of which weighs the same.
func rateOf(groups [][]verdicts) *Rate {
	r := &Rate{Passes: passesOf(groups)}
	strata := make([][]statistics.Cluster, len(groups))

	for i, group := range groups {
		for _, v := range group {
			c := v.cluster()
			strata[i] = append(strata[i], c)
			r.Lost += len(v) - c.Trials/2

			if c.Trials > 0 {
				r.N++
			}
		}
	}

	if len(r.Passes) > 0 {
		r.Mean, r.Deviation = stat.PopMeanStdDev(r.Passes, nil)
	}

	if len(groups) == 1 {
		r.Low, r.High = statistics.WilsonOf(r.Mean, r.N)
	} else {
		r.Low, r.High = statistics.Bootstrap(strata, resamples, rand.New(rand.NewPCG(2025, 1)))
	}

	return r
}

// passesOf returns the mean of each pass that has any judgement.
func passesOf(groups [][]verdicts) []float64 {
	passes := []float64{}

	for pass := 0; ; pass++ {
		strata, more := make([][]statistics.Cluster, len(groups)), false

		for i, group := range groups {
			for _, v := range group {
				if pass < len(v) {
					more = true
					strata[i] = append(strata[i], v[pass:pass+1].cluster())
				}
			}
		}

		if !more {
			return passes
		}

		if mean, n := statistics.MacroMean(strata); n > 0 {
			passes = append(passes, mean)
		}
	}
}
