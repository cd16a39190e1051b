package trajectories

import (
	"fmt"
	"iter"
	"reflect"
)

// Differ compares two sequences. It returns how many elements at the beginning are equal, and how
// have differs from want after those, or "". name says in words what an element is. The first error
// of either sequence ends the comparison.
func Differ[T any](want, have iter.Seq2[T, error], name func(*T) string) (n int, problem string, err error) {
	next, stop := iter.Pull2(have)
	defer stop()

	for v, err := range want {
		if err != nil {
			return n, "", err
		}

		stored, err, ok := next()
		switch {
		case !ok:
			return n, fmt.Sprintf("ends after %d rows", n), nil
		case err != nil:
			return n, "", err
		case !reflect.DeepEqual(v, stored):
			return n, fmt.Sprintf("differs in row %d, which ought to be %s", n, name(&v)), nil
		}
		n++
	}

	_, err, ok := next()
	if err == nil && ok {
		problem = fmt.Sprintf("has more than the %d rows of the run", n)
	}
	return n, problem, err
}
