package finetune_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// sampled is an evaluation drawn by chance: of each question several episodes, some lost, sometimes
// all of them.
func sampled(rng *rand.Rand, repeats int) (jobs []finetune.Job, episodes []trajectories.Episode) {
	for _, policy := range []string{"a", "b", "c"} {
		skill := rng.Float64()

		for _, api := range []string{"p_c", "p_s_in"} {
			cell := finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: "easy"}
			j := finetune.Job{Cell: cell, Repeats: repeats, MaxTurns: 8}

			for i := range 12 {
				// One template: its interval is found at once, and nothing here asks for it.
				labels := map[string]string{"dataset": "coffee", "difficulty": "easy", "template": "t"}
				j.Tasks = append(j.Tasks, envs.Task{ID: fmt.Sprint(i), Labels: labels})
				gone := rng.IntN(5) == 0

				for repeat := range repeats {
					e := trajectories.Episode{Status: "terminated", Repeat: repeat}
					e.Policy, e.DeployedAPI, e.QuestionID, e.Labels = policy, api, fmt.Sprint(i), labels
					e.Official = rng.Float64() < skill

					if gone || rng.IntN(6) == 0 {
						e.Lost = "gone"
					}

					episodes = append(episodes, e)
				}
			}

			jobs = append(jobs, j)
		}
	}

	return jobs, episodes
}

// mostly tells of each question that a contender measured whether more of its episodes were right
// than were not.
func mostly(episodes []trajectories.Episode, c finetune.Contender) map[string]bool {
	balance := map[string]int{}

	for _, e := range episodes {
		if e.Policy == c.Policy && e.DeployedAPI == c.API && e.Lost == "" {
			balance[e.QuestionID]--
			if e.Official {
				balance[e.QuestionID] += 2
			}
		}
	}

	right := map[string]bool{}
	for q, b := range balance {
		right[q] = b > 0
	}

	return right
}

// exactly is McNemar's exact test in whole numbers: twice the chance that n fair
// coins fall on the rarer side no more often than these did.
func exactly(first, second int) float64 {
	n, sum := int64(first+second), new(big.Int)
	for k := int64(0); k <= int64(min(first, second)); k++ {
		sum.Add(sum, new(big.Int).Binomial(n, k))
	}

	p, _ := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()

	return min(p, 1)
}

// A comparison is on the questions that both sides measured, each right if most of its episodes
// were, and Holm's method adjusts it among all of its kind: by a naive reading of random
// evaluations.
func TestComparisonsNaively(t *testing.T) {
	moved := 0

	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 33))
		jobs, episodes := sampled(rng, 1+rng.IntN(4))

		r, err := finetune.Summarise(jobs, all(episodes))
		if err != nil {
			t.Fatal(err)
		}

		families := map[string][]finetune.Comparison{}

		for _, c := range r.Comparisons {
			a, b := mostly(episodes, c.First), mostly(episodes, c.Second)
			n, both, first, second := 0, 0, 0, 0

			for q, right := range a {
				other, measured := b[q]

				switch {
				case !measured:
					continue
				case right && other:
					both++
				case right:
					first++
				case other:
					second++
				}

				n++
			}

			got, want := [4]int{c.N, c.Both, c.OnlyFirst, c.OnlySecond}, [4]int{n, both, first, second}
			if got != want {
				t.Fatalf("seed %d: %v and %v: %v, want %v", seed, c.First, c.Second, got, want)
			}

			if math.Abs(c.P-exactly(first, second)) > 1e-9 {
				t.Errorf("seed %d: p of %d and %d is %v", seed, first, second, c.P)
			}

			families[c.Between] = append(families[c.Between], c)
		}

		if len(families[finetune.BetweenPolicies]) != 6 || len(families[finetune.BetweenVersions]) != 3 {
			t.Fatalf("comparisons are %v", families)
		}

		for _, family := range families {
			moved += holm(t, family)
		}
	}

	if moved < 50 {
		t.Errorf("%d p-values were adjusted: the test shows little", moved)
	}
}

// holm checks the adjusted p-values of a family, and counts those that differ: the k-th smallest of
// n, from 0, is n-k times itself, at least what the one before it is, and at most 1.
func holm(t *testing.T, family []finetune.Comparison) (moved int) {
	t.Helper()

	slices.SortStableFunc(family, func(a, b finetune.Comparison) int { return cmp.Compare(a.P, b.P) })
	least := 0.0

	for k, c := range family {
		least = max(least, min(1, c.P*float64(len(family)-k)))
		if math.Abs(c.PHolm-least) > 1e-9 {
			t.Errorf("p-value %d of %d is %v, adjusted %v, want %v", k, len(family), c.P, c.PHolm, least)
		}

		if c.PHolm > c.P {
			moved++
		}
	}

	return moved
}
