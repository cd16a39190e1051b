package questions

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/toolqa/corpus"
)

// The conditions of the queries: the businesses of a town, and those of a category.
const (
	inTown  = "FROM yelp.yelp_data WHERE city = {city|sql} AND state = {state|sql}"
	isDoing = " AND FIND_IN_SET({cat|sql}, REPLACE(categories, ', ', ','))"
)

// containsFault is what is wrong with the published rules that search categories.
const containsFault = "the published rule looks for the category as a regular expression anywhere in the list of " +
	"categories, so that Sushi Bars are Bars and American (Traditional) is nothing"

// yelpHard are the questions about many businesses.
func yelpHard() []Template {
	return []Template{
		yelpCount(), yelpAreaCount(),
		yelpBest("highest-stars", "star rating", "stars"), yelpBest("most-reviews", "review count", "review_count"),
		yelpNearbyReviews(), yelpNearest(), yelpRecommend(), yelpNotOpen(), yelpAverageStars(), yelpBusiestArea(),
	}
}

// ofCategory makes a rule of a function of the businesses of the category in the slot cat, at least one, in a town: the
// slots city and, where by names it, state.
func ofCategory(answer func(y *Yelp, rows []uint32) (string, error), by ...string) rule {
	return on(func(y *Yelp, s Slots) (string, error) {
		rows, err := y.find(s, by...)
		if err != nil {
			return "", err
		}

		if rows = y.doing(rows, s.Get("cat")); len(rows) == 0 {
			return "", errNoAnswer
		}

		return answer(y, rows)
	})
}

// ofPattern makes the published rule: of the businesses in the city, in whatever state, whose categories the slot cat
// matches as a regular expression.
func ofPattern(answer func(y *Yelp, rows []uint32) (string, error)) rule {
	return on(func(y *Yelp, s Slots) (string, error) {
		rows, err := y.find(s, "city")
		if err != nil {
			return "", err
		}

		if rows, err = y.matching(rows, s.Get("cat")); err != nil {
			return "", err
		}

		return answer(y, rows)
	})
}

// matching returns those of the rows whose categories match a regular expression, at least one.
func (y *Yelp) matching(rows []uint32, pattern string) ([]uint32, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errNoAnswer // the published code cannot run it, either
	}

	matched := slices.DeleteFunc(slices.Clone(rows), func(row uint32) bool {
		list := y.categories.Text(int(row))
		return list == noObject || !re.MatchString(list)
	})
	if len(matched) == 0 {
		return nil, errNoAnswer
	}

	return matched, nil
}

// drawTown draws a town, of all alike or as often as it has businesses, and a category of one of its businesses, such
// that both rules give the same answer.
func drawTown(gold, official rule, names ...string) drawer {
	return drawYelp(func(r *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
		if r.IntN(2) == 0 {
			row = y.drawByTown(r)
		}

		listed := strings.Split(y.categories.Text(row), ", ")
		all := Slots{{"cat", listed[r.IntN(len(listed))]}, {"city", y.city.Text(row)}, {"state", y.state.Text(row)}}

		var values []string
		for _, name := range names {
			values = append(values, all.Get(name))
		}

		right, err := gold(y, all)
		if IsNoAnswer(err) {
			return nil, false, nil
		}

		if err != nil {
			return nil, false, err
		}

		published, err := official(y, all)
		if err != nil && !IsNoAnswer(err) {
			return nil, false, err
		}

		return values, err == nil && published == right, nil
	})
}

// drawByTown draws a town, all with equal probability, and then a business in it.
func (y *Yelp) drawByTown(r *rand.Rand) int {
	rows := y.city.RowsOf(r.IntN(y.city.Words()))
	return int(rows[r.IntN(len(rows))])
}

// firstName returns the name of the first row.
func firstName(y *Yelp, rows []uint32) (string, error) { return y.name.Text(int(rows[0])), nil }

func countRows(_ *Yelp, rows []uint32) (string, error) { return strconv.Itoa(len(rows)), nil }

func yelpCount() Template {
	gold, official := ofCategory(countRows, "city", "state"), ofPattern(countRows)

	return Template{
		Name:     "count",
		Text:     "How many {cat:text} businesses are there in {city:text+}, {state:text}?",
		Fault:    containsFault + ", and in towns of that name in all states",
		Avoided:  true,
		gold:     gold,
		official: official,
		draw:     drawTown(gold, official, "cat", "city", "state"),
		steps: []step{
			querySQL("SELECT COUNT(*) AS businesses "+inTown+isDoing,
				"I count the businesses of {city}, {state} that have {cat} among their categories. The column "+
					"categories is a list with commas, so I look for a whole item of it.",
				row(number("businesses"))),
			finish("{businesses}", "There are {businesses} of them."),
		},
	}
}

