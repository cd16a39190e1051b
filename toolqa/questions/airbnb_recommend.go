package questions

import (
	"fmt"
	"strings"
)

// airbnbRecommendations are the questions for the name of a listing. The answer is all names that share the best value;
// the questions drawn have few of them.
func airbnbRecommendations() []Template {
	return []Template{airbnbCheapest(), airbnbPrivate(), airbnbCheapestNear()}
}

// mostTied is how many listings may share the best value.
const mostTied = 3

func airbnbCheapest() Template {
	return Template{
		Name: "cheapest-room",
		sep:  nameSep,
		Text: "Can you recommend me a hotel room with the lowest price in {nb:text}?",
		Fault: "the published rule compares prices as texts, for which $1,083 is less than $50; ToolQA-D compares " +
			"numbers. " +
			"In both a hotel room is a listing of any type, as hardly a neighbourhood has one of the type Hotel room",
		Corrected: true,
		gold: onHood(func(a *Airbnb, rows []uint32) (string, error) {
			return a.names(best(rows, a.negatedPrice))
		}),
		official: onHood(func(a *Airbnb, rows []uint32) (string, error) {
			row, err := a.firstByText(rows, false)
			if err != nil {
				return "", err
			}

			return a.name.Text(row), nil
		}),
		draw: drawHood(func(a *Airbnb, rows []uint32) bool { return len(best(rows, a.negatedPrice)) <= mostTied }),
		steps: []step{
			querySQL("SELECT MIN("+dollarsSQL+") AS lowest "+inHood,
				"Any listing is a room for a traveller, so I look at all of {nb}. Prices are stored as texts such "+
					"as $1,083; I turn them into numbers and take the lowest one.",
				row(number("lowest"))),
			querySQL("SELECT NAME "+inHood+" AND "+dollarsSQL+" = {lowest} GROUP BY NAME ORDER BY MIN(id)",
				"The lowest price is ${lowest}. I ask for the name of what costs as much, which may be more than "+
					"one listing.",
				listed("NAME")),
			finish("{NAME}", "The cheapest in {nb} costs ${lowest} a night, so I recommend it."),
		},
	}
}

func airbnbPrivate() Template {
	const rooms = inHood + " AND room_type = '" + privateRoom + "' AND calculated_host_listings_count >= 2"
	top := func(a *Airbnb, rows []uint32) []uint32 {
		rows = rowsThat(rows, func(row int) bool {
			n, ok := a.hostRooms.Number(row)
			return ok && n >= 2 && a.room.Text(row) == privateRoom
		})

		return best(rows, a.monthly.Number)
	}
	published := onHood(func(a *Airbnb, rows []uint32) (string, error) { return a.names(top(a, rows)) })

	return Template{
		Name: "private-room",
		sep:  nameSep,
		Text: "Can you recommend me a private room with the highest review rate that can host at least 2 people " +
			"in {nb:text}?",
		Fault: "the corpus does not say how many people a room can host: the published rule takes the number of " +
			"the host's listings " +
			"for it, and the reviews per month for the review rate",
		gold:     published,
		official: published,
		draw:     drawHood(func(a *Airbnb, rows []uint32) bool { return len(top(a, rows)) == 1 }),
		steps: []step{
			querySQL("SELECT MAX(reviews_per_month) AS highest "+rooms,
				"No column says how many people a room can host. The closest one is "+
					"calculated_host_listings_count, which I want to be at least 2, and the rate of reviews is "+
					"how many there are per month. I ask for the highest rate of the private rooms in {nb}.",
				row(number("highest"))),
			querySQL("SELECT NAME "+rooms+" AND reviews_per_month = {highest} GROUP BY NAME ORDER BY MIN(id)",
				"The highest rate is {highest} reviews per month. Now I ask for the name of the room that has it.",
				listed("NAME")),
			finish("{NAME}", "This private room has the highest rate of reviews in {nb}, so I recommend it."),
		},
	}
}

// listed reads the rows of a query with one column as one value of the column's name, as textColumn does, but
// lets a cell have line breaks: a name can.
func listed(column string) reader {
	return func(result string, known *Slots) error {
		cells, ok := strings.CutPrefix(result, column+": ")
		if !ok {
			return unexpected(result, fmt.Sprintf("rows of the column %s", column))
		}

		*known = append(*known, Slot{column, strings.ReplaceAll(cells, "\n"+column+": ", nameSep)})

		return nil
	}
}
