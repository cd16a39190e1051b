package layout

import (
	"context"
	"embed"
	"strings"

	"toolevo/envs/yamltext"
	"toolevo/toolqa"
)

// A corpus file is made of tables. The typed table of a dataset (SchemaOf) and its printed columns
// (cells) are written by Write, from rows of cells. Everything else, such as passages or graphs,
// are side tables, which a dataset has beside its typed table or instead of it.
//
// To give a dataset tables of its own:
//
//   - describe them in side_tables.yaml: Write creates them;
//   - return a Part that fills them from the dataset's generator (generators in package synth) and
//     from its importer (importers in package importer);
//   - read them in a method of *Corpus through c.db, which is open, read-only, until Close.
//
// Every row that a part puts is inserted in the one transaction of Write, counted, and hashed: the
// hash of a table is that of its rows as CSV text with a header (table contents of the file). A
// part hashes nothing itself.

// SideTable is a table of a corpus file beside the typed one. Its rows are hashed in the order of
// their rowid.
type SideTable struct {
	Name    string
	Columns []string   // declarations in SQL, the column's name first: "id INTEGER PRIMARY KEY", "name TEXT NOT NULL"
	Indexes [][]string // columns by name; made after the last row
}

//go:embed side_tables.yaml
var sideTableFile embed.FS

// SideTables are the side tables of each dataset. The rows of the first are what [Info].Rows counts
// for a dataset without a typed table.
var SideTables = yamltext.Once[map[toolqa.Dataset][]SideTable](sideTableFile, "side_tables.yaml")

// The tables of passages and of the results that papers state.
const (
	Documents = "documents"
	Relations = "relations"
)

// Part fills side tables. It calls put for every row, of the tables in any order. The values are
// those of all columns: int64, float64, string, []byte, or nil. Rows of a table with an INTEGER
// PRIMARY KEY are put in its ascending order. A part returns the error of put, which also checks
// ctx.
type Part func(ctx context.Context, put func(table string, values ...any) error) error

// TablesOf returns the names of the tables of a dataset that hold its data, in the order of their
// hashes: the typed table, then the side tables.
func TablesOf(ds toolqa.Dataset) []string {
	var names []string
	if schema, err := SchemaOf(ds); err == nil {
		names = append(names, schema.Table)
	}

	for _, t := range SideTables()[ds] {
		names = append(names, t.Name)
	}
	return names
}

// IndexName returns the name of the index of a table over columns.
func IndexName(table string, columns []string) string {
	return table + "_" + strings.Join(columns, "_")
}

// ColumnNames returns the first word of each declaration.
func ColumnNames(decl []string) []string {
	names := make([]string, len(decl))
	for i, d := range decl {
		names[i], _, _ = strings.Cut(d, " ")
	}
	return names
}
