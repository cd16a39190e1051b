package synth

import (
	"math"
	"math/rand/v2"
	"time"

	"toolevo/toolqa/corpus/internal/layout"
)

// The published series, in round figures: prices in US cents a pound, between 41.5 and 306.25, in steps of 0.05, with
// a daily volatility of 2.1 %; volumes up to 62,045 contracts, growing about fourfold over the years.
const (
	coffeeStart      = 116.25
	coffeeTick       = 20 // steps of 1/20
	coffeeMean       = 120.0
	coffeeReversion  = 0.002
	coffeeVolatility = 0.021
	coffeeFloor      = 20.0
)

// coffeeWalk returns a generator of n days of coffee prices: a mean-reverting random walk over weekdays, some of which
// are holidays.
func coffeeWalk(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	day := time.Date(2000, time.January, 3, 0, 0, 0, 0, time.UTC)
	previous := coffeeStart
	row := make([]layout.Cell, 7)

	return countedRows(n, func(made int) []layout.Cell {
		pull := coffeeReversion * math.Log(coffeeMean/previous)
		open := tick(previous * math.Exp(0.004*rng.NormFloat64()))
		closing := tick(open * math.Exp(pull+coffeeVolatility*rng.NormFloat64()))
		high := tick(max(open, closing) * (1 + 0.008*rng.ExpFloat64()))
		low := tick(min(open, closing) * (1 - min(0.5, 0.008*rng.ExpFloat64())))
		growth := 1 + 3*float64(made)/float64(max(n, 5741))
		volume := int64(3500 * growth * math.Exp(0.6*rng.NormFloat64()-0.18))

		date := day.Format(time.DateOnly)

		row[0] = layout.TextCell(date)
		for i, price := range []float64{open, high, low, closing} {
			row[1+i] = layout.RealCell(price)
		}

		row[5] = layout.IntegerCell(volume)
		row[6] = layout.TextCell("USD")
		previous = closing
		day = nextTradingDay(rng, day)

		return row
	})
}

// tick rounds a price to the exchange's steps, and keeps it away from zero.
func tick(price float64) float64 { return math.Round(max(price, coffeeFloor)*coffeeTick) / coffeeTick }

// nextTradingDay returns the weekday after day, or now and then, after a holiday, the one after that.
func nextTradingDay(rng *rand.Rand, day time.Time) time.Time {
	skip := 1
	if rng.Float64() < 0.035 {
		skip = 2
	}

	for skip > 0 {
		day = day.AddDate(0, 0, 1)
		if wd := day.Weekday(); wd != time.Saturday && wd != time.Sunday {
			skip--
		}
	}

	return day
}
