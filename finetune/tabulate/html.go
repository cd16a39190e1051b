package tabulate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/display"
)

//go:embed grids.html
var gridsHTML string

var gridsTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("grids").Funcs(template.FuncMap{
		"clean":   display.Visible,
		"percent": func(share float64) string { return fmt.Sprintf("%.1f", 100*share) },
	}).Parse(gridsHTML))
})

// WriteHTML writes tables as a part of a page. A rate is drawn below its figure, as a line with a
// dot at the estimate, and the parts of a whole as a bar above their lines.
func WriteHTML(w io.Writer, grids []Grid) error {
	grids = slices.Clone(grids)
	for i := range grids {
		if grids[i].Tall {
			grids[i] = grids[i].turned()
		}
	}

	return gridsTemplate().Execute(w, grids)
}

// Rate returns what is drawn in a field, or nil.
func (g *Grid) Rate(line, column int) *Rate {
	if rate, ok := g.rates[[2]int{line, column}]; ok {
		return &rate
	}
	return nil
}

// Part is a line's share of a bar.
type Part struct {
	Name   string
	Share  float64 // of the bar, 0..1
	Colour int     // lines of one name have the same
}

// Bar returns the bar above the first line below a heading, if the lines there are parts of a whole
// (see Column.Part). Other lines have no bar.
func (g *Grid) Bar(line int) (bar []Part) {
	if !g.begins(line) {
		return nil
	}

	for i := line; i < len(g.Lines) && g.heading(i) == g.heading(line); i++ {
		if p := g.Part(i); p != nil {
			bar = append(bar, *p)
		}
	}

	return bar
}

// Part returns a line's part of the bar above it, or nil.
func (g *Grid) Part(line int) *Part {
	share, ok := g.parts[line]
	if !ok {
		return nil
	}

	name := func(line []string) string { return line[g.Key()] }
	names := Distinct(g.Lines, name)
	return &Part{name(g.Lines[line]), share, slices.Index(names, name(g.Lines[line])) % colours}
}

// Key returns the column that says what a line is about.
func (g *Grid) Key() int { return g.Words - 1 }

// colours is how many colours style sheets have, as .part0 and so on.
const colours = 8

// turned returns the table with a line for each figure, and a column for each line.
func (g *Grid) turned() Grid {
	t := Grid{Caption: g.Caption, Note: g.Note, Words: 1, Heads: []string{""}, rates: map[[2]int]Rate{}}

	for i, line := range g.Lines {
		t.Heads = append(t.Heads, strings.Join(line[:g.Words], " under "))

		for column, field := range line[g.Words:] {
			if i == 0 {
				t.Lines = append(t.Lines, []string{g.Heads[g.Words+column]})
			}

			t.Lines[column] = append(t.Lines[column], field)

			if rate := g.Rate(i, g.Words+column); rate != nil {
				t.rates[[2]int{column, 1 + i}] = *rate
			}
		}
	}

	return t
}
