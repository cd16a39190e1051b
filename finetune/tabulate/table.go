package tabulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// All is the key of a row over every group.
const All = "all"

// Table describes rows: what they are grouped by, and their figures.
type Table struct {
	Over    string     `yaml:"over"`    // the source of the rows; without one the caller makes them
	By      []string   `yaml:"by"`      // keys
	Order   []string   `yaml:"order"`   // keys that rows are sorted by; the default is order of appearance
	Totals  [][]string `yaml:"totals"`  // keys that are "all" in further rows, over all their values
	Single  bool       `yaml:"single"`  // if a key has one value, the total stays and not the value
	Both    bool       `yaml:"both"`    // if a key has one value, both stay
	Strata  []string   `yaml:"strata"`  // what weighs the same in means and rates
	Cluster string     `yaml:"cluster"` // what rates are clustered by
	Unit    string     `yaml:"unit"`    // the name of a cluster in captions
	Where   string     `yaml:"where"`   // rows of the source where this is 0 are left out
	Needs   string     `yaml:"needs"`   // a row where this is 0 shows no figures that are not counts
	Columns []Column   `yaml:"columns"`
	Pairs   *Pairs     `yaml:"pairs"` // compares rows with one of them
	CSV     []string   `yaml:"csv"`   // columns of CSV: NAME, or HEAD=NAME

	name string
}

// Column is a figure of a group. It sets one of Sum, Count, Mean, Rate, Deviation, Part, First and
// Cells; without any of them the caller fills it in.
type Column struct {
	Name  string `yaml:"name"`  // in JSON; a.b is the key b of the object a
	Head  string `yaml:"head"`  // in tables; the default is the name
	As    string `yaml:"as"`    // integer (the default), decimal, hundredths, percent, points, …
	Needs string `yaml:"needs"` // see Table.Needs
	Share string `yaml:"share"` // an integer that is not 0 is shown as its share of itself and this column

	Sum       string `yaml:"sum"`       // of this column
	Count     string `yaml:"count"`     // of its distinct values, where Of is not 0
	Mean      string `yaml:"mean"`      // its sum in relation to that of Of
	Rate      string `yaml:"rate"`      // the same with an interval
	Deviation string `yaml:"deviation"` // standard deviation of its means in the groups by Over
	Part      string `yaml:"part"`      // its sum in relation to that of all rows with the same keys up to Over
	First     string `yaml:"first"`     // text of this column that is not empty
	Cells     bool   `yaml:"cells"`     // strata in which Of is not 0

	Of         string `yaml:"of"`         // the default is measured
	Over       string `yaml:"over"`       // of Deviation and Part
	Population bool   `yaml:"population"` // Deviation is by n, not by n-1
	Positive   bool   `yaml:"positive"`   // 0 means that it was not counted
	Low        string `yaml:"low"`        // the names of the ends of an interval; by default NAME_low, NAME_high
	High       string `yaml:"high"`
}

// Pairs compares each row with the one that has other keys, on the questions of both. The columns
// are paired_n, only_first and only_second, which one side has right in more of its episodes,
// difference, of what the two rows show, paired_difference, on the questions of both, with its
// interval, p and p_holm, adjusted among the rows that are compared with the same one. Relative
// adds relative with its interval.
type Pairs struct {
	With     map[string]string `yaml:"with"`     // the keys of the row that others are compared with
	Of       string            `yaml:"of"`       // the column that is compared
	On       []string          `yaml:"on"`       // what identifies a question
	Change   string            `yaml:"change"`   // the figure that has a difference
	Relative bool              `yaml:"relative"` // the change in relation to what was
}

// Tables are the tables and views of a file.
type Tables struct {
	Tables map[string]*Table `yaml:"tables"`
	Views  []*View           `yaml:"views"` // in the order in which a report shows them

	reports []string
}

// Embedded returns a function that reads the description of tables and views when it is first
// called, so that commands without tables start sooner.
func Embedded(text []byte, sources, reports []string) func() *Tables {
	return sync.OnceValue(func() *Tables { return MustRead(text, sources, reports) })
}

