package tabulate

import "gonum.org/v1/gonum/stat"

// PassAt returns the unbiased estimate of pass@k, the probability that at least one of k attempts
// succeeds, from n attempts of which c did: 1 - C(n-c, k) / C(n, k), equation 1 of Chen et al.,
// "Evaluating Large Language Models Trained on Code" (2021). k is from 1 to n.
func PassAt(k, n, c int) float64 { return 1 - allAmong(k, n, n-c) }

// PassAll returns the unbiased estimate of pass^k, the probability that all of k attempts succeed,
// from n attempts of which c did: C(c, k) / C(n, k), as in Yao et al., "τ-bench" (2024). k is from
// 1 to n.
func PassAll(k, n, c int) float64 { return allAmong(k, n, c) }

// allAmong returns the probability that k of n attempts, drawn without replacement, are all among m
// of them.
func allAmong(k, n, m int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(m-i, 0)) / float64(n-i)
	}
	return p
}

// MeanStdDev returns the mean of some values and their sample standard deviation, that of n-1
// degrees of freedom. Of one value the deviation is 0, since nothing is known about it; of none
// both are.
func MeanStdDev(values []float64) (mean, deviation float64) {
	switch len(values) {
	case 0:
		return 0, 0
	case 1:
		return values[0], 0
	}

	return stat.MeanStdDev(values, nil)
}
