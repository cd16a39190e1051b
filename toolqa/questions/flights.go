package questions

import (
	"fmt"
	"math"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// readClock adds a time that is written as HHMM in another form: 1425 is 14:25, and 49 is 0:49. The arguments are the
// value's name and the new one.
func readClock(arguments string) reader {
	return converted(arguments, func(hhmm float64) string {
		return fmt.Sprintf("%d:%02d", int(hhmm)/100, int(hhmm)%100)
	})
}

// readWhole adds a number as a whole one, as Python's int makes it.
func readWhole(arguments string) reader {
	return converted(arguments, func(x float64) string { return fmt.Sprint(int(x)) })
}

// readSize adds a number of minutes, early or late, as a whole number.
func readSize(arguments string) reader {
	return converted(arguments, func(x float64) string { return fmt.Sprint(int(math.Abs(x))) })
}

// converted adds a number that has been read, in another form. The arguments are its name and that of the new value.
func converted(arguments string, form func(float64) string) reader {
	from, to := lastWord(arguments)

	return func(_ string, known *Slots) error {
		x, _ := pytext.ParseFloat(known.Get(from)) // a number, as the step has seen to
		*known = append(*known, Slot{to, form(x)})

		return nil
	}
}

// lastWord splits arguments before the last of them.
func lastWord(arguments string) (before, last string) {
	i := strings.LastIndex(arguments, " ")
	return arguments[:max(i, 0)], arguments[i+1:]
}

// readYesOrNo adds the answer to whether a flight was cancelled.
func readYesOrNo(string) reader {
	return func(result string, known *Slots) error {
		answer, ok := map[string]string{"True": "Yes", "False": "No"}[known.Get("Cancelled")]
		if !ok {
			return unexpected(result, "a row with True or False as Cancelled")
		}

		*known = append(*known, Slot{"yes_or_no", answer})

		return nil
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

// readFlightNumbers reads the numbers of one flight or more, and puts the distinct ones, of the airline asked for when
// the airlines are there too, into the value "numbers".
func readFlightNumbers(string) reader {
	const column = "Flight_Number_Marketing_Airline"

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
