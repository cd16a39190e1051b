package questions

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/toolqa/corpus"
)

// The conditions of the queries.
const (
	sqlFrom  = "FROM flights.flights_data WHERE "
	sqlRoute = "Origin = '{origin}' AND Dest = '{dest}'"
	sqlCode  = "IATA_Code_Marketing_Airline = '{carrier}' AND Flight_Number_Marketing_Airline = {number}"
)

// flightsHard are the questions about many flights.
func flightsHard() []Template {
	return slices.Concat(flightsOfDay(), flightsOfAirline())
}

// flightsOfDay are the questions about all flights of a day, or those from one airport.
func flightsOfDay() []Template {
	return []Template{
		flightsDelayed(),
		flightsAverageDelay(),
		{
			Name: "diverted",
			Text: "How many flights were diverted on {date:date}?",
			gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
				return strconv.Itoa(countTrue(rows, columns[0])), nil
			}, "Diverted"),
			steps: []step{
				querySQL("SELECT COUNT(*) AS diverted "+sqlFrom+"FlightDate = '{date}' AND Diverted = TRUE",
					"The column Diverted says whether a flight was diverted. I count the rows of {date} in which "+
						"it is true with SQL.",
					row(number("diverted"))),
				finish("{diverted}", "On {date} there were {diverted} diverted flights."),
			},
		},
		flightsFar(),
	}
}

// flightsOfAirline are the questions about the flights of an airline or on a route, most of them on all days.
func flightsOfAirline() []Template {
	return []Template{
		{
			Name: "average-airtime",
			Text: "What is the average airtime of the flights from {origin:airport} to {dest:airport} host by " +
				"{airline:text}?",
			gold: averageFlights(" minutes", first, "AirTime"),
			steps: []step{
				querySQL("SELECT AVG(AirTime) AS average "+sqlFrom+sqlRoute+" AND Airline = {airline|sql}",
					"I need the mean of the column AirTime over an airline's flights on this route. There may be "+
						"thousands of them, so I let SQL compute it.",
					row(number("average"))),
				runPython(`print("%.1f minutes" % {average})`, " minutes", "The mean is {average}. I round it to "+
					"one decimal in Python."),
				finish("{answer}", "On average these flights are in the air for {answer}."),
			},
		},
		{
			Name: "number-of-flights",
			Text: "How many flights from {origin:airport} to {dest:airport} host by {airline:text}?",
			gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
				return strconv.Itoa(len(distinctCells(rows, columns[0]))), nil
			}, "Flight_Number_Marketing_Airline"),
			steps: []step{
				querySQL("SELECT COUNT(DISTINCT Flight_Number_Marketing_Airline) AS flights "+sqlFrom+sqlRoute+
					" AND Airline = {airline|sql}",
					"A flight has a row for each day on which it is flown, so I count the different flight "+
						"numbers of the airline on this route.",
					row(number("flights"))),
				finish("{flights}", "From {origin} to {dest} {airline} uses {flights} different numbers, which is "+
					"how many flights it has."),
			},
		},
		{
			Name: "average-flight-time",
			Text: "What is the average flight time of {flight:flight}?",
			gold: averageFlights(" minutes", first, "AirTime"),
			choose: withFlight(
				querySQL("SELECT AVG(AirTime) AS average "+sqlFrom+sqlCode,
					"{flight} is flight {number} of the carrier {carrier}. I average the column AirTime over all "+
						"its days with SQL.",
					row(number("average"))),
				runPython(`print("%.1f minutes" % {average})`, " minutes", "The mean is {average}. I keep one "+
					"decimal, with Python."),
				finish("{answer}", "The average flight time of {flight} is {answer}."),
			),
		},
		flightsFastest(),
		flightsSpeed(),
		{
			Name: "flights-on-date",
			Text: "What is the total number of flights operated by {airline:text} on {date:date}?",
			gold: onFlights(func(rows []uint32, _ []*corpus.Vector) (string, error) {
				return strconv.Itoa(len(rows)), nil
			}),
			steps: []step{
				querySQL("SELECT COUNT(*) AS flights "+sqlFrom+"FlightDate = '{date}' AND Airline = {airline|sql}",
					"The table has a row for each flight and day. I count those of the airline on {date}.",
					row(number("flights"))),
				finish("{flights}", "{airline} operated {flights} flights on {date}."),
			},
		},
	}
}

