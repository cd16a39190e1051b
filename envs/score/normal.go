package score

import (
	"bytes"
	"unicode/utf8"

	"toolevo/envs/pytext"
)

// marks says what appendNormal does with ASCII punctuation.
type marks bool

const (
	dropMarks marks = false // delete all of it, as the published matcher does
	keepMarks marks = true  // keep what changes the meaning: see changesMeaning
)

// appendNormal appends s in lower case, without punctuation and articles, with blanks collapsed to
// single spaces and none at the ends. Lower case, words and blanks are those of Python's str and
// re.
//
// With dropMarks an article is one of the words a, an, the and usd. With keepMarks it is a, an or
// the before another word, and blanks beside a sign that is always kept are removed: "5 %" is "5%".
func appendNormal(dst []byte, s string, m marks) []byte {
	start := len(dst)
	dst = pytext.AppendLower(dst, s)
	text := dst[start:]
	n := 0

	for i, c := range text {
		if !pytext.IsPunctuation(c) || m == keepMarks && changesMeaning(text, i) {
			text[n] = c
			n++
		}
	}

	return dst[:start+compact(text[:n], m)]
}

// changesMeaning reports whether the punctuation at text[i] changes what is written: a sign always,
// a mark of numbers before a digit, anything between two digits.
func changesMeaning(text []byte, i int) bool {
	if isSign(text[i]) {
		return true
	}

	if i+1 == len(text) || !isDigit(text[i+1]) {
		return false
	}
	return isMark(text[i]) || i > 0 && isDigit(text[i-1])
}

// compact removes articles and surplus blanks from text in place, and returns the length that is
// left.
func compact(text []byte, m marks) int {
	n := 0 // text[:n] is finished, except for the word that began at word
	word := -1

	// What follows a word may decide whether it is an article, so each is judged at its end.
	endWord := func(rest []byte) {
		if word >= 0 && isArticle(text[word:n], rest, m) {
			n = word
			n = endWithBlank(text, n, m)
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
			endWord(text[i:])

			n = endWithBlank(text, n, m)
		case pytext.IsWord(r):
			if word < 0 {
				word = n
			}

			n += copy(text[n:], text[i:i+size])
		default:
			endWord(text[i:])

			// The blank before a sign is dropped as well: "5 %" is "5%".
			if m == keepMarks && isSign(text[i]) && n > 0 && text[n-1] == ' ' {
				n--
			}

			n += copy(text[n:], text[i:i+size])
		}

		i += size
	}

	endWord(nil)

	if n > 0 && text[n-1] == ' ' {
		n--
	}
	return n
}

// endWithBlank ends text[:n] with one blank, unless the text is empty or ends with a sign that
// takes no blanks.
func endWithBlank(text []byte, n int, m marks) int {
	if n > 0 && text[n-1] != ' ' && !(m == keepMarks && isSign(text[n-1])) {
		text[n] = ' '
		n++
	}
	return n
}

// isArticle reports whether a word is an article. rest is the text after it.
func isArticle(word, rest []byte, m marks) bool {
	switch string(word) {
	case "a", "an", "the":
		if m == dropMarks {
			return true
		}

		next := bytes.TrimLeftFunc(rest, pytext.IsSpace)
		r, _ := utf8.DecodeRune(next)
		return len(next) < len(rest) && len(next) > 0 && pytext.IsWord(r)
	case "usd":
		return m == dropMarks
	}
	return false
}

// isMark reports whether c before a digit can change the value of what is written.
func isMark(c byte) bool {
	return c == '-' || c == '.' || c == ',' || c == ':' || c == '/'
}

// isSign reports whether c has a meaning of its own: C++ is not C#, and <5 not >5.
func isSign(c byte) bool {
	switch c {
	case '<', '>', '=', '+', '#', '%', '$', '*', '^':
		return true
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
