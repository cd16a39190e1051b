package export_test

import (
	"iter"
	"testing"

	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// The data files of the format that is tested most.
var (
	parquetFile = export.SFTTrajectory.Dataset() + ".parquet"
	jsonlFile   = export.SFTTrajectory.Dataset() + ".jsonl"
)

// collect drains a sequence.
func collect[T any](t testing.TB, seq iter.Seq2[T, error]) []T {
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

// firstError drains a sequence and returns its error.
func firstError[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}

	return nil
}

func sequence(rows []trajectories.Row) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}
