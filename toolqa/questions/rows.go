package questions

import (
	"slices"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// round2 is str(round(x, 2)) of Python.
func round2(x float64) string { return pytext.FormatFloat(pytext.Round(x, 2)) }

// distinctCells returns the distinct cells of the rows in order of their first occurrence.
func distinctCells(rows []uint32, column *corpus.Vector) []string {
	var cells []string
	for _, row := range rows {
		cells = append(cells, column.Text(int(row)))
	}

	return eachOnce(cells)
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

// distinctTexts returns the texts that are not empty, each once, in order.
func distinctTexts(texts []string) []string {
	return slices.DeleteFunc(eachOnce(texts), func(t string) bool { return t == "" })
}

// eachOnce returns the distinct texts in order.
func eachOnce(texts []string) []string {
	var list []string
	for _, t := range texts {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}

	return list
}
