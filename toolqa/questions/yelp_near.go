package questions

import (
	"math"
	"math/rand/v2"
	"strings"

	"toolevo/toolqa/corpus"
)

// The questions about what is near a business. Distances of the right answers are those on the ellipsoid; the published
// rules take a box that goes 5 km, not miles, to each side.

// yelpMapError is by how much, relatively, a radius may be wrong without another answer to a question that is
// drawn. The plans measure better than that.
const yelpMapError = 1e-5

// yelpMargin is how much farther, relatively, the second nearest business is than the nearest: on the map of
// that plan a degree of latitude is as long as one of longitude at the equator.
const yelpMargin = 0.02

// The first steps of a plan about a circle: where its middle is, and how long degrees are there.
const (
	degreesCode = "from math import radians, sin\n" +
		"w = 1 - 0.00669438 * sin(radians({latitude})) ** 2\n" +
		"east = 6378.137 / w ** 0.5\n" +
		"print(radians(1) * east * (1 - 0.00669438) / w / 1.609344, radians(1) * east / 1.609344)"

	inCircle = "latitude BETWEEN {latitude} - 0.08 AND {latitude} + 0.08 AND POW((latitude - {latitude}) * " +
		"{north}, 2) + " +
		"POW((longitude - {longitude}) * {east} * COS(RADIANS((latitude + {latitude}) / 2)), 2) <= POW(5, 2)"
)

// locate looks the middle up, by a condition.
func locate(condition, thought string) step {
	return querySQL("SELECT latitude, longitude FROM yelp.yelp_data WHERE "+condition, thought,
		row(number("latitude"), number("longitude")))
}

func measureDegrees() step {
	return step{
		"It is at {latitude}, {longitude}. To measure distances I compute with Python how many miles a degree of " +
			"latitude has there, and a degree of longitude " +
			"before it is multiplied by the cosine of the latitude, from the shape of the Earth in WGS-84.",
		"PythonInterpreter", []arg{{"Python", degreesCode}}, twoNumbers("north", "east"),
	}
}

// twoNumbers reads two numbers that a program printed.
func twoNumbers(first, second string) reader {
	return func(result string, known *Slots) error {
		a, b, ok := strings.Cut(strings.TrimSpace(result), " ")
		if !ok || !isNumber(a) || !isNumber(b) {
			return unexpected(result, "two numbers")
		}

		*known = append(*known, Slot{first, a}, Slot{second, b})

		return nil
	}
}

// within returns the businesses that are at most so many miles away from a place.
func (y *Yelp) within(centre place, miles float64) []uint32 {
	near := centre.reach(miles)
	return y.where(func(p place) bool { _, ok := near(p); return ok })
}

// where returns the businesses at places that near holds for.
func (y *Yelp) where(near func(place) bool) []uint32 {
	var rows []uint32

	for row := range y.table.Rows() {
		if near(y.at(row)) {
			rows = append(rows, uint32(row))
		}
	}

	return rows
}

// steady reports whether a slightly smaller or larger circle holds the same businesses.
func (y *Yelp) steady(centre place) bool {
	return len(y.within(centre, nearMiles*(1-yelpMapError))) == len(y.within(centre, nearMiles*(1+yelpMapError)))
}

func yelpNearbyReviews() Template {
	return Template{
		Name: "nearby-reviews",
		Text: "What is the average review counts of businesses within a 5-mile radius from {name:text+}?",
		Fault: "the published rule takes a box that goes 5 km, not miles, to each side, around any one of the " +
			"businesses of that name",
		gold: ofBusiness((*Yelp).only, func(y *Yelp, row int, _ Slots) (string, error) {
			return meanOf(y.within(y.at(row), nearMiles), y.reviews)
		}, "name"),
		official: ofBusiness((*Yelp).first, func(y *Yelp, row int, _ Slots) (string, error) {
			return meanOf(y.where(y.at(row).box(boxMetres)), y.reviews)
		}, "name"),
		draw: drawYelp(func(_ *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
			return []string{y.name.Text(row)}, y.isOnly(y.name, row) && y.steady(y.at(row)), nil
		}),
		steps: []step{
			locate("name = {name|sql}", "I first have to know where {name} is. Its coordinates are in the yelp "+
				"database."),
			measureDegrees(),
			querySQL("SELECT AVG(review_count) AS average FROM yelp.yelp_data WHERE "+inCircle,
				"A degree of latitude has {north} miles there. I average the review counts of all businesses in "+
					"the circle of 5 miles.",
				row(number("average"))),
			runPython("print(round({average}, 2))", "", "The mean is {average}. I round it to two decimals "+
				"with Python."),
			finish("{answer}", "Within 5 miles the average review count is {answer}."),
		},
	}
}

// isOnly reports whether no other row has the cell that a row has.
func (y *Yelp) isOnly(v *corpus.Vector, row int) bool { return len(v.RowsOf(v.Code(row))) == 1 }

// withCategory returns the businesses of a category.
func (y *Yelp) withCategory(category string) []uint32 {
	lists := y.categories.Filter(func(list string) bool { return isIn(category, list) })
	var rows []uint32

	for row := range y.table.Rows() {
		if lists.Has(y.categories.Code(row)) {
			rows = append(rows, uint32(row))
		}
	}

	return rows
}

