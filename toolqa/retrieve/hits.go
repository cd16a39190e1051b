package retrieve

import (
	"cmp"
	"slices"
)

// hit is a passage with its score.
type hit struct {
	id    int
	score float64
}

// compareHits puts the higher score first, of equal ones the lower ID.
func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}

// keepBest returns the k best of the best hits so far and one more, the best one first.
func keepBest(best []hit, h hit, k int) []hit {
	if len(best) == k && compareHits(h, best[k-1]) > 0 {
		return best
	}

	at, _ := slices.BinarySearchFunc(best, h, compareHits)
	best = slices.Insert(best, at, h)
	return best[:min(k, len(best))]
}

func idsOf(hits []hit) []int {
	ids := make([]int, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	return ids
}
