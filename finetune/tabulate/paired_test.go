package tabulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolevo/finetune/tabulate"
)

// Agresti, "Categorical Data Analysis" (2nd edition), table 10.1: of 1,600 people 150 approved of a
// prime minister only in the first survey, 86 only in the second; without the correction the
// statistic is 17.36.
func TestMcNemarOfATextbook(t *testing.T) {
	chi2, p := tabulate.McNemarCorrected(150, 86)
	near(t, 1e-12, chi2, 63.0*63/236, "chi²")

	if p < 3e-5 || p > 5e-5 {
		t.Errorf("p = %v, want about 4e-5", p)
	}
}

// With six questions that one policy alone answered and one that the other alone did, 16 of the 128
// equally likely divisions are as uneven: 8 on either side.
func TestMcNemarExactByCounting(t *testing.T) {
	near(t, 1e-12, tabulate.McNemarExact(6, 1), 16.0/128, "McNemarExact(6, 1)")
	near(t, 1e-12, tabulate.McNemarExact(1, 6), 16.0/128, "McNemarExact(1, 6)")

	for _, equal := range []int{0, 1, 40} {
		if p := tabulate.McNemarExact(equal, equal); p != 1 {
			t.Errorf("McNemarExact(%d, %d) = %v, want 1", equal, equal, p)
		}

		if chi2, p := tabulate.McNemarCorrected(equal, equal); chi2 != 0 || p != 1 {
			t.Errorf("McNemarCorrected(%d, %d) = %v, %v, want 0, 1", equal, equal, chi2, p)
		}
	}
}

// By hand: the smallest of four times 4, the next times 3, and no value below one that came before.
func TestHolmByHand(t *testing.T) {
	got := tabulate.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, 1e-12, got[i], want, "Holm[%d]", i)
	}

	if got := tabulate.Holm(nil); len(got) != 0 {
		t.Errorf("Holm of no test: %v", got)
	}
}

func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := tabulate.Holm(p)

		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Fatalf("%v becomes %v", p[i], adjusted[i])
			}

			for k := range p {
				if p[i] < p[k] && adjusted[i] > adjusted[k] {
					t.Fatalf("%v and %v change places: %v, %v", p[i], p[k], adjusted[i], adjusted[k])
				}
			}
		}
	})
}

func TestMeanStdDev(t *testing.T) {
	for _, test := range []struct {
		values          []float64
		mean, deviation float64
	}{
		{nil, 0, 0},
		{[]float64{0.4}, 0.4, 0},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, math.Sqrt(32.0 / 7)},
	} {
		mean, deviation := tabulate.MeanStdDev(test.values)
		near(t, 1e-12, mean, test.mean, "mean of %v", test.values)
		near(t, 1e-12, deviation, test.deviation, "deviation of %v", test.values)
	}
}

// Two policies that are equally good differ by chance alone: in 100 seeds no test finds a
// difference more often than the nominal 5 % allow, neither one comparison nor, after Holm, any of
// ten.
func TestEqualPoliciesDoNotDiffer(t *testing.T) {
	const alpha, seeds, questions = 0.05, 100, 200

	// Beyond this many of 100 the nominal rate is refuted: P(X > 10) = 1.1 % for Binomial(100, 5
	// %).
	const most = 10

	var exact, corrected, family int

	for seed := range uint64(seeds) {
		source := rand.New(rand.NewPCG(seed, 0))

		var p []float64

		for range 10 {
			b, c := disagreements(source, questions)
			p = append(p, tabulate.McNemarExact(b, c))

			if _, q := tabulate.McNemarCorrected(b, c); len(p) == 1 && q < alpha {
				corrected++
			}
		}

		if p[0] < alpha {
			exact++
		}

		if slices.Min(tabulate.Holm(p)) < alpha {
			family++
		}
	}

	if exact > most || corrected > most || family > most {
		t.Errorf("of %d seeds the exact test finds a difference in %d, the corrected one in %d, Holm in %d; want at "+
			"most %d", seeds, exact, corrected, family, most)
	}
}

// disagreements plays two policies, each right with the question's own probability.
func disagreements(source *rand.Rand, questions int) (b, c int) {
	for range questions {
		share := source.Float64()
		first, second := source.Float64() < share, source.Float64() < share

		switch {
		case first && !second:
			b++
		case second && !first:
			c++
		}
	}

	return b, c
}
