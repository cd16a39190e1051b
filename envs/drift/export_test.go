package drift

import "math/rand/v2"

// NewDraws are draws for an API by itself.
func NewDraws(seed uint64) *Draws {
	return &Draws{Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, words: words()}
}
