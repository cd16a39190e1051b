package programs

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"toolevo/envs/display"
	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// Report says how complex and how diverse programs are. It has what was measured.
type Report struct {
	Complexity []Complexity `json:"complexity,omitempty"` // by domain
	Coverage   []Coverage   `json:"coverage,omitempty"`   // by domain and generator
}

// Tables returns the tables of the report.
func (r *Report) Tables() []table.Table {
	var all []table.Table

	if len(r.Complexity) > 0 {
		all = append(all, complexityTable(r.Complexity))
	}

	if len(r.Coverage) > 0 {
		all = append(all, coverageTable(r.Coverage))
	}

	return all
}

// Figures returns the figures of the report.
func (r *Report) Figures() []chart.Figure {
	if len(r.Coverage) == 0 {
		return nil
	}

	return []chart.Figure{coverageFigure(r.Coverage)}
}

// titleWidth is how wide titles are in a terminal.
const titleWidth = 80

// WriteTerminal writes tables for a terminal, each below its title.
func WriteTerminal(w io.Writer, tables []table.Table) error {
	for i, t := range tables {
		title := display.Wrap("", t.Title, titleWidth) + "\n"
		if i > 0 {
			title = "\n" + title
		}

		if _, err := io.WriteString(w, title); err != nil {
			return err
		}

		if err := t.Write(w); err != nil {
			return err
		}
	}

	return nil
}

// WriteMarkdown writes tables as Markdown.
func WriteMarkdown(w io.Writer, tables []table.Table) error {
	return write(w, tables, (*table.Table).Markdown)
}

// WriteLaTeX writes tables for booktabs.
func WriteLaTeX(w io.Writer, tables []table.Table) error {
	return write(w, tables, (*table.Table).LaTeX)
}

func write(w io.Writer, tables []table.Table, one func(*table.Table, *strings.Builder)) error {
	var b strings.Builder

	for i := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}

		one(&tables[i], &b)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// WriteComplexityCSV writes the complexity in full precision, a line for each domain.
func (r *Report) WriteComplexityCSV(w io.Writer) error {
	lines := [][]string{{"domain", "n", "instruction", "code", "calls", "depth", "bindings", "straight"}}

	for _, c := range r.Complexity {
		lines = append(lines, []string{
			c.Domain, strconv.Itoa(c.N), optional(c.Instruction), optional(c.Code), number(c.Calls), number(c.Depth),
			number(c.Bindings), optional(c.Straight),
		})
	}

	return csv.NewWriter(w).WriteAll(lines)
}

// WriteCoverageCSV writes the curves in full precision, a line for each number of programs.
func (r *Report) WriteCoverageCSV(w io.Writer) error {
	lines := [][]string{{"domain", "source", "runs", "programs", "atc", "low", "high", "pairs"}}

	for _, c := range r.Coverage {
		for i := range c.ATC {
			pairs := ""
			if c.Pairs != nil {
				pairs = number(c.Pairs[i])
			}

			lines = append(lines, []string{
				c.Domain, c.Source, strconv.Itoa(c.Runs), strconv.Itoa(i + 1), number(c.ATC[i]), number(c.Low[i]),
				number(c.High[i]), pairs,
			})
		}
	}

	return csv.NewWriter(w).WriteAll(lines)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// optional is a number, or nothing.
func optional(f *float64) string {
	if f == nil {
		return ""
	}

	return number(*f)
}
