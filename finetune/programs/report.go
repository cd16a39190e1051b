package programs

import (
	"io"
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
	return table.WriteSections(w, tables, func(t *table.Table, b *strings.Builder) {
		b.WriteString(display.Wrap("", t.Title, titleWidth) + "\n")
		_ = t.Write(b) // which takes all
	})
}

// WriteComplexityCSV writes the complexity in full precision, a line for each domain.
func (r *Report) WriteComplexityCSV(w io.Writer) error {
	columns := []string{"domain", "n", "instruction", "code", "calls", "depth", "bindings", "straight"}

	return table.WriteCSV(w, columns, r.Complexity, func(c Complexity) []string {
		return table.Fields(c.Domain, c.N, c.Instruction, c.Code, c.Calls, c.Depth, c.Bindings, c.Straight)
	})
}

// WriteCoverageCSV writes the curves in full precision, a line for each number of programs.
func (r *Report) WriteCoverageCSV(w io.Writer) error {
	columns := []string{"domain", "source", "runs", "programs", "atc", "low", "high", "pairs"}

	var lines [][]string
	for _, c := range r.Coverage {
		for i := range c.ATC {
			var pairs *float64
			if c.Pairs != nil {
				pairs = &c.Pairs[i]
			}

			lines = append(lines, table.Fields(c.Domain, c.Source, c.Runs, i+1, c.ATC[i], c.Low[i], c.High[i], pairs))
		}
	}

	return table.WriteCSV(w, columns, lines, func(line []string) []string { return line })
}
