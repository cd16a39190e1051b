package chart

import (
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is panels of bars or lines that stand side by side, with one legend. It has a panel, and every panel a place
// or a line.
type Figure struct {
	Name   string // of its files, without an ending
	Title  string
	Axis   string   // what the bars or lines are, in percent
	Series []string // the legend; at most MostSeries
	Panels []Panel
}

// Panel shows some places beside each other, or how shares grow.
type Panel struct {
	Title  string
	Places []string // below the bars
	Bars   []Bar

	Lines []Line
	Steps string // what the lines are over, e.g. "programs"
}

// Panel returns the panel of a title, which is added where it is new.
func (f *Figure) Panel(title string) *Panel {
	for i := range f.Panels {
		if f.Panels[i].Title == title {
			return &f.Panels[i]
		}
	}

	f.Panels = append(f.Panels, Panel{Title: title})

	return &f.Panels[len(f.Panels)-1]
}

// Bar is a share and its interval, in 0..1, at a place of a panel.
type Bar struct {
	Place, Series int // the index of each
	Share         float64
	Low, High     float64 // an interval need not have the share in it
}

// WriteSVG draws the figure as SVG.
func (f Figure) WriteSVG(w io.Writer) error {
	return f.write(w, vgsvg.New(f.size()))
}

// WritePNG draws the figure as PNG, of 200 pixels an inch.
func (f Figure) WritePNG(w io.Writer) error {
	return f.write(w, vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.size()), vgimg.UseDPI(200))})
}

func (f Figure) write(w io.Writer, canvas interface {
	vg.CanvasSizer
	io.WriterTo
}) error {
	if err := f.draw(draw.New(canvas)); err != nil {
		return err
	}

	_, err := canvas.WriteTo(w)

	return err
}

// Lengths in a figure.
const (
	placeWidth  = 1.1 * vg.Inch
	panelExtra  = 0.9 * vg.Inch // of a panel, beside its places
	legendWidth = 2.0 * vg.Inch
	plotHeight  = 2.45 * vg.Inch
	titleHeight = 0.5 * vg.Inch
	lineHeight  = 0.15 * vg.Inch // of the names of places
)

// size is as wide as the places need, and as high as their names. All panels have the same width.
func (f Figure) size() (width, height vg.Length) {
	places, lines := 0.0, 1

	for _, p := range f.Panels {
		places = max(places, float64(len(p.Places)))
		if len(p.Lines) > 0 {
			places, lines = max(places, linePlaces), max(lines, 2) // numbers, and what they count
		}

		for _, place := range p.Places {
			lines = max(lines, 1+strings.Count(inLines(place), "\n"))
		}
	}

	panel := panelExtra + vg.Length(places)*placeWidth

	return vg.Length(len(f.Panels))*panel + legendWidth, titleHeight + plotHeight + vg.Length(lines)*lineHeight
}

// draw draws the title, the panels, and the legend at their right.
func (f Figure) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())

	heading := plot.New().Title.TextStyle
	heading.Font = sans(13)
	heading.XAlign, heading.YAlign = draw.XLeft, draw.YTop
	c.FillText(heading, vg.Point{X: c.Min.X + 0.15*vg.Inch, Y: c.Max.Y - 0.1*vg.Inch}, f.Title)

	panels := make([]*plot.Plot, len(f.Panels))

	for i, p := range f.Panels {
		var err error
		if panels[i], err = p.plot(len(f.Series)); err != nil {
			return err
		}
	}

	panels[0].Y.Label.Text, panels[0].Y.Label.TextStyle.Font = f.Axis+", %", sans(10)

	area := draw.Crop(c, 0.1*vg.Inch, -legendWidth, 0.1*vg.Inch, -titleHeight)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: 0.15 * vg.Inch}

	for i, tile := range plot.Align([][]*plot.Plot{panels}, tiles, area)[0] {
		panels[i].Draw(tile)
	}

	legend := f.legend()
	legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-legendWidth+0.1*vg.Inch, 0, 0, -titleHeight))

	return nil
}

// legend names the series.
func (f Figure) legend() plot.Legend {
	legend := plot.NewLegend()
	legend.TextStyle.Font = sans(10)
	legend.Top, legend.Left = true, true
	legend.Padding, legend.ThumbnailWidth = 4, 12

	for k, name := range f.Series {
		legend.Add(name, &plotter.Polygon{Color: colours[k]})
	}

	return legend
}
