package finetune

import (
	"fmt"

	"toolevo/envs"
	"toolevo/finetune/table"
)

// rowTable is a line for each row and summary.
func (r *Report) rowTable() table.Table {
	t := table.Table{
		Heads: []string{"policy", "api", "data", "n", "lost", "official [95%]", "strict", "turns"},
	}

	for _, row := range r.figures() {
		t.Lines = append(t.Lines, []string{
			row.Policy, row.API, row.data(), fmt.Sprint(row.N), fmt.Sprint(row.Lost),
			row.withInterval(row.Official, row.OfficialLow, row.OfficialHigh, 0), row.percent(row.Strict),
			row.decimal(row.Turns),
		})
	}

	return t
}

// accuracyTable is a line for each policy and its questions, and a column for each API version.
func (r *Report) accuracyTable() table.Table {
	t := table.Table{
		Title: "Accuracy in percent: official [95 % interval] / strict, of n questions measured. Intervals are " +
			"Wilson's, and\nthose of means over datasets bootstrapped by question template.",
		Heads: []string{"policy", "data"},
	}

	for _, row := range r.figures() {
		t.Set([]string{row.Policy, row.data()}, row.API, row.accuracies())
	}

	t.Words = len(t.Heads) + len(t.Names)

	return t
}

// accuracies are both accuracies of a row and what they are of.
func (r Row) accuracies() string {
	text := fmt.Sprintf("%s / %s (n = %d)", r.withInterval(r.Official, r.OfficialLow, r.OfficialHigh, 1),
		r.percent(r.Strict), r.N)
	if r.Lost > 0 {
		text += fmt.Sprintf(", %d lost", r.Lost)
	}

	return text
}

// outcomeTable counts the turns of each row by outcome.
func (r *Report) outcomeTable() table.Table {
	t := table.Table{
		Title: "Mean turns of an episode, mean tokens that the policy wrote in it, turns in percent " +
			"that repeat a failure (a call\nthat failed in the same way before, with no ok turn " +
			"between), and turns by outcome.",
		Heads: []string{"policy", "data", "api", "turns", "tokens", "repeated"},
		Words: 3,
	}

	for _, o := range envs.Outcomes() {
		t.Names = append(t.Names, o.String())
	}

	for _, row := range r.Rows {
		tokens := table.None // not counted
		if row.Tokens > 0 {
			tokens = row.decimal(row.Tokens)
		}

		line := []string{
			row.Policy, row.data(), row.API, row.decimal(row.Turns), tokens,
			row.percent(row.RepeatedShare),
		}
		for _, o := range t.Names {
			line = append(line, fmt.Sprint(row.Outcomes[o]))
		}

		t.Lines = append(t.Lines, line)
	}

	return t
}

// comparisonTable is a line for each comparison.
func (r *Report) comparisonTable() table.Table {
	t := table.Table{
		Title: "Paired comparisons by the official matcher, on the n questions that both sides measured: how many " +
			"only the\nfirst and only the second answered correctly, the second's accuracy less the first's in " +
			"percentage points, and\np of McNemar's exact test, adjusted by Holm among all comparisons of policies, " +
			"or of versions.",
		Heads: []string{"under or of", "first", "second", "n", "only", "diff", "p"},
		Words: 3,
	}

	for _, c := range r.Comparisons {
		same, first, second := c.First.API, c.First.Policy, c.Second.Policy
		if c.Between == BetweenVersions {
			same, first, second = c.First.Policy, c.First.API, c.Second.API
		}

		t.Lines = append(t.Lines, []string{
			same, first, second, fmt.Sprint(c.N), fmt.Sprintf("%d:%d", c.OnlyFirst, c.OnlySecond),
			fmt.Sprintf("%+.1f", 100*c.Difference), table.Probability(c.PHolm),
		})
	}

	return t
}

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
		return table.None
	}

	return fmt.Sprintf("%.1f", f)
}

func (r Row) percent(p float64) string { return r.decimal(100 * p) }

// withInterval is a proportion and its interval, the latter with so many decimals.
func (r Row) withInterval(p, low, high float64, decimals int) string {
	if r.N == 0 {
		return table.None
	}

	return r.percent(p) + table.Interval(low, high, decimals)
}

// figures are the rows, and the summaries as rows where they say more than those.
func (r *Report) figures() []Row {
	rows := append([]Row{}, r.Rows...)

	for _, s := range r.Summaries {
		if s.Cells > 1 {
			rows = append(rows, s.figures())
		}
	}

	return rows
}
