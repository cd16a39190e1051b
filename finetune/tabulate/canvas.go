package tabulate

import "image/color"

// point is a place on a figure, in typographic points from its upper left corner.
type point struct{ x, y float64 }

// area is a polygon that is filled.
type area struct {
	corners []point
	colour  color.NRGBA
}

// label is a line of text.
type label struct {
	at       point // on its base line, at the anchor
	text     string
	size     float64
	anchor   anchor
	vertical bool // it reads from below, as along an axis
}

// anchor is the part of a label that is at its place, as a share of its width.
type anchor float64

const (
	start  anchor = 0
	middle anchor = 0.5
	end    anchor = 1
)

// canvas is a drawn figure in no image format yet: the filled areas, in order, and the texts above
// them.
type canvas struct {
	width, height float64
	areas         []area
	labels        []label
}

func (c *canvas) fill(colour color.NRGBA, corners ...point) {
	c.areas = append(c.areas, area{corners, colour})
}

// box fills a rectangle between two of its corners.
func (c *canvas) box(colour color.NRGBA, a, b point) {
	c.fill(colour, a, point{b.x, a.y}, b, point{a.x, b.y})
}

// line draws a line of a width through points. Each part of it is an area.
func (c *canvas) line(colour color.NRGBA, width float64, through ...point) {
	for i := 1; i < len(through); i++ {
		from, to := through[i-1], through[i]
		side := across(from, to, width/2)
		c.fill(colour, point{from.x + side.x, from.y + side.y}, point{to.x + side.x, to.y + side.y},
			point{to.x - side.x, to.y - side.y}, point{from.x - side.x, from.y - side.y})
	}
}

func (c *canvas) write(l label) { c.labels = append(c.labels, l) }
