// Package names refuses names that are not valid. The error lists the valid ones and suggests the
// closest.
package names

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Parse returns name as a valid name, or the error of [Unknown].
func Parse[T ~string](kind, name string, valid []T) (T, error) {
	if slices.Contains(valid, T(name)) {
		return T(name), nil
	}
	return "", Unknown(kind, name, valid)
}

// Unknown returns the error about a name that is not valid. kind is what it should name, such as
// "dataset".
func Unknown[T ~string](kind, name string, valid []T) error {
	are := "are"
	if len(valid) == 1 {
		are = "is"
	}

	if meant, ok := Closest(name, valid); ok {
		return fmt.Errorf("unknown %s %q, did you mean %s? Valid %s %s",
			kind, name, meant, are, Join(valid))
	}
	return fmt.Errorf("unknown %s %q: valid %s %s", kind, name, are, Join(valid))
}

// Texts turns a list of names into one of texts.
func Texts[T ~string](list func() []T) func() []string {
	return func() []string {
		var texts []string
		for _, v := range list() {
			texts = append(texts, string(v))
		}
		return texts
	}
}

// Join lists names in one line.
func Join[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// Closest returns the valid name that was probably meant: the first of those with the fewest
// mistakes, if these are few. The last part of a name, such as trees of search.trees, or the
// beginning of a name may stand for the whole, and for the shortest of several.
func Closest[T ~string](name string, valid []T) (meant T, ok bool) {
	typed := strings.ToLower(name)
	best := max(len(typed), 3)/3 + 1 // as many would be another word

	for _, v := range valid {
		whole := strings.ToLower(string(v))
		tail := whole[strings.LastIndexAny(whole, " .:/")+1:]

		n := min(mistakes(typed, whole), mistakes(typed, tail))
		if len(typed) >= 3 && strings.HasPrefix(whole, typed) {
			n = min(n, 1)
		}

		if n < best || ok && n == best && strings.HasPrefix(whole, typed) && len(v) < len(meant) {
			best, meant, ok = n, v, true
		}
	}
	return meant, ok
}

// mistakes counts the bytes that have to be inserted, deleted, replaced, or swapped with the next
// one to turn a into b: the distance of optimal string alignment.
func mistakes(a, b string) int {
	var before []int // from a without its last two bytes to each prefix of b

	last := make([]int, len(b)+1) // from a without its last byte
	for j := range last {
		last[j] = j
	}

	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1

		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}

			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}

		before, last = last, row
	}
	return last[len(b)]
}

// Marked ends a name with a hash of what it identifies, within most characters.
func Marked(name, identity string, most int) string {
	mark := fmt.Sprintf("_%.4x", sha256.Sum256([]byte(identity)))

	runes := []rune(name)
	if most -= len(mark); len(runes) > most {
		runes = runes[:most]
	}
	return string(runes) + mark
}
