package fidelity

import (
	"math"
	"strings"
)

// most is the length of the longest n-grams of BLEU-4.
const most = 4

// words splits a text at white space.
func words(text string) []string { return strings.Fields(text) }

// characters splits a text into its characters.
func characters(text string) []string { return strings.Split(text, "") }

// bleu returns the sentence BLEU-4 of a hypothesis, 0 to 1, as NLTK computes it with uniform
// weights and smoothing method 3: the k-th order of n-grams of which none matches counts as 1/2^k
// matches. Without a common token it is 0.
func bleu(hypothesis, reference []string) float64 {
	logs, missing := 0.0, 0

	for n := 1; n <= most; n++ {
		matches, total := clipped(hypothesis, reference, n)

		switch {
		case matches == 0 && n == 1:
			return 0
		case matches == 0:
			missing++
			logs -= float64(missing)*math.Ln2 + math.Log(float64(total))
		default:
			logs += math.Log(float64(matches) / float64(total))
		}
	}

	// Only a hypothesis shorter than the reference is penalised for its length.
	short := min(0, 1-float64(len(reference))/float64(len(hypothesis)))
	return math.Exp(short) * math.Exp(logs/most)
}

// clipped counts the n-grams of a hypothesis that the reference has as often, and all n-grams, at
// least 1.
func clipped(hypothesis, reference []string, n int) (matches, total int) {
	has := grams(reference, n)
	for gram, count := range grams(hypothesis, n) {
		matches += min(count, has[gram])
	}
	return matches, max(1, len(hypothesis)-n+1)
}

// grams counts the n-grams of a text. Tokens contain no NUL, so it can join them.
func grams(tokens []string, n int) map[string]int {
	counts := map[string]int{}
	for i := 0; i+n <= len(tokens); i++ {
		counts[strings.Join(tokens[i:i+n], "\x00")]++
	}
	return counts
}
