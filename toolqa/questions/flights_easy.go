package questions

import (
	"math"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// The conditions that select a flight.
const (
	byNumber = "IATA_Code_Marketing_Airline={carrier}, Flight_Number_Marketing_Airline={number}"
	byRoute  = "Origin={origin}, Dest={dest}, FlightDate={date}"
)

// flightsEasy are the questions about one flight on one day.
func flightsEasy() []Template {
	return []Template{
		flightTime("departure-time", "departure time", "DepTime"),
		flightCancelled(),
		flightNumbers(),
		flightCRSDifference(),
		{
			Name: "arrival-delay",
			Text: "How long did {flight:flight} delay when arrival on {date:date}?",
			gold: onFlight(func(cells []float64) string { return pytext.FormatFloat(cells[0]) }, "ArrDelayMinutes"),
			choose: withFlight(
				loadDB("flights", "The question is about the arrival of one flight, so I load the flights database."),
				filterRow(byNumber+", FlightDate={date}", "The carrier of {flight} is {carrier} and its number is "+
					"{number}. I look for it on {date}."),
				getNumbers("ArrDelayMinutes", "One row is left. ArrDelayMinutes says how many minutes late the "+
					"flight arrived."),
				finish("{ArrDelayMinutes}", "{flight} arrived {ArrDelayMinutes} minutes late on {date}."),
			),
		},
		{
			Name: "extra-minutes",
			Text: "How many extra minutes did the {flight:flight} flight take from {origin:airport} to " +
				"{dest:airport} on {date:date}?",
			gold: onFlight(func(cells []float64) string { return extraMinutes(cells[0] - cells[1]) }, "ArrDelay",
				"DepDelay"),
			choose: withFlight(
				loadDB("flights", "A flight takes extra minutes when it arrives later, compared to its plan, than "+
					"it departed. Both delays are in the flights database."),
				filterRow(byNumber+", "+byRoute, "I keep only flight {number} of {carrier} from {origin} to "+
					"{dest} on {date}."),
				getNumbers("ArrDelay, DepDelay", "One row is left. I read its delays at arrival and at departure, "+
					"which are negative when it was early."),
				runPython("print({ArrDelay} - {DepDelay} or 0)", "", "It was {DepDelay} minutes late at departure "+
					"and {ArrDelay} at arrival. I subtract the first from the second in Python."),
				finish("{answer}", "The flight took {answer} extra minutes."),
			),
		},
		flightTime("arrival-time", "local arrival time", "ArrTime"),
		flightTime("crs-arrival-time", "CRS-recorded arrival time", "CRSArrTime"),
		{
			Name: "flight-length",
			Text: "How long was the flight {flight:flight} from {origin:airport} to {dest:airport} on {date:date}?",
			gold: onFlight(func(cells []float64) string { return wholeNumber(cells[0]) }, "AirTime"),
			choose: withFlight(
				loadDB("flights", "I need to know how long one flight was in the air. That is in the flights "+
					"database, which I load first."),
				filterRow(byNumber+", "+byRoute, "I look for {carrier} {number} from {origin} to {dest} on {date}."),
				reading("minutes", "AirTime", wholeNumber,
					getNumbers("AirTime", "Exactly one row matches. The column AirTime holds the minutes in the air.")),
				finish("{minutes}", "{flight} was in the air for {minutes} minutes."),
			),
		},
		{
			Name: "taxi-in",
			Text: "How many minutes did the {flight:flight} flight take to taxi in on {date:date}?",
			gold: onFlight(func(cells []float64) string { return wholeNumber(cells[0]) }, "TaxiIn"),
			choose: withFlight(
				loadDB("flights", "The time that a flight takes to taxi in is in the flights database. I load it."),
				filterRow(byNumber+", FlightDate={date}", "I keep only flight {number} of the carrier {carrier} "+
					"on {date}."),
				reading("minutes", "TaxiIn", wholeNumber,
					getNumbers("TaxiIn", "One row is left. I read its column TaxiIn.")),
				finish("{minutes}", "The flight took {minutes} minutes to taxi in."),
			),
		},
	}
}

// flightTime is a question for a time of day, which the table has as HHMM.
func flightTime(name, what, column string) Template {
	return Template{
		Name: name,
		Text: "What was the " + what + " of the {flight:flight} flight from {origin:airport} to {dest:airport} on " +
			"{date:date}?",
		Fault: "the published rule leaves the hour out of a time before one o'clock in the morning, as in :49; " +
			"no published test question asks for one",
		Corrected: true,
		gold:      onFlight(func(cells []float64) string { return hourMinute(cells[0]) }, column),
		official:  onFlight(func(cells []float64) string { return publishedTime(cells[0]) }, column),
		choose: withFlight(
			loadDB("flights", "The question asks for the "+what+" of one flight. I load the flights database to "+
				"look it up."),
			filterRow(byNumber+", "+byRoute, "{flight} is flight {number} of the carrier {carrier}. I keep only "+
				"that from {origin} to {dest} on {date}."),
			reading("time", column, hourMinute,
				getNumbers(column, "One row is left. Its column "+column+" holds the "+what+".")),
			finish("{time}", "{"+column+"} is a time as HHMM, so its last two digits are the minutes, and those "+
				"before them the hour."),
		),
	}
}

// reading adds a value called name to what a step reads: the number in a column, in another form.
func reading(name, column string, form func(float64) string, s step) step {
	s.read = derive(s.read, name, "a row with a number as "+column, func(known Slots) (string, bool) {
		x, ok := pytext.ParseFloat(known.Get(column))
		return form(x), ok
	})

	return s
}

// flightCancelled asks whether a flight was cancelled.
func flightCancelled() Template {
	return Template{
		Name: "cancelled",
		Text: "Was the flight {flight:flight} from {origin:airport} to {dest:airport} cancelled on {date:date}?",
		gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			answer, ok := yesOrNo[columns[0].Text(int(rows[0]))]
			if len(rows) > 1 || !ok {
				return "", errNoAnswer
			}

			return answer, nil
		}, "Cancelled"),
		choose: withFlight(
			loadDB("flights", "Whether a flight was cancelled is in the flights database, so I load it."),
			filterRow(byNumber+", "+byRoute, "I look for flight {number} of {carrier} from {origin} to {dest} "+
				"on {date}."),
			withYesOrNo(getTexts([]string{"Cancelled"}, "One row is left. I read its column Cancelled.")),
			finish("{yes_or_no}", "The column says {Cancelled}, so the answer is {yes_or_no}."),
		),
	}
}

