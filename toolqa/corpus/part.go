package corpus

import (
	"context"

	"toolevo/toolqa"
)

// A corpus file is made of tables. The typed table of a dataset (SchemaOf) and its printed columns (cells)
// are written by write, from rows of cells. Everything else, such as passages or graphs, are side tables,
// which a dataset has beside its typed table or instead of it.
//
// To give a dataset tables of its own:
//
//   - describe them as a sideTable each, and list them in sideTables: write creates them, Verify checks them;
//   - return a part that fills them from the dataset's generator (generators in synthetic.go) and from its importer
//     (importers in import.go);
//   - read them in a method of *Corpus through c.db, which is open, read-only, until Close.
//
// Every row that a part puts is inserted in the one transaction of write, counted, and hashed: the hash of a table is
// that of its rows as CSV text with a header (table contents of the file). A part hashes nothing itself.

// sideTable is a table of a corpus file beside the typed one. Its rows are hashed in the order of their rowid.
type sideTable struct {
	name    string
	columns []string   // declarations in SQL, the column's name first: "id INTEGER PRIMARY KEY", "name TEXT NOT NULL"
	indexes [][]string // columns by name; made after the last row
}

// sideTables returns the side tables of each dataset. The rows of the first are what [Info].Rows counts for a dataset
// without a typed table.
func sideTables() map[toolqa.Dataset][]sideTable {
	return map[toolqa.Dataset][]sideTable{
		toolqa.Agenda: {documentsTable},
		toolqa.DBLP:   dblpTables(),
		toolqa.SciREX: {documentsTable, relationsTable},
	}
}

// part fills side tables. It calls put for every row, of the tables in any order. The values are those of all
// columns: int64, float64, string, []byte, or nil. Rows of a table with an INTEGER PRIMARY KEY are put in its
// ascending order. What put returns is returned; put also looks at ctx.
type part func(ctx context.Context, put func(table string, values ...any) error) error

// documentsTable holds passages for retrieval, in the order of the published file.
var documentsTable = sideTable{
	name:    "documents",
	columns: []string{"id INTEGER PRIMARY KEY", "name TEXT NOT NULL", "content TEXT NOT NULL"},
}
