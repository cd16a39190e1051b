package envs

import (
	"hash/fnv"
	"math/rand/v2"
)

// Hash is the FNV-1a hash of a text, the same on every machine and in every version.
func Hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))

	return h.Sum64()
}

// Random returns a source that depends on a seed and a text alone.
func Random(seed uint64, text string) *rand.Rand { return rand.New(rand.NewPCG(seed, Hash(text))) }
