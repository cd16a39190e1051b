package questions

import "strings"

// The readers below take texts from results; those for numbers are beside the steps in plan.go.

// printedText reads what a program or a query of one column printed, which must not be empty, as a value.
func printedText(name string) reader {
	return func(result string, known *Slots) error {
		text := strings.TrimSpace(result)
		if text == "" {
			return unexpected(result, "a text")
		}

		*known = append(*known, Slot{name, text})

		return nil
	}
}

// textCell reads the only row of a query with one column; its cell may hold anything but a line break.
func textCell(column string) reader {
	return func(result string, known *Slots) error {
		cell, ok := strings.CutPrefix(strings.TrimRight(result, "\n"), column+": ")
		if !ok || strings.Contains(cell, "\n") {
			return unexpected(result, "one row of the column "+column)
		}

		*known = append(*known, Slot{column, cell})

		return nil
	}
}

// then makes a reader that goes on with more after another has read the result.
func then(read, more reader) reader {
	return func(result string, known *Slots) error {
		if err := read(result, known); err != nil {
			return err
		}

		return more(result, known)
	}
}
