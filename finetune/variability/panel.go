package variability

import (
	"fmt"
	"image/color"
	"slices"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineLetters = 16  // of the name of a policy, which fit its place on the axis
	allBars     = 0.8 // of its place
)

// panel is the bars of a difficulty.
func (f Figure) panel(difficulty string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.TextStyle.Font = difficulty, sans(11)
	p.Title.Padding = 4

	p.Y.Min, p.Y.Max = 0, 110 // room for a number above a full bar
	p.X.Padding, p.Y.Padding = 0, 0
	p.Y.Tick.Marker, p.Y.Tick.Label.Font = plot.ConstantTicks(percents()), sans(9)

	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.Gray{Y: 225}
	p.Add(grid)

	f.nameAxis(p)

	for k := range f.apis {
		if err := drawBars(p, f.bars(difficulty, k), colours[k]); err != nil {
			return nil, err
		}
	}

	return p, nil
}

// nameAxis writes the policies below their places, which are at 0, 1 and so on.
func (f Figure) nameAxis(p *plot.Plot) {
	policies := f.policies()
	ticks := make([]plot.Tick, len(policies))

	for i, policy := range policies {
		ticks[i] = plot.Tick{Value: float64(i), Label: inLines(policy)}
	}

	p.X.Min, p.X.Max = -0.5, float64(len(policies))-0.5
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

// The colours of the original and of its changes, which can be told apart by everybody (Okabe and Ito).
var colours = []color.Color{
	color.RGBA{R: 0xaa, G: 0xaa, B: 0xaa, A: 0xff}, color.RGBA{G: 0x72, B: 0xb2, A: 0xff},
	color.RGBA{R: 0xe6, G: 0x9f, A: 0xff},
}

// bar is an accuracy and its interval in percent, and where it stands.
type bar struct{ left, right, low, top, high float64 }

func (b bar) middle() float64 { return (b.left + b.right) / 2 }

// bars are those of the k-th version, one for each policy that was measured.
func (f Figure) bars(difficulty string, k int) []bar {
	var bars []bar

	width := allBars / float64(len(f.apis))

	for i, policy := range f.policies() {
		at := slices.IndexFunc(f.rows, func(r Row) bool {
			return r.Policy == policy && r.API == f.apis[k] && r.Difficulty == difficulty
		})
		if at < 0 || f.rows[at].N == 0 {
			continue
		}

		r := f.rows[at]
		left := float64(i) - allBars/2 + float64(k)*width

		bars = append(bars, bar{
			left:  left,
			right: left + 0.9*width,
			low:   100 * min(r.Official, r.OfficialLow), // a bootstrapped interval need not have the mean in it
			top:   100 * r.Official,
			high:  100 * max(r.Official, r.OfficialHigh),
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
