package simserver

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokens are the tokens of a text: where each ends, in bytes, and its ID.
type tokens struct {
	ends []int
	ids  []uint32
}

func (t tokens) len() int { return len(t.ends) }

// strings returns the tokens' texts.
func (t tokens) strings(text string) []string {
	list := make([]string, len(t.ends))

	from := 0
	for i, end := range t.ends {
		list[i] = text[from:end]
		from = end
	}

	return list
}

// tokenize splits a text into pieces of words with the space before them, up to three digits, runs
// of spaces or of line breaks, special tokens like <|im_end|>, and single other characters. It
// reads from left to right, so all but the last token of a text are also the first tokens of every
// longer one.
func tokenize(text string) tokens {
	t := tokens{ends: make([]int, 0, len(text)/3+1), ids: make([]uint32, 0, len(text)/3+1)}
	for begin := 0; begin < len(text); {
		n := tokenLen(text[begin:])
		t.ids = append(t.ids, tokenID(text[begin:begin+n]))
		begin += n
		t.ends = append(t.ends, begin)
	}

	return t
}

const (
	maxLetters = 8
	maxDigits  = 3
	maxSpecial = 32
)

// tokenLen is the length of the first token of a text that is not empty.
func tokenLen(text string) int {
	space := 0

	// A single space belongs to the word or the number behind it, as with real tokenizers.
	if text[0] == ' ' {
		if n := run(text, maxSpecial, func(r rune) bool { return r == ' ' }); n > 1 || len(text) == 1 {
			return n
		}

		space = 1
	}

	if n := run(text[space:], maxLetters, unicode.IsLetter); n > 0 {
		return space + n
	}

	if n := run(text[space:], maxDigits, func(r rune) bool { return r >= '0' && r <= '9' }); n > 0 {
		return space + n
	}

	if space > 0 {
		return space
	}

	if n := run(text, maxSpecial, func(r rune) bool { return r == '\n' }); n > 0 {
		return n
	}

	if strings.HasPrefix(text, "<|") {
		// Bounded, so that a text full of such beginnings takes no longer to read than another.
		if end := strings.Index(text[:min(len(text), maxSpecial)], "|>"); end > 0 {
			return end + 2
		}
	}

	_, n := utf8.DecodeRuneInString(text)
	return n
}

// run returns the length in bytes of the longest beginning of at most limit characters of a kind.
func run(text string, limit int, kind func(rune) bool) int {
	n := 0
	for i, r := range text {
		if n == limit || !kind(r) {
			return i
		}
		n++
	}

	return len(text)
}

// tokenID is the FNV-1a hash of a token's text, as a positive 31-bit number.
func tokenID(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h >> 1
}

// shownIDs returns the ids of tokens as clients see them: of a vocabulary of 17 bits, about that of
// today's models.
func shownIDs(texts []string) []int {
	ids := make([]int, len(texts))
	for i, text := range texts {
		ids[i] = int(tokenID(text) % (1 << 17))
	}
	return ids
}
