package release

import "math"

// assignment gives each row of a matrix of scores at most one column, and each column at most one
// row, so that the sum of their scores is as high as it can be. It is -1 of a row that has none
// with a score.
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
	size          int
	rows, columns []float64 // potentials
	rowOf         []int     // by column; 0 of a free one
}

// cost is 0 outside of the scores.
func (h *hungarian) cost(i, j int) float64 {
	if i <= len(h.scores) && j <= len(h.scores[i-1]) {
		return -h.scores[i-1][j-1]
	}
	return 0
}

// place gives a row a column, on the shortest way on which rows can trade columns until one is
// free.
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

	for h.rowOf[0] = i; h.rowOf[column] != 0; {
		used[column] = true
		row, best, next := h.rowOf[column], math.Inf(1), 0

		for j := 1; j <= h.size; j++ {
			if used[j] {
				continue
			}

			if c := h.cost(row, j) - h.rows[row] - h.columns[j]; c < least[j] {
				least[j], from[j] = c, column
			}

			if least[j] < best {
				best, next = least[j], j
			}
		}

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

	for column != 0 {
		h.rowOf[column] = h.rowOf[from[column]]
		column = from[column]
	}
}

// gap is how much the best other assignment that trades the column of a row would lose: 0 where the
// choice was by chance.
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

// certain is how sure a choice is: its score, and half of it where another one is as good.
func certain(score, gap float64) float64 {
	const clear = 0.3
	return score * (0.5 + 0.5*min(gap/clear, 1))
}
