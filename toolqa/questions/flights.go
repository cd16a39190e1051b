package questions

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

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

	return func(result string, known *slotValues) error {
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

			if seen[cell] || airlines != nil && airlines[i] != known.get("airline") {
				continue
			}

			seen[cell] = true
			numbers = append(numbers, cell)
		}

		if len(numbers) == 0 {
			return unexpected(result, "a table with the airline's flights")
		}

		*known = append(*known, slotValue{"numbers", strings.Join(numbers, ", ")})

		return nil
	}
}
