package questions

import (
	"cmp"
	"errors"
	"fmt"
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

	boxMetres    = 5_000.0 // the published rule's five miles: to each side of a box
	farDegreesSq = 0.0169  // the published rule's ten miles: the square of a radius in degrees
)

// withinSQL is the condition that a listing is within miles of a place, for queries: as on a plane, where a degree of
// latitude is 69 miles and one of longitude 69.17 times the cosine of the latitude.
func withinSQL(lat, long string, miles float64) string {
	return fmt.Sprintf("(lat - %[1]s) * (lat - %[1]s) * POW(69.0, 2) + (`long` - %[2]s) * (`long` - %[2]s) * "+
		"POW(69.17 * COS(RADIANS(%[1]s)), 2) <= POW(%.0[3]f, 2)",
		lat, long, miles)
}

// at returns where a listing is, and whether that is known.
func (a *Airbnb) at(row int) (place, bool) {
	lat, ok := a.lat.Number(row)
	long, okLong := a.long.Number(row)
	return place{lat, long}, ok && okLong
}

// meanRate returns the mean review rate of the listings that near holds for, rounded to two decimals.
func (a *Airbnb) meanRate(near func(p place) bool) (string, error) {
	sum, n := 0.0, 0

	for row := range a.table.Rows() {
		rate, ok := a.rating.Number(row)
		if !ok {
			continue
		}

		if p, ok := a.at(row); ok && near(p) {
			sum, n = sum+rate, n+1 // whole numbers: the sum is exact
		}
	}

	if n == 0 {
		return "", errNoAnswer
	}

	return round2(sum / float64(n)), nil
}

// meanRateWithin is meanRate of a circle.
func (a *Airbnb) meanRateWithin(centre place, miles float64) (string, error) {
	near := centre.reach(miles)
	return a.meanRate(func(p place) bool { _, ok := near(p); return ok })
}

// reach returns whether a point is within miles of p, and its distance in metres if it is.
func (p place) reach(miles float64) func(q place) (metres float64, ok bool) {
	most := miles * metresInMile
	high := degrees(most / (earthMajor * (1 - earthOblat))) // no degree of latitude is shorter than that at the equator

	return func(q place) (float64, bool) {
		if math.Abs(q.lat-p.lat) > high {
			return 0, false
		}

		metres := p.metresTo(q)

		return metres, metres <= most
	}
}

