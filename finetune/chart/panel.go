package chart

import (
	"fmt"
	"image/color"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineLetters = 16  // of the name of a place, which fit it on the axis
	allBars     = 0.8 // of its place
)

// plot draws the lines, or the bars, of so many series.
func (f Panel) plot(series int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.TextStyle.Font = f.Title, sans(11)
	p.Title.Padding = 4

	p.Y.Min, p.Y.Max = 0, 110 // room for a number above a full bar
	p.X.Padding, p.Y.Padding = 0, 0
	p.Y.Tick.Marker, p.Y.Tick.Label.Font = plot.ConstantTicks(percents()), sans(9)

	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.Gray{Y: 225}
	p.Add(grid)

	if len(f.Lines) > 0 {
		return p, f.addLines(p)
	}

	f.nameAxis(p)

	for k := range series {
		if err := drawBars(p, f.bars(k, series), colours[k]); err != nil {
			return nil, err
		}
	}

	return p, nil
}

// nameAxis writes the places below their bars, which are at 0, 1 and so on.
func (f Panel) nameAxis(p *plot.Plot) {
	ticks := make([]plot.Tick, len(f.Places))

	for i, place := range f.Places {
		ticks[i] = plot.Tick{Value: float64(i), Label: inLines(place)}
	}

	p.X.Min, p.X.Max = -0.5, float64(len(f.Places))-0.5
	p.X.Tick.Marker, p.X.Tick.Label.Font = plot.ConstantTicks(ticks), sans(9)
	p.X.Tick.Length = 0
}

// inLines breaks a name that does not fit a place: behind a character that is no letter, where there is one.
func inLines(name string) string {
	letters := []rune(name)
	if len(letters) <= lineLetters {
		return name
	}

	end := lineLetters
	for end > 1 && unicode.In(letters[end-1], unicode.Letter, unicode.Digit) {
		end--
	}

	if end == 1 {
		end = lineLetters
	}

	return string(letters[:end]) + "\n" + inLines(string(letters[end:]))
}

func percents() []plot.Tick {
	var ticks []plot.Tick
	for percent := 0; percent <= 100; percent += 20 {
		ticks = append(ticks, plot.Tick{Value: float64(percent), Label: fmt.Sprint(percent)})
	}

	return ticks
}

// MostSeries is how many series can be told apart.
const MostSeries = 6

var colours = [MostSeries]color.Color{
	color.RGBA{R: 0xaa, G: 0xaa, B: 0xaa, A: 0xff}, color.RGBA{G: 0x72, B: 0xb2, A: 0xff},
	color.RGBA{R: 0xe6, G: 0x9f, A: 0xff}, color.RGBA{G: 0x9e, B: 0x73, A: 0xff},
	color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
}

// bar is a share and its interval in percent, and where it stands.
type bar struct{ left, right, low, top, high float64 }

func (b bar) middle() float64 { return (b.left + b.right) / 2 }

// bars are those of the k-th of some series.
func (f Panel) bars(k, series int) []bar {
	var bars []bar

	width := allBars / float64(series)

	for _, b := range f.Bars {
		if b.Series != k {
			continue
		}

		left := float64(b.Place) - allBars/2 + float64(k)*width

		bars = append(bars, bar{
			left:  left,
			right: left + 0.9*width,
			low:   100 * min(b.Share, b.Low),
			top:   100 * b.Share,
			high:  100 * max(b.Share, b.High),
		})
	}

	return bars
}

// drawBars adds bars with their intervals and numbers to a panel.
func drawBars(p *plot.Plot, all []bar, colour color.Color) error {
	if len(all) == 0 {
		return nil
	}

	var (
		rings     []plotter.XYer
		intervals struct {
			plotter.XYs
			plotter.YErrors
		}
		labels plotter.XYLabels
	)

	for _, b := range all {
		rings = append(rings, plotter.XYs{
			{X: b.left, Y: 0}, {X: b.left, Y: b.top}, {X: b.right, Y: b.top}, {X: b.right, Y: 0},
		})
		intervals.XYs = append(intervals.XYs, plotter.XY{X: b.middle(), Y: b.top})
		intervals.YErrors = append(intervals.YErrors, struct{ Low, High float64 }{b.top - b.low, b.high - b.top})
		labels.XYs = append(labels.XYs, plotter.XY{X: b.middle(), Y: b.high})
		labels.Labels = append(labels.Labels, fmt.Sprintf("%.0f", b.top))
	}

	bars, err := plotter.NewPolygon(rings...)
	if err != nil {
		return err
	}

	bars.Color, bars.LineStyle = colour, draw.LineStyle{}

	whiskers, err := plotter.NewYErrorBars(intervals)
	if err != nil {
		return err
	}

	whiskers.Width, whiskers.CapWidth = 0.8, 4

	numbers, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}

	for i := range numbers.TextStyle {
		numbers.TextStyle[i].Font, numbers.TextStyle[i].XAlign = sans(7), draw.XCenter
	}

	numbers.Offset.Y = 2
	p.Add(bars, whiskers, numbers)

	return nil
}

// sans is the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}
