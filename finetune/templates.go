package finetune

import (
	"fmt"
	"maps"
	"slices"

	"toolevo/finetune/table"
)

// TemplateRow is the figures of the questions of one template in a cell.
type TemplateRow struct {
	Template string `json:"template"` // e.g. "coffee-easy/open"
	Cell
	N    int `json:"n"`    // questions measured
	Lost int `json:"lost"` // questions lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher
	OfficialLow  float64 `json:"official_low"`  // lower end of the 95 % Wilson interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher
	Turns        float64 `json:"turns"`         // mean turns of an episode
}

// template returns the sum of the questions of a template.
func (s *sum) template(name string) *sum {
	if s.templates == nil {
		s.templates = map[string]*sum{}
	}

	if s.templates[name] == nil {
		repeats := 1
		if s.attempts != nil {
			repeats = len(s.attempts.byRepeat)
		}

		s.templates[name] = newSum(s.Cell, repeats)
	}

	return s.templates[name]
}

func (s *sum) templateRows() []TemplateRow {
	var rows []TemplateRow

	for _, name := range slices.Sorted(maps.Keys(s.templates)) {
		r := s.templates[name].row()
		rows = append(rows, TemplateRow{
			Template: name, Cell: r.Cell, N: r.N, Lost: r.Lost,
			Official: r.Official, OfficialLow: r.OfficialLow, OfficialHigh: r.OfficialHigh,
			Strict: r.Strict, Turns: r.Turns,
		})
	}

	return rows
}

// templateTable is the official accuracy of each template: a line for each template and policy, and a column for each
// API version. The questions of a line are those of the version of which most were measured.
func (r *Report) templateTable() table.Table {
	type line struct{ template, policy string }

	figures := map[line]map[string]TemplateRow{}
	for _, row := range r.Templates {
		l := line{row.Template, row.Policy}
		if figures[l] == nil {
			figures[l] = map[string]TemplateRow{}
		}

		figures[l][row.API] = row
	}

	t := table.Table{
		Title: "Official accuracy in percent by question template.",
		Heads: []string{"template", "policy", "n"},
		Names: table.Distinct(r.Rows, func(row Row) string { return row.API }),
		Words: 2,
	}

	policies := table.Distinct(r.Rows, func(row Row) string { return row.Policy })
	for _, template := range table.Distinct(r.Templates, func(row TemplateRow) string { return row.Template }) {
		for _, policy := range policies {
			n, fields := 0, []string(nil)
			for _, api := range t.Names {
				row := figures[line{template, policy}][api]
				n = max(n, row.N)
				fields = append(fields, Row{N: row.N}.percent(row.Official))
			}

			t.Lines = append(t.Lines, append([]string{template, policy, fmt.Sprint(n)}, fields...))
		}
	}

	return t
}
