package table

import (
	"fmt"
	"sync"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// tableView is a selection of the rows of a table. It is immutable, safe for concurrent use, and
// implements [toolqa.View].
type tableView struct {
	source *source
	n      int // the number of rows selected

	// kept is the selection itself, if it takes little space. Otherwise it is nil, and the
	// selection is what filters leave of the parent's.
	kept    *selection
	parent  *tableView
	filters []predicate

	cast castSet // the columns whose cells have become numbers
}

// newView returns the selection of all rows of a table.
func newView(t *corpus.Table) *tableView {
	return &tableView{source: &source{table: t}, n: t.Rows(), kept: &selection{n: t.Rows()}}
}

// Dataset returns the dataset whose table this is.
func (v *tableView) Dataset() toolqa.Dataset { return v.source.table.Dataset() }

// Len returns the number of rows selected.
func (v *tableView) Len() int { return v.n }

// keptSize is the largest size of a selection that every view keeps, in bytes.
const keptSize = 4096

// after returns the view of what filters, in this order, leave of v: the selection s.
func (v *tableView) after(filters []predicate, s *selection, cast castSet) *tableView {
	next := &tableView{source: v.source, n: s.n, cast: cast}
	if s.size() <= keptSize {
		next.kept = s
		return next
	}

	next.parent, next.filters = v, filters
	v.source.remember(next, s)
	return next
}

// withCast returns the same selection, with these columns as numbers.
func (v *tableView) withCast(cast castSet) *tableView {
	return v.after(nil, v.selection(), cast)
}

// selection returns the rows of v.
func (v *tableView) selection() *selection {
	if v.kept != nil {
		return v.kept
	}

	if s := v.source.recall(v); s != nil {
		return s
	}

	s := v.parent.selection()
	for _, filter := range v.filters {
		s = s.narrow(filter, v.source.table.Rows())
	}

	v.source.remember(v, s)
	return s
}

// source is a table with the large selections that were used last.
type source struct {
	table *corpus.Table

	mu     sync.Mutex
	recent [128]struct {
		view      *tableView
		selection *selection
	}
	next int // the place in recent that is taken next
}

func (s *source) recall(v *tableView) *selection {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, r := range s.recent {
		if r.view == v {
			return r.selection
		}
	}

	return nil
}

func (s *source) remember(v *tableView, sel *selection) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.recent[s.next].view, s.recent[s.next].selection = v, sel
	s.next = (s.next + 1) % len(s.recent)
}

// viewOf returns the session's view, or nil when no table is loaded.
func viewOf(s toolqa.Session) (*tableView, error) {
	if s.Table == nil {
		return nil, nil
	}

	v, ok := s.Table.(*tableView)
	if !ok {
		return nil, fmt.Errorf("table: the session holds a %T, not a *table.View", s.Table)
	}
	return v, nil
}
