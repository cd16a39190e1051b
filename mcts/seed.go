package mcts

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// TreeSeed derives the seed of one tree from the run's seed, the task and the tree's index, so that
// a tree does not depend on which others were grown, or on what grew them.
func TreeSeed(run uint64, question string, tree int) uint64 {
	return mix(run, question, uint64(tree))
}

// sampleSeed is the seed of the first sample drawn at a node. Samples are spaced by one, as
// inference servers space them; a hash of the path keeps the ranges of different nodes apart.
func sampleSeed(treeSeed uint64, path string) uint64 { return mix(treeSeed, path, 0) >> 1 }

// simulationRand is the random source of one simulation. Each simulation has its own, so a tree
// that is grown further later continues exactly as if it had never stopped.
func simulationRand(treeSeed uint64, simulation int) *rand.Rand {
	return rand.New(rand.NewPCG(treeSeed, uint64(simulation)))
}

func mix(seed uint64, text string, n uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	h.Write([]byte(text))
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])

	return finish(h.Sum64())
}

// finish is the finaliser of MurmurHash3: FNV alone leaves nearby inputs with nearby high bits.
func finish(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