// meanIsSettled reports whether the mean review rate around a place is the same wherever the circle ends in
// the doubtful ring.
func (a *Airbnb) meanIsSettled(centre place) bool {
	type rated struct{ metres, rate float64 }
	var ring []rated
	sum, n := 0.0, 0
	near := centre.reach(nearMiles * (1 + mapError))

	for row := range a.table.Rows() {
		p, known := a.at(row)

		rate, ok := a.rating.Number(row)
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

func airbnbNearby() Template {
	around := func(f func(a *Airbnb, centre place) (string, error)) rule {
		return onListing(func(a *Airbnb, row int, _ Slots) (string, error) {
			centre, ok := a.at(row)
			if !ok {
				return "", errNoAnswer
			}

			return f(a, centre)
		})
	}

	return Template{
		Name:     "nearby-review-rate",
		Text:     "What is the average review rates within 5 miles from {name:text+} in {nb:text}?",
		Fault:    "the published rule takes a box that goes 5 km, not miles, to each side",
		gold:     around(func(a *Airbnb, centre place) (string, error) { return a.meanRateWithin(centre, nearMiles) }),
		official: around(func(a *Airbnb, centre place) (string, error) { return a.meanRate(centre.box(boxMetres)) }),
		draw: drawOn(func(r *rand.Rand, a *Airbnb) ([]string, error) {
			return drawListing(r, a, []string{"name", "nb"}, func(a *Airbnb, row int) (bool, error) {
				centre, ok := a.at(row)
				return ok && a.meanIsSettled(centre), nil
			})
		}),
		steps: []step{
			querySQL("SELECT lat, `long` FROM airbnb.airbnb_data WHERE NAME = {name|sql} AND neighbourhood = {nb|sql}",
				"I first have to know where the listing is. Its coordinates are in the columns lat and long.",
				row(number("lat"), number("long"))),
			querySQL("SELECT AVG(review_rate_number) AS average FROM airbnb.airbnb_data WHERE "+
				withinSQL("{lat}", "{long}", nearMiles),
				"The listing is at {lat}, {long}. A degree of latitude is about 69 miles, and one of longitude "+
					"69.17 miles times the cosine of the latitude. With these I average the review rates of all "+
					"listings within 5 miles.",
				row(number("average"))),
			runPython("print(round({average}, 2))", "", "The mean is {average}. I round it to two decimals "+
				"with Python."),
			finish("{answer}", "Within 5 miles the average review rate is {answer}."),
		},
	}
}

// box returns whether a point is in the box that goes so far to each side of p.
func (p place) box(metres float64) func(q place) bool {
	north, east := p.ahead(0, metres).lat, p.ahead(90, metres).long
	south, west := p.ahead(180, metres).lat, p.ahead(270, metres).long
	return func(q place) bool { return south <= q.lat && q.lat <= north && west <= q.long && q.long <= east }
}

// shared returns the shared rooms that near holds for.
func (a *Airbnb) shared(near func(p place) bool) ([]uint32, error) {
	rows, err := a.table.Find("room type", sharedRoom)

	return rowsThat(rows, func(row int) bool {
		p, ok := a.at(row)
		return ok && near(p)
	}), err
}

// cheapestShared returns the shared rooms of the lowest price within so many miles.
func (a *Airbnb) cheapestShared(centre place, miles float64) ([]uint32, error) {
	near := centre.reach(miles)
	rows, err := a.shared(func(p place) bool { _, ok := near(p); return ok })
	return best(rows, a.negatedPrice), err
}

// cheapestIsSettled reports whether there are few cheapest shared rooms around a place, and the same wherever
// the circle ends in the doubtful ring: a room of the ring would change them at its outer or at its inner
// end.
func (a *Airbnb) cheapestIsSettled(centre place) (bool, error) {
	inner, err := a.cheapestShared(centre, farMiles*(1-mapError))
	if err != nil {
		return false, err
	}

	outer, err := a.cheapestShared(centre, farMiles*(1+mapError))

	return len(outer) > 0 && len(outer) <= mostTied && slices.Equal(inner, outer), err
}

func airbnbCheapestNear() Template {
	point := func(_ *Airbnb, s Slots) (place, error) {
		lat, err := strconv.ParseFloat(s.Get("lat"), 64)
		long, err2 := strconv.ParseFloat(s.Get("long"), 64)
		return place{lat, long}, errors.Join(err, err2)
	}
	within := withinSQL("{lat}", "{long}", farMiles)
	const rooms = "FROM airbnb.airbnb_data WHERE room_type = '" + sharedRoom + "' AND "

	return Template{
		Name: "shared-room",
		sep:  nameSep,
		Text: "Can you recommend a shared room with the lowest price within 10 miles from {long:number} longitude " +
			"and {lat:number} latitude?",
		Fault: "the published rule takes 0.13 degrees, east as north, for 10 miles, and compares prices as texts, " +
			"for which $1,083 is less than $50; " +
			"ToolQA-D compares numbers, but keeps the degrees",
		gold: onFound(point, func(a *Airbnb, centre place) (string, error) {
			rows, err := a.cheapestShared(centre, farMiles)
			if err != nil {
				return "", err
			}

			return a.names(rows)
		}),
		official: onFound(point, func(a *Airbnb, centre place) (string, error) {
			rows, err := a.shared(func(p place) bool {
				north, east := p.lat-centre.lat, p.long-centre.long
				return north*north+east*east <= farDegreesSq
			})
			if err != nil {
				return "", err
			}

			row, err := a.firstByText(rows, false)
			if err != nil {
				return "", err
			}

			return a.name.Text(row), nil
		}),
		draw: drawOn(drawPoint),
		steps: []step{
			querySQL("SELECT MIN("+dollarsSQL+") AS lowest "+rooms+within,
				"I look for shared rooms within 10 miles. A degree of latitude is about 69 miles, and one of "+
					"longitude 69.17 miles times the cosine of the latitude. Prices are stored as texts such as "+
					"$1,083, so I turn them into numbers before I take the lowest one.",
				row(number("lowest"))),
			querySQL("SELECT NAME "+rooms+within+" AND "+dollarsSQL+" = {lowest} GROUP BY NAME ORDER BY MIN(id)",
				"The lowest price is ${lowest}. I ask for the name of what costs as much, which may be more than "+
					"one room.",
				listed("NAME")),
			finish("{NAME}", "This is the shared room with the lowest price in reach, ${lowest} a night."),
		},
	}
}

// drawPoint draws the longitude and the latitude of a point between the listings that has few cheapest shared rooms in
// reach.
func drawPoint(r *rand.Rand, a *Airbnb) ([]string, error) {
	south, north := numberRange(a.lat.Words(), a.lat.NumberOf)

	west, east := numberRange(a.long.Words(), a.long.NumberOf)
	for range airbnbTries {
		p := place{south + r.Float64()*(north-south), west + r.Float64()*(east-west)}
		if ok, err := a.cheapestIsSettled(p); err != nil {
			return nil, err
		} else if ok {
			return []string{pytext.FormatFloat(p.long), pytext.FormatFloat(p.lat)}, nil
		}
	}

	return nil, fmt.Errorf("none of %d points has a shared room in reach: the corpus is too small", airbnbTries)
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
