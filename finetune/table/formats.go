package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// None stands in a table where there is no figure.
const None = "–"

// WriteMarkdown writes tables as Markdown.
func WriteMarkdown(w io.Writer, tables []Table) error {
	return WriteSections(w, tables, (*Table).markdown)
}

// WriteLaTeX writes tables for booktabs.
func WriteLaTeX(w io.Writer, tables []Table) error { return WriteSections(w, tables, (*Table).latex) }

// WriteSections writes a text for each item, with an empty line between them.
func WriteSections[T any](w io.Writer, items []T, one func(*T, *strings.Builder)) error {
	var b strings.Builder

	for i := range items {
		if i > 0 {
			b.WriteByte('\n')
		}

		one(&items[i], &b)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// WriteCSV writes a line for each row, in full precision, below the names of its columns.
func WriteCSV[R any](w io.Writer, columns []string, rows []R, fields func(R) []string) error {
	lines := [][]string{columns}
	for _, row := range rows {
		lines = append(lines, fields(row))
	}

	return csv.NewWriter(w).WriteAll(lines)
}

// Fields are values as the fields of a line of CSV: numbers with all their digits, nothing where there is no number.
func Fields(values ...any) []string {
	fields := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case float64:
			fields[i] = strconv.FormatFloat(v, 'g', -1, 64)
		case *float64:
			if v != nil {
				fields[i] = strconv.FormatFloat(*v, 'g', -1, 64)
			}
		default:
			fields[i] = fmt.Sprint(v)
		}
	}

	return fields
}

// Empty are the fields of so many columns of which a row has none.
func Empty(columns int) []string { return make([]string, columns) }

// Interval follows a percentage: the ends of its interval, which are shares, with so many decimals. An interval without
// width is of a bootstrap that had nothing to choose from, and would say that nothing is uncertain: it is left out.
func Interval(low, high float64, decimals int) string {
	if low == high {
		return ""
	}

	return fmt.Sprintf(" [%.*f–%.*f]", decimals, 100*low, decimals, 100*high)
}

// Probability is a p-value with three decimals.
func Probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}

	return fmt.Sprintf("%.3f", p)
}

// Distinct returns the values that items have, in the order in which they occur: the heads of columns.
func Distinct[T any, V comparable](items []T, value func(T) V) []V {
	var values []V
	for _, item := range items {
		Place(&values, value(item))
	}

	return values
}

// Place returns the index of a value among others, to which it is added where it is new.
func Place[V comparable](values *[]V, value V) int {
	if i := slices.Index(*values, value); i >= 0 {
		return i
	}

	*values = append(*values, value)

	return len(*values) - 1
}
