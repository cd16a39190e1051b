package export

import "toolevo/trajectories"

// diverse chooses n rows greedily: the first, then repeatedly the row farthest from its nearest
// chosen one; among equals the earlier.
func diverse(rows []*trajectories.Row, n int) []*trajectories.Row {
	chosen := []*trajectories.Row{rows[0]}
	taken := make([]bool, len(rows))
	taken[0] = true

	nearest := make([]float64, len(rows)) // distance to the nearest chosen row
	for i, r := range rows {
		nearest[i] = Distance(rows[0].Turns, r.Turns)
	}

	for len(chosen) < n {
		best := -1
		for i := range rows {
			if !taken[i] && (best < 0 || nearest[i] > nearest[best]) {
				best = i
			}
		}

		taken[best] = true

		chosen = append(chosen, rows[best])
		for i, r := range rows {
			nearest[i] = min(nearest[i], Distance(rows[best].Turns, r.Turns))
		}
	}

	return chosen
}

// Distance measures how differently two trajectories went about it, from 0 for the same actions in
// the same order to 1 for none in common: the mean of the Jaccard distance of their sets of
// canonical actions and the edit distance of the sequences over the longer length.
func Distance(a, b []trajectories.Turn) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 0
	}
	return (jaccard(a, b) + float64(edits(a, b))/float64(max(len(a), len(b)))) / 2
}

func jaccard(a, b []trajectories.Turn) float64 {
	in := map[string]uint8{}
	for _, t := range a {
		in[t.Key] |= 1
	}

	for _, t := range b {
		in[t.Key] |= 2
	}

	both := 0

	for _, where := range in {
		if where == 3 {
			both++
		}
	}

	return 1 - float64(both)/float64(len(in))
}

// edits returns the Levenshtein distance of two sequences of actions.
func edits(a, b []trajectories.Turn) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range a {
		diagonal := row[0]
		row[0] = i + 1

		for j := range b {
			substitute := diagonal
			if a[i].Key != b[j].Key {
				substitute++
			}

			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, substitute)
		}
	}
	return row[len(b)]
}
