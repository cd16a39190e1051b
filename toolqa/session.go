package toolqa

// Session is what the tools of one environment state have loaded and filtered. It is an immutable value: a tool that
// changes it returns another one, which shares all data with the first.
type Session struct {
	// Table is the loaded table and its filters, or nil before the first LoadDB.
	Table View
}

// View is a read-only selection of the rows of a table. Package toolqa/table has the one implementation.
type View interface {
	Dataset() Dataset
	Len() int // the number of rows selected
}
