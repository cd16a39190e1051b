package questions

import (
	"fmt"
	"strings"
)

// The readers below take texts from results; those for numbers are beside the steps in plan.go.

// textCells reads a JSON object that has a text for each column.
func textCells(columns []string) reader {
	var fields []field
	for _, c := range columns {
		fields = append(fields, field{c, "any"})
	}

	return cells(fields)
}

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

// runCode runs code that prints a text, which becomes the value "answer".
func runCode(code, thought string) step {
	return step{thought, "PythonInterpreter", []arg{{"Python", code}}, printedText("answer")}
}

// textCell reads the only row of a query with one column; its cell may hold anything but a line break.
func textCell(column string) reader { return textColumn(column, 1, "") }

// textColumn reads the rows of a query with one column, at least min and joined by sep, as one value of the column's
// name.
func textColumn(column string, min int, sep string) reader {
	return func(result string, known *Slots) error {
		var cells []string

		if result := strings.TrimRight(result, "\n"); result != "" {
			for line := range strings.SplitSeq(result, "\n") {
				cell, ok := strings.CutPrefix(line, column+": ")
				if !ok {
					return unexpected(result, fmt.Sprintf("rows of the column %s", column))
				}

				cells = append(cells, cell)
			}
		}

		if len(cells) < min || sep == "" && len(cells) > 1 {
			return unexpected(result, fmt.Sprintf("%d rows of the column %s", min, column))
		}

		*known = append(*known, Slot{column, strings.Join(cells, sep)})

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

// derive adds a value called name, which is made of the values read before; where it cannot be, the result is not what
// want says.
func derive(read reader, name, want string, value func(known Slots) (string, bool)) reader {
	return then(read, func(result string, known *Slots) error {
		text, ok := value(*known)
		if !ok {
			return unexpected(result, want)
		}

		*known = append(*known, Slot{name, text})

		return nil
	})
}

// filterRows filters down to one row or more.
func filterRows(condition, thought string) step {
	return step{thought, "FilterDB", []arg{{"condition", condition}}, startsWith("We have successfully filtered " +
		"the data (")}
}
