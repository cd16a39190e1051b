package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Line is how a share grows, in 0..1, with its band.
type Line struct {
	Series    int       // the index of its name in the legend
	Shares    []float64 // after 1, 2 and so on steps
	Low, High []float64 // as long as Shares, or nil where there is no band
}

// linePlaces is how wide a panel of lines is, in places of bars.
const linePlaces = 2.2

// bandOpacity is that of the space between the ends of intervals.
const bandOpacity = 0x30

// addLines draws the lines of a panel over the number of steps.
func (f Panel) addLines(p *plot.Plot) error {
	p.X.Label.Text, p.X.Label.TextStyle.Font = f.Steps, sans(10)
	p.X.Tick.Label.Font = sans(9)
	p.X.Min = 0

	for _, l := range f.Lines {
		p.X.Max = max(p.X.Max, float64(len(l.Shares)))

		if l.Low == nil {
			continue
		}

		band, err := plotter.NewPolygon(append(points(l.Low), reversed(points(l.High))...))
		if err != nil {
			return err
		}

		r, g, b, _ := colours[l.Series].RGBA()
		band.Color = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), bandOpacity}
		band.LineStyle.Width = 0
		p.Add(band)
	}

	for _, l := range f.Lines {
		line, err := plotter.NewLine(points(l.Shares))
		if err != nil {
			return err
		}

		line.Color, line.Width = colours[l.Series], 1.6
		p.Add(line)
	}

	return nil
}

// points are shares in percent over their steps.
func points(shares []float64) plotter.XYs {
	all := make(plotter.XYs, len(shares))
	for i, share := range shares {
		all[i] = plotter.XY{X: float64(i + 1), Y: 100 * share}
	}

	return all
}

func reversed(all plotter.XYs) plotter.XYs {
	back := make(plotter.XYs, 0, len(all))
	for i := range all {
		back = append(back, all[len(all)-1-i])
	}

	return back
}
