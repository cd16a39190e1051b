package sqltool

import (
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/envs/silent"
)

// textFunctions are functions of texts. Positions and lengths count characters, positions from 1.
func textFunctions() map[string]function {
	// Those that can make a text longer than they got have a call that returns an error if it is
	// too long.
	return map[string]function{
		"concat": {least: 1, most: many, call: concat},
		"left":   takes(2, func(a []any) any { return slice(textOf(a[0]), wholeOf(a[1]), false) }),
		"right":  takes(2, func(a []any) any { return slice(textOf(a[0]), wholeOf(a[1]), true) }),
		"lpad":   {least: 3, most: 3, call: func(a []any) (any, error) { return pad(a, true) }},
		"rpad":   {least: 3, most: 3, call: func(a []any) (any, error) { return pad(a, false) }},
		"repeat": {
			least: 2,
			most:  2,
			call:  func(a []any) (any, error) { return repeat(textOf(a[0]), wholeOf(a[1])) },
		},
		"space":   {least: 1, most: 1, call: func(a []any) (any, error) { return repeat(" ", wholeOf(a[0])) }},
		"reverse": takes(1, func(a []any) any { return reverse(textOf(a[0])) }),
		"substring_index": takes(3, func(a []any) any {
			return substringIndex(textOf(a[0]), textOf(a[1]), wholeOf(a[2]))
		}),
		"locate": takesTo(2, 3, locate),
		"strcmp": takes(2, func(a []any) any { return int64(strings.Compare(textOf(a[0]), textOf(a[1]))) }),
		"ascii":  takes(1, func(a []any) any { return firstByte(textOf(a[0])) }),
		// A NULL is not found in the list, but the value is 0 and not NULL.
		"field": {
			least: 2,
			most:  many,
			null:  true,
			call:  func(a []any) (any, error) { return field(a), nil },
		},
		"find_in_set": takes(2, func(a []any) any { return findInSet(textOf(a[0]), textOf(a[1])) }),
		"is_null": {
			least: 1,
			most:  1,
			null:  true,
			call:  func(a []any) (any, error) { return truth(a[0] == nil), nil },
		},

		// For views of tables that are deployed in another form.
		"shift_point": takes(2, func(a []any) any {
			return silent.Shifted(textOf(a[0]), int(min(max(wholeOf(a[1]), -mostShift), mostShift)))
		}),
		"shift_time": takes(2, func(a []any) any { return silent.Later(textOf(a[0]), int(wholeOf(a[1]))) }),

		// For views whose columns are text: a CAST writes numbers unlike Python.
		"py_str": {least: 1, most: 1, call: func(a []any) (any, error) { return textOf(a[0]), nil }},
	}
}

// mostShift is the largest number of places by which shift_point moves a point.
const mostShift = 20

func concat(a []any) (any, error) {
	var b strings.Builder
	for _, v := range a {
		if b.WriteString(textOf(v)); b.Len() > maxText {
			return nil, errTooLong
		}
	}

	return b.String(), nil
}

// slice returns the first or the last n characters of a text.
func slice(s string, n int64, last bool) string {
	runes := []rune(s)

	n = min(max(n, 0), int64(len(runes)))
	if last {
		return string(runes[int64(len(runes))-n:])
	}
	return string(runes[:n])
}

// pad gives a text a length in characters: it puts others before or after it, or cuts its end off.
// It is NULL if there is nothing to put there, or the length is negative.
func pad(a []any, before bool) (any, error) {
	s, n, with := []rune(textOf(a[0])), wholeOf(a[1]), []rune(textOf(a[2]))
	switch {
	case n < 0:
		return nil, nil
	case n <= int64(len(s)):
		return string(s[:n]), nil
	case n > maxText:
		return nil, errTooLong
	case len(with) == 0:
		return nil, nil
	}

	filling := make([]rune, 0, n)
	for i := range int(n) - len(s) {
		filling = append(filling, with[i%len(with)])
	}

	if before {
		return string(append(filling, s...)), nil
	}
	return string(s) + string(filling), nil
}

func repeat(s string, n int64) (any, error) {
	if n = max(n, 0); n > maxText || n*int64(len(s)) > maxText {
		return nil, errTooLong
	}
	return strings.Repeat(s, int(n)), nil
}

func reverse(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// substringIndex returns what is before the n-th separator of a text, or, if n is negative, after
// the n-th from its end.
func substringIndex(s, separator string, n int64) string {
	if separator == "" || n == 0 {
		return ""
	}

	parts := strings.Split(s, separator)
	if n > 0 {
		return strings.Join(parts[:min(n, int64(len(parts)))], separator)
	}
	return strings.Join(parts[max(int64(len(parts))+n, 0):], separator)
}

// locate returns the position of one text in another, from a position on, or 0. As in MySQL, the
// case of letters does not matter.
func locate(a []any) any {
	from := int64(1)
	if len(a) == 3 {
		from = wholeOf(a[2])
	}

	s := []rune(textOf(a[1]))
	if from < 1 || from > int64(len(s))+1 {
		return int64(0)
	}

	tail := strings.ToLower(string(s[from-1:]))

	i := strings.Index(tail, strings.ToLower(textOf(a[0])))
	if i < 0 {
		return int64(0)
	}
	return from + int64(utf8.RuneCountInString(tail[:i]))
}

func firstByte(s string) int64 {
	if s == "" {
		return 0
	}
	return int64(s[0])
}

// field returns the number of the first of the other arguments that is equal to the first, or 0.
func field(a []any) any {
	for i, v := range a[1:] {
		if a[0] != nil && v != nil && textOf(v) == textOf(a[0]) {
			return int64(i + 1)
		}
	}

	return int64(0)
}

// findInSet returns the number of an item in a list separated by commas, or 0.
func findInSet(item, list string) int64 {
	if list == "" {
		return 0
	}
	return int64(slices.Index(strings.Split(list, ","), item) + 1)
}
