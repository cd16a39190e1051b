// Package tiny has a mutant of every kind.
package tiny

import "errors"

// Middle returns the number between two others.
func Middle(a, b int) (int, error) {
	if a > b {
		return 0, errors.New("the first number is larger")
	}
	return a + (b-a)/2, nil
}

// Count counts the numbers that are in a range and not negative.
func Count(list []int, from, to int) int {
	n := 0

	for _, x := range list {
		if x < 0 {
			continue
		}

		if x >= from && x <= to {
			n++
		}
	}
	return n
}

// Untested is what no test reaches.
func Untested(ok bool) string {
	if !ok {
		return "no"
	}
	return "yes"
}

// Forever counts down.
func Forever(n int) {
	for n > 0 {
		n--
	}
}

// Odd returns the first odd number that a source gives. The function would not compile with a break
// in its loop.
func Odd(next func() int) int {
	for {
		n := next()
		if n%2 == 0 {
			continue
		}
		return n
	}
}
