package judge

import (
	"gonum.org/v1/gonum/stat"

	"toolevo/finetune/tabulate"
)

// Rate is a mean of statuses, in 0..1: Solved counts 1, Unsure 1/2. Each group weighs the same. The interval is
// Korn and Graubard's, clustered by query: see package tabulate.
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

// cluster is what the passes of a query add up to.
func (v verdicts) cluster() (c tabulate.Cluster) {
	for _, s := range v {
		if s != Lost {
			c.Successes += s.value()
			c.Trials++
		}
	}

	return c
}

// rateOf returns the rate of some groups, each of which weighs the same.
func rateOf(groups [][]verdicts) *Rate {
	r := &Rate{Passes: passesOf(groups)}
	strata := make([][]tabulate.Cluster, len(groups))

	for i, group := range groups {
		for _, v := range group {
			c := v.cluster()
			strata[i] = append(strata[i], c)
			r.Lost += len(v) - int(c.Trials)

			if c.Trials > 0 {
				r.N++
			}
		}
	}

	if len(r.Passes) > 0 {
		r.Mean, r.Deviation = stat.PopMeanStdDev(r.Passes, nil)
	}

	rate := tabulate.RateOf(strata...)
	r.Low, r.High = rate.Low, rate.High

	return r
}

// passesOf returns the mean of each pass that has any judgement.
func passesOf(groups [][]verdicts) []float64 {
	passes := []float64{}

	for pass := 0; ; pass++ {
		strata, more := make([][]tabulate.Cluster, len(groups)), false

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

		if rate := tabulate.RateOf(strata...); rate.Strata > 0 {
			passes = append(passes, rate.Share)
		}
	}
}
