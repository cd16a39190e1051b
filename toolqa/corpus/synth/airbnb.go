package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// The published file, in figures. Shares are of all rows.
const (
	airbnbFull = 102_599

	airbnbFirstID = 1_001_254
	airbnbStep    = 552.2886 // from id to id

	airbnbRepeated = 541.0 / airbnbFull // rows that repeat an earlier one; they are the last
)

// airbnbWords are what listings are made of.
var airbnbWords = wordsIn[struct {
	Hoods                                                []airbnbHood
	Adjectives, Places, Perks, Marks, Odd, Series, Rules []string
	Things                                               map[string][]string // by the type of the room
}]("airbnb.yaml")

// airbnbHood is a neighbourhood of New York.
type airbnbHood struct {
	Group, Name string
	Lat, Long   float64
	Weight      int // how many of some 4,000 published listings it has, about
}

// airbnbRows returns a generator of n listings of New York. Every listing comes from random numbers of its own, so that
// the rows at the end can repeat earlier ones without anything being kept.
func airbnbRows(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	m := newAirbnbMaker(rng.Uint64())
	repeats := int(math.Round(airbnbRepeated * float64(n)))
	distinct := n - repeats

	return countedRows(n, func(i int) []layout.Cell {
		if i >= distinct { // evenly spread over those before
			i = (i - distinct) * distinct / max(1, repeats)
		}

		return m.listing(i)
	})
}

// airbnbMaker makes listings.
type airbnbMaker struct {
	dice
	salt    uint64
	source  *rand.PCG // of the dice, seeded for every listing
	hoods   []airbnbHood
	weights []int // of the neighbourhoods, summed up
	row     []layout.Cell
}

func newAirbnbMaker(salt uint64) *airbnbMaker {
	m := &airbnbMaker{salt: salt, source: rand.NewPCG(0, 0), hoods: airbnbWords().Hoods}
	m.dice = newDice(rand.New(m.source))

	m.weights = sumUp(m.hoods, func(h airbnbHood) int { return h.Weight })
	m.row = make([]layout.Cell, len(layout.Schemas()[toolqa.Airbnb].Columns))

	return m
}

// listing makes the i-th listing. The row is overwritten by the next one.
func (m *airbnbMaker) listing(i int) []layout.Cell {
	m.source.Seed(m.salt, uint64(i))
	hood := m.hoods[m.weighted(m.weights)]
	room := m.roomType()

	host := m.fake.FirstName()
	if m.chance(0.12) {
		host += []string{" & ", " And ", " "}[m.rng.IntN(3)] + m.fake.FirstName()
	}

	price := 50 + m.rng.IntN(1151)
	for c, value := range []layout.Cell{
		layout.IntegerCell(int64(airbnbFirstID + math.Floor(airbnbStep*float64(i)))),
		m.maybe(250, func() layout.Cell { return layout.TextCell(m.name(room, hood, host)) }),
		layout.IntegerCell(123_600_518 + m.rng.Int64N(98_639_528_692)),
		m.maybe(289, func() layout.Cell { return layout.TextCell(m.pick("unconfirmed", "verified")) }),
		m.maybe(406, func() layout.Cell { return layout.TextCell(host) }),
		m.maybe(29, func() layout.Cell { return layout.TextCell(m.misspelt(hood.Group)) }),
		m.maybe(16, func() layout.Cell { return layout.TextCell(hood.Name) }),
		m.maybe(8, func() layout.Cell { return layout.RealCell(fiveDigits(hood.Lat + 0.0045*m.normal())) }),
		m.maybe(8, func() layout.Cell { return layout.RealCell(fiveDigits(hood.Long + 0.006*m.normal())) }),
		m.maybe(532, func() layout.Cell { return layout.TextCell("United States") }),
		m.maybe(131, func() layout.Cell { return layout.TextCell("US") }),
		m.maybe(105, func() layout.Cell { return layout.BoolCell(m.chance(0.5)) }),
		m.maybe(76, func() layout.Cell { return layout.TextCell(m.pick("strict", "moderate", "flexible")) }),
		layout.TextCell(room),
		m.maybe(214, func() layout.Cell { return layout.RealCell(float64(2003 + m.rng.IntN(20))) }),
		m.maybe(247, func() layout.Cell { return layout.TextCell(dollars(price)) }),
		m.maybe(273, func() layout.Cell { return layout.TextCell(dollars(int(math.Round(0.2 * float64(price))))) }),
		m.maybe(409, func() layout.Cell { return layout.RealCell(float64(m.minimumNights())) }),
	} {
		m.put(c, value)
	}

	m.reviews()
	m.put(21, m.maybe(326, func() layout.Cell { return layout.RealCell(m.rate()) }))
	m.put(22, m.maybe(319, func() layout.Cell { return layout.RealCell(float64(m.hostListings())) }))
	m.put(23, m.maybe(448, func() layout.Cell { return layout.RealCell(float64(m.availability())) }))
	m.put(24, m.maybe(52_131, func() layout.Cell { return layout.TextCell(m.rules()) }))
	m.put(25, m.maybe(102_597, func() layout.Cell { return layout.TextCell("41662/AL") }))

	return m.row
}

