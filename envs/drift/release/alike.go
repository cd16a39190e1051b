package release

import (
	"math"
	"slices"
	"strings"

	"toolevo/envs/drift"
	"toolevo/envs/exact"
	"toolevo/envs/toolapi"
)

// weights say how much a word tells: the more, the fewer names and descriptions of both releases
// have it.
type weights struct {
	texts int
	in    map[string]int // texts with the word
}

func wordsOf(all []toolapi.APISpec) *weights {
	w := &weights{in: map[string]int{}}

	for _, a := range all {
		w.add(a.Name + " " + a.Description)

		for _, p := range a.Parameters.All {
			w.add(p.Name + " " + p.Description())
		}
	}
	return w
}

func (w *weights) add(text string) {
	w.texts++

	all := drift.Stems(text)
	slices.Sort(all)

	for _, word := range slices.Compact(all) {
		w.in[word]++
	}
}

func (w *weights) weight(word string) float64 {
	return exact.Log(1 + float64(w.texts+1)/float64(w.in[word]+1))
}

// names returns how alike two names are, in [0, 1], by the words that both have, or words like
// them. A name that is a part of the other counts more.
func (w *weights) names(a, b string) float64 {
	few, many := drift.Stems(a), drift.Stems(b)
	few, many = spelledOut(few, many), spelledOut(many, few)

	if len(few) > len(many) {
		few, many = many, few
	}

	if strings.Join(few, "") == strings.Join(many, "") {
		return 1
	}

	var shared, all float64

	for _, word := range slices.Concat(few, many) {
		all += w.weight(word)
	}

	whole := len(few) > 0

	// Each word takes the word most like it, which no other may take as well.
	for _, word := range few {
		best, at := 0.0, -1

		for i, other := range many {
			if s := wordsAlike(word, other); s > best {
				best, at = s, i
			}
		}

		if whole = whole && best > 0.7; at >= 0 {
			// The conversion rounds, as no machine may fuse the two steps and get another score.
			shared += float64(best * (w.weight(word) + w.weight(many[at])))
			many = slices.Delete(slices.Clone(many), at, at+1)
		}
	}

	// Only equal names are certain; one that is a part of the other is at least likely.
	score := shared / max(all, 1e-9)
	if whole {
		score = max(score, 0.7)
	}
	return min(score, 0.95)
}

// spelledOut replaces a word that is the first letters of several words of another name by those
// words, as ff by fast forward.
func spelledOut(words, other []string) (all []string) {
	for _, word := range words {
		found := false

		for i := 0; i+len(word) <= len(other) && len(word) > 1 && !found; i++ {
			run, initials := other[i:i+len(word)], ""
			for _, w := range run {
				initials += w[:1]
			}

			if found = initials == word; found {
				all = append(all, run...)
			}
		}

		if !found {
			all = append(all, word)
		}
	}
	return all
}

// wordsAlike returns how alike two words are. A beginning may stand for a word, as repo does for
// repository.
func wordsAlike(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case len(a) >= 3 && strings.HasPrefix(b, a), len(b) >= 3 && strings.HasPrefix(a, b):
		return 0.8
	}

	return 0
}

// descriptions returns how alike two descriptions are, in [0, 1]: the cosine of their words, by
// weight, and 0 if one is empty.
func (w *weights) descriptions(a, b string) float64 {
	one, other := wordSet(a), wordSet(b)
	if len(one) == 0 || len(other) == 0 {
		return 0
	}

	if a == b {
		return 1
	}

	var shared, left, right float64

	for _, word := range one {
		weight := float64(w.weight(word) * w.weight(word))
		if left += weight; slices.Contains(other, word) {
			shared += weight
		}
	}

	for _, word := range other {
		right += float64(w.weight(word) * w.weight(word))
	}
	return min(shared/math.Sqrt(left*right), 0.98)
}

// wordSet returns the words of a text, sorted: sums depend on the order of what is added.
func wordSet(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(drift.Stems(text))))
}

// either returns how likely something is that has several independent signs, in [0, 1].
func either(all ...float64) float64 {
	not := 1.0
	for _, p := range all {
		not = float64(not * (1 - float64(p)))
	}
	return 1 - not
}
