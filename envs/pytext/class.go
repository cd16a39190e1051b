package pytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SpaceClass is a regular-expression class that matches what Python's \s matches in text: what
// IsSpace holds for.
const SpaceClass = `[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

// IsSpace reports whether Python's str.isspace holds for r: Unicode white space and the four ASCII
// separators. strings.FieldsFunc with it is str.split().
func IsSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIISpace(byte(r))
	}
	return unicode.IsSpace(r)
}

func isASCIISpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f }

// Strip is Python's str.strip.
func Strip(s string) string {
	for s != "" && isASCIISpace(s[0]) {
		s = s[1:]
	}

	for s != "" && isASCIISpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}

	if s == "" || s[0] < utf8.RuneSelf && s[len(s)-1] < utf8.RuneSelf {
		return s
	}
	return strings.TrimFunc(s, IsSpace)
}

// IsWord reports whether \w of Python's re matches r.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// IsPunctuation reports whether c is in Python's string.punctuation, which is ASCII.
func IsPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
