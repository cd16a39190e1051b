package statistics_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"toolevo/finetune/statistics"
)

func TestWilson(t *testing.T) {
	for _, test := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1},
		{8, 10, 0.4901625, 0.9433178},
		{0, 10, 0, 0.2775328},
		{10, 10, 0.7224672, 1},
		{1, 1, 0.2065493, 1},
		{50, 100, 0.4038315, 0.5961685},
		{95, 100, 0.8882495, 0.9784563},
		{81, 263, 0.2552885, 0.3662096},
	} {
		low, high := statistics.Wilson(test.k, test.n)
		if math.Abs(low-test.low) > 5e-7 || math.Abs(high-test.high) > 5e-7 {
			t.Errorf("Wilson(%d, %d) = %.7f–%.7f, want %.7f–%.7f", test.k, test.n, low, high, test.low, test.high)
		}
	}
}

// The bounds are where the score test stops rejecting: the proportions p with (k/n - p)² = z² p(1-p)/n.
func TestWilsonInvertsTheScoreTest(t *testing.T) {
	const z = 1.959963984540054

	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		low, high := statistics.Wilson(k, n)

		p := float64(k) / float64(n)
		if !(0 <= low && low <= p+1e-12 && p-1e-12 <= high && high <= 1) {
			t.Fatalf("Wilson(%d, %d) = %v, %v", k, n, low, high)
		}

		for _, bound := range []float64{low, high} {
			if d := (p-bound)*(p-bound) - z*z*bound*(1-bound)/float64(n); math.Abs(d) > 1e-9 {
				t.Fatalf("Wilson(%d, %d): the bound %v misses by %v", k, n, bound, d)
			}
		}

		otherLow, otherHigh := statistics.Wilson(n-k, n)
		if math.Abs(otherLow-(1-high)) > 1e-12 || math.Abs(otherHigh-(1-low)) > 1e-12 {
			t.Fatalf("Wilson(%d, %d) and Wilson(%d, %d) are no mirror images", k, n, n-k, n)
		}
	})
}
