package mcts_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/mcts"
)

// What is packed is read back, in the precision of 32 bits, and takes at most 7 bytes a sampled
// token of a vocabulary of 2^21, and 2 for all of them.
func TestPackedTokenIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.IntRange(0, 1<<21-1), 0, 60)
		want := mcts.TokenIDs{
			Prompt: ids.Draw(t, "prompt"), Sampled: ids.Draw(t, "sampled"), Whole: rapid.Bool().Draw(t, "whole"),
		}

		if rapid.Bool().Draw(t, "scored") {
			for range want.Sampled {
				want.LogProbs = append(want.LogProbs, float64(rapid.Float32Range(-9999, 0).Draw(t, "logprob")))
			}
		}

		var got mcts.TokenIDs
		var err error
		if got.Prompt, err = mcts.UnpackIDs(mcts.PackIDs(want.Prompt)); err != nil {
			t.Fatal(err)
		}

		packed := want.PackSampled()
		if err := got.UnpackSampled(packed); err != nil {
			t.Fatal(err)
		}

		if d := cmp.Diff(want, got, cmp.Transformer("", func(ids []int) []int { return append([]int{}, ids...) }),
			cmp.Transformer("", func(l []float64) []float64 { return append([]float64{}, l...) })); d != "" {
			t.Fatalf("-want +got:\n%s", d)
		}

		if most := 2 + 7*len(want.Sampled); len(packed) > most {
			t.Fatalf("%d bytes of %d tokens", len(packed), len(want.Sampled))
		}
	})
}

// What was not packed is an error, and nothing is read beyond its end.
func TestDamagedTokenIDs(t *testing.T) {
	whole := (&mcts.TokenIDs{Sampled: []int{300, 5}, LogProbs: []float64{-1, -2}}).PackSampled()
	for _, packed := range []string{
		"", "\xff", whole[:5], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01abc", whole + "\x80",
	} {
		if err := new(mcts.TokenIDs).UnpackSampled(packed); !errors.Is(err, mcts.ErrTokenIDs) {
			t.Errorf("%q: %v", packed, err)
		}
	}

	if _, err := mcts.UnpackIDs("\xff\xff\xff\xff\xff\x0f"); !errors.Is(err, mcts.ErrTokenIDs) {
		t.Errorf("an id of 35 bits: %v", err)
	}
}