// nearest returns which of the rows, without one, is nearest to a place, and how far it and the next one of
// another name are; -1 when there is none.
func (y *Yelp) nearest(centre place, rows []uint32, without int) (nearest int, metres, next float64) {
	nearest, metres, next = -1, math.Inf(1), math.Inf(1)

	for _, row := range rows {
		if int(row) == without {
			continue
		}

		switch d := centre.metresTo(y.at(int(row))); {
		case d < metres:
			if nearest >= 0 && y.name.Code(nearest) != y.name.Code(int(row)) {
				next = metres
			}

			nearest, metres = int(row), d
		case d < next && y.name.Code(int(row)) != y.name.Code(nearest):
			next = d
		}
	}

	return nearest, metres, next
}

func yelpNearest() Template {
	return Template{
		Name: "nearest",
		Text: "Which is the nearest {cat:text} business to {name:text+}?",
		Fault: "the published rule measures in degrees, looks in the same city only and at the business itself, and " +
			"looks for the category as a regular expression, from any one of the businesses of that name",
		gold: ofBusiness((*Yelp).only, func(y *Yelp, row int, s Slots) (string, error) {
			nearest, _, _ := y.nearest(y.at(row), y.withCategory(s.Get("cat")), row)
			if nearest < 0 {
				return "", errNoAnswer
			}

			return y.name.Text(nearest), nil
		}, "name"),
		official: ofBusiness((*Yelp).first, func(y *Yelp, row int, s Slots) (string, error) {
			rows, err := y.find(Slots{{"city", y.city.Text(row)}}, "city")
			if err != nil {
				return "", err
			}

			if rows, err = y.matching(rows, s.Get("cat")); err != nil {
				return "", err
			}

			return y.name.Text(int(y.leastDegrees(y.at(row), rows))), nil
		}, "name"),
		draw: drawYelp(func(r *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
			if !y.isOnly(y.name, row) {
				return nil, false, nil
			}

			around, err := y.table.Find("city", y.city.Text(row))
			if err != nil {
				return nil, false, err
			}

			listed := strings.Split(y.categories.Text(int(around[r.IntN(len(around))])), ", ")
			cat := listed[r.IntN(len(listed))]
			nearest, metres, next := y.nearest(y.at(row), y.withCategory(cat), row)

			return []string{cat, y.name.Text(row)}, nearest >= 0 && cat != noObject && next > metres*(1+yelpMargin), nil
		}),
		steps: []step{
			locate("name = {name|sql}", "I first look up the coordinates of {name}."),
			querySQL("SELECT name AS nearest FROM yelp.yelp_data WHERE name <> {name|sql}"+isDoing+
				" ORDER BY (latitude - {latitude}) * (latitude - {latitude}) + "+
				"(longitude - {longitude}) * (longitude - {longitude}) * POW(COS(RADIANS({latitude})), 2) LIMIT 1",
				"It is at {latitude}, {longitude}. I sort all other businesses that have {cat} in their list of "+
					"categories by the square of their distance, in which a degree of longitude "+
					"counts as much as the cosine of the latitude, and take the first.",
				textCell("nearest")),
			finish("{nearest}", "{nearest} is the nearest one."),
		},
	}
}

// leastDegrees returns the first row whose place, on a map where all degrees are as long, is nearest.
func (y *Yelp) leastDegrees(centre place, rows []uint32) uint32 {
	square := func(row int) float64 {
		p := y.at(row)
		return (p.lat-centre.lat)*(p.lat-centre.lat) + (p.long-centre.long)*(p.long-centre.long)
	}

	return best(rows, func(row int) (float64, bool) { return -square(row), true })[0]
}

func yelpRecommend() Template {
	best := func(y *Yelp, centre place, category string) (string, error) {
		return y.nameOf(most(y.doing(y.within(centre, nearMiles), category), y.stars))
	}

	return Template{
		Name: "recommend",
		Text: "Can you recommend a {cat:text} business with the highest star rating within a 5-mile radius of " +
			"{address:any}?",
		Fault: "the published rule forgets the category and takes the first of the businesses with the most stars " +
			"in a box that goes 5 km, not miles, " +
			"to each side, around any one of the businesses at that address",
		gold: ofBusiness((*Yelp).only, func(y *Yelp, row int, s Slots) (string, error) {
			return best(y, y.at(row), s.Get("cat"))
		}, "address"),
		official: ofBusiness((*Yelp).first, func(y *Yelp, row int, _ Slots) (string, error) {
			return firstName(y, most(y.where(y.at(row).box(boxMetres)), y.stars))
		}, "address"),
		draw: drawYelp(func(r *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
			if !y.isOnly(y.address, row) {
				return nil, false, nil
			}

			centre := y.at(row)
			around := y.within(centre, nearMiles)
			listed := strings.Split(y.categories.Text(int(around[r.IntN(len(around))])), ", ")
			cat := listed[r.IntN(len(listed))]

			_, err := best(y, centre, cat)
			if err != nil && !IsNoAnswer(err) {
				return nil, false, err
			}

			return []string{cat, y.address.Text(row)}, err == nil && y.steady(centre), nil
		}),
		steps: []step{
			locate("address = {address|sql}", "I first look up where {address} is. The business there has its "+
				"coordinates in the yelp database."),
			measureDegrees(),
			querySQL("SELECT name FROM yelp.yelp_data WHERE "+inCircle+isDoing+" ORDER BY stars DESC LIMIT 1",
				"A degree of latitude has {north} miles there. I sort the businesses in the circle of 5 miles "+
					"that have {cat} in their list of categories by their stars and take the first.",
				textCell("name")),
			finish("{name}", "{name} has the highest star rating there."),
		},
	}
}
