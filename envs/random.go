package envs

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
)

// Hash is the FNV-1a hash of a text, the same on every machine and in every version.
func Hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// SHA256 is the SHA-256 of a text, in hexadecimal.
func SHA256[T ~string | ~[]byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Random returns a source that depends only on a seed and a text.
func Random(seed uint64, text string) *rand.Rand { return rand.New(rand.NewPCG(seed, Hash(text))) }
