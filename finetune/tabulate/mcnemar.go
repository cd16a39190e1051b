package tabulate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// McNemarExact returns the p-value of McNemar's exact test: how often two equally good policies
// would disagree as unevenly as this, or more. Of the questions that exactly one of them answered
// correctly, the first answered b and the second c: under the null hypothesis b is binomial with
// b+c trials and probability 1/2. Without such a question p is 1.
func McNemarExact(b, c int) float64 {
	if b == c {
		return 1
	}

	null := distuv.Binomial{N: float64(b + c), P: 0.5}
	return min(1, 2*null.CDF(float64(min(b, c))))
}

// McNemarCorrected returns the statistic of McNemar's test with Edwards' continuity correction,
// (|b-c|-1)²/(b+c), and its p-value by the chi-squared distribution with one degree of freedom,
// which needs b+c of about 25. b and c are as for [McNemarExact].
func McNemarCorrected(b, c int) (chi2, p float64) {
	if b == c {
		return 0, 1 // the correction would make up a difference
	}

	distance := math.Abs(float64(b-c)) - 1
	chi2 = distance * distance / float64(b+c)
	return chi2, distuv.ChiSquared{K: 1}.Survival(chi2)
}
