package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Airbnb is the airbnb corpus as its rules see it: the listings, in the order of the file. It is immutable.
type Airbnb struct {
	table                                             *corpus.Table
	id, name, hood, lat, long, policy, room           *corpus.Vector
	price, fee, minNights, monthly, rating, hostRooms *corpus.Vector
}

// NewAirbnb returns the view of a table with the published columns. It reads those that questions about many listings
// need; the others are read when a question is about them.
func NewAirbnb(t *corpus.Table) (*Airbnb, error) {
	a := &Airbnb{table: t}
	for name, to := range map[string]**corpus.Vector{
		"id": &a.id, "NAME": &a.name, "neighbourhood": &a.hood, "lat": &a.lat, "long": &a.long,
		"cancellation_policy": &a.policy, "room type": &a.room, "price": &a.price, "service fee": &a.fee,
		"minimum nights": &a.minNights, "reviews per month": &a.monthly, "review rate number": &a.rating,
		"calculated host listings count": &a.hostRooms,
	} {
		var err error
		if *to, err = columnOf(t, toolqa.Airbnb, name); err != nil {
			return nil, err
		}
	}

	return a, nil
}

// airbnbOf returns the view of an opened corpus.
func airbnbOf(c *corpus.Corpus) (Corpus, error) { return NewAirbnb(c.Table()) }

// Dataset returns toolqa.Airbnb.
func (a *Airbnb) Dataset() toolqa.Dataset { return toolqa.Airbnb }

// noCell is what the tools print for a missing cell.
const noCell = "nan"

// airbnbSlots are the columns that the slots of questions about one listing are cells of.
var airbnbSlots = map[string]string{"name": "NAME", "id": "id", "nb": "neighbourhood"}

// listing returns the row of the only listing with the name, the id and the neighbourhood that the question
// has. Another number of them is errNoAnswer.
func (a *Airbnb) listing(s Slots) (int, error) {
	var equal []string

	for _, slot := range s {
		if column, ok := airbnbSlots[slot.Name]; ok {
			equal = append(equal, column, slot.Value)
		}
	}

	rows, err := a.table.Find(equal...)
	if err != nil {
		return 0, err
	}

	if len(rows) != 1 {
		return 0, errNoAnswer
	}

	return int(rows[0]), nil
}

// onListing makes a rule of a function of the one listing that the question is about.
func onListing(f func(a *Airbnb, row int, s Slots) (string, error)) rule {
	return on(func(a *Airbnb, s Slots) (string, error) {
		row, err := a.listing(s)
		if err != nil {
			return "", err
		}

		return f(a, row, s)
	})
}

// onHood makes a rule of a function of the listings in the neighbourhood in the slot nb, of which there is at
// least one.
func onHood(f func(a *Airbnb, rows []uint32) (string, error)) rule {
	return onFound(func(a *Airbnb, s Slots) ([]uint32, error) {
		rows, err := a.table.Find("neighbourhood", s.Get("nb"))
		if err == nil && len(rows) == 0 {
			err = errNoAnswer
		}

		return rows, err
	}, f)
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

// whole is str(int(float(cell))) of Python.
func whole(cell string) (string, bool) {
	f, ok := pytext.ParseFloat(cell)
	if !ok || f != f || f < -1<<53 || f > 1<<53 {
		return "", false
	}

	return strconv.FormatInt(int64(f), 10), true
}

// nameSep stands between the names of an answer: ToolQA-D gives all listings that share the lowest price.
const nameSep = "; "

// names returns the names of listings, each once, in the order of their ids. A listing without a name cannot be
// recommended: there is no answer.
func (a *Airbnb) names(rows []uint32) (string, error) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y uint32) int {
		m, _ := a.id.Number(int(x))
		n, _ := a.id.Number(int(y))
		return int(m - n)
	})
	var names []string

	for _, row := range rows {
		name := a.name.Text(int(row))
		if name == noCell {
			return "", errNoAnswer
		}

		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	if len(names) == 0 {
		return "", errNoAnswer
	}

	return strings.Join(names, nameSep), nil
}

// best returns the rows of the largest value, leaving out those that have none.
func best(rows []uint32, value func(row int) (float64, bool)) []uint32 {
	var top []uint32
	most := 0.0

	for _, row := range rows {
		v, ok := value(int(row))
		switch {
		case !ok:
		case len(top) == 0 || v > most:
			top, most = append(top[:0], row), v
		case v == most:
			top = append(top, row)
		}
	}

	return top
}

// negatedPrice returns the price of a row as a score for best: the lower the price, the higher.
func (a *Airbnb) negatedPrice(row int) (float64, bool) {
	f, ok := amount(a.price.Text(row))
	return -f, ok
}

// firstByText returns the first row in the order of the prices as texts, as the published rules compare them: "$1,083 "
// comes before "$50 ". A missing price comes last. It is errNoAnswer when there is none.
func (a *Airbnb) firstByText(rows []uint32, descending bool) (int, error) {
	first := -1

	for _, row := range rows {
		row := int(row)
		if a.price.Text(row) == noCell {
			continue
		}

		if first < 0 || !descending && a.price.Code(row) < a.price.Code(first) ||
			descending && a.price.Code(row) > a.price.Code(first) {
			first = row
		}
	}

	if first < 0 {
		return 0, errNoAnswer
	}

	return first, nil
}

// airbnbTries is how many rows are looked at for one that a question can be about.
const airbnbTries = 10_000

// oneLine reports whether a name can stand in a question: it has no line break, and no blank at either end.
func oneLine(name string) bool {
	return name != noCell && strings.TrimSpace(name) == name && name != "" && !strings.ContainsAny(name, "\r\n")
}

// drawListing draws a listing that the slots tell from all others and for which fits holds, and returns the
// values of the slots.
func drawListing(r *rand.Rand, a *Airbnb, slots []string, fits func(a *Airbnb, row int) (bool, error)) ([]string,
	error) {
	for range airbnbTries {
		row := r.IntN(a.table.Rows())
		s := make(Slots, len(slots))

		values := make([]string, len(slots))
		for i, name := range slots {
			column := map[string]*corpus.Vector{"name": a.name, "id": a.id, "nb": a.hood}[name]
			values[i] = column.Text(row)
			s[i] = Slot{name, values[i]}
		}

		if !oneLine(a.name.Text(row)) || a.hood.Text(row) == noCell {
			continue
		}

		if _, err := a.listing(s); errors.Is(err, errNoAnswer) {
			continue
		} else if err != nil {
			return nil, err
		}

		if ok, err := fits(a, row); err != nil {
			return nil, err
		} else if ok {
			return values, nil
		}
	}

	return nil, fmt.Errorf("none of %d listings fits: the corpus of %d is too small", airbnbTries, a.table.Rows())
}

// drawHood draws a neighbourhood for which fits holds; nil holds for all.
func drawHood(fits func(a *Airbnb, rows []uint32) bool) drawer {
	return drawOn(func(r *rand.Rand, a *Airbnb) ([]string, error) {
		if a.hood.Words() == 0 {
			return nil, errors.New("an empty corpus")
		}

		for range airbnbTries {
			code := r.IntN(a.hood.Words())

			name, rows := a.hood.Word(code), a.hood.RowsOf(code)
			if name != noCell && len(rows) > 0 && (fits == nil || fits(a, rows)) {
				return []string{name}, nil
			}
		}

		return nil, fmt.Errorf("none of %d neighbourhoods fits: the corpus is too small", a.hood.Words())
	})
}
