package judge

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolevo/finetune"
	"toolevo/finetune/table"
)

// WriteTable writes the report for a terminal: below each agent a line for each group, then what was compared. It fits
// 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	var agents []finetune.Contender

	rows := slices.Concat(r.Rows, r.Means)
	for _, row := range rows {
		if a := row.agent(); !slices.Contains(agents, a) {
			agents = append(agents, a)
		}
	}

	var b strings.Builder

	for i, agent := range agents {
		if i > 0 {
			b.WriteByte('\n')
		}

		writeAgent(&b, agent, rows)
	}

	r.writeWins(&b)

	_, err := io.WriteString(w, b.String())

	return err
}

// writeWins writes what was compared: below each pair a line for each group.
func (r *Report) writeWins(b *strings.Builder) {
	t := table.Table{Heads: []string{"data", "n", "won:lost:tied", "sowr [95%]"}}

	for _, win := range r.Wins {
		t.Lines = append(t.Lines, win.fields())

		if win.Dataset != mean {
			continue
		}

		fmt.Fprintf(b, "\n%s against %s\n", name(win.Candidate), win.Reference.Policy)

		_ = t.Write(b) // a Builder takes everything
		t.Lines = nil
	}
}

// fields are the row's without those who were compared.
func (w *WinRow) fields() []string {
	rate := &Rate{N: w.N, Mean: w.Rate, Low: w.Low, High: w.High}

	return []string{
		w.Dataset, strconv.Itoa(w.N), fmt.Sprintf("%d:%d:%d", w.Win, w.Lose, w.Tie), rate.withInterval(),
	}
}

// writeAgent writes the rows of an agent.
func writeAgent(b *strings.Builder, agent finetune.Contender, rows []Row) {
	fmt.Fprintln(b, name(agent))

	t := table.Table{Heads: []string{"data", "n", "sopr ± sd [95%]", "fac [95%]", "valid", "recovered"}}

	var missing, lost, unread int

	for _, row := range rows {
		if row.agent() != agent {
			continue
		}

		valid, recovered := row.Conduct.shares()
		t.Lines = append(t.Lines, []string{
			row.data(), strconv.Itoa(row.N), row.SoPR.withDeviation(), row.FAC.withInterval(), valid, recovered,
		})

		if row.Dataset == mean && row.Difficulty == everything {
			missing, lost, unread = row.Missing, row.Lost, row.SoPR.lost()+row.FAC.lost()
		}
	}

	_ = t.Write(b) // a Builder takes everything

	for _, count := range []struct {
		n    int
		what string
	}{
		{missing, "queries without an answer count 0"},
		{lost, "queries were lost to infrastructure failures and count nowhere"},
		{unread, "judgements could not be read and count nowhere"},
	} {
		if count.n > 0 {
			fmt.Fprintf(b, "  %d %s\n", count.n, count.what)
		}
	}
}

// tables are the report as tables: for each score and exposure a line for each agent and a column for each group, as
// DynamicToolBench and MirrorAPI have them.
func (r *Report) tables() []table.Table {
	var all []table.Table

	for _, score := range []struct {
		title string
		of    func(Row) string
		has   func(Row) bool
	}{
		{
			fmt.Sprintf("Solvable pass rate (SoPR) in percent, mean ± population standard deviation of %d passes "+
				"[95 %% interval]", r.Passes),
			func(row Row) string { return row.SoPR.withDeviation() }, func(row Row) bool { return row.SoPR != nil },
		},
		{
			"Final answer completeness (FAC) in percent [95 % interval]",
			func(row Row) string { return row.FAC.withInterval() }, func(row Row) bool { return row.FAC != nil },
		},
	} {
		for _, exposure := range []string{everything, "exposed", "unexposed"} {
			t := r.byGroup(exposure, score.of, score.has)
			if t.Title = score.title + ", judged by " + r.Judge.Name; exposure != everything {
				t.Title += ": queries that are " + exposure + " to published drift"
			}

			if t.Title += "."; len(t.Lines) > 0 {
				all = append(all, t)
			}
		}
	}

	if len(r.Wins) > 0 {
		all = append(all, r.winLines())
	}

	if conduct := r.conductLines(); len(conduct.Lines) > 0 {
		all = append(all, conduct)
	}

	return all
}

// byGroup is a line for each agent and a column for each group, and their mean.
func (r *Report) byGroup(exposure string, text func(Row) string, has func(Row) bool) table.Table {
	t := table.Table{Heads: []string{"agent"}, Words: 1}

	for _, row := range slices.Concat(r.Rows, r.Means) {
		if row.Difficulty == exposure && has(row) {
			t.Set([]string{name(row.agent())}, row.Dataset, text(row))
		}
	}

	return t
}

