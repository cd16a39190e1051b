package pyfmt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SpaceClass is a regular-expression class that matches what Python's \s matches in text.
const SpaceClass = `[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

// IsSpace reports whether Python's str.isspace holds for r: Unicode white space and the four ASCII separators.
func IsSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || '\t' <= r && r <= '\r' || 0x1c <= r && r <= 0x1f
	}
	return unicode.IsSpace(r)
}

// Strip is Python's str.strip.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// TruncateWords returns s when it has at most limit words, as str.split counts them, and otherwise its first limit
// words joined by single spaces and followed by " ...". Line breaks are lost only in that case.
func TruncateWords(s string, limit int) string {
	if len(s) < 2*limit+1 { // limit+1 words need at least limit separators
		return s
	}
	if cut := afterWords(s, limit); strings.TrimFunc(s[cut:], IsSpace) == "" {
		return s
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(s, IsSpace) {
		if limit == 0 {
			break
		}
		b.WriteString(word)
		b.WriteByte(' ')
		limit--
	}
	b.WriteString("...")
	return b.String()
}

// afterWords returns the index in s just after its first n words, or len(s) when it has fewer.
func afterWords(s string, n int) int {
	inWord := false
	for i, r := range s {
		if !IsSpace(r) {
			inWord = true
			continue
		}
		if inWord {
			inWord = false
			if n--; n <= 0 {
				return i
			}
		}
	}
	return len(s)
}
