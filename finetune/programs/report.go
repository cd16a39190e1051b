package programs

import (
	"io"
	"strconv"

	"toolevo/finetune/tabulate"
)

// Report says how complex and how diverse programs are, as far as it was measured.
type Report struct {
	Complexity []Complexity `json:"complexity,omitempty"` // by domain
	Coverage   []Coverage   `json:"coverage,omitempty"`   // by domain and generator
}

// Tables returns the tables of the report.
func (r *Report) Tables() []tabulate.Grid {
	rows := map[string][]tabulate.Row{"complexity": nil, "coverage": nil}

	for _, c := range r.Complexity {
		rows["complexity"] = append(rows["complexity"], c.statistics()...)
	}

	most := 0
	for _, c := range r.Coverage {
		most = max(most, len(c.ATC))
	}

	for _, c := range r.Coverage {
		rows["coverage"] = append(rows["coverage"], c.steps(most)...)
	}
	return tables().Grids("programs", rows)
}

// Figures returns the figures of the report.
func (r *Report) Figures() []tabulate.Figure {
	if len(r.Coverage) == 0 {
		return nil
	}
	return []tabulate.Figure{coverageFigure(r.Coverage)}
}

// WriteComplexityCSV writes the complexity in full precision, a line for each domain.
func (r *Report) WriteComplexityCSV(w io.Writer) error {
	return tables().Tables["complexity"].WriteCSV(w, tabulate.RowsOf(r.Complexity))
}

// WriteCoverageCSV writes the curves in full precision, a line for each number of programs.
func (r *Report) WriteCoverageCSV(w io.Writer) error {
	var rows []tabulate.Row

	for _, c := range r.Coverage {
		for i := range c.ATC {
			row := tabulate.Row{
				"domain": c.Domain, "source": c.Source, "runs": strconv.Itoa(c.Runs),
				"programs": float64(i + 1),
				"atc":      c.ATC[i], "low": c.Low[i], "high": c.High[i],
			}
			if c.Pairs != nil {
				row["pairs"] = c.Pairs[i]
			}

			rows = append(rows, row)
		}
	}
	return tables().Tables["coverage"].WriteCSV(w, rows)
}
