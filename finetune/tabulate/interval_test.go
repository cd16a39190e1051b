package tabulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Templates are drawn whose questions are as alike as a correlation says, from 0, where they have
// nothing in common, to 1, where all of a template are answered alike. The interval covers the rate
// that they were drawn with in at least 93 % of the samples.
func TestCoverage(t *testing.T) {
	t.Parallel()

	const samples, least = 400, 0.93

	for _, templates := range []int{5, 10, 20, 40} {
		for _, rate := range []float64{0.7, 0.8, 0.9, 0.95, 1} {
			for _, alike := range []float64{0, 0.1, 0.3, 0.6, 1} {
				for _, questions := range []int{4, 25} {
					source := rand.New(rand.NewPCG(uint64(templates), uint64(questions)))
					covered := 0

					for range samples {
						r := RateOf(drawTemplates(source, templates, questions, rate, alike))
						if r.Low <= rate+1e-9 && rate <= r.High+1e-9 {
							covered++
						}
					}

					if share := float64(covered) / samples; share < least {
						t.Errorf("%d templates of %d questions, rate %v, alike by %v: covered in %.1f %%", templates,
							questions, rate, alike, 100*share)
					}
				}
			}
		}
	}
}

// drawTemplates draws the rate of each template from the beta distribution with a mean and an
// intraclass correlation, and then its answers.
func drawTemplates(source *rand.Rand, templates, questions int, rate, alike float64) []Cluster {
	clusters := make([]Cluster, templates)

	for i := range clusters {
		own := rate

		switch {
		case alike == 1:
			own = float64(int(source.Float64() + rate))
		case alike > 0 && rate < 1:
			scale := (1 - alike) / alike
			own = distuv.Beta{Alpha: rate * scale, Beta: (1 - rate) * scale, Src: source}.Rand()
		}

		clusters[i].Trials = float64(questions)

		for range questions {
			if source.Float64() < own {
				clusters[i].Successes++
			}
		}
	}

	return clusters
}

func TestRateOf(t *testing.T) {
	t.Parallel()

	// alone is n questions that have nothing to do with each other.
	alone := func(right, n int) []Cluster {
		all := make([]Cluster, n)
		for i := range all {
			all[i].Trials = 1
			if i < right {
				all[i].Successes = 1
			}
		}

		return all
	}

	for name, test := range map[string]struct {
		strata           [][]Cluster
		share, low, high float64
	}{
		"nothing":            {nil, 0, 0, 1},
		"without trials":     {[][]Cluster{{{0, 0}}, nil}, 0, 0, 1},
		"none of ten":        {[][]Cluster{alone(0, 10)}, 0, 0, 0.3085}, // Clopper and Pearson's, as are the next two
		"all of ten":         {[][]Cluster{alone(10, 10)}, 1, 0.6915, 1},
		"half of a hundred":  {[][]Cluster{alone(50, 100)}, 0.5, 0.3983, 0.6017},
		"five alike":         {[][]Cluster{{{24, 24}, {24, 24}, {24, 24}, {24, 24}, {24, 24}}}, 1, 0.4782, 1},
		"one template":       {[][]Cluster{{{9, 10}}}, 0.9, 0.0150, 1},
		"strata weigh alike": {[][]Cluster{alone(90, 90), alone(0, 10)}, 0.5, 0.3292, 0.6708},
	} {
		r := RateOf(test.strata...)
		if math.Abs(r.Share-test.share) > 1e-9 || math.Abs(r.Low-test.low) > 5e-4 ||
			math.Abs(r.High-test.high) > 5e-4 {
			t.Errorf("%s: %+v, want %v [%v, %v]", name, r, test.share, test.low, test.high)
		}
	}
}

// Table 2 of the paper: the mean of ToolEvo's seven easy accuracies with Llama3 is 66.9.
func TestMeanOfThePaper(t *testing.T) {
	t.Parallel()

	var strata [][]Cluster
	for _, percent := range []float64{70, 96, 88, 49, 69, 1, 95} {
		strata = append(strata, []Cluster{{percent, 100}})
	}

	if r := RateOf(append(strata, nil)...); math.Abs(r.Share-4.68/7) > 1e-12 || r.Strata != 7 {
		t.Errorf("%+v, want 66.9 %% of 7 strata", r)
	}
}
