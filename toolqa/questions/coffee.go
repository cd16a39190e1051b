package questions

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Day is one row of the coffee corpus: a trading day. Prices are in US cents a pound, volume in contracts.
type Day struct {
	Date                   string // YYYY-MM-DD
	Open, High, Low, Close float64
	Volume                 int64
}

// Coffee is the coffee corpus as its rules see it: the trading days in order. It is immutable.
type Coffee struct {
	days []Day
}

// NewCoffee returns the view of days, which must be in order of distinct dates and have positive opening and closing
// prices: the rules divide by them.
func NewCoffee(days []Day) (*Coffee, error) {
	for i, d := range days {
		if !isDate(d.Date) {
			return nil, fmt.Errorf("questions: coffee row %d: %q is not a date", i, d.Date)
		}

		if i > 0 && d.Date <= days[i-1].Date {
			return nil, fmt.Errorf("questions: coffee row %d: %s does not come after %s", i, d.Date, days[i-1].Date)
		}

		for _, price := range []float64{d.Open, d.High, d.Low, d.Close} {
			if !(price > 0) || math.IsInf(price, 0) {
				return nil, fmt.Errorf("questions: coffee row %d (%s): price %v is not a positive number", i, d.Date,
					price)
			}
		}
	}

	return &Coffee{days: slices.Clone(days)}, nil
}

// coffeeOf returns the view of an opened corpus.
func coffeeOf(c *corpus.Corpus) (Corpus, error) {
	t := c.Table()
	names := []string{"Date", "Open", "High", "Low", "Close", "Volume"}

	columns := make([]*corpus.Vector, len(names))
	for i, name := range names {
		var err error
		if columns[i], err = t.Column(name); err != nil {
			return nil, err
		}
	}

	days := make([]Day, t.Rows())
	for row := range days {
		number := func(i int) float64 {
			f, _ := columns[i].Number(row) // what is no number is not a positive price, which NewCoffee refuses
			return f
		}
		days[row] = Day{columns[0].Text(row), number(1), number(2), number(3), number(4), int64(number(5))}
	}

	return NewCoffee(days)
}

// Dataset returns toolqa.Coffee.
func (c *Coffee) Dataset() toolqa.Dataset { return toolqa.Coffee }

// Days returns the number of trading days.
func (c *Coffee) Days() int { return len(c.days) }

// find returns the position of the first day not before date, and whether it is that date.
func (c *Coffee) find(date string) (int, bool) {
	return slices.BinarySearchFunc(c.days, date, func(d Day, date string) int { return strings.Compare(d.Date, date) })
}

// between returns the days with start <= date <= end; none is errNoAnswer.
func (c *Coffee) between(start, end string) ([]Day, error) {
	first, _ := c.find(start)

	last, found := c.find(end)
	if found {
		last++
	}

	if first >= last {
		return nil, errNoAnswer
	}

	return c.days[first:last], nil
}

// onDay makes a rule of a function of the day in the slot date.
func onDay(f func(Day) string) rule {
	return on(func(c *Coffee, s Slots) (string, error) {
		i, ok := c.find(s.Get("date"))
		if !ok {
			return "", errNoAnswer
		}

		return f(c.days[i]), nil
	})
}

// onRange makes a rule of a function of the days from the slot start to the slot end, at least minDays of them. A
// template without a slot start begins with the first trading day of the corpus it was made for.
func onRange(minDays int, f func([]Day) string) rule {
	return on(func(c *Coffee, s Slots) (string, error) {
		start, ok := s.lookup("start")
		if !ok {
			start = coffeeFirstDay
		}

		days, err := c.between(start, s.Get("end"))
		if err != nil {
			return "", err
		}

		if len(days) < minDays {
			return "", errNoAnswer
		}

		return f(days), nil
	})
}

// coffeeFirstDay is the start that two hard templates spell out.
const coffeeFirstDay = "2000-01-03"

// drawDay draws a day, leaving out the first skip days of the corpus.
func drawDay(skip int) drawer {
	return drawOn(func(r *rand.Rand, view *Coffee) ([]string, error) {
		if len(view.days) <= skip {
			return nil, fmt.Errorf("a corpus of %d days is too small", len(view.days))
		}

		return []string{view.days[skip+r.IntN(len(view.days)-skip)].Date}, nil
	})
}

// drawDays draws a day, or where the template does not ask for one, a range.
func drawDays(t *Template) drawer {
	if t.slots[0].name == "date" {
		return drawDay(0)
	}

	return drawOn(drawRange)
}

// rangeShare is the mean length of a drawn range as a share of the corpus. With exponential lengths the median is then
// about 1,100 of 5,741 days, and with the templates that start on the first day about 1,300, as in the published test
// questions: long ranges that no observation can list, and now and then a few days only.
const rangeShare = 0.27

// drawRange draws the first and the last day of a range of at least two days.
func drawRange(r *rand.Rand, view *Coffee) ([]string, error) {
	n := len(view.days)
	if n < 2 {
		return nil, fmt.Errorf("a corpus of %d days is too small", n)
	}

	length := 2 + int(r.ExpFloat64()*rangeShare*float64(n))
	for length > n {
		length = 2 + int(r.ExpFloat64()*rangeShare*float64(n))
	}

	first := r.IntN(n - length + 1)

	return []string{view.days[first].Date, view.days[first+length-1].Date}, nil
}

// mean returns the mean of f over the days, summed as SQLite's AVG does (Kahan-Babuska-Neumaier).
func mean(days []Day, f func(Day) float64) float64 {
	var sum compensatedSum
	for _, d := range days {
		sum.add(f(d))
	}

	return (sum.rounded + sum.lost) / float64(len(days))
}

// compensatedSum is a sum with what rounding has lost of it.
type compensatedSum struct{ rounded, lost float64 }

func (s *compensatedSum) add(x float64) {
	t := s.rounded + x
	if math.Abs(s.rounded) > math.Abs(x) {
		s.lost += (s.rounded - t) + x
	} else {
		s.lost += (x - t) + s.rounded
	}

	s.rounded = t
}

// firstMax returns the first day of the largest f.
func firstMax(days []Day, f func(i int) float64) string {
	best := 0
	for i := range days {
		if f(i) > f(best) {
			best = i
		}
	}

	return days[best].Date
}

func count(days []Day, f func(i int) bool) string {
	n := 0

	for i := range days {
		if f(i) {
			n++
		}
	}

	return strconv.Itoa(n)
}

func maxHigh(days []Day) float64 {
	return slices.MaxFunc(days, func(a, b Day) int { return cmp.Compare(a.High, b.High) }).High
}

func minLow(days []Day) float64 {
	return slices.MinFunc(days, func(a, b Day) int { return cmp.Compare(a.Low, b.Low) }).Low
}

// round2 is str(round(x, 2)) of Python.
func round2(x float64) string { return pytext.FormatFloat(pytext.Round(x, 2)) }

// fixed1 is "%.1f" of Python.
func fixed1(x float64) string { return pytext.FormatFixed(x, 1) }
