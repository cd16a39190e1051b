package questions

import (
	"fmt"
	"math"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The readers below take texts from results; those for numbers are beside the steps in plan.go.

// printedText reads what a program or a query of one column printed, which must not be empty, as a
// value.
func printedText(name string) reader {
	return func(result string, known *slotValues) error {
		text := strings.TrimSpace(result)
		if text == "" {
			return unexpected(result, "a text")
		}

		*known = append(*known, slotValue{name, text})
		return nil
	}
}

// textCell reads the only row of a query with one column; its cell may hold anything but a line
// break.
func textCell(column string) reader {
	return func(result string, known *slotValues) error {
		cell, ok := strings.CutPrefix(strings.TrimRight(result, "\n"), column+": ")
		if !ok || strings.Contains(cell, "\n") {
			return unexpected(result, "one row of the column "+column)
		}

		*known = append(*known, slotValue{column, cell})
		return nil
	}
}

// then makes a reader that reads a result and then reads more from it.
func then(read, more reader) reader {
	return func(result string, known *slotValues) error {
		if err := read(result, known); err != nil {
			return err
		}
		return more(result, known)
	}
}

// forms are other ways to write a value that has been read: "clock" is that of a time as HHMM,
// where 1425 is 14:25 and 49 is 0:49. Those of numbers rely on the step to have checked that the
// value is one.
var forms = map[string]func(text string) (string, bool){
	"clock":         numberAs(func(x float64) string { return fmt.Sprintf("%d:%02d", int(x)/100, int(x)%100) }),
	"object":        func(text string) (string, bool) { return text, text != noObject }, // that is there
	"opening-hours": openingHours,
	"size":          numberAs(func(x float64) string { return fmt.Sprint(int(math.Abs(x))) }),
	"strip":         func(text string) (string, bool) { return pytext.Strip(text), true },
	"whole":         numberAs(func(x float64) string { return fmt.Sprint(int(x)) }),
}

func numberAs(form func(float64) string) func(string) (string, bool) {
	return func(text string) (string, bool) {
		x, _ := pytext.ParseFloat(text)
		return form(x), true
	}
}

// readAs adds a value that has been read in another form. The arguments are the form, the name of
// the value, which may have blanks, and that of the new one.
func readAs(arguments string) reader {
	form, names, _ := strings.Cut(arguments, " ")
	i := strings.LastIndex(names, " ")
	from, to := names[:max(i, 0)], names[i+1:]

	write, ok := forms[form]
	if !ok {
		return nil
	}
	return func(result string, known *slotValues) error {
		text, ok := write(known.get(from))
		if !ok {
			return unexpected(result, "a row with "+from)
		}

		*known = append(*known, slotValue{to, text})
		return nil
	}
}

// readAnswer adds the answer that goes with a value: "Cancelled True=Yes False=No", where * is any
// other. With "attributes.KEY" it is that of an object, as the tools print it.
func readAnswer(arguments string) reader {
	name, answers, _ := strings.Cut(arguments, " ")
	name, key, isObject := strings.Cut(name, ".")
	return func(result string, known *slotValues) error {
		value := known.get(name)
		if isObject {
			value, _ = attribute(value, key)
		}

		for choice := range strings.FieldsSeq(answers) {
			wanted, answer, _ := strings.Cut(choice, "=")
			if wanted == value || wanted == "*" {
				*known = append(*known, slotValue{"answer", answer})
				return nil
			}
		}

		return unexpected(result, fmt.Sprintf("a row with one of %s as %s", answers, name))
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
