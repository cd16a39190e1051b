package statistics

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// RelativeChange returns by how much the sum of some values changed in relation to what it was, -0.25 of a quarter
// less, and the 95 % percentile interval of that over so many resamples of the pairs. The values are paired; where
// those before sum up to 0 there is no change to speak of, and ok is false. Resamples like that are left out.
func RelativeChange(before, after []float64, resamples int, source *rand.Rand) (change, low, high float64, ok bool) {
	relative := func(at func(i int) int) (float64, bool) {
		was, is := 0.0, 0.0

		for i := range before {
			k := at(i)
			was, is = was+before[k], is+after[k]
		}

		return (is - was) / was, was != 0
	}

	change, ok = relative(func(i int) int { return i })
	if !ok {
		return 0, 0, 0, false
	}

	var drawn []float64

	for range resamples {
		if c, ok := relative(func(int) int { return source.IntN(len(before)) }); ok {
			drawn = append(drawn, c)
		}
	}

	slices.Sort(drawn)

	return change, stat.Quantile(0.025, stat.Empirical, drawn, nil), stat.Quantile(0.975, stat.Empirical, drawn, nil),
		true
}
