package score

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"toolevo/envs/pytext"
)

// clean gives all spellings of a text one form: NFKC, which unifies composed and decomposed letters
// and full-width digits, with the quotes and dashes of a keyboard. ASCII texts are unchanged.
func clean(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return s
	}

	var b strings.Builder

	// NFKC would make 102 of 10² and 11/2 of 1½: such numbers stay as they are.
	for s != "" {
		n := strings.IndexFunc(s, isRaised)
		if n < 0 {
			n = len(s)
		}

		b.WriteString(keyboard.Replace(norm.NFKC.String(s[:n])))
		s = s[n:]

		rest := strings.TrimLeftFunc(s, isRaised)
		b.WriteString(s[:len(s)-len(rest)])
		s = rest
	}
	return b.String()
}

// isRaised reports whether r is a superscript, a fraction or another number that is not a digit.
func isRaised(r rune) bool { return unicode.Is(unicode.No, r) }

// keyboard replaces the typographic marks that NFKC leaves.
var keyboard = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "‹", "'", "›", "'",
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`,
	"‐", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-",
)

// unwrap removes blanks, quotes, brackets and Markdown's emphasis around an answer, and a full stop
// after it, unless the answer is nothing else.
func unwrap(s string) string {
	inner := strings.TrimLeft(s, " \t\r\n\"'`([{")

	inner = strings.TrimRight(inner, " \t\r\n\"'`)]}.")
	if inner == "" {
		return pytext.Strip(s)
	}

	plain := strings.Trim(inner, "*")
	if plain != "" && inner[0] == '*' && inner[len(inner)-1] == '*' && !strings.Contains(plain, "*") {
		return plain
	}
	return inner
}

// spaced is a hyphen between a word and a number that a blank follows, so that it is no sign.
var spaced = regexp.MustCompile(`\b\s*-\s+(\d)`)

// closed removes the blanks around such hyphens.
func closed(s string) string {
	if !strings.Contains(s, "- ") { // the usual answer, without an allocation
		return s
	}
	return spaced.ReplaceAllString(s, "-$1")
}

// day is a date as YYYY-MM-DD.
type day [len("2006-01-02")]byte

// parseDay reads a date, false for anything else. It takes year, month and day in that order, with
// hyphens, slashes or points between them.
func parseDay(s string) (day, bool) {
	if len(s) < len("2006-1-2") || len(s) > len(day{}) || !strings.ContainsRune("-/.", rune(s[4])) {
		return day{}, false
	}

	month, date, ok := strings.Cut(s[5:], s[4:5])
	if !ok || !isNumber(s[:4]) || !isNumber(month) || !isNumber(date) || len(month) > 2 || len(date) > 2 {
		return day{}, false
	}

	d := day([]byte("0000-00-00"))
	copy(d[:], s[:4])
	copy(d[7-len(month):], month)
	copy(d[10-len(date):], date)
	return d, true
}

// isNumber reports whether s is digits.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
