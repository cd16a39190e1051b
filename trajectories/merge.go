package trajectories

import (
	"fmt"
	"iter"
	"reflect"
)

// Merge merges sequences of rows in canonical order into one, so that the rows of a question from several runs come
// together. Of equal rows (a run given twice) only the first is kept. Two rows of one place that are not equal are an
// error: two runs of one ID whose model did not repeat itself cannot be told apart. The first error ends it.
func Merge(seqs ...iter.Seq2[Row, error]) iter.Seq2[Row, error] {
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
		var last *Row
		for len(heads) > 0 {
			least := 0
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
			switch {
			case last == nil || Compare(last, &row) != 0:
				if !yield(row, nil) {
					return
				}
				last = &row
			case !reflect.DeepEqual(*last, row):
				yield(Row{}, fmt.Errorf("trajectories: two runs of the ID %s have different trajectories at question %s, tree %d, node %d: "+
					"export them apart", row.RunID, row.QuestionID, row.Tree, row.Node))
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