func yelpAreaCount() Template {
	return Template{
		Name: "area-count",
		Text: "How many businesses are there in {pc:text} area of {city:text+}, {state:text}?",
		gold: on(func(y *Yelp, s Slots) (string, error) {
			if _, err := y.find(s, "pc", "city", "state"); err != nil {
				return "", err
			}

			rows, err := y.find(s, "pc")

			return strconv.Itoa(len(rows)), err
		}),
		draw: drawYelp(func(r *rand.Rand, y *Yelp, _ int) ([]string, bool, error) {
			row := int(y.postalCode.RowsOf(r.IntN(y.postalCode.Words()))[0])
			return []string{y.postalCode.Text(row), y.city.Text(row), y.state.Text(row)}, true, nil
		}),
		steps: []step{
			querySQL("SELECT COUNT(*) AS businesses FROM yelp.yelp_data WHERE postal_code = {pc|sql}",
				"The postal code {pc} says which area is meant. I count the businesses that have it, however "+
					"their city is spelt.",
				row(number("businesses"))),
			finish("{businesses}", "There are {businesses} businesses with the postal code {pc}."),
		},
	}
}

// yelpBest asks for the business with the largest number in a column. Where several have it there is no answer; the
// published rule takes the first.
func yelpBest(name, what, column string) Template {
	in := func(y *Yelp) *corpus.Vector {
		if column == "stars" {
			return y.stars
		}

		return y.reviews
	}
	gold := ofCategory(func(y *Yelp, rows []uint32) (string, error) { return y.nameOf(most(rows, in(y))) }, "city",
		"state")
	official := ofPattern(func(y *Yelp, rows []uint32) (string, error) { return firstName(y, most(rows, in(y))) })

	return Template{
		Name: name,
		Text: "Which {cat:text} business has the highest " + what + " in {city:text+}, {state:text}?",
		Fault: containsFault + ", in towns of that name in all states, and takes the first of several with " +
			"the same " + what,
		Avoided:  true,
		gold:     gold,
		official: official,
		draw:     drawTown(gold, official, "cat", "city", "state"),
		steps: []step{
			querySQL("SELECT name "+inTown+isDoing+" ORDER BY "+column+" DESC LIMIT 1",
				"I sort the businesses of {city}, {state} that have {cat} in their list of categories by the column "+
					column+", largest first, and take the top one.",
				textCell("name")),
			finish("{name}", "{name} comes first, so it has the highest "+what+"."),
		},
	}
}

func yelpNotOpen() Template {
	return Template{
		Name: "not-open",
		Text: "How many businesses are not open currently in {city:text}?",
		gold: on(func(y *Yelp, s Slots) (string, error) {
			rows, err := y.find(s, "city")
			if err != nil {
				return "", err
			}

			return strconv.Itoa(countNumbers(rows, y.isOpen, func(x float64) bool { return x == 0 })), nil
		}),
		draw: drawYelp(func(r *rand.Rand, y *Yelp, _ int) ([]string, bool, error) {
			return []string{y.city.Word(r.IntN(y.city.Words()))}, true, nil
		}),
		steps: []step{
			querySQL("SELECT COUNT(*) AS closed FROM yelp.yelp_data WHERE city = {city|sql} AND is_open = 0",
				"A business that is not open any more has 0 in the column is_open. I count those in {city}.",
				row(number("closed"))),
			finish("{closed}", "{closed} businesses in {city} are not open."),
		},
	}
}

func yelpAverageStars() Template {
	average := func(y *Yelp, rows []uint32) (string, error) { return meanOf(rows, y.stars) }
	gold, official := ofCategory(average, "city"), ofPattern(average)

	return Template{
		Name:     "average-stars",
		Text:     "What is the average star rating of {cat:text} businesses in {city:text}?",
		Fault:    containsFault,
		Avoided:  true,
		gold:     gold,
		official: official,
		draw:     drawTown(gold, official, "cat", "city"),
		steps: []step{
			querySQL("SELECT AVG(stars) AS average FROM yelp.yelp_data WHERE city = {city|sql}"+isDoing,
				"I need the mean of the column stars over the businesses in {city} with {cat} in their list of "+
					"categories. SQL can compute it.",
				row(number("average"))),
			runPython("print(round({average}, 2))", "", "The mean is {average}. I round it to two decimals "+
				"with Python."),
			finish("{answer}", "The average star rating is {answer}."),
		},
	}
}

func yelpBusiestArea() Template {
	busiest := func(y *Yelp, s Slots) (string, bool, error) {
		rows, err := y.find(s, "city", "state")
		if err != nil {
			return "", false, err
		}

		codes := make([]string, len(rows))
		for i, row := range rows {
			codes[i] = y.postalCode.Text(int(row))
		}

		code, alone := mostFrequent(codes)

		return code, alone, nil
	}

	return Template{
		Name: "busiest-area",
		Text: "Which postal code region has most bussinesses in {city:text+}, {state:text}?",
		gold: on(func(y *Yelp, s Slots) (string, error) { // the first of several
			code, _, err := busiest(y, s)
			return code, err
		}),
		draw: drawYelp(func(r *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
			if r.IntN(4) > 0 {
				row = y.drawByTown(r)
			}

			s := Slots{{"city", y.city.Text(row)}, {"state", y.state.Text(row)}}
			code, alone, err := busiest(y, s)

			return []string{s[0].Value, s[1].Value}, alone && !unfit(code), err
		}),
		steps: []step{
			querySQL("SELECT postal_code "+inTown+" GROUP BY postal_code ORDER BY COUNT(*) DESC LIMIT 1",
				"I count the businesses of {city}, {state} for each postal code and take the code with the most.",
				textCell("postal_code")),
			finish("{postal_code}", "Most businesses of {city} have the postal code {postal_code}."),
		},
	}
}
