package pytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendLower appends what Python's str.lower makes of s.
func AppendLower(dst []byte, s string) []byte {
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			c := byte(r)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}

			dst = append(dst, c)
		case r == 'Σ' && isFinalSigma(s, i):
			dst = append(dst, "ς"...)
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}

	return dst
}

// isFinalSigma reports whether the capital sigma at s[i:] ends a word, where its lower case is
// another letter.
func isFinalSigma(s string, i int) bool {
	before := strings.TrimRightFunc(s[:i], isCaseIgnorable)

	last, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || !isCased(last) {
		return false
	}

	after := strings.TrimLeftFunc(s[i+len("Σ"):], isCaseIgnorable)
	next, _ := utf8.DecodeRuneInString(after)
	return after == "" || !isCased(next)
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:·\u0387\u055f\u05f4‘’․‧︓﹒﹕＇．：", r)
}
