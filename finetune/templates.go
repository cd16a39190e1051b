package finetune

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// TemplateRow is the figures of the questions of one template in a cell.
type TemplateRow struct {
	Template string `json:"template"` // e.g. "coffee-easy/open"
	Cell
	N    int `json:"n"`    // questions measured
	Lost int `json:"lost"` // questions lost to failures of ours, in no other figure

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
		s.templates[name] = &sum{Row: Row{Cell: s.Cell, Outcomes: map[string]int{}}}
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

// WriteTemplates writes the official accuracy of each template for a terminal: a line for each policy, a column for
// each API version. With names as long as scripted:reader and three versions it fits 80 columns.
func (r *Report) WriteTemplates(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range r.templateTable("TEMPLATE", "POLICY", "N") {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}

	return t.Flush()
}

func (r *Report) markdownTemplates(b *strings.Builder) {
	if len(r.Templates) == 0 {
		return
	}

	b.WriteString("\nOfficial accuracy in percent by question template.\n\n")

	for i, line := range r.templateTable("template", "policy", "n") {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")

		if i == 0 {
			b.WriteString("|---|---|" + strings.Repeat("---:|", len(line)-2) + "\n")
		}
	}
}

// templateTable is the table of templates: a line of heads, and then one for each template and policy. The questions of
// a line are those of the version of which most were measured.
func (r *Report) templateTable(heads ...string) [][]string {
	type line struct{ template, policy string }

	var (
		apis, policies []string
		templates      []string
		figures        = map[line]map[string]TemplateRow{}
	)

	for _, row := range r.Rows {
		apis, policies = appendNew(apis, row.API), appendNew(policies, row.Policy)
	}

	for _, row := range r.Templates {
		templates = appendNew(templates, row.Template)

		l := line{row.Template, row.Policy}
		if figures[l] == nil {
			figures[l] = map[string]TemplateRow{}
		}

		figures[l][row.API] = row
	}

	table := [][]string{append(heads, apis...)}

	for _, template := range templates {
		for _, policy := range policies {
			n, fields := 0, []string(nil)

			for _, api := range apis {
				row := figures[line{template, policy}][api]
				n = max(n, row.N)
				fields = append(fields, Row{N: row.N}.percent(row.Official))
			}

			table = append(table, append([]string{template, policy, fmt.Sprint(n)}, fields...))
		}
	}

	return table
}

func appendNew(all []string, name string) []string {
	if slices.Contains(all, name) {
		return all
	}

	return append(all, name)
}
