package stategen

import "math/rand/v2"

// Selector chooses the next transition of a program.
type Selector string

// The selectors.
const (
	// Argmax is Algorithm 1: a transition with the most pairs that never occurred; if every pair
	// occurred, a random one, weighted by the inverse of how often its pairs occurred.
	Argmax Selector = "argmax"
	// K2 is the published code: a transition with k pairs that never occurred is drawn with the
	// weight k²; if every pair occurred, only its rarest pair counts.
	K2 Selector = "k2"
	// Uniform draws any transition: the paper's StateGen-w/o-COV.
	Uniform Selector = "uniform"
)

// Selectors lists the selectors.
func Selectors() []Selector { return []Selector{Argmax, K2, Uniform} }

// epsilon keeps the energy of a pair that never occurred finite (Algorithm 1, line 6).
const epsilon = 1e-7

// choose returns one of the candidates, of which there has to be one.
func (s Selector) choose(rng *rand.Rand, from []Candidate, book *Book) Candidate {
	if s == Uniform {
		return from[rng.IntN(len(from))]
	}

	weights := make([]float64, len(from))
	most := 0

	for i, c := range from {
		k := uncovered(c, book)
		most = max(most, k)
		weights[i] = float64(k * k)
	}

	switch {
	case most == 0:
		for i, c := range from {
			weights[i] = 1 / (s.frequency(c, book) + epsilon)
		}
	case s == Argmax:
		for i := range weights {
			if weights[i] < float64(most*most) {
				weights[i] = 0
			}
		}
	}

	return from[draw(rng, weights)]
}

// uncovered returns how many pairs of a candidate never occurred: φ of Algorithm 1, line 9.
func uncovered(c Candidate, book *Book) (k int) {
	for _, p := range c.Pairs {
		if book.Count(p) == 0 {
			k++
		}
	}

	return k
}

// frequency returns how often the pairs of a candidate occurred: all together, or in the published
// code the rarest.
func (s Selector) frequency(c Candidate, book *Book) float64 {
	total, least := 0, 0

	for i, p := range c.Pairs {
		n := book.Count(p)
		total += n

		if i == 0 || n < least {
			least = n
		}
	}

	if s == K2 {
		return float64(least)
	}
	return float64(total)
}

// draw returns an index with a probability in proportion to its weight.
func draw(rng *rand.Rand, weights []float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}

	at, last := rng.Float64()*total, 0

	for i, w := range weights {
		if w == 0 {
			continue
		}

		if at < w {
			return i
		}

		at -= w
		last = i
	}
	return last
}
