package questions

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Flights is the flights corpus as its rules see it: a table of millions of rows, of which a rule looks at those that
// the values of its question select. It is immutable.
type Flights struct {
	table *corpus.Table
}

// flightsSlots are the slots of the templates, each with the columns whose cells, put together, are its value.
var flightsSlots = map[string][]string{
	"flight":  {"IATA_Code_Marketing_Airline", "Flight_Number_Marketing_Airline"},
	"origin":  {"Origin"},
	"dest":    {"Dest"},
	"date":    {"FlightDate"},
	"airline": {"Airline"},
	"weekday": {"DayOfWeek"},
}

// flightsUnit is a slot that says nothing about a flight.
const flightsUnit = "unit"

// NewFlights returns the view of a table, which must have the columns that the rules read.
func NewFlights(t *corpus.Table) (*Flights, error) {
	for _, columns := range flightsSlots {
		for _, c := range columns {
			if !t.Has(c) {
				return nil, fmt.Errorf("questions: flights: the table has no column %s", c)
			}
		}
	}

	return &Flights{t}, nil
}

// flightsOf returns the view of an opened corpus.
func flightsOf(c *corpus.Corpus) (Corpus, error) { return NewFlights(c.Table()) }

// Dataset returns toolqa.Flights.
func (f *Flights) Dataset() toolqa.Dataset { return toolqa.Flights }

// find returns the rows, ascending, that have the values of all slots; none is errNoAnswer.
func (f *Flights) find(s Slots) ([]uint32, error) {
	var equal []string

	for _, slot := range s {
		if slot.Name == flightsUnit {
			continue
		}

		columns := flightsSlots[slot.Name]
		switch len(columns) {
		case 1:
			equal = append(equal, columns[0], slot.Value)
		case 2: // a carrier's code has two characters
			equal = append(equal, columns[0], slot.Value[:2], columns[1], slot.Value[2:])
		default:
			return nil, fmt.Errorf("a flight has no %s", slot.Name)
		}
	}

	rows, err := f.table.Find(equal...)
	if err != nil {
		return nil, err
	}

	if len(rows) == 0 {
		return nil, errNoAnswer
	}

	return rows, nil
}

// columns returns the columns of the given names.
func (f *Flights) columns(names []string) ([]*corpus.Vector, error) {
	vectors := make([]*corpus.Vector, len(names))
	for i, name := range names {
		var err error
		if vectors[i], err = columnOf(f.table, toolqa.Flights, name); err != nil {
			return nil, err
		}
	}

	return vectors, nil
}

// onFlights makes a rule of a function of the rows that the slots select, at least one, and of the columns of the given
// names.
func onFlights(answer func(rows []uint32, columns []*corpus.Vector) (string, error), names ...string) rule {
	return on(func(f *Flights, s Slots) (string, error) {
		rows, err := f.find(s)
		if err != nil {
			return "", err
		}

		columns, err := f.columns(names)
		if err != nil {
			return "", err
		}

		return answer(rows, columns)
	})
}

// onFlight makes a rule of a function of numbers in the only row that the slots select. When there are several rows
// nobody can tell which is meant, e.g. because the flight has two legs, and when a number is missing, e.g. because the
// flight was cancelled, nothing is known; then there is no answer.
func onFlight(answer func(cells []float64) string, names ...string) rule {
	return onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
		if len(rows) > 1 {
			return "", errNoAnswer
		}

		cells := make([]float64, len(columns))
		for i, c := range columns {
			n, ok := c.Number(int(rows[0]))
			if !ok {
				return "", errNoAnswer
			}

			cells[i] = n
		}

		return answer(cells), nil
	}, names...)
}

// countFlights makes a rule of the number of rows for which keep holds for the number in a column.
func countFlights(column string, keep func(float64) bool) rule {
	return onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
		return strconv.Itoa(countNumbers(rows, columns[0], keep)), nil
	}, column)
}

func countNumbers(rows []uint32, column *corpus.Vector, keep func(float64) bool) int {
	return len(rowsThat(rows, func(row int) bool {
		x, ok := column.Number(row)
		return ok && keep(x)
	}))
}

