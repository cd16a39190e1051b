package toolqa

// Session is what the tools of one environment state have loaded and filtered. It is an immutable
// value: a tool that changes it returns another one, which shares all data with the first.
type Session struct {
	// Table is the loaded table and its filters, or nil before the first LoadDB.
	Table View

	// Spoiled is the edges that EdgeCheck has made unusable, the last one first. It is nil unless
	// that defect of the published code is asked for; package toolqa/graph says what it does.
	Spoiled *SpoiledEdge
}

// View is a read-only selection of the rows of a table. Package toolqa/table has the one
// implementation.
type View interface {
	Dataset() Dataset
	Len() int // the number of rows selected
}

// SpoiledEdge is a list of edges of a graph: one edge and those before it. Nil is the empty list.
type SpoiledEdge struct {
	Edge   int64 // its id in the corpus
	Before *SpoiledEdge
}

// Has reports whether an edge is in the list.
func (e *SpoiledEdge) Has(edge int64) bool {
	for ; e != nil; e = e.Before {
		if e.Edge == edge {
			return true
		}
	}

	return false
}
