package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pairs are n questions: so many right before, and of those so many right after; others are wrong both times.
func pairs(n, before, after int) (was, is []float64) {
	was, is = make([]float64, n), make([]float64, n)
	for i := range before {
		was[i] = 1
	}

	for i := range after {
		is[i] = 1
	}

	return was, is
}

func TestRelativeChange(t *testing.T) {
	for _, test := range []struct {
		n, before, after int
		want, low, high  float64
	}{
		{100, 80, 60, -0.25, -0.35, -0.16}, // of the 80, a quarter is binomial: sd 0.048
		{100, 80, 80, 0, 0, 0},
		{100, 80, 0, -1, -1, -1},
		{50, 10, 20, 1, 0.38, 2.6}, // by another program, of 20,000 resamples
	} {
		was, is := pairs(test.n, test.before, test.after)

		change, low, high, ok := RelativeChange(was, is, 2000, rand.New(rand.NewPCG(1, 1)))
		if !ok || math.Abs(change-test.want) > 1e-12 || math.Abs(low-test.low) > 0.2*(test.high-test.low)+1e-12 ||
			math.Abs(high-test.high) > 0.2*(test.high-test.low)+1e-12 {
			t.Errorf("%+v: %v [%v, %v] %v", test, change, low, high, ok)
		}
	}

	if _, _, _, ok := RelativeChange([]float64{0, 0}, []float64{1, 0}, 10, nil); ok {
		t.Error("nothing changed in relation to something")
	}
}
