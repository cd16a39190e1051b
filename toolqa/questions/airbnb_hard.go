package questions

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs/pytext"
)

const (
	// inHood is the condition of the queries: the listings of a neighbourhood.
	inHood = "FROM airbnb.airbnb_data WHERE neighbourhood = {nb|sql}"

	// dollarsSQL is the price as a number; it is stored as a text, "$1,083 ".
	dollarsSQL = "CAST(REPLACE(REPLACE(price, '$', ''), ',', '') AS SIGNED)"
	feeSQL     = "CAST(REPLACE(REPLACE(service_fee, '$', ''), ',', '') AS SIGNED)"

	home, privateRoom, sharedRoom = "Entire home/apt", "Private room", "Shared room"
)

// airbnbHard are the questions about many listings, or about what a stay costs.
func airbnbHard() []Template {
	return slices.Concat(
		[]Template{airbnbTotalPrice()}, airbnbCounts(), []Template{airbnbNearby()}, airbnbShares(),
		airbnbRecommendations(),
	)
}

// mostNights is the longest stay that is asked about.
const mostNights = 20

func airbnbTotalPrice() Template {
	return Template{
		Name: "total-price",
		Text: "What is the total price at least if you want to stay at {name:text+} in {nb:text} for " +
			"{nights:integer} nights?",
		gold: onListing(func(a *Airbnb, row int, s Slots) (string, error) {
			nights, err := strconv.ParseFloat(s.Get("nights"), 64)
			if err != nil {
				return "", err
			}

			price, ok := amount(a.price.Text(row))
			fee, okFee := amount(a.fee.Text(row))

			least, okLeast := a.minNights.Number(row)
			if !ok || !okFee || !okLeast {
				return "", errNoAnswer
			}

			return "$" + fixed1((price+fee)*max(nights, least)), nil
		}),
		draw: drawOn(func(r *rand.Rand, a *Airbnb) ([]string, error) {
			values, err := drawListing(r, a, []string{"name", "nb"},
				func(*Airbnb, int) (bool, error) { return true, nil })
			return append(values, strconv.Itoa(1+r.IntN(mostNights))), err
		}),
		steps: []step{
			querySQL("SELECT "+dollarsSQL+" AS nightly, "+feeSQL+" AS fee, minimum_nights AS least FROM "+
				"airbnb.airbnb_data WHERE NAME = {name|sql} AND neighbourhood = {nb|sql}",
				"I need the price and the service fee of a night, and the minimum number of nights, which might "+
					"be more than the {nights} asked about. Both amounts are stored as texts such as $1,083, so I "+
					"turn them into numbers.",
				row(number("nightly"), number("fee"), number("least"))),
			runCode(`print("$%.1f" % (({nightly} + {fee}) * max({nights}, {least})))`,
				"A night costs {nightly} and a fee of {fee}. One has to pay for {nights} nights, or for {least} "+
					"if that is more. I compute the total in Python."),
			finish("{answer}", "The stay costs at least {answer}."),
		},
	}
}

// airbnbCounts are the questions for a number or a mean of the listings of a neighbourhood.
func airbnbCounts() []Template {
	return []Template{
		{
			Name: "count",
			Text: "How many airbnbs are there in {nb:text}?",
			gold: onHood(func(_ *Airbnb, rows []uint32) (string, error) { return strconv.Itoa(len(rows)), nil }),
			steps: []step{
				querySQL("SELECT COUNT(*) AS airbnbs "+inHood, "Each row of the table is a listing, so I count "+
					"the rows of {nb} with SQL.",
					row(number("airbnbs"))),
				finish("{airbnbs}", "There are {airbnbs} listings in {nb}."),
			},
		},
		{
			Name: "average-price",
			Text: "What is the average price of airbnbs in {nb:text}?",
			gold: onHood(func(a *Airbnb, rows []uint32) (string, error) {
				sum, n := 0.0, 0

				for _, row := range rows {
					if f, ok := amount(a.price.Text(int(row))); ok {
						sum, n = sum+f, n+1 // whole dollars: the sum is exact
					}
				}

				if n == 0 {
					return "", errNoAnswer
				}

				return "$" + fixed1(sum/float64(n)), nil
			}),
			steps: []step{
				querySQL("SELECT AVG("+dollarsSQL+") AS average "+inHood,
					"Prices are stored as texts such as $1,083. I turn them into numbers and average them over "+
						"{nb}; a listing without a price does not count.",
					row(number("average"))),
				runCode(`print("$%.1f" % {average})`, "The mean is {average}. I round it to one decimal with Python."),
				finish("{answer}", "The average price in {nb} is {answer}."),
			},
		},
	}
}

