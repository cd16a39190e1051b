package trajectories

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// Merge merges sequences of rows in canonical order into one, so that the rows of a question from
// several runs come together. Of equal rows (a run given twice) only the first is kept. Two rows of
// one run and place that are not equal are an error: one of the files is not what its run wrote.
// The first error ends it.
func Merge(seqs ...iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	// One sequence is in order, and no other can differ from it.
	if len(seqs) == 1 {
		return seqs[0]
	}

	return func(yield func(Row, error) bool) {
		heads := make([]head, 0, len(seqs))
		for _, s := range seqs {
			next, stop := iter.Pull2(s)
			defer stop()

			h := head{next: next}
			if h.advance() {
				heads = append(heads, h)
			}
		}
		var here []Row // yielded so far of the place that is being merged

		for len(heads) > 0 {
			least := 0

			// An unreadable head might be the least one, so its error comes before any other row.
			for i := range heads {
				if heads[i].err != nil {
					yield(Row{}, heads[i].err)
					return
				}

				if Compare(&heads[i].row, &heads[least].row) < 0 {
					least = i
				}
			}

			row := heads[least].row
			if len(here) > 0 && comparePlaces(&here[0], &row) != 0 {
				here = here[:0]
			}

			// Each of several runs may have one row of this place. A second row of a run is the
			// same file again, or proves that a file was changed.
			switch i := slices.IndexFunc(here, func(r Row) bool { return r.RunID == row.RunID }); {
			case i < 0:
				if !yield(row, nil) {
					return
				}

				here = append(here, row)
			case !reflect.DeepEqual(here[i], row):
				yield(Row{}, fmt.Errorf("trajectories: two trajectories of run %s at question %s, tree %d, "+
					"node %d differ: one of its files was changed; `toolevo check` says which",
					row.RunID, row.QuestionID, row.Tree, row.Node))
				return
			}

			if !heads[least].advance() {
				heads = append(heads[:least], heads[least+1:]...)
			}
		}
	}
}

// head is the next row of one sequence.
type head struct {
	next func() (Row, error, bool)
	row  Row
	err  error
}

func (h *head) advance() bool {
	var ok bool
	h.row, h.err, ok = h.next()
	return ok
}
