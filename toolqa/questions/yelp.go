package questions

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// noObject is what the tools print for a missing text or object.
const noObject = "None"

// attribute returns the text that an object, as the tools print it, has under a name.
func attribute(object, name string) (string, bool) {
	v, _ := pytext.DecodeLiteral(object)
	entries, _ := v.(envs.Args)

	return entries.Text(name)
}

// openingHours returns the hours of an object as the published answers write them, "Monday: 9:0-17:0,
// Tuesday: 9:0-17:0", and whether there are any.
func openingHours(object string) (string, bool) {
	v, _ := pytext.DecodeLiteral(object)

	entries, _ := v.(envs.Args)
	if len(entries) == 0 {
		return "", false
	}

	days := make([]string, len(entries))
	for i, e := range entries {
		days[i] = e.Name + ": " + pytext.Str(e.Value)
	}

	return strings.Join(days, ", "), true
}

// distinctCellsOf reads a column of the rows that are left: the distinct cells, in order, become a value of its name.
func distinctCellsOf(column string) reader {
	return func(result string, known *slotValues) error {
		cells, err := cellLists(result, column)
		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), ", ")})

		return err
	}
}

// distinctRowsOf does the same with the rows of a query.
func distinctRowsOf(column string) reader {
	return func(result string, known *slotValues) error {
		var cells []string

		for line := range strings.SplitSeq(result, "\n") {
			cell, ok := strings.CutPrefix(line, column+": ")
			if !ok && line != column+":" {
				return unexpected(result, "rows of the column "+column)
			}

			cells = append(cells, cell)
		}

		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), ", ")})

		return nil
	}
}
