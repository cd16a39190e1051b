package tabulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/display"
)

// None is shown in a table in place of a missing figure.
const None = "–"

// View says how rows are shown.
type View struct {
	In      []string          `yaml:"in"`      // reports that show them
	Table   string            `yaml:"table"`   // whose rows they are
	Caption string            `yaml:"caption"` // {KEY} is replaced by the value of a key that a table is made for
	Note    string            `yaml:"note"`    // follows the caption, but not in a terminal
	Per     string            `yaml:"per"`     // a table for each value of this key
	Heading []string          `yaml:"heading"` // keys that are above lines, and in Markdown and HTML begin them
	Lines   []string          `yaml:"lines"`   // keys that begin a line
	Across  []string          `yaml:"across"`  // keys that head columns; without them each figure has a column
	Where   map[string]string `yaml:"where"`   // values of keys; "!VALUE" is every other one
	Figures []string          `yaml:"figures"` // columns
	Bare    []string          `yaml:"bare"`    // of those, the ones that are shown without their interval
	Most    int               `yaml:"most"`    // lines of a heading at most; 0 is all
	Tall    bool              `yaml:"tall"`    // in a terminal each figure has a line of its own
	// LaTeX marks the best figures of the lines below a heading, and has the first key of Across
	// above the others
	Best  bool   `yaml:"best"`
	Apart string `yaml:"apart"` // a heading below which none is marked

	table *Table
}

// Grid is figures as text.
type Grid struct {
	Caption string
	Note    string     // follows the caption, but not in a terminal
	Words   int        // leading columns of words, which are not aligned like numbers
	Heading int        // of those, the ones that are above lines
	Tall    bool       // in a terminal each figure has a line of its own
	Heads   []string   // of all columns
	Lines   [][]string // of as many fields

	best  bool
	apart string
	above map[int]string  // what LaTeX has above the heads of columns
	rates map[[2]int]Rate // what HTML draws, by line and column
	parts map[int]float64 // likewise, by line: its part of the lines below the heading
}

// Grids returns the tables of a view; none if no row is shown.
func (v *View) Grids(rows []Row) []Grid {
	rows = Where(rows, v.Where)
	if len(rows) == 0 {
		return nil
	}

	if v.Per == "" {
		return []Grid{v.grid(rows, v.Caption)}
	}

	var grids []Grid

	for _, value := range Distinct(rows, func(r Row) string { return r.Text(v.Per) }) {
		own := Where(rows, map[string]string{v.Per: value})
		grids = append(grids, v.grid(own, strings.ReplaceAll(v.Caption, "{"+v.Per+"}", value)))
	}
	return grids
}

// Where returns the rows whose keys have some values; "!VALUE" is every other one.
func Where(rows []Row, values map[string]string) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		for key, want := range values {
			other, not := strings.CutPrefix(want, "!")

			text := r.Text(key)
			if n, ok := r[key].(float64); ok {
				text = strconv.FormatFloat(n, 'g', -1, 64)
			}

			if (text == other) == not {
				return true
			}
		}
		return false
	})
}

