package tabulate

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"unicode"
)

const (
	lineLetters = 16   // of the name of a place that fit on the axis
	allBars     = 0.8  // of its place
	highest     = 110. // percent: room for a number above a full bar
	numberWidth = 14.  // points, of "100" above a bar
)

var grey = color.NRGBA{R: 225, G: 225, B: 225, A: 0xff}

// frame is where a panel is drawn, and the values at its left and right end.
type frame struct {
	*canvas
	left, right, top, bottom float64
	from, to                 float64
}

// pointAt returns the place of a value and a share in percent.
func (f frame) pointAt(x, percent float64) point {
	return point{
		f.left + (x-f.from)/(f.to-f.from)*(f.right-f.left),
		f.bottom - percent/highest*(f.bottom-f.top),
	}
}

// tick writes a text, of one line or several, below a value.
func (f frame) tick(x float64, text string) {
	for i, line := range strings.Split(text, "\n") {
		below := f.pointAt(x, 0)
		below.y += float64(i+1)*lineHeight + 2
		f.write(label{at: below, text: line, size: 9, anchor: middle})
	}
}

// across returns a vector of some length at right angles to a line.
func across(from, to point, length float64) point {
	x, y := to.x-from.x, to.y-from.y
	n := max(math.Hypot(x, y), 1e-9)
	return point{-y / n * length, x / n * length}
}

// draw draws the lines, or the bars, of a number of series.
func (f Panel) draw(in frame, series int) {
	for percent := 0.; percent <= 100; percent += 20 {
		// The axis below is not laid out yet: only the height of this point counts.
		left, right := in.pointAt(0, percent), point{in.right, 0}
		left.x, right.y = in.left, left.y
		in.line(grey, 0.8, left, right)
		in.write(label{
			at: point{in.left - 5, left.y + 3}, text: fmt.Sprint(percent), size: 9, anchor: end,
		})
	}

	in.line(black, 0.8, point{in.left, in.top}, point{in.left, in.bottom},
		point{in.right, in.bottom})
	in.write(label{
		at: point{(in.left + in.right) / 2, in.top - 8}, text: f.Title, size: 11, anchor: middle,
	})

	if len(f.Lines) > 0 {
		f.drawLines(in)
		return
	}

	// Half a place at either end, so that bars are centred on their names.
	in.from, in.to = -0.5, float64(len(f.Places))-0.5

	for i, place := range f.Places {
		in.tick(float64(i), inLines(place))
	}

	for k := range series {
		for _, b := range f.bars(k, series) {
			in.drawBar(b, seriesColours[k])
		}
	}
}

// drawBar draws a bar with its interval, and its number above.
func (f frame) drawBar(b bar, colour color.NRGBA) {
	const reach = 2 // of the interval's ends, to each side

	f.box(colour, f.pointAt(b.left, 0), f.pointAt(b.right, b.top))

	low, high := f.pointAt(b.middle(), b.low), f.pointAt(b.middle(), b.high)
	f.line(black, 0.8, low, high)

	for _, p := range []point{low, high} {
		f.line(black, 0.8, point{p.x - reach, p.y}, point{p.x + reach, p.y})
	}

	// Numbers of bars narrower than a number are upright, so that they do not run into each other.
	number := label{
		at: point{high.x, high.y - 2}, text: fmt.Sprintf("%.0f", b.top), size: 7, anchor: middle,
	}
	if f.pointAt(b.right, 0).x-f.pointAt(b.left, 0).x < numberWidth {
		number.at.x, number.anchor, number.vertical = high.x+2.5, start, true
	}

	f.write(number)
}

// inLines breaks a name that does not fit a place, after a character that is neither letter nor
// digit if there is one.
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

// bar is a share and its interval in percent, and its left and right end.
type bar struct{ left, right, low, top, high float64 }

func (b bar) middle() float64 { return (b.left + b.right) / 2 }

// bars returns the bars of the k-th of a number of series.
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
