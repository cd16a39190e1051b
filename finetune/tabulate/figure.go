package tabulate

import (
	"fmt"
	"image/color"
	"strings"
)

// Figure is panels of bars or lines side by side, with one legend. It has at least one panel, and
// every panel a place or a line.
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

// Panel returns the panel of a title, and adds it if it is new.
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

// Lengths in a figure, in points.
const (
	inch        = 72.
	placeWidth  = 1.1 * inch
	panelExtra  = 0.9 * inch // of a panel, besides its places
	legendWidth = 2.0 * inch
	plotHeight  = 2.45 * inch
	titleHeight = 0.5 * inch
	lineHeight  = 0.15 * inch // of the names of places
)

// MostSeries is how many series can be told apart.
const MostSeries = 6

var seriesColours = [MostSeries]color.NRGBA{
	{R: 0xaa, G: 0xaa, B: 0xaa, A: 0xff}, {G: 0x72, B: 0xb2, A: 0xff}, {R: 0xe6, G: 0x9f, A: 0xff},
	{G: 0x9e, B: 0x73, A: 0xff}, {R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, {R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
}

var black = color.NRGBA{A: 0xff}

// Key is a series in the legend.
type Key struct{ Name, Colour string } // the colour as style sheets have it

// Legend returns the series and their colours.
func (f Figure) Legend() (keys []Key) {
	for k, name := range f.Series {
		c := seriesColours[k]
		keys = append(keys, Key{name, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	}
	return keys
}

// draw draws the title, the panels, and the legend to their right; bare, only the panels. A figure
// is as wide as its places need, and as high as their names. All panels have the same width.
func (f Figure) draw(bare bool) *canvas {
	titleHeight, legendWidth := titleHeight, legendWidth
	if bare {
		titleHeight, legendWidth = 0, 0
	}

	// All panels share a width and a height, so the largest one decides before any is drawn.
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

	width := panelExtra + places*placeWidth
	panels := float64(len(f.Panels)) * width
	c := &canvas{width: panels + legendWidth, height: titleHeight + plotHeight + float64(lines)*lineHeight}

	// Bare panels have no background: the page behind them may be light or dark.
	if !bare {
		c.box(color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}, point{}, point{c.width, c.height})
		c.write(label{at: point{0.15 * inch, 0.3 * inch}, text: f.Title, size: 13})
	}

	bottom := titleHeight + plotHeight - 0.1*inch
	c.write(label{
		at:   point{0.22 * inch, (titleHeight + bottom) / 2},
		text: f.Axis + ", %", size: 10, anchor: middle,
		vertical: true,
	})

	for i, p := range f.Panels {
		left := float64(i) * width
		p.draw(frame{
			canvas: c, left: left + 0.6*inch, right: left + width - 0.1*inch,
			top:    titleHeight + 0.25*inch,
			bottom: bottom,
		}, len(f.Series))
	}

	// A page has one legend for all of its panels, which it writes itself.
	if bare {
		return c
	}

	for k, name := range f.Series {
		at := point{panels + 0.15*inch, titleHeight + 0.1*inch + float64(k)*16}
		c.box(seriesColours[k], at, point{at.x + 12, at.y + 10})
		c.write(label{at: point{at.x + 18, at.y + 9}, text: name, size: 10})
	}

	return c
}
