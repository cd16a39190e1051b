package release

import "math"

// assignment gives each row of a matrix of scores at most one column, and each column at most one
// row, so that the sum of their scores is as high as it can be. A row without one has -1.
func assignment(scores [][]float64) []int {
	h := hungarian{scores: scores, size: len(scores)}
	for _, row := range scores {
		h.size = max(h.size, len(row))
	}

	h.rows, h.columns = make([]float64, h.size+1), make([]float64, h.size+1)
	h.rowOf = make([]int, h.size+1)

	for i := 1; i <= h.size; i++ {
		h.place(i)
	}

	columns := make([]int, len(scores))
	for i := range columns {
		columns[i] = -1
	}

	for j := 1; j <= h.size; j++ {
		if i := h.rowOf[j]; h.cost(i, j) < 0 {
			columns[i-1] = j - 1
		}
	}

	return columns
}

// hungarian is the Hungarian method on a square matrix. Rows and columns count from 1.
type hungarian struct {
	scores        [][]float64
	size          int       // of the square
	rows, columns []float64 // potentials
	rowOf         []int     // by column; 0 if it is free
}

// cost is the negative score, and 0 outside of the scores: the method looks for the least sum.
func (h *hungarian) cost(i, j int) float64 {
	if i <= len(h.scores) && j <= len(h.scores[i-1]) {
		return -h.scores[i-1][j-1]
	}
	return 0
}

// place gives a row a column, by the cheapest chain of rows that trade columns until one is free.
func (h *hungarian) place(i int) {
	var (
		least  = make([]float64, h.size+1) // on the way to each column
		from   = make([]int, h.size+1)     // the column before it
		used   = make([]bool, h.size+1)
		column = 0
	)

	for j := range least {
		least[j] = math.Inf(1)
	}

	// Column 0 holds the new row; the search ends at the first free column.
	for h.rowOf[0] = i; h.rowOf[column] != 0; {
		used[column] = true
		row, best, next := h.rowOf[column], math.Inf(1), 0

		for j := 1; j <= h.size; j++ {
			if used[j] {
				continue
			}

			// Less the potentials no cost is negative, so the nearest column is final, as in
			// Dijkstra's method.
			if c := h.cost(row, j) - h.rows[row] - h.columns[j]; c < least[j] {
				least[j], from[j] = c, column
			}

			if least[j] < best {
				best, next = least[j], j
			}
		}

		// The potentials move such that the chain so far costs nothing, and still nothing is
		// negative.
		for j := range used {
			if used[j] {
				h.rows[h.rowOf[j]] += best
				h.columns[j] -= best
			} else {
				least[j] -= best
			}
		}

		column = next
	}

	// Back along the chain, each column takes the row of the one before it.
	for column != 0 {
		h.rowOf[column] = h.rowOf[from[column]]
		column = from[column]
	}
}

// gap returns how much the best assignment would lose that gives a row another column: 0 if the
// choice was arbitrary.
func gap(scores [][]float64, columns []int, i int) float64 {
	j := columns[i]
	least := scores[i][j]
	rowOf := map[int]int{}

	for k, column := range columns {
		rowOf[column] = k
	}

	for other := range scores[i] {
		switch k, taken := rowOf[other]; {
		case other == j:
		case !taken:
			least = min(least, scores[i][j]-scores[i][other])
		default:
			least = min(least, scores[i][j]+scores[k][other]-scores[i][other]-scores[k][j])
		}
	}

	for k := range scores {
		if columns[k] < 0 {
			least = min(least, scores[i][j]-scores[k][j])
		}
	}

	return max(least, 0)
}

// confidence returns how sure a choice is: its score, or half of it if another one is as good.
func confidence(score, gap float64) float64 {
	const clear = 0.3
	return score * (0.5 + 0.5*min(gap/clear, 1))
}
