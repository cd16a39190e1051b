package facts

import (
	_ "embed"
	"slices"

	"toolevo/finetune/failure"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

// tables describes the tables of how episodes went.
var tables = tabulate.Embedded(tablesYAML, sources, reports)

var (
	sources = []string{"facts", "calls", "verdicts"}
	reports = []string{"errors", "adaptation"}
)

// Contender identifies the episodes that a row is about.
type Contender struct {
	Policy string `json:"policy"` // e.g. "scripted:reader"
	API    string `json:"api"`    // the deployed API version, or a family of versions
}

// Errors is how episodes failed.
type Errors struct {
	Rows []ErrorRow `json:"rows"` // a row for each policy and API version

	shown map[string][]tabulate.Row
}

// ErrorRow says how the episodes of a policy under an API version failed: a line of Table 7.
type ErrorRow struct {
	Contender
	N        int `json:"n"`        // questions measured
	Measured int `json:"measured"` // episodes measured
	Lost     int `json:"lost"`     // episodes lost to infrastructure failures, in no other figure
	Failed   int `json:"failed"`   // episodes that were measured and did not answer right

	Classes  []ClassCount   `json:"classes"`  // of those that failed, in the order of Table 7; those that occur
	Refusals []RefusalCount `json:"refusals"` // refused calls, in all that were measured; those that occur
}

// ClassCount is how many episodes have a class.
type ClassCount struct {
	Class    failure.Class   `json:"class"`    // why they failed
	Heading  failure.Heading `json:"heading"`  // what Table 7 has the class under
	Episodes int             `json:"episodes"` // that did
	Share    float64         `json:"share"`    // of those that failed, 0..1
}

// RefusalCount is how many calls were refused for one reason.
type RefusalCount struct {
	Refusal failure.Refusal `json:"refusal"` // what the deployed version did not take
	Calls   int             `json:"calls"`   // of which it did not
	Share   float64         `json:"share"`   // of the refused calls, 0..1
}

// Errors returns how the episodes failed.
func (b *Board) Errors() *Errors {
	e := &Errors{shown: b.rows(tables())}
	sortBy(e.shown["classes"], "class", failure.Classes())
	sortBy(e.shown["refusals"], "refusal", failure.Refusals())

	for _, row := range e.shown["errors"] {
		entry := tabulate.As[ErrorRow]([]tabulate.Row{row})[0]
		entry.Classes = tabulate.As[ClassCount](sameContender(row, e.shown["classes"]))
		entry.Refusals = tabulate.As[RefusalCount](sameContender(row, e.shown["refusals"]))
		e.Rows = append(e.Rows, entry)
	}

	return e
}

// Grids returns its tables.
func (e *Errors) Grids() []tabulate.Grid {
	return tables().Grids("errors", e.shown)
}

// rows returns the rows of some tables.
func (b *Board) rows(t *tabulate.Tables) map[string][]tabulate.Row {
	return t.Rows(map[string]*tabulate.Source{
		"facts": tabulate.Of(b.Facts), "calls": tabulate.Of(b.Calls),
		"verdicts": tabulate.Of(b.Verdicts),
	})
}

// sameContender returns the rows of the same policy and API version.
func sameContender(row tabulate.Row, rows []tabulate.Row) []tabulate.Row {
	keys := []string{"policy", "api"}
	return slices.DeleteFunc(slices.Clone(rows), func(r tabulate.Row) bool {
		return !slices.Equal(r.Texts(keys), row.Texts(keys))
	})
}

// sortBy sorts the rows of each policy and API version by the order that the values of a key have.
func sortBy[T ~string](rows []tabulate.Row, key string, order []T) {
	slices.SortStableFunc(rows, func(a, b tabulate.Row) int {
		if a.Text("policy") != b.Text("policy") || a.Text("api") != b.Text("api") {
			return 0
		}
		return slices.Index(order, T(a.Text(key))) - slices.Index(order, T(b.Text(key)))
	})
}