// put sets a cell of the row; the zero cell stands for a missing value.
func (m *airbnbMaker) put(column int, c layout.Cell) {
	if c == (layout.Cell{}) {
		c = layout.MissingCell(layout.Column{}, false)
	}

	m.row[column] = c
}

// maybe makes a cell, or the zero cell as often as there are missing ones in the published file.
func (m *airbnbMaker) maybe(missing int, value func() layout.Cell) layout.Cell {
	if m.rng.IntN(airbnbFull) < missing {
		return layout.Cell{}
	}

	return value()
}

// reviews makes the number of reviews, the day of the last one, and how many there are a month: without a
// review there is neither of the latter.
func (m *airbnbMaker) reviews() {
	count := 0
	if !m.chance(0.15) {
		count = 1 + min(int(45*m.rng.ExpFloat64()*m.rng.ExpFloat64()), 1023)
	}

	m.put(18, m.maybe(183, func() layout.Cell { return layout.RealCell(float64(count)) }))

	if count == 0 {
		m.put(19, layout.Cell{})
		m.put(20, layout.Cell{})
		return
	}

	m.put(19, m.maybe(300, func() layout.Cell { return layout.TextCell(m.lastReview()) }))
	m.put(20, m.maybe(300, func() layout.Cell {
		return layout.RealCell(math.Max(0.01, math.Round(100*min(90, 1.3*m.rng.ExpFloat64()*m.rng.ExpFloat64()))/100))
	}))
}

// lastReview makes a day as M/D/YYYY: mostly of the weeks before one of the two days on which the file was
// made, and now and then of a year to come.
func (m *airbnbMaker) lastReview() string {
	day := time.Date(2019, time.July, 8, 0, 0, 0, 0, time.UTC)
	if m.chance(0.4) {
		day = time.Date(2022, time.May, 21, 0, 0, 0, 0, time.UTC)
	}

	day = day.AddDate(0, 0, -min(int(240*m.rng.ExpFloat64()*m.rng.ExpFloat64()), 2_200))
	if m.chance(0.0002) {
		day = day.AddDate(3+m.rng.IntN(36), 0, 0)
	}

	return day.Format("1/2/2006")
}

func (m *airbnbMaker) roomType() string {
	rooms := []string{"Entire home/apt", "Private room", "Shared room", "Hotel room"}
	return rooms[m.weighted([]int{52_400, 97_650, 99_870, 100_000})]
}

// minimumNights makes the minimum of nights, in some cases negative or more than anybody stays.
func (m *airbnbMaker) minimumNights() int {
	if m.chance(0.003) {
		return []int{-10, -5, -1, 365, 366, 452, 500, 1000, 5645}[m.rng.IntN(9)]
	}

	return []int{1, 2, 3, 30, 4, 5, 7, 6, 10, 14, 20, 29, 60, 90,
		120}[m.weighted([]int{24, 47, 65, 76, 83, 89, 93, 94, 95, 96, 97, 98, 99, 100, 101})]
}

func (m *airbnbMaker) rate() float64 { return float64(1 + m.weighted([]int{11, 32, 54, 77, 100})) }

func (m *airbnbMaker) hostListings() int {
	if m.chance(0.6) {
		return 1
	}

	return min(332, 2+int(1.5*math.Pow(m.rng.ExpFloat64(), 3)))
}

// availability makes the number of days a year, in some cases fewer than none or more than all.
func (m *airbnbMaker) availability() int {
	switch p := m.rng.Float64(); {
	case p < 0.2:
		return 0
	case p < 0.21:
		return -1 - m.rng.IntN(10)
	case p < 0.24:
		return 366 + m.rng.IntN(61)
	}

	return 1 + m.rng.IntN(365)
}

// misspelt returns the name of a borough, of some rows with a mistake.
func (m *airbnbMaker) misspelt(group string) string {
	if !m.chance(0.0005) {
		return group
	}

	switch group {
	case "Brooklyn":
		return "brookln"
	case "Manhattan":
		return "manhatan"
	}

	return group
}

// fiveDigits rounds a coordinate as the published file does.
func fiveDigits(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// dollars writes a price as the published file does, with a blank behind it.
func dollars(n int) string {
	if n < 1000 {
		return "$" + strconv.Itoa(n) + " "
	}

	return fmt.Sprintf("$%d,%03d ", n/1000, n%1000)
}
