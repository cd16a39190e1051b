package statistics

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Cluster counts what is drawn together by [Bootstrap].
type Cluster struct{ Successes, Trials int }

// MacroMean returns the mean of the strata's shares of successes, each stratum weighing the same, and how many strata
// there are. Those without trials do not count; with no stratum left the mean is 0.
func MacroMean(strata [][]Cluster) (mean float64, n int) {
	for _, clusters := range strata {
		var total Cluster

		for _, c := range clusters {
			total.Successes += c.Successes
			total.Trials += c.Trials
		}

		if total.Trials > 0 {
			mean += float64(total.Successes) / float64(total.Trials)
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

	drawn := make([][]Cluster, len(strata))
	for i := range strata {
		drawn[i] = make([]Cluster, len(strata[i]))
	}

	means := make([]float64, resamples)

	for m := range means {
		for i, clusters := range strata {
			for k := range clusters {
				drawn[i][k] = clusters[source.IntN(len(clusters))]
			}
		}

		means[m], _ = MacroMean(drawn)
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
