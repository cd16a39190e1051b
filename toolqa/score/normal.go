package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks says what appendNormal does with ASCII punctuation.
type marks bool

const (
	dropMarks marks = false // delete all of it, as the published matcher does
	keepMarks marks = true  // keep the signs, points, colons, slashes and commas that stand before a digit
)

// appendNormal appends s in lower case, without punctuation, without the words a, an, the and usd, blanks collapsed to
// single spaces and none at the ends. Lower case, words and blanks are those of Python's str and re.
func appendNormal(dst []byte, s string, m marks) []byte {
	start := len(dst)
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			c := byte(r)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if !isPunct(c) || m == keepMarks && isMark(c) && i+1 < len(s) && isDigit(s[i+1]) {
				dst = append(dst, c)
			}
		case r == 'Σ' && isFinalSigma(s, i):
			dst = append(dst, "ς"...)
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst[:start+compact(dst[start:])]
}

// compact removes articles and surplus blanks from text in place and returns the length that is left.
func compact(text []byte) int {
	n := 0 // text[:n] is finished, except for the word that began at word
	word := -1
	endWord := func() {
		if word >= 0 && isArticle(text[word:n]) {
			n = word
			n = space(text, n)
		}
		word = -1
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case isSpace(r):
			endWord()
			n = space(text, n)
		case isWord(r):
			if word < 0 {
				word = n
			}
			n += copy(text[n:], text[i:i+size])
		default:
			endWord()
			n += copy(text[n:], text[i:i+size])
		}
		i += size
	}
	endWord()
	if n > 0 && text[n-1] == ' ' {
		n--
	}
	return n
}

// space ends text[:n] with one blank, unless nothing stands before it.
func space(text []byte, n int) int {
	if n > 0 && text[n-1] != ' ' {
		text[n] = ' '
		n++
	}
	return n
}

func isArticle(word []byte) bool {
	switch string(word) {
	case "a", "an", "the", "usd":
		return true
	}
	return false
}

// isPunct reports whether c is in Python's string.punctuation.
func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// isMark reports whether c before a digit can change the value of what is written.
func isMark(c byte) bool {
	return c == '-' || c == '+' || c == '.' || c == ',' || c == ':' || c == '/'
}

// isWord is \w of Python's re for text.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// isSpace is str.isspace of Python: Unicode's blanks and the four ASCII separators.
func isSpace(r rune) bool {
	return 0x1c <= r && r <= 0x1f || unicode.IsSpace(r)
}

func trimSpace(s string) string {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if !isSpace(r) {
			break
		}
		s = s[n:]
	}
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		if !isSpace(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

// isFinalSigma reports whether the capital sigma at s[i:] ends a word, where its lower case is another letter.
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
