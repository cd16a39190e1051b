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

	words, n := strings.FieldsFuncSeq(s, pytext.IsSpace), 0
	for range words {
		if n++; n > limit {
			break
		}
	}

	if n <= limit {
		return s
	}
	var b strings.Builder

	for word := range words {
		if limit--; limit < 0 {
			break
		}

		b.WriteString(word)
		b.WriteByte(' ')
	}

	b.WriteString("...")
	return b.String()
}
