package synth

import (
	"iter"
	"slices"
	"testing"

	"toolevo/trajectories"
)

// Collect drains a sequence.
func Collect[T any](t testing.TB, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T

	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}

		all = append(all, v)
	}
	return all
}

// FirstError drains a sequence and returns its error.
func FirstError[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}

	return nil
}

// Sequence returns rows in the order they have.
func Sequence(rows []trajectories.Row) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Sorted returns rows in canonical order. It sorts the slice.
func Sorted(rows []trajectories.Row) iter.Seq2[trajectories.Row, error] {
	slices.SortFunc(rows, func(a, b trajectories.Row) int { return trajectories.Compare(&a, &b) })
	return Sequence(rows)
}
