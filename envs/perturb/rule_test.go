package perturb

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A paraphrase by rule says the same: beside its frame, it has the words of the question, but for
// phrases that have others like them.
func TestParaphraseByRule(t *testing.T) {
	const plain = "Please search 'Please, also' for me. If it rains in Oslo, I want to stay. Can you fetch me a map " +
		"of https://example.com/if-a,b?"

	got := map[string]bool{}
	for _, text := range textsOf(plain, Perturbation{Kind: Paraphrase}) {
		got[text] = true

		if !strings.Contains(text, "'Please, also'") || !strings.Contains(text, "https://example.com/if-a,b") {
			t.Errorf("a value is lost: %s", text)
		}

		if words(text) != words(plain) {
			t.Errorf("%q has the words %s, want %s", text, words(text), words(plain))
		}
	}

	if got[plain] || len(got) < 50 {
		t.Errorf("%d texts; that of the question among them: %v", len(got), got[plain])
	}

	for _, want := range []string{
		"Search 'Please, also' for me, please. I would like to stay if it rains in Oslo. Could you get me a map",
		"If it rains in Oslo, I want to stay.",
		"Would you be able to fetch me a map",
	} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(text string) bool {
			return strings.Contains(text, want)
		}) {
			t.Errorf("no text says %q", want)
		}
	}
}

// words are those of a text in alphabetical order, without the frame and the phrases that have
// others like them.
func words(text string) string {
	for _, part := range slices.Concat(paraphrasing().Openings, paraphrasing().Closings) {
		text = strings.Replace(text, part, "", 1)
	}

	text = paraphrasing().phrases.ReplaceAllString(text, "~")
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,?", r) })
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Phrases of one list are told apart from those of others, so that each has others like it.
func TestPhrasesAreDistinct(t *testing.T) {
	seen := map[string]bool{}

	for _, alike := range paraphrasing().Alike {
		for _, phrase := range alike {
			if seen[strings.ToLower(phrase)] || len(alike) < 2 {
				t.Errorf("%q", phrase)
			}

			seen[strings.ToLower(phrase)] = true
		}
	}
}