// winLines is a line for each pair and group.
func (r *Report) winLines() table.Table {
	t := table.Table{
		Title: "Solvable win rate (SoWR) in percent: how often the candidate did better than the reference [95 % " +
			"interval].",
		Heads: []string{"candidate", "reference", "data", "n", "won:lost:tied", "sowr [95%]"}, Words: 3,
	}

	for _, win := range r.Wins {
		t.Lines = append(t.Lines, append([]string{name(win.Candidate), name(win.Reference)}, win.fields()...))
	}

	return t
}

// conductLines is a line for each agent and exposure.
func (r *Report) conductLines() table.Table {
	t := table.Table{
		Title: "What agents did, over all groups: calls, how many of them the deployed version took, how many " +
			"functions that\nrefused one were called with success afterwards, in percent, and refused calls by what " +
			"was not taken.",
		Heads: []string{"agent", "data", "calls", "valid", "recovered"}, Words: 2,
	}

	for _, row := range r.Means {
		if row.Conduct == nil {
			continue
		}

		valid, recovered := row.Conduct.shares()
		line := []string{name(row.agent()), row.Difficulty, strconv.Itoa(row.Conduct.Calls), valid, recovered}

		t.Names = nil
		for _, c := range row.Conduct.Refusals {
			t.Names = append(t.Names, string(c.Refusal))
			line = append(line, strconv.Itoa(c.Calls))
		}

		t.Lines = append(t.Lines, line)
	}

	return t
}

// WriteMarkdown writes the report as Markdown tables.
func (r *Report) WriteMarkdown(w io.Writer) error { return table.WriteMarkdown(w, r.tables()) }

// WriteLaTeX writes the report as LaTeX tables, for booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error { return table.WriteLaTeX(w, r.tables()) }

// WriteCSV writes the rows and means as CSV, unrounded; the columns are called as in JSON.
func (r *Report) WriteCSV(w io.Writer) error {
	columns := []string{
		"policy", "api", "dataset", "difficulty", "n", "missing", "lost", "sopr", "sopr_deviation", "sopr_low",
		"sopr_high", "fac", "fac_low", "fac_high", "calls", "valid", "met", "recovered",
	}

	return table.WriteCSV(w, columns, slices.Concat(r.Rows, r.Means), func(row Row) []string {
		sopr, fac, conduct := table.Empty(4), table.Empty(3), table.Empty(4)
		if f := row.SoPR; f != nil {
			sopr = table.Fields(f.Mean, f.Deviation, f.Low, f.High)
		}

		if f := row.FAC; f != nil {
			fac = table.Fields(f.Mean, f.Low, f.High)
		}

		if c := row.Conduct; c != nil {
			conduct = table.Fields(c.Calls, c.Valid, c.Met, c.Recovered)
		}

		line := table.Fields(row.Policy, row.API, row.Dataset, row.Difficulty, row.N, row.Missing, row.Lost)

		return slices.Concat(line, sopr, fac, conduct)
	})
}

// agent returns whose row it is.
func (r *Row) agent() finetune.Contender { return finetune.Contender{Policy: r.Policy, API: r.API} }

// data names the queries of the row; those of one exposure stand below all of their group.
func (r *Row) data() string {
	if r.Difficulty == everything {
		return r.Dataset
	}

	return "  " + r.Difficulty
}

// name names an agent; one that was published met no version of ours.
func name(c finetune.Contender) string {
	if c.API == "" {
		return c.Policy
	}

	return c.String()
}

// withDeviation is the rate in percent, its deviation and its interval.
func (r *Rate) withDeviation() string {
	if r == nil || r.N == 0 {
		return table.None
	}

	return fmt.Sprintf("%.1f ± %.1f%s", 100*r.Mean, 100*r.Deviation, table.Interval(r.Low, r.High, 0))
}

// withInterval is the rate in percent and its interval.
func (r *Rate) withInterval() string {
	if r == nil || r.N == 0 {
		return table.None
	}

	return fmt.Sprintf("%.1f%s", 100*r.Mean, table.Interval(r.Low, r.High, 0))
}

// lost is how many judgements are in no figure.
func (r *Rate) lost() int {
	if r == nil {
		return 0
	}

	return r.Lost
}

// shares are the valid calls and the functions that recovered, in percent.
func (c *Conduct) shares() (valid, recovered string) {
	valid, recovered = table.None, table.None

	if c != nil && c.Calls > 0 {
		valid = fmt.Sprintf("%.1f", 100*c.ValidShare)
	}

	if c != nil && c.Met > 0 {
		recovered = fmt.Sprintf("%.1f", 100*c.RecoveredShare)
	}

	return valid, recovered
}
