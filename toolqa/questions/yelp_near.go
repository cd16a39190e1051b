package questions

import (
	"math"
	"math/rand/v2"
)

// The questions about what is near a business. Distances of the right answers are those on the ellipsoid; the published
// rules take a box that goes 5 km, not miles, to each side.

// yelpMapError is by how much, relatively, a radius may be wrong without another answer to a question that is
// drawn. The plans measure better than that.
const yelpMapError = 1e-5

// yelpMargin is how much farther, relatively, the second nearest business is than the nearest: on the map of
// that plan a degree of latitude is as long as one of longitude at the equator.
const yelpMargin = 0.02

// aroundBusiness makes a rule of a function of the business whose cell in a column is the slot of that name. Where
// there are more nobody can tell which is meant, and there is no answer; the published rules take the first.
func aroundBusiness(column string, published bool,
	answer func(b *businesses, row int, s slotValues) (string, error)) rule {
	return func(s *Corpus, slots slotValues) (string, error) {
		b, err := businessesOf(s)
		if err != nil {
			return "", err
		}

		rows, err := s.table.Find(column, slots.get(column))
		if err != nil {
			return "", err
		}

		if len(rows) == 0 || len(rows) > 1 && !published {
			return "", errNoAnswer
		}

		return answer(b, int(rows[0]), slots)
	}
}

func (b *businesses) at(row int) place {
	lat, _ := b.latitude.Number(row)
	long, _ := b.longitude.Number(row)
	return place{lat, long}
}

// within returns the businesses that are at most so many miles away from a place.
func (b *businesses) within(centre place, miles float64) []uint32 {
	return b.where(centre.circle(miles))
}

// where returns the businesses at places that near holds for.
func (b *businesses) where(near func(place) bool) []uint32 {
	var rows []uint32

	for row := range b.table.Rows() {
		if near(b.at(row)) {
			rows = append(rows, uint32(row))
		}
	}

	return rows
}

// steady reports whether a slightly smaller or larger circle holds the same businesses.
func (b *businesses) steady(centre place) bool {
	return len(b.within(centre, nearMiles*(1-yelpMapError))) == len(b.within(centre, nearMiles*(1+yelpMapError)))
}

// meanCount returns the mean review count with two decimals. The sum of whole numbers is exact.
func (b *businesses) meanCount(rows []uint32) (string, error) {
	sum, n := 0.0, 0

	for _, row := range rows {
		if x, ok := b.counts.Number(int(row)); ok {
			sum, n = sum+x, n+1
		}
	}

	if n == 0 {
		return "", errNoAnswer
	}

	return round2(sum / float64(n)), nil
}

func nearbyReviews(b *businesses, row int, _ slotValues) (string, error) {
	return b.meanCount(b.within(b.at(row), nearMiles))
}

func publishedNearbyReviews(b *businesses, row int, _ slotValues) (string, error) {
	return b.meanCount(b.where(b.at(row).box(boxMetres)))
}

// drawOnly makes a way to draw the only business with its cell in a column, of which pick holds. Where it holds, pick
// adds a category, or none.
func drawOnly(column string,
	pick func(r *rand.Rand, b *businesses, row int) (category string, ok bool, err error)) func(*Template,
	string) attempt {
	return func(t *Template, _ string) attempt {
		return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
			row, err := s.anyRow(r)
			if err != nil {
				return nil, false, err
			}

			b, err := businessesOf(s)
			if err != nil {
				return nil, false, err
			}

			cells, err := s.column(column)
			if err != nil || len(cells.RowsOf(cells.Code(row))) != 1 {
				return nil, false, err
			}

			category, ok, err := pick(r, b, row)
			values := []string{cells.Text(row)}

			if len(t.slots) > 1 {
				values = []string{category, cells.Text(row)}
			}

			for _, v := range values {
				ok = ok && !unfit(v)
			}

			return values, ok, err
		}
	}
}

func pickSteady(_ *rand.Rand, b *businesses, row int) (string, bool, error) {
	return "", b.steady(b.at(row)), nil
}

// withCategory returns the businesses of a category.
func (b *businesses) withCategory(category string) []uint32 {
	lists := b.categories.Filter(func(list string) bool { return isIn(category, list) })
	var rows []uint32

	for row := range b.table.Rows() {
		if lists.Has(b.categories.Code(row)) {
			rows = append(rows, uint32(row))
		}
	}

	return rows
}

// nearest returns which of the rows, without one, is nearest to a place, and how far it and the next one of
// another name are; -1 when there is none.
func (b *businesses) nearest(centre place, rows []uint32, without int) (nearest int, metres, next float64) {
	nearest, metres, next = -1, math.Inf(1), math.Inf(1)

	for _, row := range rows {
		if int(row) == without {
			continue
		}

		switch d := centre.metresTo(b.at(int(row))); {
		case d < metres:
			if nearest >= 0 && b.name.Code(nearest) != b.name.Code(int(row)) {
				next = metres
			}

			nearest, metres = int(row), d
		case d < next && b.name.Code(int(row)) != b.name.Code(nearest):
			next = d
		}
	}

	return nearest, metres, next
}

func nearestBusiness(b *businesses, row int, s slotValues) (string, error) {
	nearest, _, _ := b.nearest(b.at(row), b.withCategory(s.get("cat")), row)
	if nearest < 0 {
		return "", errNoAnswer
	}

	return b.name.Text(nearest), nil
}

func pickNearest(r *rand.Rand, b *businesses, row int) (string, bool, error) {
	around := b.city.RowsOf(b.city.Code(row))
	category := b.drawCategory(r, int(around[r.IntN(len(around))]))
	nearest, metres, next := b.nearest(b.at(row), b.withCategory(category), row)

	return category, nearest >= 0 && category != noObject && next > metres*(1+yelpMargin), nil
}

// recommended returns the name of the business with the most stars in the circle; where several names have as many,
// there is no answer.
func recommended(b *businesses, row int, s slotValues) (string, error) {
	around := rowsThat(b.within(b.at(row), nearMiles), func(row int) bool {
		return isIn(s.get("cat"), b.categories.Text(row))
	})

	names := distinctCells(best(around, b.stars.Number), b.name)
	if len(names) != 1 {
		return "", errNoAnswer
	}

	return names[0], nil
}

func publishedRecommended(b *businesses, row int, _ slotValues) (string, error) {
	rows := best(b.where(b.at(row).box(boxMetres)), b.stars.Number)
	return b.name.Text(int(rows[0])), nil
}

func pickRecommended(r *rand.Rand, b *businesses, row int) (string, bool, error) {
	centre := b.at(row)
	around := b.within(centre, nearMiles)
	category := b.drawCategory(r, int(around[r.IntN(len(around))]))
	_, err := recommended(b, row, slotValues{{"cat", category}})

	return category, err == nil && b.steady(centre), ignoreNoAnswer(err)
}