// MustRead reads the description of tables over some sources, and of their views in some reports.
// What is wrong with it is a mistake in the program: a source or a report that is not among these,
// a report without a view, a view without a report, and a view of figures that its table lacks.
func MustRead(text []byte, sources, reports []string) *Tables {
	all := Tables{reports: reports}
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("tabulate: %v", err))
	}

	// Tables are completed before views look for their columns: comparisons add some.
	for name, t := range all.Tables {
		t.name = name
		t.complete()

		if t.Over != "" && !slices.Contains(sources, t.Over) {
			panic(fmt.Sprintf("tabulate: the table %s is over %q: want one of %q", name, t.Over, sources))
		}
	}

	for _, v := range all.Views {
		if v.table = all.Tables[v.Table]; v.table == nil {
			panic(fmt.Sprintf("tabulate: %q, which a view is of, is not a table", v.Table))
		}

		for _, name := range v.Figures {
			v.table.column(name) // panics if the table lacks it
		}

		unknown := slices.DeleteFunc(slices.Clone(v.In), all.has)
		if len(v.In) == 0 || len(unknown) > 0 {
			panic(fmt.Sprintf("tabulate: a view of the table %s is in %q: want some of %q",
				v.Table, v.In, reports))
		}
	}

	// A misspelt report would show an empty page instead of an error.
	for _, report := range reports {
		if len(all.Report(report)) == 0 {
			panic(fmt.Sprintf("tabulate: the report %s has no view", report))
		}
	}

	return &all
}

func (t *Tables) has(report string) bool { return slices.Contains(t.reports, report) }

// Report returns the views that a report shows.
func (t *Tables) Report(name string) []*View {
	if !t.has(name) {
		panic(fmt.Sprintf("tabulate: there is no report %q: want one of %q", name, t.reports))
	}
	return slices.DeleteFunc(slices.Clone(t.Views), func(v *View) bool {
		return !slices.Contains(v.In, name)
	})
}

// Rows returns the rows of the tables that are over some sources, by the names of the tables.
func (t *Tables) Rows(sources map[string]*Source) map[string][]Row {
	rows := map[string][]Row{}

	for name, table := range t.Tables {
		if table.Over != "" {
			rows[name] = table.Rows(sources[table.Over])
		}
	}

	return rows
}

// Grids returns the tables of a report, with the rows of each. If nobody made the rows of one, that
// is a mistake in the program; if it has no rows, it is left out.
func (t *Tables) Grids(report string, rows map[string][]Row) (grids []Grid) {
	for _, v := range t.Report(report) {
		own, ok := rows[v.Table]
		if !ok && v.table.Over == "" {
			panic(fmt.Sprintf("tabulate: the table %s of the report %s has no rows: "+
				"say what it is over, or make them", v.Table, report))
		}

		grids = append(grids, v.Grids(own)...)
	}
	return grids
}

// complete adds the defaults, and the columns of comparisons.
func (t *Table) complete() {
	if t.Pairs != nil {
		t.Columns = append(t.Columns, Column{Name: "difference", As: "points"},
			Column{Name: "paired_difference", As: "points"},
			Column{Name: "relative", As: "points"}, Column{Name: "paired_n"},
			Column{Name: "only_first"}, Column{Name: "only_second"}, Column{Name: "p", As: "probability"},
			Column{Name: "p_holm", Head: "p", As: "probability"})
	}

	for i := range t.Columns {
		c := &t.Columns[i]
		c.Of = cmp.Or(c.Of, "measured")
		c.Head = cmp.Or(c.Head, strings.ReplaceAll(c.Name, "_", " "))
		c.Low, c.High = cmp.Or(c.Low, c.Name+"_low"), cmp.Or(c.High, c.Name+"_high")

		if c.As != "" && c.As != "text" {
			c.Needs = cmp.Or(c.Needs, t.Needs)
		}
	}
}

// column returns a column, or one that shows a key.
func (t *Table) column(name string) *Column {
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }); i >= 0 {
		return &t.Columns[i]
	}

	if slices.Contains(t.By, name) {
		return &Column{Name: name, Head: name, As: "text"}
	}

	panic(fmt.Sprintf("tabulate: the table %s has no column %q", t.name, name))
}
