package tabulate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Method names the interval of every rate. Captions have it.
const Method = "95 % Korn–Graubard"

// Cluster counts trials that rise and fall together: those of the questions of one template. A
// trial may succeed in part.
type Cluster struct{ Successes, Trials float64 }

// Rate is a share and its 95 % interval. Without trials the share is 0 and the interval 0 to 1.
type Rate struct {
	Share, Low, High float64
	Strata           int // that have a trial
}

// RateOf returns the mean of the strata's shares, each stratum weighing the same, with the interval
// of Korn and Graubard (1998): that of Clopper and Pearson for as many independent trials as tell
// what the clusters tell. Strata and clusters without trials are left out.
//
// The number of trials comes from the spread of the clusters' shares. It has two safeguards,
// because few clusters tell little about their spread. Student's t takes its degrees of freedom
// from how evenly the clusters contribute to it (Satterthwaite): if one of forty stands out, that
// is one piece of evidence. And it is never less than the number of clusters, nor more than that of
// the trials: clusters that are all the same are taken as one trial each, since nothing says that
// unseen ones are like them.
func RateOf(strata ...[]Cluster) Rate {
	s := sampleOf(strata)

	r := Rate{Share: s.share(), Low: 0, High: 1, Strata: len(s.strata)}
	if r.Strata == 0 {
		return r
	}

	r.Low, r.High = clopperPearson(r.Share, s.effectiveTrials(r.Share))
	return r
}

// clopperPearson returns the ends of the interval of a share of independent trials.
func clopperPearson(share, n float64) (low, high float64) {
	right := share * n
	low, high = 0, 1

	if right > 0 {
		low = distuv.Beta{Alpha: right, Beta: n - right + 1}.Quantile(0.025)
	}

	if n-right > 1e-9 {
		high = distuv.Beta{Alpha: right + 1, Beta: n - right}.Quantile(0.975)
	}
	return low, high
}

// stratum is the clusters of a stratum that have trials, and their sum.
type stratum struct {
	clusters []Cluster
	Cluster
}

func (s *stratum) share() float64 { return s.Successes / s.Trials }

// sample is the strata that have trials.
type sample struct{ strata []stratum }

func sampleOf(strata [][]Cluster) *sample {
	s := &sample{}
	for _, clusters := range strata {
		s.add(clusters)
	}
	return s
}

// share returns the mean of the strata's shares.
func (s *sample) share() (mean float64) {
	for _, st := range s.strata {
		mean += st.share() / float64(len(s.strata))
	}
	return mean
}

func (s *sample) add(clusters []Cluster) {
	var st stratum

	for _, c := range clusters {
		if c.Trials > 0 {
			st.clusters = append(st.clusters, c)
			st.Successes, st.Trials = st.Successes+c.Successes, st.Trials+c.Trials
		}
	}

	if st.Trials > 0 {
		s.strata = append(s.strata, st)
	}
}

// effectiveTrials returns how many independent trials tell as much about the share.
func (s *sample) effectiveTrials(share float64) float64 {
	var trials, clusters, variance, fourth float64

	weight := 1 / float64(len(s.strata))

	for _, st := range s.strata {
		trials += weight * weight / st.Trials
		center, k := st.share(), float64(len(st.clusters))
		unbiased := k / (k - 1)

		// A cluster alone in its stratum has no spread there: it is compared with the other strata.
		if k == 1 {
			center, unbiased = share, 1
		}

		for _, c := range st.clusters {
			part := weight * c.Trials / st.Trials
			clusters += part * part
			square := unbiased * math.Pow(part*(c.Successes/c.Trials-center), 2)
			variance += square
			fourth += square * square
		}
	}

	// The bounds are for clusters that are worth one trial each, and for trials that are all
	// independent.
	least, most := 1/clusters, 1/trials
	if variance < 1e-12 {
		return least
	}

	// Satterthwaite: what few clusters contribute unevenly to the spread leaves few degrees of
	// freedom, and the factor widens the interval for it.
	freedom := max(1, variance*variance/fourth-1)
	factor := studentT(max(1, most-1)) / studentT(freedom)
	n := share * (1 - share) / variance * factor * factor
	return min(max(n, least), most)
}

// studentT returns the 97.5 % quantile of Student's t.
func studentT(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975)
}
