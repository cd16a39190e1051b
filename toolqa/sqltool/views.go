package sqltool

import (
	"fmt"
	"strings"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// publishedCells is how many characters of a cell the published database of airbnb and yelp has.
const publishedCells = 250

// textView returns the statement that makes a view of a table in which every column is text, as in
// the published database. A column of texts without missing cells stays as it is, so that SQLite
// finds its index.
func textView(schema corpus.Schema) string {
	columns := make([]string, len(schema.Columns))

	cut := schema.Dataset == toolqa.Airbnb || schema.Dataset == toolqa.Yelp
	for i, c := range schema.Columns {
		name := quote(c.SQLName())

		columns[i] = asText(c.Kind, name, cut)
		if c.Optional {
			columns[i] = "ifnull(" + columns[i] + ", '---')"
		}

		if columns[i] != name {
			// For what publish does not see, such as a number by its alias.
			columns[i] = "CAST(" + columns[i] + " AS TEXT)"
		}

		columns[i] += " AS " + quote(publishedName(schema.Dataset, c.SQLName()))
	}
	return fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s.%s", schema.Table, strings.Join(columns, ", "),
		schema.Dataset, schema.Table)
}

// publishedName is what a column is called in the published database.
func publishedName(ds toolqa.Dataset, column string) string {
	if ds == toolqa.Airbnb {
		return strings.NewReplacer("lat", "latitude", "long", "longitude").Replace(column)
	}
	return column
}

// asText returns the expression of a column's cells as the published database has them. Cells
// that are cut become texts first, as Python prints them.
func asText(kind corpus.Kind, name string, cut bool) string {
	switch kind {
	case corpus.Integer:
		return fmt.Sprintf("CAST(%s AS TEXT)", name)
	case corpus.Bool:
		if !cut { // the published loader hands over True, which MySQL writes as 1
			return fmt.Sprintf("CAST(%s AS TEXT)", name)
		}
		return fmt.Sprintf("CASE %s WHEN 1 THEN 'True' WHEN 0 THEN 'False' END", name)
	case corpus.Real: // SQLite writes whole numbers as Python does, and is faster
		return fmt.Sprintf("CASE WHEN abs(%[1]s) < 1e15 AND %[1]s = CAST(%[1]s AS INTEGER) THEN CAST(%[1]s AS "+
			"TEXT) ELSE py_str(%[1]s) END", name)
	}

	if cut {
		return fmt.Sprintf("substr(%s, 1, %d)", name, publishedCells)
	}
	return name
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
