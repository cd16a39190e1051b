package questions

import (
	"math"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// compensatedSum is a sum with what rounding has lost of it.
type compensatedSum struct{ rounded, lost float64 }

func (s *compensatedSum) add(x float64) {
	t := s.rounded + x
	if math.Abs(s.rounded) > math.Abs(x) {
		s.lost += (s.rounded - t) + x
	} else {
		s.lost += (x - t) + s.rounded
	}

	s.rounded = t
}

// round2 is str(round(x, 2)) of Python.
func round2(x float64) string { return pytext.FormatFloat(pytext.Round(x, 2)) }

// fixed1 is "%.1f" of Python.
func fixed1(x float64) string { return pytext.FormatFixed(x, 1) }

func countNumbers(rows []uint32, column *corpus.Vector, keep func(float64) bool) int {
	return len(rowsThat(rows, func(row int) bool {
		x, ok := column.Number(row)
		return ok && keep(x)
	}))
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

// rowsThat returns the rows that keep holds for.
func rowsThat(rows []uint32, keep func(row int) bool) []uint32 {
	var kept []uint32

	for _, row := range rows {
		if keep(int(row)) {
			kept = append(kept, row)
		}
	}

	return kept
}
