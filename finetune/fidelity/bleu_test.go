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
		two = "It is the guiding principle which guarantees the military forces always being under the command " +
			"of the Party"
		three = "It is the practical guide for the army always to heed the directions of the party"

		second = "he read the book because he was interested in world history"
		book   = "he was interested in world history because he read the book"
	)

	for _, tt := range []struct {
		hypothesis string
		references []string
		want       float64
	}{
		{first, []string{one, two, three}, 0.5045666840058485},
		{first, []string{one}, 0.4118},
		{second, []string{book}, 0.7400828044922853},
	} {
		var references [][]string
		for _, r := range tt.references {
			references = append(references, words(r))
		}

		if got := bleu(words(tt.hypothesis), references...); math.Abs(got-tt.want) > 1e-4 {
			t.Errorf("BLEU of %q to %d references is %.6f, want %.6f", tt.hypothesis, len(references), got, tt.want)
		}
	}
}

// What is short is penalised by the reference of the closest length, of two equally close ones by
// the shorter.
func TestBrevity(t *testing.T) {
	repeated := func(n int) []string { return strings.Fields(strings.Repeat("a ", n)) }

	for _, tt := range []struct {
		length     int
		references []int
		want       float64
	}{
		{12, []int{28}, 0.2635971381157267},
		{7, []int{11, 8}, 0.8668778997501817},
		{12, []int{11, 13}, 1}, // 11 is as close as 13
		{13, []int{12}, 1},
		{12, []int{12}, 1},
		{0, []int{3}, 0},
	} {
		var references [][]string
		for _, n := range tt.references {
			references = append(references, repeated(n))
		}

		if got := brevity(tt.length, references); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%d to %v: %v, want %v", tt.length, tt.references, got, tt.want)
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
