package score

import (
	"bytes"

	"toolevo/envs/pytext"
)

// Official reports whether the published matcher accepts predicted for gold. Both are trimmed
// first. They match if both are numbers for Python's float once every "USD", "$" and "," is
// deleted, and the numbers are equal; or else if they are the same text in lower case without ASCII
// punctuation, without the words a, an, the and usd, and with single spaces.
func Official(gold, predicted string) bool {
	gold, predicted = pytext.Strip(gold), pytext.Strip(predicted)
	if x, ok := officialNumber(gold); ok {
		if y, ok := officialNumber(predicted); ok && x == y {
			return true
		}
	}
	var a, b [256]byte

	return bytes.Equal(appendNormal(a[:0], gold, dropMarks), appendNormal(b[:0], predicted, dropMarks))
}

// officialNumber reads s as the published matcher does.
func officialNumber(s string) (float64, bool) {
	var scratch [64]byte
	kept := scratch[:0]

	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$' || s[i] == ',':
		case s[i] == 'U' && i+2 < len(s) && s[i+1] == 'S' && s[i+2] == 'D':
			i += 2
		default:
			kept = append(kept, s[i])
		}
	}

	return pytext.ParseFloat(string(kept))
}
