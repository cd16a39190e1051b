package score

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"toolevo/envs/pytext"
)

// StrictVersion names the rules of Strict. It changes with them, because verdicts by different
// rules cannot be mixed.
const StrictVersion = "3"

// Strict reports whether predicted says the same as gold.
//
//   - Two quantities match if their numbers are equal, digit for digit, and their units are equal
//     or one has none: 138.4 usd is 138.40, $1,152 is 1152, and minutes are not hours. A per cent
//     sign may be left out but not added: for 14% the answer 14 is right and 0.14 is wrong, and for
//     14 the answer 14% is wrong.
//   - Two dates that begin with the year match if they are the same day: 2001-12-6 is 2001-12-06.
//   - If gold is a list, written with commas or semicolons, it matches a list with the same
//     elements in any order, each as often. The answer's commas may then separate or group,
//     whichever fits, and its last "and" may be a comma: for "100, 200" the answers "100,200" and
//     "200 and 100" are right. For "100,200", a number, only that number is.
//   - Other texts match if they are the same without case, articles, blanks, and the punctuation
//     that does not change the meaning: see appendNormal. Before a number a hyphen with a blank
//     behind it is no sign: 9:00 AM - 10:30 AM is 9:00 AM-10:30 AM.
//
// All of this applies after clean. An empty answer matches only an empty answer.
func Strict(gold, predicted string) bool {
	gold, predicted = pytext.Strip(clean(gold)), pytext.Strip(clean(predicted))
	if gold == predicted {
		return true
	}

	if gold == "" || predicted == "" {
		return false
	}

	gold, predicted = closed(unwrap(gold)), closed(unwrap(predicted))
	if x, ok := parseQuantity(gold); ok {
		if y, ok := parseQuantity(predicted); ok {
			return x.matches(y)
		}
	}

	if x, ok := parseDay(gold); ok {
		if y, ok := parseDay(predicted); ok {
			return x == y
		}
	}

	return sameText(gold, predicted) || sameList(gold, predicted)
}

// sameText compares what is left of two texts without case, articles, blanks and meaningless
// punctuation. If nothing is left, it compares the texts themselves, so that a row of dashes is not
// an empty answer.
func sameText(x, y string) bool {
	var a, b [256]byte

	p, q := appendNormal(a[:0], x, keepMarks), appendNormal(b[:0], y, keepMarks)
	if len(p) == 0 {
		return len(q) == 0 && strings.EqualFold(x, y)
	}
	return bytes.Equal(p, q)
}

// element is one entry of a list: a quantity, or the normal form of a text.
type element struct {
	number bool
	quantity
	text string
}

// sameList compares two lists regardless of their order. The form of gold decides whether there is
// a list at all.
func sameList(gold, predicted string) bool {
	if !strings.ContainsAny(gold, ",;") {
		return false
	}

	want := elements(gold, separates)
	if len(want) < 2 {
		return false
	}

	same := func(list string, separates func(string, int) bool) bool {
		return slices.EqualFunc(want, elements(list, separates), element.matches)
	}
	if same(predicted, separates) || same(predicted, everyComma) {
		return true
	}

	joined, ok := commaForAnd(predicted)
	return ok && (same(joined, separates) || same(joined, everyComma))
}

// commaForAnd replaces the last "and" of a list by a comma.
func commaForAnd(list string) (string, bool) {
	const and = " and "

	i := strings.LastIndex(list, and)
	if i < 0 {
		return "", false
	}
	return list[:i] + ", " + list[i+len(and):], true
}

// matches reports whether an element of an answer matches that of the gold answer.
func (e element) matches(f element) bool {
	if e.number && f.number {
		return e.quantity.matches(f.quantity)
	}
	return e.number == f.number && e.text == f.text
}

// elements splits a list where separates says so, and sorts the elements.
func elements(list string, separates func(string, int) bool) []element {
	var all []element

	for start, i := 0, 0; i <= len(list); i++ {
		if i < len(list) && !separates(list, i) {
			continue
		}

		part := unwrap(list[start:i])
		start = i + 1

		// A comma at the end adds no element.
		if part != "" {
			all = append(all, newElement(part))
		}
	}

	// Sorted lists can be compared pair by pair. Digits order numbers that share one float64.
	slices.SortFunc(all, func(e, f element) int {
		if e.number && f.number {
			return cmp.Or(cmp.Compare(e.value, f.value), cmp.Compare(e.unit, f.unit),
				cmp.Compare(e.digits, f.digits))
		}

		if e.number != f.number {
			if e.number {
				return -1
			}
			return 1
		}
		return cmp.Compare(e.text, f.text)
	})
	return all
}

// newElement reads an entry of a list, which is not empty.
func newElement(part string) element {
	if q, ok := parseQuantity(part); ok {
		return element{number: true, quantity: q}
	}

	if d, ok := parseDay(part); ok {
		return element{text: string(d[:])}
	}

	text := string(appendNormal(nil, part, keepMarks))
	return element{text: cmp.Or(text, strings.ToLower(part))}
}

// separates reports whether s[i] ends an element: a semicolon, or a comma that does not group
// thousands.
func separates(s string, i int) bool {
	return s[i] == ';' || s[i] == ',' && !groupsThousands(s, i)
}

// everyComma is separates for lists without blanks, in which no comma groups digits.
func everyComma(s string, i int) bool { return s[i] == ';' || s[i] == ',' }

// groupsThousands reports whether the comma at s[i] has a digit before it and exactly three after
// it.
func groupsThousands(s string, i int) bool {
	if i == 0 || !isDigit(s[i-1]) || i+3 >= len(s) {
		return false
	}

	for _, c := range []byte(s[i+1 : i+4]) {
		if !isDigit(c) {
			return false
		}
	}

	return i+4 == len(s) || !isDigit(s[i+4])
}
