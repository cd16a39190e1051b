package robustness

import (
	"fmt"
	"slices"

	"toolevo/finetune/table"
)

// Table is figures as text. The first two columns are the policy and what it met.
type Table struct {
	Title string
	Heads []string   // of all columns
	Lines [][]string // a policy's together, the baseline first

	part int // the first column of the second part, which stands below the first where there is no room beside it
}

// words is how many columns of a table hold words.
const words = 2

// Tables returns the tables of the report, those of each feedback together: pass rates under versioning and under
// perturbations (DynamicToolBench's Tables I and II), their changes in relation to the baseline, and run statistics.
func (r *Report) Tables() []Table {
	var tables []Table

	for _, feedback := range table.Distinct(r.Rows, func(row Row) string { return row.Feedback }) {
		told := ", feedback " + feedback

		tables = append(tables,
			r.rates("Table I. Pass rate under API versioning, % [95 %]"+told, feedback, Versioning),
			r.rates("Table II. Pass rate under query perturbations, % [95 %]"+told, feedback, Perturbation),
			r.changes("Change in % of the baseline [95 %], McNemar's p by Holm"+told, feedback),
			r.statisticsTable("Run statistics"+told, feedback),
		)
	}

	return slices.DeleteFunc(tables, func(t Table) bool { return len(t.Lines) == 0 })
}

// column is the questions that a column is about.
type column struct{ dataset, difficulty string }

// name is the head of a column: that of what is not all.
func (c column) name() string {
	if c.dataset != All {
		return c.dataset
	}

	return c.difficulty
}

// columns are those of each dataset, of each difficulty, and of all questions.
func (r *Report) columns() []column {
	var columns []column

	for _, row := range r.Rows {
		c := column{row.Dataset, row.Difficulty}
		if (c.dataset == All || c.difficulty == All) && !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}

	rank := func(c column) int {
		switch {
		case c.dataset != All:
			return 0
		case c.difficulty != All:
			return 1
		}

		return 2
	}

	slices.SortStableFunc(columns, func(a, b column) int { return rank(a) - rank(b) })

	return columns
}

// part is the place in a table of the first column that is not about a dataset.
func part(columns []column) int {
	return words + slices.IndexFunc(columns, func(c column) bool { return c.dataset == All })
}

// names are the heads of columns.
func names(columns []column) []string {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.name()
	}

	return heads
}

// of returns the rows of a condition in the order of columns.
func (r *Report) of(c Condition, columns []column) []Row {
	rows := make([]Row, len(columns))

	for _, row := range r.Rows {
		if i := slices.Index(columns, column{row.Dataset, row.Difficulty}); i >= 0 && row.Condition == c {
			rows[i] = row
		}
	}

	return rows
}

// conditions are those of a feedback with a baseline or a setting of one of some kinds.
func (r *Report) conditions(feedback string, kinds ...Kind) []Condition {
	var all []Condition

	for _, st := range r.Statistics {
		if st.Feedback == feedback && slices.Contains(kinds, st.Kind) {
			all = append(all, st.Condition)
		}
	}

	return all
}

// rates is a table of pass rates, none where no setting of the kind was measured.
func (r *Report) rates(title, feedback string, kind Kind) Table {
	if len(r.conditions(feedback, kind)) == 0 {
		return Table{}
	}

	columns := r.columns()
	t := Table{Title: title, Heads: append([]string{"policy", "setting"}, names(columns)...), part: part(columns)}

	for _, c := range r.conditions(feedback, Baseline, kind) {
		line := []string{c.Policy, c.Name}
		for _, row := range r.of(c, columns) {
			line = append(line, row.rate())
		}

		t.Lines = append(t.Lines, line)
	}

	return t
}

func (r *Row) rate() string {
	if r.N == 0 {
		return table.None
	}

	return percent(r.PassRate, r.Low, r.High)
}

// percent is a share and its interval.
func percent(share, low, high float64) string {
	return fmt.Sprintf("%.1f%s", 100*share, table.Interval(low, high, 0))
}

// changes is a table of the changes of all settings.
func (r *Report) changes(title, feedback string) Table {
	columns := r.columns()
	t := Table{
		Title: title, Heads: slices.Concat([]string{"policy", "setting"}, names(columns), []string{"p of " + All}),
		part: part(columns),
	}

	for _, c := range r.conditions(feedback, Versioning, Perturbation) {
		line, p := []string{c.Policy, c.Name}, table.None

		for _, row := range r.of(c, columns) {
			line = append(line, row.Change.relative())

			if row.Change != nil && row.Change.N > 0 {
				p = table.Probability(row.Change.PHolm) // that of the last column, all questions
			}
		}

		t.Lines = append(t.Lines, append(line, p))
	}

	return t
}

// relative is a change in percent, where there is one.
func (c *Change) relative() string {
	switch {
	case c == nil || c.Relative == nil:
		return table.None
	case c.Relative.Low == c.Relative.High:
		return fmt.Sprintf("%+.1f", 100*c.Relative.Change)
	}

	return fmt.Sprintf("%+.1f [%+.0f, %+.0f]", 100*c.Relative.Change, 100*c.Relative.Low, 100*c.Relative.High)
}

// statisticsTable is a table of how episodes went.
func (r *Report) statisticsTable(title, feedback string) Table {
	heads := []string{"policy", "setting", "episodes", "lost", "answered", "turns", "tokens", "calls", "valid %",
		"recovered", "tools recovered %"}
	t := Table{Title: title, Heads: heads, part: slices.Index(heads, "valid %")}

	for _, st := range r.Statistics {
		if st.Feedback != feedback {
			continue
		}

		valid, episodes, tools, tokens := table.None, table.None, table.None, table.None
		if st.Calls > 0 {
			valid = percent(st.Valid, st.ValidLow, st.ValidHigh)
		}

		if st.ToolsRefused > 0 {
			episodes = fmt.Sprintf("%d of %d", st.Recovered, st.Refused)
			tools = percent(st.ToolsRecovered, st.RecoveredLow, st.RecoveredHigh)
		}

		if st.Tokens > 0 {
			tokens = fmt.Sprintf("%.0f", st.Tokens)
		}

		t.Lines = append(t.Lines, []string{
			st.Policy, st.Name, fmt.Sprint(st.Episodes), fmt.Sprint(st.Lost), fmt.Sprint(st.Answered),
			fmt.Sprintf("%.1f", st.Turns), tokens, fmt.Sprintf("%.1f", st.Calls), valid, episodes, tools,
		})
	}

	return t
}
