package fidelity

import (
	"math"
	"strings"
	"testing"
)

// The examples of NLTK's documentation; smoothing is of no consequence to them.
func TestBLEUOfWords(t *testing.T) {
	const (
		first = "It is a guide to action which ensures that the military always obeys the commands of the party"

		one = "It is a guide to action that ensures that the military will forever heed Party commands"

		second = "he read the book because he was interested in world history"
		book   = "he was interested in world history because he read the book"
	)

	repeated := func(n int) string { return strings.Repeat("a ", n) }

	for _, tt := range []struct {
		hypothesis, reference string
		want                  float64
	}{
		{first, one, 0.41180376356915777},
		{second, book, 0.7400828044922853},

		// Every n-gram matches, so what remains is the penalty for what is short.
		{repeated(12), repeated(28), 0.2635971381157267},
		{repeated(7), repeated(8), 0.8668778997501817},
		{repeated(12), repeated(12), 1},
	} {
		if got := bleu(words(tt.hypothesis), words(tt.reference)); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("BLEU of %q to %q is %v, want %v", tt.hypothesis, tt.reference, got, tt.want)
		}
	}
}

func TestBLEUOfCharacters(t *testing.T) {
	for _, tt := range []struct {
		hypothesis, reference string
		want                  float64
	}{
		{"the dog", "the dog", 1},
		{"xyz", "the dog", 0},
		{"", "the dog", 0},
		{"the cat", "the dog", 0.411134},
		{"日本語です", "日本語です", 1}, // characters, not bytes
	} {
		got := bleu(characters(tt.hypothesis), characters(tt.reference))
		if math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("BLEU of %q to %q is %.6f, want %.6f", tt.hypothesis, tt.reference, got, tt.want)
		}
	}
}
