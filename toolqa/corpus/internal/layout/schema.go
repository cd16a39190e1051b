package layout

import (
	"embed"
	"fmt"
	"strings"

	"toolevo/envs/yamltext"
	"toolevo/toolqa"
)

// Kind is the type of a column's cells. It says how the published tools print a cell, which is how
// pandas read the published file: a column of whole numbers with gaps is Real.
type Kind string

// The kinds.
const (
	Text    Kind = "text"    // any text
	Real    Kind = "real"    // a finite decimal number, printed as Python's str of the float: "124.0"
	Integer Kind = "integer" // a whole number
	Bool    Kind = "bool"    // printed True or False; 1 and 0 in SQL
	Date    Kind = "date"    // a calendar day, YYYY-MM-DD
	Code    Kind = "code"    // three upper-case letters, such as a currency
	// a time of day, stored as "9:00 AM" or "2 PM"; printed, and in SQL, as "09:00:00". Other text
	// stays as it is
	Clock  Kind = "clock"
	Object Kind = "object" // a JSON object, printed as Python's repr of the dict
)

// SQLType is the declared type of the column in the typed table.
func (k Kind) SQLType() string {
	switch k {
	case Real:
		return "REAL"
	case Integer, Bool:
		return "INTEGER"
	default:
		return "TEXT"
	}
}

// Column describes one column of a dataset.
type Column struct {
	Name string // as the published file spells it, and the table tools
	Kind Kind

	// Optional columns have rows without a value: NULL in SQL. The table tools print "nan", as
	// pandas does, or in columns of texts and objects that come from JSON "None".
	Optional bool
}

// SQLName is the column's name in SQL, which cannot spell spaces: they are underscores there.
func (c Column) SQLName() string { return strings.ReplaceAll(c.Name, " ", "_") }

// Schema describes the table of a dataset.
type Schema struct {
	Dataset toolqa.Dataset
	Table   string // the name of the typed table, e.g. "coffee_data"
	// the name of the published file, e.g. "coffee_price.csv"; one that ends in .jsonl or .json has
	// an object a line
	File       string
	Rows       int // of the published file, and of a synthetic corpus when no size is asked for
	Columns    []Column
	Increasing string     // the column whose cells strictly increase from row to row, or ""
	Indexes    [][]string // columns, by their names in SQL, by which queries look rows up
}

// Column returns the column called name, and whether there is one. Names are case sensitive.
func (s Schema) Column(name string) (Column, bool) {
	for _, c := range s.Columns {
		if c.Name == name {
			return c, true
		}
	}

	return Column{}, false
}

// Names returns the column names in order.
func (s Schema) Names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

// Clocks returns the names of the columns that the published file holds in another form than the
// tools print.
func (s Schema) Clocks() []string {
	var names []string

	for _, c := range s.Columns {
		if c.Kind == Clock {
			names = append(names, c.Name)
		}
	}

	return names
}

// IsJSON reports whether the published file has a JSON object a line.
func (s Schema) IsJSON() bool {
	return strings.HasSuffix(s.File, ".jsonl") || strings.HasSuffix(s.File, ".json")
}

//go:embed schemas.yaml
var schemaFile embed.FS

// Schemas are the tables of the benchmark.
var Schemas = yamltext.Once[map[toolqa.Dataset]Schema](schemaFile, "schemas.yaml")

// SchemaOf returns the schema of a dataset's table, or an error when the dataset has no table.
func SchemaOf(ds toolqa.Dataset) (Schema, error) {
	s, ok := Schemas()[ds]
	if !ok {
		return Schema{}, fmt.Errorf("corpus: dataset %q has no table", ds)
	}

	s.Dataset = ds
	return s, nil
}
