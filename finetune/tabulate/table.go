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
	By      []string   `yaml:"by"`      // keys
	Order   []string   `yaml:"order"`   // keys that rows are sorted by; the default is the order in which they come first
	Totals  [][]string `yaml:"totals"`  // keys that are "all" in further rows, over all that they have
	Single  bool       `yaml:"single"`  // where a key has one value, the total stays and not the value
	Both    bool       `yaml:"both"`    // where a key has one value, both stay
	Strata  []string   `yaml:"strata"`  // what weighs the same in means and rates
	Cluster string     `yaml:"cluster"` // what rates are clustered by
	Unit    string     `yaml:"unit"`    // what a cluster is called in captions
	Where   string     `yaml:"where"`   // rows of the source where this is 0 are left out
	Needs   string     `yaml:"needs"`   // a row where this is 0 shows no figures that are not counts
	Columns []Column   `yaml:"columns"`
	Pairs   *Pairs     `yaml:"pairs"` // compares rows with one of them
	CSV     []string   `yaml:"csv"`   // columns of CSV: NAME, or HEAD=NAME

	name string
}

// Column is a figure of a group. It says one of Sum, Count, Mean, Rate, Deviation, Part, First and Cells; what says
// none of them is filled in by the caller.
type Column struct {
	Name  string `yaml:"name"`  // in JSON; a.b is the key b of the object a
	Head  string `yaml:"head"`  // in tables; the default is the name
	As    string `yaml:"as"`    // integer (the default), decimal, hundredths, percent, points, …
	Needs string `yaml:"needs"` // see Table.Needs

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
	Positive   bool   `yaml:"positive"`   // 0 stands for what nobody counted
	Low        string `yaml:"low"`        // the names of the ends of an interval; the default is NAME_low and NAME_high
	High       string `yaml:"high"`
}

// Pairs compares each row with the one that has other keys, on the questions of both. The columns are paired_n,
// only_first and only_second, which are right in most episodes of one side only, difference, p and p_holm, adjusted
// among the rows that are compared with the same one. Relative adds relative with its interval.
type Pairs struct {
	With     map[string]string `yaml:"with"`     // the keys of the row that others are compared with
	Of       string            `yaml:"of"`       // the column that is compared
	On       []string          `yaml:"on"`       // what tells questions apart
	Change   string            `yaml:"change"`   // the figure that has a difference
	Relative bool              `yaml:"relative"` // the change in relation to what was
}

// Tables are the tables and views of a file.
type Tables struct {
	Tables map[string]*Table `yaml:"tables"`
	Views  map[string]*View  `yaml:"views"`
}

// Embedded returns a function that reads the description of tables and views when it is first
// called, so that commands without tables start sooner.
func Embedded(text []byte) func() *Tables {
	return sync.OnceValue(func() *Tables { return MustRead(text) })
}

// MustRead reads the description of tables and views. What is wrong with it is a mistake in the program.
func MustRead(text []byte) *Tables {
	var all Tables
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("tabulate: %v", err))
	}

	for name, t := range all.Tables {
		t.name = name
		t.complete()
	}

	for name, v := range all.Views {
		if v.table = all.Tables[v.Table]; v.table == nil {
			panic(fmt.Sprintf("tabulate: the view %s is of %q, which is not a table", name, v.Table))
		}
	}

	return &all
}

// complete adds the defaults, and the columns of comparisons.
func (t *Table) complete() {
	if t.Pairs != nil {
		t.Columns = append(t.Columns, Column{Name: "difference", As: "points"}, Column{Name: "relative", As: "points"},
			Column{Name: "paired_n"}, Column{Name: "only_first"}, Column{Name: "only_second"},
			Column{Name: "p", As: "probability"}, Column{Name: "p_holm", Head: "p", As: "probability"})
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

// column returns a column, or what stands for a key.
func (t *Table) column(name string) *Column {
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }); i >= 0 {
		return &t.Columns[i]
	}

	if slices.Contains(t.By, name) {
		return &Column{Name: name, Head: name, As: "text"}
	}

	panic(fmt.Sprintf("tabulate: the table %s has no column %q", t.name, name))
}