var yesOrNo = map[string]string{"True": "Yes", "False": "No"}

// withYesOrNo adds the answer to what a step reads.
func withYesOrNo(s step) step {
	read := s.read
	s.read = func(result string, known *Slots) error {
		if err := read(result, known); err != nil {
			return err
		}

		answer, ok := yesOrNo[known.Get("Cancelled")]
		if !ok {
			return unexpected(result, "a row with True or False as Cancelled")
		}

		*known = append(*known, Slot{"yes_or_no", answer})

		return nil
	}

	return s
}

// flightCRSDifference asks how far the departure was from the schedule. Its published rule is faulty.
func flightCRSDifference() Template {
	return Template{
		Name: "crs-difference",
		Text: "How long was the different between the CRS recorded departure time and actual departure time of " +
			"the {flight:flight} flight " +
			"from {origin:airport} to {dest:airport} on {date:date}?",
		Fault: "the published rule subtracts the times as the numbers HHMM, so that 40 minutes are added where " +
			"an hour begins between them",
		gold: onFlight(func(cells []float64) string { return wholeNumber(math.Abs(cells[0])) }, "DepDelay"),
		official: onFlight(func(cells []float64) string { return wholeNumber(math.Abs(cells[0] - cells[1])) },
			"DepTime", "CRSDepTime"),
		choose: withFlight(
			loadDB("flights", "I need the scheduled and the actual departure of one flight, so I load the flights "+
				"database."),
			filterRow(byNumber+", "+byRoute, "I keep only {carrier} {number} from {origin} to {dest} on {date}."),
			reading("minutes", "DepDelay", func(x float64) string { return wholeNumber(math.Abs(x)) },
				getNumbers("CRSDepTime, DepTime, DepDelay", "I read the two times, which are written as HHMM, and "+
					"DepDelay, which is their difference in minutes.")),
			finish("{minutes}", "The flight was scheduled for {CRSDepTime} and departed at {DepTime}. DepDelay is "+
				"{DepDelay}, so {minutes} minutes lie between them."),
		),
	}
}

