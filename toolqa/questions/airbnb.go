package questions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/toolqa/corpus"
)

// noCell is what the tools print for a missing cell.
const noCell = "nan"

// lodgings are the columns of the airbnb corpus that tell what is near a place.
type lodgings struct {
	rows                    int
	id, name, price, rating *corpus.Vector
	lat, long               *corpus.Vector
}

func lodgingsOf(s *Corpus) (*lodgings, error) {
	l := &lodgings{rows: s.table.Rows()}

	return l, s.columns(map[string]**corpus.Vector{
		"id": &l.id, "NAME": &l.name, "price": &l.price, "review rate number": &l.rating,
		"lat": &l.lat, "long": &l.long,
	})
}

// listing returns the row of the only listing that the values of the columns tell from all others.
func listing(s *Corpus, columns, values []string) (row int, ok bool, err error) {
	var equal []string
	for i, column := range columns {
		equal = append(equal, column, values[i])
	}

	rows, err := s.table.Find(equal...)
	if err != nil || len(rows) != 1 {
		return 0, false, err
	}

	return int(rows[0]), true, nil
}

// drawListing draws a listing that the slots tell from all others. Where the argument is a column, its cell must not be
// missing.
func drawListing(t *Template, column string) attempt {
	line := drawLine(t, column)

	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		values, ok, err := line(r, s)
		if err != nil || !ok {
			return nil, false, err
		}

		_, ok, err = listing(s, t.columnsOfSlots(), values)

		return values, ok, err
	}
}

// mostNights is the longest stay that is asked about.
const mostNights = 20

// drawStay draws a listing and a number of nights.
func drawStay(t *Template, _ string) attempt {
	named := &Template{slots: t.slots[:2], origins: t.origins}
	draw := drawListing(named, "")

	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		values, ok, err := draw(r, s)
		if err != nil || !ok {
			return nil, false, err
		}

		return append(values, strconv.Itoa(1+r.IntN(mostNights))), true, nil
	}
}

// amount returns the number of a price, which is written as "$1,083 ", and whether it is one.
func amount(cell string) (float64, bool) {
	digits := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(cell), "$"), ",", "")
	if !isInteger(digits) {
		return 0, false
	}

	f, err := strconv.ParseFloat(digits, 64)

	return f, err == nil
}

// nameSep stands between the names of an answer: ToolQA-D gives all listings that share the lowest price.
const nameSep = "; "

// names returns the names of listings, each once, in the order of their ids. A listing without a name cannot be
// recommended: there is no answer.
func (l *lodgings) names(rows []uint32) (string, error) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y uint32) int {
		m, _ := l.id.Number(int(x))
		n, _ := l.id.Number(int(y))
		return int(m - n)
	})

	names := distinctCells(rows, l.name)
	if len(names) == 0 || slices.Contains(names, noCell) {
		return "", errNoAnswer
	}

	return strings.Join(names, nameSep), nil
}

// listed reads the rows of a query with one column as one value of the column's name, and lets a cell have line breaks:
// a name can.
func listed(column string) reader {
	return func(result string, known *slotValues) error {
		cells, ok := strings.CutPrefix(result, column+": ")
		if !ok {
			return unexpected(result, fmt.Sprintf("rows of the column %s", column))
		}

		*known = append(*known, slotValue{column, strings.ReplaceAll(cells, "\n"+column+": ", nameSep)})

		return nil
	}
}
