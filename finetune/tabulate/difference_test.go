package tabulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// Counted is the difference of questions that were tried once under each condition.
func Counted(first, second, questions int) Difference {
	all := make([]Both, questions)
	for i := range all {
		all[i] = Both{Cluster{0, 1}, Cluster{0, 1}}

		switch {
		case i < first:
			all[i].First.Successes = 1
		case i < first+second:
			all[i].Second.Successes = 1
		}
	}

	return DifferenceOf(all)
}

// The chance of each result is known, so that nothing has to be drawn: whatever share of the
// questions differs, and however one-sided, the interval has the difference with a chance of 95 %.
func TestCoverageOfDifferences(t *testing.T) {
	t.Parallel()

	for _, n := range []int{5, 6, 7, 8, 10, 12, 15, 20, 40, 80, 200} {
		intervals := make([][]Difference, n+1)
		for first := range intervals {
			for second := range n - first + 1 {
				intervals[first] = append(intervals[first], Counted(first, second, n))
			}
		}

		for _, differ := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 0.95, 1} {
			for _, part := range []float64{0.5, 0.6, 0.8, 0.95, 1} {
				if c := chanceOfCovering(intervals, differ*part, differ*(1-part)); c < 0.95 {
					t.Errorf("%d questions, of which %v differ, %v to one side: covered in %.2f %%", n, differ,
						part, 100*c)
				}
			}
		}
	}
}

// chanceOfCovering adds up the chances of the results whose interval has the difference of two
// chances that exclude each other.
func chanceOfCovering(intervals [][]Difference, p, q float64) (chance float64) {
	n := len(intervals) - 1

	for first, row := range intervals {
		for second, d := range row {
			if d.Low <= p-q+1e-9 && p-q <= d.High+1e-9 {
				chance += math.Exp(logFactorial(n) + logPower(p, first) + logPower(q, second) +
					logPower(1-p-q, n-first-second))
			}
		}
	}

	return chance
}

func logFactorial(n int) float64 {
	log, _ := math.Lgamma(float64(n + 1))
	return log
}

// logPower is the logarithm of p^n / n!, what one of several counts has in a multinomial chance.
func logPower(p float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(n)*math.Log(max(p, 0)) - logFactorial(n)
}

// Each question has chances of its own, and is tried several times under both conditions.
func TestCoverageOfDifferencesWithSeveralTries(t *testing.T) {
	t.Parallel()

	const samples, least = 400, 0.93

	for _, n := range []int{5, 20, 60} {
		for _, tries := range []int{3, 10} {
			for _, chance := range []float64{0.5, 0.9, 0.99} {
				for _, alike := range []float64{0, 0.3} {
					for _, kept := range []float64{1, 0.8} {
						source := rand.New(rand.NewPCG(uint64(n), uint64(tries)))
						covered := 0

						for range samples {
							d := DifferenceOf(drawBoth(source, n, tries, chance, alike, kept))
							if truth := chance * (1 - kept); d.Low <= truth && truth <= d.High {
								covered++
							}
						}

						if share := float64(covered) / samples; share < least {
							t.Errorf("%d questions of %d tries, chance %v times %v, alike by %v: "+
								"covered in %.1f %%", n, tries, chance, kept, alike, 100*share)
						}
					}
				}
			}
		}
	}
}

// drawBoth draws questions whose chances under the second condition are a part of those under the
// first.
func drawBoth(source *rand.Rand, n, tries int, chance, alike, kept float64) []Both {
	all := make([]Both, n)

	for i := range all {
		own := chance
		if scale := (1 - alike) / alike; alike > 0 {
			own = distuv.Beta{Alpha: chance * scale, Beta: (1 - chance) * scale, Src: source}.Rand()
		}

		all[i] = Both{Cluster{Trials: float64(tries)}, Cluster{Trials: float64(tries)}}

		for range tries {
			if source.Float64() < own {
				all[i].First.Successes++
			}

			if source.Float64() < own*kept {
				all[i].Second.Successes++
			}
		}
	}

	return all
}

// By hand: where all differ to no side the ends are those of Clopper and Pearson; where the second
// count is 0 too, 1 - 0.025^(1/n) is how much of the questions may differ unseen.
func TestDifferenceOf(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		got              Difference
		share, low, high float64
	}{
		"nothing":         {DifferenceOf(nil), 0, -1, 1},
		"tried once only": {DifferenceOf([]Both{{First: Cluster{1, 1}}}), 0, -1, 1},
		"none differs": {
			Counted(0, 0, 60), 0, math.Pow(0.025, 1./60) - 1, 1 - math.Pow(0.025, 1./60),
		},
		// All differ, so that it is 2p - 1 with the interval of p, 0.1871 to 0.8129.
		"all differ": {Counted(5, 5, 10), 0, 2*0.1871 - 1, 2*0.8129 - 1},
		// 10 of 100 has 0.0490 to 0.1762, none of 100 0 to 0.0362, and the odds of those ends are
		// 0.0515 and 0.0376, so that the correlation is -0.0440: 0.1 - √(0.0510² + 0.0362² +
		// 2·0.0440·0.0510·0.0362).
		"ten lost": {Counted(10, 0, 100), 0.1, 0.0362, 0.1762},
	} {
		if d := test.got; math.Abs(d.Share-test.share) > 1e-9 || math.Abs(d.Low-test.low) > 5e-4 ||
			math.Abs(d.High-test.high) > 5e-4 {
			t.Errorf("%s: %v [%v, %v], want %v [%v, %v]", name, d.Share, d.Low, d.High,
				test.share, test.low, test.high)
		}
	}
}

// What differs in a fraction of several tries says more than one try, and less than all of them as
// questions of their own.
func TestTriesNarrowAnInterval(t *testing.T) {
	t.Parallel()

	all := make([]Both, 40)
	for i := range all {
		all[i] = Both{Cluster{5, 5}, Cluster{5 - float64(i%2), 5}}
	}

	d := DifferenceOf(all)
	if once, each := Counted(4, 0, 40), Counted(20, 0, 200); d.High-d.Low >= once.High-once.Low ||
		d.High-d.Low < each.High-each.Low-1e-9 {
		t.Errorf("width %v, want from %v to less than %v", d.High-d.Low, each.High-each.Low,
			once.High-once.Low)
	}
}

func TestPropertiesOfDifferences(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "questions")
		first := rapid.IntRange(0, n).Draw(t, "first")
		second := rapid.IntRange(0, n-first).Draw(t, "second")
		d, other := Counted(first, second, n), Counted(second, first, n)

		if math.Abs(d.Low+other.High) > 1e-9 || math.Abs(d.High+other.Low) > 1e-9 {
			t.Errorf("%+v, and with the conditions exchanged %+v", d, other)
		}

		if !(-1 <= d.Low && d.Low <= d.Share && d.Share <= d.High && d.High <= 1 && d.Low < d.High) {
			t.Errorf("%+v is no interval", d)
		}

		more := d.Of(n + rapid.IntRange(1, 300).Draw(t, "more"))
		if more.Share != d.Share || more.High-more.Low >= d.High-d.Low {
			t.Errorf("%+v, of more questions %+v", d, more)
		}

		// A question that was alike and is better under the first condition takes back nothing.
		if first+second < n {
			up, limit := Counted(first+1, second, n), rapid.Float64Range(0, 1).Draw(t, "limit")
			if d.Low > 0 && up.Low <= 0 || d.High >= limit && up.High < limit {
				t.Errorf("%+v, and with one more %+v", d, up)
			}
		}
	})
}
