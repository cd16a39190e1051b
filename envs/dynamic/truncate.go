package dynamic

import (
	"strings"

	"toolevo/envs/pytext"
)

// truncateWords returns s if it has at most limit words, as Python's str.split counts them, and
// otherwise its first limit words joined by single spaces and followed by " ...". Line breaks are
// lost only in that case.
func truncateWords(s string, limit int) string {
	if len(s) < 2*limit+1 { // limit+1 words need at least limit separators
		return s
	}

	if cut := afterWords(s, limit); pytext.Strip(s[cut:]) == "" {
		return s
	}
	var b strings.Builder

	for word := range strings.FieldsFuncSeq(s, pytext.IsSpace) {
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

// afterWords returns the index in s just after its first n words, or len(s) if it has fewer.
func afterWords(s string, n int) int {
	inWord := false

	for i, r := range s {
		if !pytext.IsSpace(r) {
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
