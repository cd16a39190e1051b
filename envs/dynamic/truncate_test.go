package dynamic

import (
	"strings"
	"testing"

	"toolevo/envs/pytext"
)

func TestTruncateWords(t *testing.T) {
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"a  b\nc", 3, "a  b\nc"},
		{"a  b\nc  \n", 3, "a  b\nc  \n"},
		{"a  b\nc d", 3, "a b c ..."},
		{" a\x1cb\u3000c d ", 3, "a b c ..."},
		{"", 1, ""},
		{strings.Repeat("x", 100), 1, strings.Repeat("x", 100)},
		{"one two", 1, "one ..."},
		{"a b", 1, "a ..."},
	}
	for _, tt := range tests {
		if got := truncateWords(tt.in, tt.limit); got != tt.want {
			t.Errorf("truncateWords(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

// Of every short text of words and white space, what is left is what the comment says, read
// naively.
func TestTruncateWordsNaively(t *testing.T) {
	texts := []string{""}
	for i := 0; i < len(texts) && len(texts) < 5000; i++ {
		for _, next := range []string{"a", "é", " ", "\n\u3000"} {
			texts = append(texts, texts[i]+next)
		}
	}

	for _, text := range texts {
		for limit := 1; limit <= 4; limit++ {
			want := text
			if words := strings.FieldsFunc(text, pytext.IsSpace); len(words) > limit {
				want = strings.Join(words[:limit], " ") + " ..."
			}

			if got := truncateWords(text, limit); got != want {
				t.Fatalf("truncateWords(%q, %d) = %q, want %q", text, limit, got, want)
			}
		}
	}
}

// Our errors show 200 bytes of a text, and no part of a character.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("a", 200):       strings.Repeat("a", 200),
		strings.Repeat("a", 201):       strings.Repeat("a", 200) + "…",
		strings.Repeat("a", 199) + "é": strings.Repeat("a", 199) + "…",
	} {
		if got := shortened(text); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
