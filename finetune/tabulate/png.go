package tabulate

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pixels is how many pixels of a PNG a point has: 200 an inch.
const pixels = 200. / 72

// WritePNG draws the figure as PNG, at 200 pixels an inch.
func (f Figure) WritePNG(w io.Writer) error {
	c := f.draw(false)
	width, height := int(math.Ceil(c.width*pixels)), int(math.Ceil(c.height*pixels))
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(picture, picture.Rect, image.White, image.Point{}, draw.Src)

	for _, a := range c.areas {
		outline := newOutline(picture)
		for i, p := range a.corners {
			outline.to(i == 0, p)
		}

		outline.fill(picture, a.colour)
	}

	for _, l := range c.labels {
		if err := l.paint(picture); err != nil {
			return err
		}
	}

	return png.Encode(w, picture)
}

// outline is the border of something that is filled.
type outline struct{ *vector.Rasterizer }

func newOutline(picture *image.RGBA) outline {
	return outline{vector.NewRasterizer(picture.Rect.Dx(), picture.Rect.Dy())}
}

func pixel(p point) (x, y float32) { return float32(p.x * pixels), float32(p.y * pixels) }

// to continues to a point; a move begins another border there.
func (o outline) to(move bool, p point) {
	x, y := pixel(p)
	if move {
		o.MoveTo(x, y)
		return
	}

	o.LineTo(x, y)
}

func (o outline) fill(picture *image.RGBA, colour color.NRGBA) {
	o.ClosePath()
	o.Draw(picture, picture.Rect, image.NewUniform(colour), image.Point{})
}

var typeface = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(goregular.TTF) })

// paint draws the outlines of a text's letters.
func (l label) paint(picture *image.RGBA) error {
	face, err := typeface()
	if err != nil {
		return err
	}

	var (
		buffer sfnt.Buffer
		size   = fixed.Int26_6(math.Round(l.size * 64))
		drawn  = newOutline(picture)
		glyphs []sfnt.GlyphIndex
		widths []float64
		whole  float64
	)

	for _, r := range l.text {
		glyph, err := face.GlyphIndex(&buffer, r)
		if err != nil {
			return err
		}

		// Without hinting, which would round widths to whole points: a point is several pixels
		// here.
		advance, err := face.GlyphAdvance(&buffer, glyph, size, font.HintingNone)
		if err != nil {
			return err
		}

		glyphs, widths = append(glyphs, glyph), append(widths, float64(advance)/64)
		whole += widths[len(widths)-1]
	}

	// Where a text begins depends on its width, so its letters are measured first.
	pen := -whole * float64(l.anchor)

	for i, glyph := range glyphs {
		segments, err := face.LoadGlyph(&buffer, glyph, size, nil)
		if err != nil {
			return err
		}

		for _, s := range segments {
			l.trace(drawn, s, pen)
		}

		pen += widths[i]
	}

	drawn.fill(picture, black)
	return nil
}

// trace follows a part of a letter's outline; pen is how far the letter is from the label's place.
func (l label) trace(o outline, s sfnt.Segment, pen float64) {
	var ends [3]point

	for i, arg := range s.Args {
		x, y := pen+float64(arg.X)/64, float64(arg.Y)/64
		if l.vertical {
			x, y = y, -x
		}

		ends[i] = point{l.at.x + x, l.at.y + y}
	}

	x, y := pixel(ends[0])
	x1, y1 := pixel(ends[1])

	switch s.Op {
	case sfnt.SegmentOpQuadTo:
		o.QuadTo(x, y, x1, y1)
	case sfnt.SegmentOpCubeTo:
		x2, y2 := pixel(ends[2])
		o.CubeTo(x, y, x1, y1, x2, y2)
	default:
		o.to(s.Op == sfnt.SegmentOpMoveTo, ends[0])
	}
}
