package programs

import (
	"slices"
	"strconv"

	"toolevo/envs/stategen/measure"
	"toolevo/finetune/tabulate"
)

// Coverage is a curve of figure 3: how adjacent transition coverage grows with the programs of a
// generator.
type Coverage struct {
	Domain string    `json:"domain"`          // whose tools are called
	Source string    `json:"source"`          // who made the programs: a selector, or a policy
	Runs   int       `json:"runs"`            // generators, each with a seed of its own
	Unread int       `json:"unread"`          // programs of a policy that are no Python: they cover nothing
	ATC    []float64 `json:"atc"`             // after 1, 2 and so on programs, mean over the runs, 0..1
	Low    []float64 `json:"low"`             // the lowest of them
	High   []float64 `json:"high"`            // the highest
	Pairs  []float64 `json:"pairs,omitempty"` // distinct data-bound pairs, mean over the runs; none of a policy
}

// CoverageOf averages the runs of a generator: at least one, all of the same number of programs.
func CoverageOf(domain, source string, runs []measure.Growth) Coverage {
	c := Coverage{Domain: domain, Source: source, Runs: len(runs)}

	for i := range runs[0].ATC {
		atc, pairs := make([]float64, len(runs)), 0.0

		for j, run := range runs {
			atc[j] = run.ATC[i]

			if run.Pairs != nil {
				pairs += float64(run.Pairs[i])
			}
		}

		c.ATC = append(c.ATC, sum(atc)/float64(len(runs)))
		c.Low, c.High = append(c.Low, slices.Min(atc)), append(c.High, slices.Max(atc))

		if runs[0].Pairs != nil {
			c.Pairs = append(c.Pairs, pairs/float64(len(runs)))
		}
	}
	return c
}

func sum(all []float64) (total float64) {
	for _, f := range all {
		total += f
	}
	return total
}

// tableSteps are the numbers of programs after which a table shows the coverage, as far as curves
// go.
var tableSteps = []int{5, 10, 20, 40, 60}

// steps returns the figures of a curve's line in a table whose longest curve has most programs.
func (c *Coverage) steps(most int) (rows []tabulate.Row) {
	add := func(after string, at int, values []float64, scale float64) {
		row := tabulate.Row{
			"domain": c.Domain, "source": c.Source, "runs": strconv.Itoa(c.Runs), "after": after,
		}
		if at <= len(values) {
			row["value"] = scale * values[at-1]
		}

		rows = append(rows, row)
	}

	for _, n := range tableSteps {
		if n <= most {
			add(strconv.Itoa(n), n, c.ATC, 100)
		}
	}

	add("pairs", tableSteps[0], c.Pairs, 1)
	return rows
}

// coverageFigure returns figure 3: a panel for each domain.
func coverageFigure(curves []Coverage) tabulate.Figure {
	f := tabulate.Figure{
		Name: "figure-3", Title: "Adjacent transition coverage over generated programs",
		Axis: "ATC",
	}

	for _, c := range curves {
		series := slices.Index(f.Series, c.Source)
		if series < 0 {
			if len(f.Series) == tabulate.MostSeries {
				continue // it is in the table
			}

			series = len(f.Series)
			f.Series = append(f.Series, c.Source)
		}

		p := f.Panel(c.Domain)
		p.Steps = "programs"
		p.Lines = append(p.Lines,
			tabulate.Line{Series: series, Shares: c.ATC, Low: c.Low, High: c.High})
	}
	return f
}
