package score

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"toolevo/envs/pytext"
)

// Strict reports whether predicted says the same as gold.
//
//   - Two quantities match if their numbers are equal and their units are, or one has none: 138.4 usd is 138.40, $1,152
//     is 1152, 14% is 14 but not 0.14, and minutes are not hours.
//   - Lists, written with commas or semicolons, match if their elements do in some order, each as often.
//   - Other texts match if they are the same without case, articles and blanks, and without the punctuation that does
//     not stand before a digit. Dates and times are such texts.
//
// An empty answer matches only an empty answer.
func Strict(gold, predicted string) bool {
	gold, predicted = pytext.Strip(gold), pytext.Strip(predicted)
	if gold == predicted {
		return true
	}

	if gold == "" || predicted == "" {
		return false
	}

	if x, ok := parseQuantity(unwrap(gold)); ok {
		if y, ok := parseQuantity(unwrap(predicted)); ok {
			return x.matches(y)
		}
	}

	return sameText(gold, predicted) || sameList(gold, predicted)
}

// sameText compares what is left of two texts without case, articles, blanks and meaningless punctuation. Where
// nothing is left the texts themselves are compared, so that an article or a row of dashes is not an empty answer.
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

// sameList compares two lists whatever their order.
func sameList(x, y string) bool {
	if !strings.ContainsAny(x, ",;") || !strings.ContainsAny(y, ",;") {
		return false
	}

	xs, ys := elements(x), elements(y)

	return len(xs) > 1 && slices.EqualFunc(xs, ys, func(e, f element) bool {
		if e.number != f.number {
			return false
		}

		if e.number {
			return e.matches(f.quantity)
		}

		return e.text == f.text
	})
}

// elements splits a list and sorts it.
func elements(list string) []element {
	var all []element

	list = unwrap(list)
	for start, i := 0, 0; i <= len(list); i++ {
		if i < len(list) && !separates(list, i) {
			continue
		}

		part := unwrap(list[start:i])
		start = i + 1

		if part == "" {
			continue
		}

		q, ok := parseQuantity(part)

		e := element{number: ok, quantity: q}
		if !ok {
			e.text = string(appendNormal(nil, part, keepMarks))
			if e.text == "" {
				e.text = strings.ToLower(part)
			}
		}

		all = append(all, e)
	}

	slices.SortFunc(all, func(e, f element) int {
		if e.number && f.number {
			return cmp.Or(cmp.Compare(e.value, f.value), cmp.Compare(e.unit, f.unit), cmp.Compare(e.digits, f.digits))
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

// separates reports whether s[i] ends an element: a semicolon, or a comma that does not group thousands.
func separates(s string, i int) bool {
	return s[i] == ';' || s[i] == ',' && !groups(s, i)
}

// groups reports whether the comma at s[i] has a digit before it and exactly three after it.
func groups(s string, i int) bool {
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

// unwrap removes blanks, quotes and brackets around an answer and a full stop behind it, unless nothing else is there.
func unwrap(s string) string {
	inner := strings.TrimLeft(s, " \t\r\n\"'`([{")

	inner = strings.TrimRight(inner, " \t\r\n\"'`)]}.")
	if inner == "" {
		return pytext.Strip(s)
	}

	return inner
}