// speedUnit is what ToolQA-D's training questions of flights-hard/average-speed lack. Their answers have the
// unit instead.
const (
	speedUnit   = " (miles per minute)"
	speedAnswer = " miles per minute"
)

// flightsSpeed asks for the mean of the quotients, not for the quotient of the means.
func flightsSpeed() Template {
	speed := averageFlights("", func(cells []float64) float64 { return cells[0] / cells[1] }, "Distance", "AirTime")
	unit := func(s Slots) string {
		if s.Get(flightsUnit) == "" {
			return speedAnswer
		}

		return ""
	}

	return Template{
		Name: "average-speed",
		Text: "What is the average speed of {flight:flight} from {origin:airport} to {dest:airport}{unit:speed}?",
		gold: func(c Corpus, s Slots) (string, error) {
			answer, err := speed(c, s)
			if err != nil {
				return "", err
			}

			return answer + unit(s), nil
		},
		choose: func(s Slots) []step {
			return withFlight(
				querySQL("SELECT AVG(Distance / AirTime) AS speed "+sqlFrom+sqlCode+" AND "+sqlRoute,
					"The speed of a flight is its distance in miles divided by its minutes in the air. I average "+
						"that over all flights of {carrier} {number} on this route.",
					row(number("speed"))),
				runPython(`print("%.1f`+unit(s)+`" % {speed})`, unit(s), "The mean is {speed} miles per minute. I "+
					"round it to one decimal with Python."),
				finish("{answer}", "The average speed of {flight} is {answer}"+strings.TrimSuffix(speedAnswer, unit(s))+
					"."),
			)(s)
		},
	}
}

// flightsDelayed asks for the share of delayed flights. Its published rule is faulty.
func flightsDelayed() Template {
	return Template{
		Name:  "percentage-delayed",
		Text:  "What percentage of the flights from {origin:airport} were delayed on {date:date}?",
		Fault: "the published rule counts the flights that were cancelled, not those that were delayed",
		gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			return percentage(countNumbers(rows, columns[0], positive), len(rows)), nil
		}, "DepDelayMinutes"),
		official: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			return percentage(countTrue(rows, columns[0]), len(rows)), nil
		}, "Cancelled"),
		steps: []step{
			querySQL("SELECT COUNT(*) AS flights, COUNT(CASE WHEN DepDelayMinutes > 0 THEN 1 END) AS delayed "+sqlFrom+
				"Origin = '{origin}' AND FlightDate = '{date}'",
				"A flight is delayed when its DepDelayMinutes is more than zero. I count those and all flights "+
					"from {origin} on that day with one query.",
				row(number("flights"), number("delayed"))),
			runPython(`print("%.1f%%" % ({delayed} / {flights} * 100))`, "%", "Of {flights} flights {delayed} "+
				"were delayed. I compute the percentage in Python."),
			finish("{answer}", "On {date}, {answer} of the flights from {origin} were delayed."),
		},
	}
}

func positive(x float64) bool { return x > 0 }

func percentage(part, all int) string { return fixed1(float64(part)/float64(all)*100) + "%" }

// flightsAverageDelay asks for the mean delay of the flights that departed. Its published rule is faulty.
func flightsAverageDelay() Template {
	return Template{
		Name: "average-delay",
		Text: "What is the average delay time of all the flights that departed from {origin:airport} on {date:date}?",
		Fault: "the published rule divides by the number of all flights, also of those that were cancelled and " +
			"never departed",
		gold: averageFlights("", first, "DepDelayMinutes"),
		official: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			sum, _ := sumNumbers(rows, columns, first)
			return fixed1(sum / float64(len(rows))), nil
		}, "DepDelayMinutes"),
		steps: []step{
			querySQL("SELECT AVG(DepDelayMinutes) AS average "+sqlFrom+"Origin = '{origin}' AND FlightDate = '{date}'",
				"DepDelayMinutes is the delay at departure, and missing for flights that never departed. SQL can "+
					"average it over the others.",
				row(number("average"))),
			runPython(`print("%.1f" % {average})`, "", "The mean is {average} minutes. I round it to one decimal "+
				"with Python."),
			finish("{answer}", "The flights that departed from {origin} on {date} were {answer} minutes late on "+
				"average."),
		},
	}
}

