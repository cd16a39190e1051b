package questions

import (
	"cmp"
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

// openingHours returns the hours of an object as the published answers write them, "Monday:
// 9:0-17:0, Tuesday: 9:0-17:0", and whether there are any.
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

// distinctCellsOf reads a column of the rows that are left: the distinct cells, in order, become a
// value of its name.
func distinctCellsOf(column string) reader {
	return func(result string, known *slotValues) error {
		cells, err := cellLists(result, column)
		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), ", ")})
		return err
	}
}

// distinctRowsOf does the same with the rows of a query, and lets a cell have line breaks: a name
// can. After the column the arguments may have a separator to put between the cells, instead of a
// comma.
func distinctRowsOf(arguments string) reader {
	column, separator, _ := strings.Cut(arguments, " ")
	return func(result string, known *slotValues) error {
		rows, ok := strings.CutPrefix(result, column+":")
		if !ok {
			return unexpected(result, "rows of the column "+column)
		}

		cells := strings.Split(rows, "\n"+column+":")
		for i := range cells {
			cells[i] = strings.TrimPrefix(cells[i], " ")
		}

		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), cmp.Or(separator, ",")+" ")})
		return nil
	}
}
