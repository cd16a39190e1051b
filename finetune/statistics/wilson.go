package statistics

import "math"

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % Wilson score interval of a proportion of k successes in n trials. With n = 0
// nothing is known: the interval is 0..1.
func Wilson(k, n int) (low, high float64) {
	return WilsonOf(float64(k)/float64(max(n, 1)), n)
}

// WilsonOf returns the 95 % Wilson score interval of a proportion p that is the mean over n trials, each of which may
// have succeeded in part. With n = 0 nothing is known: the interval is 0..1.
func WilsonOf(p float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}

	m := float64(n)
	center := p + z95*z95/(2*m)
	spread := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	scale := 1 + z95*z95/m

	return max(0, (center-spread)/scale), min(1, (center+spread)/scale)
}
