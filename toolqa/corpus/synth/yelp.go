package synth

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// The published file, in figures. Shares are of all rows.
const (
	yelpOpen         = 0.796
	yelpChains       = 0.12
	yelpNoAddress    = 0.034
	yelpNoPostalCode = 0.0005
	yelpNoAttributes = 0.091
	yelpNoCategories = 0.0007
	yelpNoHours      = 0.154
	yelpMisspelt     = 0.006 // cities

	// The number of reviews has a Pareto distribution.
	yelpLeastReviews = 5
	yelpMostReviews  = 7568
	yelpReviewsAlpha = 0.9
)

// yelpStars are how many of a thousand businesses have 1.0, 1.5, … 5.0 stars.
var yelpStars = [...]int{13, 33, 64, 95, 122, 177, 208, 180, 108}

// yelpRows returns a generator of n businesses in eleven cities of North America and the towns around them. Of few rows
// there are fewer towns.
func yelpRows(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	m := newYelpMaker(rng, n)
	return countedRows(n, func(int) []layout.Cell { return m.business() })
}

// yelpMaker makes rows.
type yelpMaker struct {
	dice
	*yelpWords
	towns  []yelpTown
	sums   []float64 // of the weights of the towns
	lines  []int     // of the weights of the lines of business, summed up
	chains []float64 // of the weights of the chains
	stars  []int
	row    []layout.Cell
	none   layout.Cell // a missing text or object
}

func newYelpMaker(rng *rand.Rand, n int) *yelpMaker {
	schema := layout.Schemas()[toolqa.Yelp]
	m := &yelpMaker{
		dice:      newDice(rng),
		yelpWords: readYelpWords(),
		row:       make([]layout.Cell, len(schema.Columns)),
		none:      layout.MissingCell(layout.Column{Kind: layout.Text}, true),
	}
	m.towns = m.settle(n)
	m.sums = sumUp(m.towns, func(t yelpTown) float64 { return t.Weight })
	m.lines = sumUp(m.Lines, func(l yelpLine) int { return l.Weight })
	rank := 0.0
	m.chains = sumUp(m.Chains, func(yelpChain) float64 { rank++; return 1 / math.Sqrt(rank) })

	m.stars = sumUp(yelpStars[:], func(of int) int { return of })

	return m
}

// business makes a row, which is overwritten by the next one.
func (m *yelpMaker) business() []layout.Cell {
	town := &m.towns[m.share(m.sums)]
	area := m.rng.IntN(1 + m.rng.IntN(len(town.areas))) // the first areas have the most

	b := m.independent()
	if m.chance(yelpChains) {
		b = m.chain()
	}

	point := m.point(town.areas[area])
	r := m.row
	r[0] = layout.TextCell(m.id())
	r[1] = layout.TextCell(b.name)
	r[2] = layout.TextCell(m.address(town))
	r[3] = layout.TextCell(m.spell(town))
	r[4] = layout.TextCell(town.State)
	r[5] = layout.TextCell(m.postalCode(town, area))
	r[6], r[7] = layout.RealCell(point[0]), layout.RealCell(point[1])
	r[8] = layout.RealCell(1 + 0.5*float64(m.weighted(m.stars)))
	r[9] = layout.IntegerCell(m.reviews())

	r[10] = layout.IntegerCell(0)
	if m.chance(yelpOpen) {
		r[10] = layout.IntegerCell(1)
	}

	r[11], r[12], r[13] = m.none, m.none, m.none
	if !m.chance(yelpNoAttributes) {
		r[11] = layout.TextCell(m.attributes(b.line))
	}

	if !m.chance(yelpNoCategories) {
		r[12] = layout.TextCell(m.categories(b))
	}

	if !m.chance(yelpNoHours) {
		r[13] = layout.TextCell(m.hours(b.line))
	}

	return r
}

// yelpIDLetters are those of an identifier of 22.
const yelpIDLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func (m *yelpMaker) id() string {
	var id [22]byte
	for i := range id {
		id[i] = yelpIDLetters[m.rng.IntN(len(yelpIDLetters))]
	}

	return string(id[:])
}

// reviews makes a number of reviews: most businesses have a few, and a few have thousands.
func (m *yelpMaker) reviews() int64 {
	return min(int64(yelpLeastReviews*math.Pow(1-m.rng.Float64(), -1/yelpReviewsAlpha)), yelpMostReviews)
}

// point makes a place in an area, with seven decimals, or, as of many of the published rows, with ten.
func (m *yelpMaker) point(center [2]float64) [2]float64 {
	unit := 1e7
	if m.chance(0.35) {
		unit = 1e10
	}
	const spread = 0.011

	return [2]float64{
		math.Round((center[0]+spread*m.normal())*unit) / unit,
		math.Round((center[1]+1.25*spread*m.normal())*unit) / unit,
	}
}

func (m *yelpMaker) address(town *yelpTown) string {
	if m.chance(yelpNoAddress) {
		return ""
	}

	if town.canadian() { // streets and avenues have numbers
		return strconv.Itoa(1_000+m.rng.IntN(17_000)) + " " + strconv.Itoa(23+m.rng.IntN(150)) +
			m.pick(" St NW", " Ave NW", " Avenue", " Ave", " Street NW")
	}

	address := strconv.Itoa(1+m.rng.IntN([]int{300, 3_000, 15_000}[m.rng.IntN(3)])) + " "
	if m.chance(0.3) {
		address += m.pick("N ", "S ", "E ", "W ")
	}

	address += m.pick(m.Streets...) + m.pick(" St", " St", " Ave", " Ave", " Rd", " Rd", " Blvd", " Dr", " Pike",
		" Hwy", " Ln", " Way")
	if m.chance(0.22) {
		address += m.pick(", Ste ", ", Ste ", ", Unit ", ", Bldg ") +
			m.pick(strconv.Itoa(1+m.rng.IntN(450)), string(rune('A'+m.rng.IntN(8))))
	}

	return address
}

// some returns up to n of the words, in random order, in a slice that is not shared.
func (m *yelpMaker) some(n int, words []string) []string {
	words = slices.Clone(words)
	m.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return words[:min(n, len(words))]
}
