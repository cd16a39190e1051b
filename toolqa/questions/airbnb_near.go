package questions

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs/pytext"
)

// The questions about what is near a place. Their right answers are those of a circle on the ellipsoid. No question is
// drawn whose answer another map of the Earth would change: what is at the edge of the circle makes no difference.
const (
	nearMiles = 5.0   // around a listing
	farMiles  = 10.0  // around a point
	mapError  = 0.005 // how much smaller or larger the circle may be on another map

	boxMetres = 5_000.0 // the published rule's five miles: to each side of a box
)

// at returns where a listing is, and whether that is known.
func (l *lodgings) at(row int) (place, bool) {
	lat, ok := l.lat.Number(row)
	long, okLong := l.long.Number(row)
	return place{lat, long}, ok && okLong
}

// ratedNear makes a rule of the mean review rate, rounded to two decimals, of the listings in a region around the one
// that the question names.
func ratedNear(region func(centre place, reach float64) func(p place) bool, reach float64) rule {
	return func(s *Corpus, slots slotValues) (string, error) {
		l, err := lodgingsOf(s)
		if err != nil {
			return "", err
		}

		names := []string{slots.get("name"), slots.get("nb")}
		row, ok, err := listing(s, []string{"NAME", "neighbourhood"}, names)

		centre, known := place{}, false
		if ok {
			centre, known = l.at(row)
		}

		if err != nil || !known {
			return "", cmp.Or(err, errNoAnswer)
		}

		near := region(centre, reach)
		sum, n := 0.0, 0

		for row := range l.rows {
			rate, ok := l.rating.Number(row)
			if p, known := l.at(row); ok && known && near(p) {
				sum, n = sum+rate, n+1 // whole numbers: the sum is exact
			}
		}

		if n == 0 {
			return "", errNoAnswer
		}

		return round2(sum / float64(n)), nil
	}
}

// drawSettledListing draws a listing around which the mean review rate is the same wherever the circle ends in the
// doubtful ring.
func drawSettledListing(t *Template, _ string) attempt {
	draw := drawListing(t, "")

	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		values, ok, err := draw(r, s)
		if err != nil || !ok {
			return nil, false, err
		}

		l, err := lodgingsOf(s)
		if err != nil {
			return nil, false, err
		}

		row, _, err := listing(s, t.columnsOfSlots(), values)
		centre, ok := l.at(row)

		return values, ok && l.meanIsSettled(centre), err
	}
}

// meanIsSettled reports whether the mean review rate around a place is the same wherever the circle ends in the
// doubtful ring.
func (l *lodgings) meanIsSettled(centre place) bool {
	type rated struct{ metres, rate float64 }
	var ring []rated
	sum, n := 0.0, 0
	near := centre.reach(nearMiles * (1 + mapError))

	for row := range l.rows {
		p, known := l.at(row)

		rate, ok := l.rating.Number(row)
		if !known || !ok {
			continue
		}

		switch metres, ok := near(p); {
		case !ok:
		case metres > nearMiles*(1-mapError)*metresInMile:
			ring = append(ring, rated{metres, rate})
		default:
			sum, n = sum+rate, n+1
		}
	}

	if n == 0 {
		return false
	}

	slices.SortFunc(ring, func(x, y rated) int { return cmp.Compare(x.metres, y.metres) })

	first := pytext.Round(sum/float64(n), 2)
	for _, r := range ring {
		sum, n = sum+r.rate, n+1
		if pytext.Round(sum/float64(n), 2) != first {
			return false
		}
	}

	return true
}

// cheapestShared returns the shared rooms of the lowest price within so many miles.
func cheapestShared(s *Corpus, l *lodgings, centre place, miles float64) ([]uint32, error) {
	near := centre.reach(miles)
	rows, err := s.table.Find("room type", "Shared room")

	return best(rows, func(row int) (float64, bool) {
		price, priced := amount(l.price.Text(row))
		p, known := l.at(row)
		if !priced || !known {
			return 0, false
		}

		_, ok := near(p)

		return -price, ok
	}), err
}

// cheapestSharedRoom is the rule for a shared room.
func cheapestSharedRoom(s *Corpus, slots slotValues) (string, error) {
	lat, err := strconv.ParseFloat(slots.get("lat"), 64)
	long, err2 := strconv.ParseFloat(slots.get("long"), 64)

	l, err3 := lodgingsOf(s)
	if err := errors.Join(err, err2, err3); err != nil {
		return "", err
	}

	rows, err := cheapestShared(s, l, place{lat, long}, farMiles)
	if err != nil {
		return "", err
	}

	return l.names(rows)
}

// mostTied is how many listings may share the best value.
const mostTied = 3

// drawPoint draws the longitude and the latitude of a point between the listings that has few cheapest shared rooms in
// reach, and the same wherever the circle ends in the doubtful ring: a room of the ring would change them at its outer
// or at its inner end.
func drawPoint(*Template, string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		l, err := lodgingsOf(s)
		if err != nil {
			return nil, false, err
		}

		south, north := numberRange(l.lat.Words(), l.lat.NumberOf)
		west, east := numberRange(l.long.Words(), l.long.NumberOf)
		p := place{south + r.Float64()*(north-south), west + r.Float64()*(east-west)}

		inner, err := cheapestShared(s, l, p, farMiles*(1-mapError))
		if err != nil {
			return nil, false, err
		}

		outer, err := cheapestShared(s, l, p, farMiles*(1+mapError))
		settled := len(outer) > 0 && len(outer) <= mostTied && slices.Equal(inner, outer)

		return []string{pytext.FormatFloat(p.long), pytext.FormatFloat(p.lat)}, settled, err
	}
}

// numberRange returns the smallest and the largest of n numbers.
func numberRange(n int, number func(i int) (float64, bool)) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)

	for i := range n {
		if f, ok := number(i); ok {
			least, most = min(least, f), max(most, f)
		}
	}

	return least, most
}
