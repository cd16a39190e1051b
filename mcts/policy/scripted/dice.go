package scripted

import (
	"math/rand/v2"

	"toolevo/envs"
)

// dice is the random source of one sample: a value, so that drawing costs no allocation.
type dice struct{ pcg rand.PCG }

// sampleStream separates the numbers drawn here from those of other users of the same seed.
const sampleStream = 0x746f6f6c65766f

func newDice(seed uint64) dice {
	var d dice
	d.pcg.Seed(seed, sampleStream)
	d.pcg.Uint64() // neighbouring seeds differ only after a step
	return d
}

// questionDice is the source that stands in for a seed when decoding greedily. Each place in a
// question has its own.
func questionDice(question, place string) dice {
	var d dice
	d.pcg.Seed(envs.Hash(question), envs.Hash(question+place))
	d.pcg.Uint64()
	return d
}

func (d *dice) float() float64 { return float64(d.pcg.Uint64()>>11) / (1 << 53) }

// chance always draws, so that what follows does not depend on p.
func (d *dice) chance(p float64) bool { return d.float() < p }

func (d *dice) intN(n int) int { return int(d.pcg.Uint64() % uint64(n)) }