// flightNumbers asks for all flights of an airline on a route and day.
func flightNumbers() Template {
	const number = "Flight_Number_Marketing_Airline"
	load := loadDB("flights", "I am asked for the numbers of an airline's flights on one route and day. I load "+
		"the flights database.")
	done := finish("{numbers}", "{airline} flew from {origin} to {dest} on {date} under {numbers}.")
	plain := []step{
		load,
		filterRows("Airline={airline}, "+byRoute, "I keep the flights of {airline} from {origin} to {dest} on {date}."),
		{"I read the flight numbers under which the remaining rows are sold.", "GetValue",
			[]arg{{"column_name", number}}, numbersOf(number)},
		done,
	}
	comma := []step{
		load,
		filterRows(byRoute, "The airline's name has a comma in it, which separates conditions, so I filter by the "+
			"route and the day only."),
		{"There may be flights of other airlines, too. I read the airline of each row together with its number.",
			"GetValue",
			[]arg{{"column_name", "Airline, " + number}}, numbersOf(number)},
		done,
	}

	return Template{
		Name: "flight-number",
		Text: "What is the flight number of the {airline:text} flight from {origin:airport} to {dest:airport} on " +
			"{date:date}?",
		gold: onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
			return strings.Join(distinctCells(rows, columns[0]), ", "), nil
		}, number),
		choose: func(s Slots) []step {
			if strings.Contains(s.Get("airline"), ", ") {
				return comma
			}

			return plain
		},
	}
}

// cellLists reads a column of the rows that are left, one or more, from a JSON object.
func cellLists(result, column string) ([]string, error) {
	v, _ := pytext.Decode(result)
	columns, _ := v.(envs.Args)

	list, _ := columns.Get(column)
	if text, ok := list.(string); ok {
		return []string{text}, nil
	}

	items, ok := list.([]any)

	cells := make([]string, len(items))
	for i, item := range items {
		if cells[i], ok = item.(string); !ok {
			break
		}
	}

	if !ok {
		return nil, unexpected(result, "cells of the column "+column)
	}

	return cells, nil
}

// numbersOf reads a column of one row or more, and puts the distinct cells, of the airline asked for when the airlines
// are there too, into the value "numbers".
func numbersOf(column string) reader {
	return func(result string, known *Slots) error {
		cells, err := cellLists(result, column)
		if err != nil {
			return err
		}

		airlines, err := cellLists(result, "Airline")
		if err == nil && len(airlines) != len(cells) {
			return unexpected(result, "columns of one length")
		}
		var numbers []string
		seen := map[string]bool{}

		for i, cell := range cells {
			if !isInteger(cell) {
				return unexpected(result, "a column of flight numbers")
			}

			if seen[cell] || airlines != nil && airlines[i] != known.Get("airline") {
				continue
			}

			seen[cell] = true
			numbers = append(numbers, cell)
		}

		if len(numbers) == 0 {
			return unexpected(result, "a table with the airline's flights")
		}

		*known = append(*known, Slot{"numbers", strings.Join(numbers, ", ")})

		return nil
	}
}