// flightsFar counts the flights over a long distance. Its published rule is faulty.
func flightsFar() Template {
	return Template{
		Name:  "distance",
		Text:  "How many flights with a distance greater than 500 miles on {date:date}?",
		Fault: "the published rule counts the flights of more than 300 miles; ToolQA-D corrects it", Corrected: true,
		gold:     countFlights("Distance", func(miles float64) bool { return miles > 500 }),
		official: countFlights("Distance", func(miles float64) bool { return miles > 300 }),
		steps: []step{
			querySQL("SELECT COUNT(*) AS flights "+sqlFrom+"FlightDate = '{date}' AND Distance > 500",
				"The column Distance holds miles. I count the rows of {date} in which it is more than 500.",
				row(number("flights"))),
			finish("{flights}", "On {date} there were {flights} flights of more than 500 miles."),
		},
	}
}

// flightsFastest asks for the flight that was the shortest time in the air, on some day of the week. Of several that
// were, the published rule takes the first of the table.
func flightsFastest() Template {
	return Template{
		Name: "fastest",
		Text: "What is the fastest flight from {origin:airport} to {dest:airport} on {weekday:integer}?",
		gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			flights := fastest(rows, columns)
			if len(flights) == 0 {
				return "", errNoAnswer
			}

			return flights[0], nil
		}, fastestColumns...),
		draw: drawOn(drawFastest),
		steps: []step{
			querySQL("SELECT CONCAT(IATA_Code_Marketing_Airline, Flight_Number_Marketing_Airline) AS fastest "+sqlFrom+
				sqlRoute+
				" AND DayOfWeek = {weekday} AND AirTime IS NOT NULL ORDER BY AirTime LIMIT 1",
				"The last number is a day of the week. I sort the flights of this route on such days by their "+
					"AirTime, and take the carrier and the number of the first.",
				textCell("fastest")),
			finish("{fastest}", "The flight with the least time in the air was {fastest}."),
		},
	}
}

// drawFastest draws a route and a day of the week on which one flight is the fastest.
func drawFastest(r *rand.Rand, view *Flights) (values []string, err error) {
	anyRoute := drawFlight(&Template{slots: []slot{{name: "origin"}, {name: "dest"}, {name: "weekday"}}})
	for range patience {
		if values, err = anyRoute(r, view); err != nil {
			return nil, err
		}

		flights, err := view.fastest(Slots{{"origin", values[0]}, {"dest", values[1]}, {"weekday", values[2]}})
		if err != nil {
			return nil, err
		}

		if len(flights) == 1 {
			break
		}
	}

	return values, nil
}

var fastestColumns = []string{"AirTime", "IATA_Code_Marketing_Airline", "Flight_Number_Marketing_Airline"}

// fastest returns the flights that the slots select of the shortest time in the air.
func (f *Flights) fastest(s Slots) ([]string, error) {
	rows, err := f.find(s)
	if err != nil {
		return nil, err
	}

	columns, err := f.columns(fastestColumns)
	if err != nil {
		return nil, err
	}

	return fastest(rows, columns), nil
}

// fastest returns the distinct flights, in order, of the rows with the smallest number in the first column.
func fastest(rows []uint32, columns []*corpus.Vector) []string {
	least := math.Inf(1)
	var flights []string
	seen := map[string]bool{}

	for _, row := range rows {
		minutes, ok := columns[0].Number(int(row))
		if !ok || minutes > least {
			continue
		}

		if minutes < least {
			least, flights = minutes, nil

			clear(seen)
		}

		if flight := columns[1].Text(int(row)) + columns[2].Text(int(row)); !seen[flight] {
			seen[flight] = true
			flights = append(flights, flight)
		}
	}

	return flights
}
