package export

import (
	"slices"

	"toolevo/envs"
	"toolevo/trajectories"
)

// faulty reports for each turn whether no model should learn it, because no action could be read
// from it, or because it repeats an earlier mistake.
func faulty(row *trajectories.Row) []bool {
	turns := make([]bool, len(row.Turns))
	mistakes := map[string]bool{}

	for i, t := range row.Turns {
		if t.Outcome.IsError() {
			turns[i] = t.Unreadable() || mistakes[t.Key]
			mistakes[t.Key] = true
		}
	}

	return turns
}

// countUnreadable counts the turns from which no action could be read.
func countUnreadable(row *trajectories.Row) (n int) {
	for i := range row.Turns {
		if row.Turns[i].Unreadable() {
			n++
		}
	}

	return n
}

func countFaulty(row *trajectories.Row) (n int) {
	for _, is := range faulty(row) {
		if is {
			n++
		}
	}

	return n
}

// updatedTruthfully reports whether a trajectory called UpdateTool, and each of those calls names
// an API that it called with success: one that the deployed version has.
func updatedTruthfully(row *trajectories.Row) bool {
	used := map[string]bool{}

	for i := range row.Turns {
		for _, c := range row.Turns[i].Calls(nil) {
			if c.Outcome == envs.OK && c.Tool != envs.UpdateTool {
				used[c.API] = true
			}
		}
	}

	updates := 0

	for _, t := range row.Turns {
		if !t.IsUpdate() {
			continue
		}

		updates++

		text, _ := t.Description()
		if !slices.ContainsFunc(trajectories.Words(text), func(word string) bool { return used[word] }) {
			return false
		}
	}

	return updates > 0
}