// countTrue counts the rows for which a column of truth values says True.
func countTrue(rows []uint32, column *corpus.Vector) int {
	return len(rowsThat(rows, func(row int) bool { return column.Text(row) == "True" }))
}

// sumNumbers adds up the numbers that term makes of each row of which the columns hold numbers, as SQLite's AVG does
// (Kahan-Babuska-Neumaier), and counts those rows.
func sumNumbers(rows []uint32, columns []*corpus.Vector, term func(cells []float64) float64) (sum float64, n int) {
	var total compensatedSum
	cells := make([]float64, len(columns))

next:
	for _, row := range rows {
		for i, c := range columns {
			x, ok := c.Number(int(row))
			if !ok {
				continue next
			}

			cells[i] = x
		}

		total.add(term(cells))
		n++
	}

	return total.rounded + total.lost, n
}

// averageFlights makes a rule of the mean of a term over the rows that have numbers in the columns, with one decimal.
func averageFlights(unit string, term func(cells []float64) float64, names ...string) rule {
	return onFlights(func(rows []uint32, columns []*corpus.Vector) (string, error) {
		sum, n := sumNumbers(rows, columns, term)
		if n == 0 {
			return "", errNoAnswer
		}

		return fixed1(sum/float64(n)) + unit, nil
	}, names...)
}

func first(cells []float64) float64 { return cells[0] }

// distinctCells returns the distinct cells of the rows in order of their first occurrence.
func distinctCells(rows []uint32, column *corpus.Vector) []string {
	var cells []string

	seen := map[int]bool{}
	for _, row := range rows {
		if code := column.Code(int(row)); !seen[code] {
			seen[code] = true
			cells = append(cells, column.Word(code))
		}
	}

	return cells
}

// drawFlight draws the values of a template's slots from a random row.
func drawFlight(t *Template) drawer {
	return drawOn(func(r *rand.Rand, view *Flights) ([]string, error) {
		if view.table.Rows() == 0 {
			return nil, fmt.Errorf("a corpus without flights is too small")
		}

		row := r.IntN(view.table.Rows())

		values := make([]string, len(t.slots))
		for i, slot := range t.slots {
			if slot.name == flightsUnit {
				values[i] = speedUnit
			}

			columns, err := view.columns(flightsSlots[slot.name])
			if err != nil {
				return nil, err
			}

			for _, column := range columns {
				values[i] += column.Text(row)
			}
		}

		return values, nil
	})
}

// withFlight makes a plan in whose steps {carrier} and {number} stand for the two parts of the slot flight.
func withFlight(steps ...step) func(Slots) []step {
	return func(s Slots) []step {
		flight := s.Get("flight")
		parts := strings.NewReplacer("{carrier}", flight[:2], "{number}", flight[2:])

		filled := make([]step, len(steps))
		for i, st := range steps {
			filled[i] = st
			filled[i].thought = parts.Replace(st.thought)

			filled[i].args = make([]arg, len(st.args))
			for j, a := range st.args {
				filled[i].args[j] = arg{a.name, parts.Replace(a.text)}
			}
		}

		return filled
	}
}

// hourMinute prints a time that is written as HHMM: 1425 is 14:25, and 49 is 0:49.
func hourMinute(hhmm float64) string { return fmt.Sprintf("%d:%02d", int(hhmm)/100, int(hhmm)%100) }

// publishedTime puts a colon before the last two digits.
func publishedTime(hhmm float64) string {
	digits := strconv.Itoa(int(hhmm))
	at := max(len(digits)-2, 0)
	return digits[:at] + ":" + digits[at:]
}

// wholeNumber is str(int(x)) of Python.
func wholeNumber(x float64) string { return strconv.Itoa(int(x)) }

// extraMinutes prints a difference of delays as the published answers do: 13.0, and 0.
func extraMinutes(x float64) string {
	if x == 0 {
		return "0"
	}

	return pytext.FormatFloat(x)
}