// grid puts the figures of rows into lines and columns, both in order of appearance.
func (v *View) grid(rows []Row, caption string) Grid {
	words := slices.Concat(v.Heading, v.Lines)
	g := Grid{
		Caption: v.described(caption), Note: v.Note, Words: len(words), Heading: len(v.Heading),
		Tall: v.Tall, Heads: slices.Clone(words), best: v.Best, apart: v.Apart,
		above: map[int]string{}, rates: map[[2]int]Rate{}, parts: map[int]float64{},
	}

	// All lines of a heading are below it, wherever their rows came.
	heading := func(r Row) string { return strings.Join(r.Texts(v.Heading), "\x00") }
	headings := Distinct(rows, heading)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return slices.Index(headings, heading(a)) - slices.Index(headings, heading(b))
	})

	columns, lines, below := map[string]int{}, map[string]int{}, map[string]int{}

	for _, row := range rows {
		begin := row.Texts(words)
		for i, text := range begin {
			begin[i] = oneLine(text)
		}

		if below[heading(row)]++; v.Most > 0 && below[heading(row)] > v.Most {
			continue
		}

		// Only heads across put several rows into one line: each fills columns of its own.
		line, ok := lines[strings.Join(begin, "\x00")]
		if !ok || len(v.Across) == 0 {
			line = len(g.Lines)
			lines[strings.Join(begin, "\x00")] = line
			g.Lines = append(g.Lines, begin)
		}

		for _, name := range v.Figures {
			c := v.table.column(name)
			head := v.head(c, row)

			at, ok := columns[head]
			if !ok {
				at = len(g.Heads)
				columns[head] = at
				g.Heads = append(g.Heads, head)

				if v.Best {
					g.above[at] = row.Text(v.Across[0])
				}
			}

			// A row may lack columns that others have, and the last of them may come later: lines
			// are filled up here and, once all columns are known, below.
			for len(g.Lines[line]) <= at {
				g.Lines[line] = append(g.Lines[line], None)
			}

			if c.Part != "" {
				g.parts[line] = row.Number(name)
			}

			// HTML draws a rate where text has its interval, so what is bare or missing is not
			// drawn.
			bare := slices.Contains(v.Bare, name)
			g.Lines[line][at] = c.format(row, bare)

			if c.Rate != "" && !bare && g.Lines[line][at] != None {
				g.rates[[2]int{line, at}] = Rate{
					Share: row.Number(name), Low: row.Number(c.Low), High: row.Number(c.High),
				}
			}
		}
	}

	for i := range g.Lines {
		for len(g.Lines[i]) < len(g.Heads) {
			g.Lines[i] = append(g.Lines[i], None)
		}
	}

	return g
}

// head returns the head of the column for a figure of a row.
func (v *View) head(c *Column, row Row) string {
	if len(v.Across) == 0 {
		return c.Head
	}

	values := slices.DeleteFunc(row.Texts(v.Across), func(text string) bool {
		return text == All || text == ""
	})
	if len(values) == 0 {
		values = []string{All}
	}

	if len(v.Figures) > 1 {
		values = append(values, c.Head)
	}
	return strings.Join(values, " ")
}

// described adds the method of the intervals to a caption.
func (v *View) described(caption string) string {
	for _, name := range v.Figures {
		if v.table.column(name).Rate != "" && !slices.Contains(v.Bare, name) {
			text := caption + " Intervals: " + Method
			if v.table.Unit != "" {
				text += ", by " + v.table.Unit
			}
			return text + "."
		}
	}
	return caption
}

// oneLine returns a text, which may come from anywhere, as a cell shows it. Its indent stays.
func oneLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(display.Visible(text))
}

// format returns a figure of a row as text, with its interval unless it is bare.
func (c *Column) format(r Row, bare bool) string {
	value, ok := r[c.Name]
	n, isNumber := value.(float64)

	if !ok || c.Needs != "" && r.Number(c.Needs) == 0 || c.Positive && n == 0 {
		return None
	}

	switch {
	case !isNumber:
		return oneLine(fmt.Sprint(value))
	case c.As == "percent":
		return fmt.Sprintf("%.1f", 100*n) + c.interval(r, "%.0f", bare)
	case c.As == "points":
		return fmt.Sprintf("%+.1f", 100*n) + c.interval(r, "%+.0f", bare)
	case c.As == "decimal":
		return fmt.Sprintf("%.1f", n)
	case c.As == "hundredths":
		return fmt.Sprintf("%.2f", n)
	case c.As == "signed":
		return fmt.Sprintf("%+.1f", n)
	case c.As == "probability":
		return Probability(n)
	case c.Share != "" && n > 0:
		return share(n / (n + r.Number(c.Share)))
	}

	return fmt.Sprintf("%.0f", n)
}

// share returns a share other than 0, in at most four characters, as long as a count.
func share(s float64) string {
	if s < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*s)
}

// interval returns the text of a figure's interval, "" if it has none.
func (c *Column) interval(r Row, format string, bare bool) string {
	if bare || !r.Has(c.Low) {
		return ""
	}
	return fmt.Sprintf(" ["+format+", "+format+"]", 100*r.Number(c.Low), 100*r.Number(c.High))
}

// Probability returns a p-value with three decimals.
func Probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
