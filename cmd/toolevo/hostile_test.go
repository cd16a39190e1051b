package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// The campaigns, tests named TestHostile…, try random damage. `make test` runs a few rounds of
// each; `make hostile` sets TOOLEVO_HOSTILE and runs them whole. TOOLEVO_HOSTILE_SEED repeats one.

// rounds returns how many rounds a campaign has: small in `make test`, full in `make hostile`.
func rounds(small, full int) int {
	if os.Getenv("TOOLEVO_HOSTILE") == "" {
		return small
	}
	return full
}

// campaignRandom returns the random source of a campaign, and logs the seed that repeats it.
func campaignRandom(t *testing.T) *rand.Rand {
	t.Helper()

	seed := uint64(time.Now().UnixNano())

	if text := os.Getenv("TOOLEVO_HOSTILE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("TOOLEVO_HOSTILE_SEED: %v", err)
		}
	}

	t.Logf("repeat with TOOLEVO_HOSTILE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// copyFolder copies a folder, and fails the test where that fails.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()

	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// flipBit flips one random bit of one random file below a folder, and says which. Every file is as
// likely as every other, so that the small ones, which hold the manifests, are met, too.
func flipBit(t *testing.T, random *rand.Rand, dir string) string {
	t.Helper()
	var candidates []string

	for _, path := range files(t, dir) {
		if len(read(t, path)) > 0 {
			candidates = append(candidates, path)
		}
	}

	path := candidates[random.IntN(len(candidates))]
	data := read(t, path)
	at, bit := random.IntN(len(data)), random.IntN(8)

	data[at] ^= 1 << bit
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("bit %d of byte %d of %s", bit, at, filepath.Base(path))
}
