package synth

import (
	"io"
	"math/rand/v2"
	"sort"

	"github.com/brianvoe/gofakeit/v7"

	"toolevo/toolqa/corpus/internal/layout"
)

// dice are the random choices that generators have in common.
type dice struct {
	rng  *rand.Rand
	fake *gofakeit.Faker // of names and words, from the same random numbers
}

func newDice(rng *rand.Rand) dice { return dice{rng, gofakeit.NewFaker(rng, false)} }

func (d dice) chance(p float64) bool { return d.rng.Float64() < p }

func (d dice) pick(words ...string) string { return words[d.rng.IntN(len(words))] }

// normal returns a standard normal number that is never far out.
func (d dice) normal() float64 { return max(-3, min(3, d.rng.NormFloat64())) }

// weighted draws an index by weights that are summed up.
func (d dice) weighted(sums []int) int { return above(sums, d.rng.IntN(sums[len(sums)-1])) }

// share is weighted for weights that are no whole numbers.
func (d dice) share(sums []float64) int { return above(sums, d.rng.Float64()*sums[len(sums)-1]) }

// above returns the first index whose sum is above at.
func above[T int | float64](sums []T, at T) int {
	return min(sort.Search(len(sums), func(i int) bool { return sums[i] > at }), len(sums)-1)
}

// sumUp returns for every element the sum of the weights up to and with its own.
func sumUp[E any, T int | float64](list []E, weight func(E) T) []T {
	sums := make([]T, len(list))

	var sum T
	for i, e := range list {
		sum += weight(e)
		sums[i] = sum
	}

	return sums
}

// countedRows returns a generator of the rows 0 to n-1.
func countedRows(n int, row func(i int) []layout.Cell) func() ([]layout.Cell, error) {
	made := 0

	return func() ([]layout.Cell, error) {
		if made == n {
			return nil, io.EOF
		}
		made++

		return row(made - 1), nil
	}
}
