package finetune

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"text/tabwriter"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Report is the outcome of an evaluation. What its figures depend on beside their cells the caller fills in.
type Report struct {
	Rows []Row `json:"rows"` // a row for each cell: dataset and difficulty, policy, API version

	// in the order of the rows, those of each cell by template; none where questions have no templates
	Templates []TemplateRow `json:"templates,omitempty"`

	// what ran model-written programs, in words; more than one when they were mixed
	Engines  []string `json:"engines,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// Row is one cell's figures. Accuracies are proportions in 0..1 of the N questions that were not lost.
type Row struct {
	Cell
	N    int `json:"n"`    // questions measured
	Lost int `json:"lost"` // questions lost to failures of ours, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher
	OfficialLow  float64 `json:"official_low"`  // lower end of the 95 % Wilson interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher
	StrictLow    float64 `json:"strict_low"`    // lower end of the 95 % Wilson interval
	StrictHigh   float64 `json:"strict_high"`   // upper end

	Unanswered int `json:"unanswered"` // episodes that ended without an answer
	// of those, the ones whose prompt no longer fit the context window
	TooLong   int            `json:"too_long"`
	Silent    int            `json:"silent"`               // of those, the ones in which the policy wrote nothing more
	Turns     float64        `json:"turns"`                // mean turns of an episode
	Outcomes  map[string]int `json:"outcomes"`             // turns by outcome
	FirstLoss string         `json:"first_loss,omitempty"` // the failure to which the first question was lost
}

// Summarise returns the report on the episodes of an evaluation: a row for each job, in their order.
// An episode of no job is an error, and so is the first of episodes.
func Summarise(jobs []Job, episodes iter.Seq2[trajectories.Episode, error]) (*Report, error) {
	sums := make([]*sum, len(jobs))
	byVersion := make(map[Cell]*sum, len(jobs))

	for i, j := range jobs {
		sums[i] = &sum{Row: Row{Cell: j.Cell, Outcomes: map[string]int{}}}
		for _, version := range j.versions() {
			byVersion[Cell{j.Cell.Policy, version, j.Cell.Dataset, j.Cell.Difficulty}] = sums[i]
		}
	}

	for e, err := range episodes {
		if err != nil {
			return nil, err
		}

		s, ok := byVersion[CellOf(e.Policy, e.DeployedAPI, e.Labels)]
		if !ok {
			return nil, fmt.Errorf("finetune: the evaluation has no episode of %s under %s about question %s", e.Policy,
				e.DeployedAPI, e.QuestionID)
		}

		s.add(&e)

		if template := e.Labels[envs.LabelTemplate]; template != "" {
			s.template(template).add(&e)
		}
	}

	report := &Report{Rows: make([]Row, len(jobs))}
	for i, s := range sums {
		report.Rows[i] = s.row()
		report.Templates = append(report.Templates, s.templateRows()...)
	}

	return report, nil
}

// sum is what the episodes of a cell add up to.
type sum struct {
	Row                     // its counts
	official, strict, turns int
	templates               map[string]*sum // of its questions, by template
}

func (s *sum) add(e *trajectories.Episode) {
	if e.Lost != "" {
		if s.Lost++; s.FirstLoss == "" {
			s.FirstLoss = e.Lost
		}

		return
	}

	s.N++
	for _, count := range []struct {
		holds bool
		n     *int
	}{
		{e.Official, &s.official},
		{e.Strict, &s.strict},
		{e.Status != envs.Terminated.String(), &s.Unanswered},
		{e.Limit == string(mcts.LimitContext), &s.TooLong},
		{e.Limit == string(mcts.LimitSilence), &s.Silent},
	} {
		if count.holds {
			*count.n++
		}
	}

	s.turns += len(e.Turns)
	for _, t := range e.Turns {
		s.Outcomes[t.Outcome.String()]++
	}
}

// row completes the row.
func (s *sum) row() Row {
	n := float64(max(s.N, 1))
	s.Official, s.Strict, s.Turns = float64(s.official)/n, float64(s.strict)/n, float64(s.turns)/n
	s.OfficialLow, s.OfficialHigh = Wilson(s.official, s.N)
	s.StrictLow, s.StrictHigh = Wilson(s.strict, s.N)

	return s.Row
}

// WriteTable writes the report for a terminal, one line a cell, with the official accuracy's interval beside it. With
// names as long as scripted:reader and p_s_ood it fits 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "POLICY\tAPI\tDATA\tN\tLOST\tOFFICIAL [95%]\tSTRICT\tTURNS")

	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", row.Policy, row.API, row.data(), row.N, row.Lost,
			row.withInterval(row.Official, row.OfficialLow, row.OfficialHigh, 0), row.percent(row.Strict),
			row.decimal(row.Turns))
	}

	if err := t.Flush(); err != nil {
		return err
	}

	for _, line := range r.Warnings {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}

	return nil
}

// WriteMarkdown writes the report as Markdown tables: accuracies, a line for each policy and dataset and a column for
// each API version as in the paper's Tables 2-4, the turns by outcome, and accuracies by template.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	r.markdownAccuracy(&b)
	r.markdownOutcomes(&b)
	r.markdownTemplates(&b)
	r.markdownEngines(&b)
	_, err := io.WriteString(w, b.String())

	return err
}

func (r *Report) markdownAccuracy(b *strings.Builder) {
	apis := distinct(r.Rows, func(row Row) string { return row.API })
	lines := distinct(r.Rows, func(row Row) string { return row.line() })

	b.WriteString("Accuracy in percent: official [95 % Wilson interval] / strict, of n questions measured.\n\n| " +
		"policy | data |")

	for _, api := range apis {
		fmt.Fprintf(b, " %s |", api)
	}

	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(apis)) + "\n")

	for _, line := range lines {
		fmt.Fprintf(b, "| %s |", line)

		for _, api := range apis {
			b.WriteString(" " + r.accuracy(line, api) + " |")
		}

		b.WriteByte('\n')
	}
}

// accuracy is one field of the Markdown table.
func (r *Report) accuracy(line, api string) string {
	for _, row := range r.Rows {
		if row.line() != line || row.API != api {
			continue
		}

		text := fmt.Sprintf("%s / %s (n = %d)", row.withInterval(row.Official, row.OfficialLow, row.OfficialHigh, 1),
			row.percent(row.Strict), row.N)
		if row.Lost > 0 {
			text += fmt.Sprintf(", %d lost", row.Lost)
		}

		return text
	}

	return "–"
}

func (r *Report) markdownOutcomes(b *strings.Builder) {
	b.WriteString("\nTurns by outcome.\n\n| policy | data | api |")

	for _, o := range envs.Outcomes() {
		fmt.Fprintf(b, " %s |", o)
	}

	b.WriteString("\n|---|---|---|" + strings.Repeat("---:|", len(envs.Outcomes())) + "\n")

	for _, row := range r.Rows {
		fmt.Fprintf(b, "| %s | %s |", row.line(), row.API)

		for _, o := range envs.Outcomes() {
			fmt.Fprintf(b, " %d |", row.Outcomes[o.String()])
		}

		b.WriteByte('\n')
	}
}

// markdownEngines says what the figures depend on.
func (r *Report) markdownEngines(b *strings.Builder) {
	if len(r.Engines) > 0 {
		fmt.Fprintf(b, "\nPrograms ran in %s.\n", strings.Join(r.Engines, "; then in "))
	}

	for _, line := range r.Warnings {
		fmt.Fprintf(b, "\n**%s**\n", line)
	}
}

func (r Row) line() string { return r.Policy + " | " + r.data() }

// data names the questions of the row.
func (r Row) data() string {
	if r.Difficulty == "" {
		return r.Dataset
	}

	return r.Dataset + "-" + r.Difficulty
}

// decimal is a figure of the row; a row without a measured question has none.
func (r Row) decimal(f float64) string {
	if r.N == 0 {
		return "–"
	}

	return fmt.Sprintf("%.1f", f)
}

func (r Row) percent(p float64) string { return r.decimal(100 * p) }

// withInterval is a proportion and its interval, the latter with so many decimals.
func (r Row) withInterval(p, low, high float64, decimals int) string {
	if r.N == 0 {
		return r.percent(p)
	}

	return fmt.Sprintf("%s [%.*f–%.*f]", r.percent(p), decimals, 100*low, decimals, 100*high)
}

func distinct(rows []Row, key func(Row) string) []string {
	var keys []string

	for _, row := range rows {
		if k := key(row); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}

	return keys
}
