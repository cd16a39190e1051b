package corpus

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

// Kind is the type of a column's cells.
type Kind uint8

// The kinds.
const (
	Text    Kind = iota // any text
	Real                // a finite decimal number
	Integer             // a whole number
	Date                // a calendar day, YYYY-MM-DD, strictly increasing from row to row
	Code                // three upper-case letters, such as a currency
)

// sqlType is the declared type of the column in the typed table.
func (k Kind) sqlType() string {
	switch k {
	case Real:
		return "REAL"
	case Integer:
		return "INTEGER"
	default:
		return "TEXT"
	}
}

// Column describes one column of a dataset.
type Column struct {
	Name string
	Kind Kind
}

// Schema describes the table of a dataset.
type Schema struct {
	Dataset toolqa.Dataset
	Table   string // the name of the typed table, e.g. "coffee_data"
	File    string // the name of the published file, e.g. "coffee_price.csv"
	Rows    int    // of the published file, and of a synthetic corpus when no size is asked for
	Columns []Column
}

// TextTable is the name of the table that holds the same rows as text.
func (s Schema) TextTable() string { return s.Table + "_text" }

// names returns the column names in order.
func (s Schema) names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

// SchemaOf returns the schema of a dataset, or an error when the dataset has no table.
func SchemaOf(ds toolqa.Dataset) (Schema, error) {
	switch ds {
	case toolqa.Coffee:
		return Schema{
			Dataset: toolqa.Coffee, Table: "coffee_data", File: "coffee_price.csv", Rows: 5741,
			Columns: []Column{
				{"Date", Date}, {"Open", Real}, {"High", Real}, {"Low", Real}, {"Close", Real},
				{"Volume", Integer}, {"Currency", Code},
			},
		}, nil
	default:
		return Schema{}, fmt.Errorf("corpus: no schema for dataset %q", ds)
	}
}

// cell is one value in both of its forms: as the typed table holds it, and as the published tools print it.
type cell struct {
	value any
	text  string
}

// parseCell reads a cell of the published file. The error says what was expected.
func parseCell(kind Kind, raw string) (cell, error) {
	switch kind {
	case Real:
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return cell{}, fmt.Errorf("%q: expected a number such as 124.0", raw)
		}
		return cell{f, pytext.FormatFloat(f)}, nil
	case Integer:
		n, err := strconv.ParseInt(raw, 10, 64)
		if err != nil {
			return cell{}, fmt.Errorf("%q: expected a whole number such as 6640", raw)
		}
		return cell{n, strconv.FormatInt(n, 10)}, nil
	case Date:
		if _, err := time.Parse(time.DateOnly, raw); err != nil {
			return cell{}, fmt.Errorf("%q: expected a date such as 2000-01-03", raw)
		}
	case Code:
		if !isCode(raw) {
			return cell{}, fmt.Errorf("%q: expected three upper-case letters such as USD", raw)
		}
	}
	return cell{raw, raw}, nil
}

func isCode(s string) bool {
	for _, r := range s {
		if r < 'A' || r > 'Z' {
			return false
		}
	}
	return len(s) == 3
}