// airbnbShares are the questions about the part of a neighbourhood that has some property.
func airbnbShares() []Template {
	return []Template{
		{
			Name: "flexible-share",
			Text: "How much proporion of airbnbs in {nb:text} have a flexible cancellation policy?",
			gold: onHood(func(a *Airbnb, rows []uint32) (string, error) {
				flexible := len(rowsThat(rows, func(row int) bool { return a.policy.Text(row) == "flexible" }))
				return round2(float64(flexible) / float64(len(rows))), nil
			}),
			steps: []step{
				querySQL("SELECT COUNT(*) AS airbnbs, COUNT(CASE WHEN cancellation_policy = 'flexible' THEN 1 "+
					"END) AS flexible "+inHood,
					"The proportion is the number of listings in {nb} whose cancellation policy is flexible, "+
						"divided by the number of all. One query counts both.",
					row(number("airbnbs"), number("flexible"))),
				runPython("print(round({flexible} / {airbnbs}, 2))", "",
					"Of {airbnbs} listings {flexible} have a flexible policy. I divide in Python and round to two "+
						"decimals."),
				finish("{answer}", "The proportion in {nb} is {answer}."),
			},
		},
		airbnbDearest(),
		{
			Name:     "highly-rated",
			Text:     "How many airbnbs are there in {nb:text} that have a review rate higher than 4?",
			Fault:    "the published rule counts the review rate 4 itself, too",
			gold:     ratedFrom(func(rate float64) bool { return rate > 4 }),
			official: ratedFrom(func(rate float64) bool { return rate >= 4 }),
			steps: []step{
				querySQL("SELECT COUNT(*) AS airbnbs "+inHood+" AND review_rate_number > 4",
					"Review rates are whole numbers from 1 to 5, and higher than 4 leaves out 4 itself. I count "+
						"the listings of {nb} above it.",
					row(number("airbnbs"))),
				finish("{airbnbs}", "In {nb} there are {airbnbs} listings with a review rate above 4."),
			},
		},
	}
}

// ratedFrom counts the listings of a neighbourhood whose review rate passes.
func ratedFrom(pass func(rate float64) bool) rule {
	return onHood(func(a *Airbnb, rows []uint32) (string, error) {
		return strconv.Itoa(countNumbers(rows, a.rating, pass)), nil
	})
}

func airbnbDearest() Template {
	homes := func(a *Airbnb, rows []uint32) []uint32 {
		return rowsThat(rows, func(row int) bool { return a.room.Text(row) == home })
	}

	return Template{
		Name: "most-expensive-home",
		Text: "How much does it cost per night to stay at the most expensive entire home/apt in {nb:text}?",
		Fault: "the published rule compares prices as texts, for which $999 is more than $1,152; ToolQA-D " +
			"compares numbers",
		Corrected: true,
		gold: onHood(func(a *Airbnb, rows []uint32) (string, error) {
			top := best(homes(a, rows), func(row int) (float64, bool) { return amount(a.price.Text(row)) })
			if len(top) == 0 {
				return "", errNoAnswer
			}

			highest, _ := amount(a.price.Text(int(top[0])))

			return "$" + strconv.Itoa(int(highest)), nil
		}),
		official: onHood(func(a *Airbnb, rows []uint32) (string, error) {
			row, err := a.firstByText(homes(a, rows), true)
			if err != nil {
				return "", err
			}

			return pytext.Strip(a.price.Text(row)), nil
		}),
		steps: []step{
			querySQL("SELECT MAX("+dollarsSQL+") AS highest "+inHood+" AND room_type = '"+home+"'",
				"Prices are stored as texts such as $1,083, whose order is not that of the numbers. I turn them "+
					"into numbers and take the highest one of the entire homes and apartments in {nb}.",
				row(number("highest"))),
			finish("${highest}", "The most expensive entire home in {nb} costs ${highest} per night."),
		},
	}
}

// rowsThat returns the rows that keep holds for.
func rowsThat(rows []uint32, keep func(row int) bool) []uint32 {
	var kept []uint32

	for _, row := range rows {
		if keep(int(row)) {
			kept = append(kept, row)
		}
	}

	return kept
}
