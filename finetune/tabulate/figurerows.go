package tabulate

import (
	"slices"
)

// Columns say which keys and figures of rows a figure draws. Panel may be "", which is one panel.
type Columns struct{ Panel, Place, Series, Share, Low, High string }

// Of returns the figure with the bars of rows. Series beyond those that can be told apart are left
// out, as are rows without the figure.
func (f Figure) Of(rows []Row, c Columns) Figure {
	for _, row := range rows {
		series := index(&f.Series, row.Text(c.Series))
		if series >= MostSeries {
			continue
		}

		p := f.Panel(row.Text(c.Panel))

		place := index(&p.Places, row.Text(c.Place))
		if row.Has(c.Share) {
			p.Bars = append(p.Bars, Bar{
				Place: place, Series: series,
				Share: row.Number(c.Share), Low: row.Number(c.Low), High: row.Number(c.High),
			})
		}
	}

	f.Series = f.Series[:min(len(f.Series), MostSeries)]
	return f
}

// index returns the place of a name among others, and adds it if it is new.
func index(names *[]string, name string) int {
	if !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
	return slices.Index(*names, name)
}
