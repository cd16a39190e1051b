package programs

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"toolevo/envs/stategen/code"
	"toolevo/finetune/chart"
	"toolevo/finetune/statistics"
	"toolevo/finetune/table"
)

// PassTables are pass@1 by domain, and how and why tasks failed.
func PassTables(rows []Pass) []table.Table {
	rates := table.Table{
		Title: "pass@1 in percent (StateGen, figure 4): tasks all of whose cases pass [95 % interval].",
		Heads: []string{"policy", "api"}, Words: 2,
	}
	classes := table.Table{
		Title: "How tasks failed (StateGen, figure 5).",
		Heads: []string{"policy", "api", "domain", "n", "lost", "failed"}, Names: words(code.Classes()), Words: 3,
	}
	causes := table.Table{
		Title: "Why they failed, by rule (StateGen, RQ5): a misread document, an instruction that was not followed, " +
			"a mismanaged state.",
		Heads: []string{"policy", "api", "domain"}, Names: words(allCauses()), Words: 3,
	}

	for _, row := range rows {
		rates.Set([]string{row.Policy, row.API}, row.Domain, row.rate())

		who := []string{row.Policy, row.API, row.Domain}
		counts := []string{strconv.Itoa(row.N), strconv.Itoa(row.Lost), strconv.Itoa(row.Failed)}
		classes.Lines = append(classes.Lines, slices.Concat(who, counts, counted(row.Classes, code.Classes())))
		causes.Lines = append(causes.Lines, slices.Concat(who, counted(row.Causes, allCauses())))
	}

	return []table.Table{rates, classes, causes}
}

// words are names as text.
func words[T ~string](names []T) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}

	return all
}

// counted are the counts of names, in their order.
func counted[T ~string](counts map[T]int, names []T) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strconv.Itoa(counts[name])
	}

	return all
}

// rate is pass@1 in percent and its interval.
func (p *Pass) rate() string {
	if p.N == 0 {
		return table.None
	}

	return fmt.Sprintf("%.1f%s", 100*p.Pass, table.Interval(p.Low, p.High, 0))
}

// PassFigures are figures 4 and 5 for each API version: pass@1 by policy and domain, and the classes of the failures of
// each domain.
func PassFigures(rows []Pass) []chart.Figure {
	var figures []chart.Figure
	for _, api := range table.Distinct(rows, func(row Pass) string { return row.API }) {
		figures = append(figures, passFigure(rows, api), failureFigure(rows, api))
	}

	return figures
}

func passFigure(rows []Pass, api string) chart.Figure {
	f := chart.Figure{Name: "figure-4-" + api, Title: "pass@1 under " + api, Axis: "pass@1"}
	p := chart.Panel{}

	for _, row := range rows {
		if row.API != api {
			continue
		}

		place, series := table.Place(&p.Places, row.Policy), table.Place(&f.Series, row.Domain)
		if row.N > 0 && series < chart.MostSeries {
			p.Bars = append(p.Bars, chart.Bar{
				Place: place, Series: series, Share: row.Pass, Low: row.Low, High: row.High,
			})
		}
	}

	f.Series = f.Series[:min(len(f.Series), chart.MostSeries)]
	f.Panels = []chart.Panel{p}

	return f
}

// failureFigure has the shares of the failed tasks.
func failureFigure(rows []Pass, api string) chart.Figure {
	f := chart.Figure{
		Name: "figure-5-" + api, Title: "Types of errors under " + api, Axis: "failed tasks",
		Series: words(code.Classes()),
	}

	for _, row := range rows {
		if row.API != api {
			continue
		}

		p := f.Panel(row.Domain)
		place := table.Place(&p.Places, row.Policy)

		for series, class := range code.Classes() {
			if row.Failed == 0 {
				continue
			}

			low, high := statistics.Wilson(row.Classes[class], row.Failed)
			p.Bars = append(p.Bars, chart.Bar{
				Place: place, Series: series, Share: float64(row.Classes[class]) / float64(row.Failed),
				Low: low, High: high,
			})
		}
	}

	return f
}

// WritePassCSV writes the rows in full precision.
func WritePassCSV(w io.Writer, rows []Pass) error {
	columns := slices.Concat([]string{"policy", "api", "domain", "n", "lost", "pass", "low", "high", "failed"},
		words(code.Classes()), words(allCauses()))

	return table.WriteCSV(w, columns, rows, func(row Pass) []string {
		line := table.Fields(row.Policy, row.API, row.Domain, row.N, row.Lost, row.Pass, row.Low, row.High, row.Failed)

		return slices.Concat(line, counted(row.Classes, code.Classes()), counted(row.Causes, allCauses()))
	})
}
