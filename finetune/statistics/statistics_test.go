package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolevo/finetune/statistics"
)

// Agresti, "Categorical Data Analysis" (2nd edition), table 10.1: of 1,600 people 150 approved of a prime minister only
// in the first survey, 86 only in the second; without the correction the statistic is 17.36.
func TestMcNemarOfATextbook(t *testing.T) {
	chi2, p := statistics.McNemarCorrected(150, 86)
	near(t, 1e-12, chi2, 63.0*63/236, "chi²")

	if p < 3e-5 || p > 5e-5 {
		t.Errorf("p = %v, want about 4e-5", p)
	}
}

// With six questions that one policy alone answered and one that the other alone did, 16 of the 128 equally likely
// divisions are as uneven: 8 on either side.
func TestMcNemarExactByCounting(t *testing.T) {
	near(t, 1e-12, statistics.McNemarExact(6, 1), 16.0/128, "McNemarExact(6, 1)")
	near(t, 1e-12, statistics.McNemarExact(1, 6), 16.0/128, "McNemarExact(1, 6)")

	for _, equal := range []int{0, 1, 40} {
		if p := statistics.McNemarExact(equal, equal); p != 1 {
			t.Errorf("McNemarExact(%d, %d) = %v, want 1", equal, equal, p)
		}

		if chi2, p := statistics.McNemarCorrected(equal, equal); chi2 != 0 || p != 1 {
			t.Errorf("McNemarCorrected(%d, %d) = %v, %v, want 0, 1", equal, equal, chi2, p)
		}
	}
}

// By hand: the smallest of four times 4, the next times 3, and no value below one that came before.
func TestHolmByHand(t *testing.T) {
	got := statistics.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, 1e-12, got[i], want, "Holm[%d]", i)
	}

	if got := statistics.Holm(nil); len(got) != 0 {
		t.Errorf("Holm of no test: %v", got)
	}
}

func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := statistics.Holm(p)

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

// Table 2 of the paper: the mean of ToolEvo's seven easy accuracies with Llama3 is 66.9, where 66.7 is printed.
func TestMacroMeanOfThePaper(t *testing.T) {
	var strata [][]statistics.Cluster
	for _, percent := range []int{70, 96, 88, 49, 69, 1, 95} {
		strata = append(strata, []statistics.Cluster{{Successes: percent, Trials: 100}})
	}

	mean, n := statistics.MacroMean(strata)
	near(t, 1e-12, mean, 4.68/7, "mean")

	if n != 7 {
		t.Errorf("%d strata, want 7", n)
	}
}

// A stratum counts as much as another, however many questions it has, and not at all without one.
func TestMacroMeanWeighsStrataAlike(t *testing.T) {
	mean, n := statistics.MacroMean(clusters([][][2]int{{{90, 100}, {0, 0}}, {{0, 1}, {1, 1}}, {{0, 0}}, {}}))
	if near(t, 1e-12, mean, 0.7, "mean"); n != 2 {
		t.Errorf("%d strata, want 2", n)
	}

	if mean, n := statistics.MacroMean(nil); mean != 0 || n != 0 {
		t.Errorf("the mean of nothing is %v, of %d strata", mean, n)
	}
}

// Ten clusters of one question, half of them right: resamples are binomial, and of Binomial(10, 1/2) the 2.5 % quantile
// is 2 (P(X ≤ 1) = 1.07 %, P(X ≤ 2) = 5.47 %), the 97.5 % quantile 8.
func TestBootstrapByHand(t *testing.T) {
	ten := [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}

	low, high := statistics.Bootstrap(clusters([][][2]int{ten}), 4000, rand.New(rand.NewPCG(7, 7)))
	if low != 0.2 || high != 0.8 {
		t.Errorf("the interval is %v–%v, want 0.2–0.8", low, high)
	}
}

// One cluster for each stratum is drawn again and again; of no stratum nothing is known.
func TestBootstrapWithoutAChoice(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))

	low, high := statistics.Bootstrap(clusters([][][2]int{{{1, 4}}, {{3, 4}, {0, 0}}, {}}), 100, source)
	if low != 0.5 || high != 0.5 {
		t.Errorf("the interval is %v–%v, want 0.5–0.5", low, high)
	}

	if low, high := statistics.Bootstrap(nil, 100, source); low != 0 || high != 1 {
		t.Errorf("of nothing the interval is %v–%v, want 0–1", low, high)
	}
}

// Templates that rise and fall as one widen the interval: it is resampled by cluster, not by question.
func TestBootstrapDrawsClusters(t *testing.T) {
	var apart, together [][2]int

	for i := range 100 {
		apart = append(apart, [2]int{i % 2, 1})
	}

	for i := range 10 {
		together = append(together, [2]int{10 * (i % 2), 10})
	}

	width := func(s [][2]int) float64 {
		low, high := statistics.Bootstrap(clusters([][][2]int{s}), 2000, rand.New(rand.NewPCG(3, 4)))
		return high - low
	}

	if a, b := width(apart), width(together); math.Abs(b/a-math.Sqrt(10)) > 0.3 {
		t.Errorf("the intervals are %v and %v wide, want √10 times as wide", a, b)
	}
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
		mean, deviation := statistics.MeanStdDev(test.values)
		near(t, 1e-12, mean, test.mean, "mean of %v", test.values)
		near(t, 1e-12, deviation, test.deviation, "deviation of %v", test.values)
	}
}

// Two policies that are equally good differ by chance alone: in 100 seeds no test finds a difference more often
// than the nominal 5 % allow, neither one comparison nor, after Holm, any of ten.
func TestEqualPoliciesDoNotDiffer(t *testing.T) {
	const alpha, seeds, questions = 0.05, 100, 200

	// Beyond this many of 100 the nominal rate is refuted: P(X > 10) = 1.1 % for Binomial(100, 5 %).
	const most = 10

	var exact, corrected, family int

	for seed := range uint64(seeds) {
		source := rand.New(rand.NewPCG(seed, 0))

		var p []float64

		for range 10 {
			b, c := disagreements(source, questions)
			p = append(p, statistics.McNemarExact(b, c))

			if _, q := statistics.McNemarCorrected(b, c); len(p) == 1 && q < alpha {
				corrected++
			}
		}

		if p[0] < alpha {
			exact++
		}

		if slices.Min(statistics.Holm(p)) < alpha {
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
