package tabulate

import (
	"fmt"
	"slices"
)

// Line is how a share grows, in 0..1, with its band.
type Line struct {
	Series    int       // the index of its name in the legend
	Shares    []float64 // after 1, 2 and so on steps
	Low, High []float64 // as long as Shares, or nil without a band
}

// linePlaces is how wide a panel of lines is, in places of bars.
const linePlaces = 2.2

// bandOpacity is the opacity of the space between the ends of intervals.
const bandOpacity = 0x30

// drawLines draws the lines of a panel, above their bands, over the number of steps.
func (f Panel) drawLines(in frame) {
	most := 1
	for _, l := range f.Lines {
		most = max(most, len(l.Shares))
	}

	// From 0, where nothing has been seen yet, although the first share is after one step.
	in.from, in.to = 0, float64(most)

	for step := 0; step <= most; step += stride(most) {
		in.tick(float64(step), fmt.Sprint(step))
	}

	in.write(label{
		at:   point{(in.left + in.right) / 2, in.bottom + 2*lineHeight + 2},
		text: f.Steps, size: 10, anchor: middle,
	})

	// All bands lie below all lines, or one would hide the line of another series.
	for _, l := range f.Lines {
		if l.Low == nil {
			continue
		}

		band := seriesColours[l.Series]
		band.A = bandOpacity

		// A band is one outline: there along its lower end, and back along the upper one.
		back := in.curve(l.High)
		slices.Reverse(back)
		in.fill(band, append(in.curve(l.Low), back...)...)
	}

	for _, l := range f.Lines {
		in.line(seriesColours[l.Series], 1.6, in.curve(l.Shares)...)
	}
}

// stride returns how many steps lie between two numbers below an axis: 1, 2, 5, 10 and so on, for
// at most ten numbers.
func stride(steps int) int {
	for unit := 1; ; unit *= 10 {
		for _, n := range []int{unit, 2 * unit, 5 * unit} {
			if steps <= 10*n {
				return n
			}
		}
	}
}

// curve returns the points of shares over their steps.
func (f frame) curve(shares []float64) []point {
	all := make([]point, len(shares))
	for i, share := range shares {
		all[i] = f.pointAt(float64(i+1), 100*share)
	}
	return all
}
