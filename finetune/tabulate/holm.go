package tabulate

import (
	"cmp"
	"slices"
)

// Holm returns the p-values of a family of tests adjusted by Holm's step-down method, in the order
// given: rejecting those of at most alpha errs anywhere in the family with probability alpha at
// most, whatever the tests have to do with each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}

	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })

	adjusted := make([]float64, len(p))
	largest := 0.0

	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}
