package statistics

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Cluster counts what is drawn together by [Bootstrap].
type Cluster struct{ Successes, Trials int }

func (c *Cluster) add(other *Cluster) {
	c.Successes += other.Successes
	c.Trials += other.Trials
}

// share returns the share of successes in the trials, of which there is one.
func (c *Cluster) share() float64 { return float64(c.Successes) / float64(c.Trials) }

// MacroMean returns the mean of the strata's shares of successes, each stratum weighing the same, and how many strata
// there are. Those without trials do not count; with no stratum left the mean is 0.
func MacroMean(strata [][]Cluster) (mean float64, n int) {
	for _, clusters := range strata {
		var total Cluster

		for i := range clusters {
			total.add(&clusters[i])
		}

		if total.Trials > 0 {
			mean += total.share()
			n++
		}
	}

	return mean / float64(max(n, 1)), n
}

// Bootstrap returns the 95 % percentile interval of [MacroMean]: in each of so many resamples every stratum gets as
// many clusters as it has, drawn from its own with replacement. Clusters without trials are left out. With no
// stratum left nothing is known: the interval is 0..1.
func Bootstrap(strata [][]Cluster, resamples int, source *rand.Rand) (low, high float64) {
	strata = measured(strata)
	if len(strata) == 0 {
		return 0, 1
	}

	means := make([]float64, resamples)

	for m := range means {
		for _, clusters := range strata {
			var drawn Cluster

			for range clusters {
				drawn.add(&clusters[source.IntN(len(clusters))])
			}

			means[m] += drawn.share()
		}

		means[m] /= float64(len(strata))
	}

	slices.Sort(means)

	return stat.Quantile(0.025, stat.Empirical, means, nil), stat.Quantile(0.975, stat.Empirical, means, nil)
}

// measured returns the strata without clusters that have no trials, and without those that have no others.
func measured(strata [][]Cluster) [][]Cluster {
	var kept [][]Cluster

	for _, clusters := range strata {
		empty := func(c Cluster) bool { return c.Trials == 0 }
		if rest := slices.DeleteFunc(slices.Clone(clusters), empty); len(rest) > 0 {
			kept = append(kept, rest)
		}
	}

	return kept
}
