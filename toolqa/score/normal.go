package score

import (
	"unicode/utf8"

	"toolevo/envs/pytext"
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
	dst = pytext.AppendLower(dst, s)
	text := dst[start:]
	n := 0

	for i, c := range text {
		if !pytext.IsPunctuation(c) || m == keepMarks && isMark(c) && i+1 < len(text) && isDigit(text[i+1]) {
			text[n] = c
			n++
		}
	}

	return dst[:start+compact(text[:n])]
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
		case pytext.IsSpace(r):
			endWord()

			n = space(text, n)
		case pytext.IsWord(r):
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

// isMark reports whether c before a digit can change the value of what is written.
func isMark(c byte) bool {
	return c == '-' || c == '+' || c == '.' || c == ',' || c == ':' || c == '/'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
