package finetune

import (
	"maps"
	"slices"

	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
)

// Repeats is what several sampled episodes of each question add, by the official matcher.
type Repeats struct {
	Episodes  int       `json:"episodes"`  // of each question
	Deviation float64   `json:"deviation"` // sample standard deviation of the accuracies of the repeats
	PassAt    []float64 `json:"pass_at"`   // pass@k for k = 1, 2, …: at least one of k episodes is right
	PassAll   []float64 `json:"pass_all"`  // pass^k for k = 1, 2, …: all of k episodes are right
}

// addRepeats gives rows of cells with several episodes of each question what those add. pass@k and
// pass^k are means over the questions with k episodes that were not lost.
func addRepeats(rows []Row, all []facts.Fact) {
	questions, most := map[Cell]tabulate.Answers{}, map[Cell]int{}

	for i := range all {
		f := &all[i]
		cell := Cell{f.Policy, f.API, f.Dataset, f.Difficulty}
		most[cell] = max(most[cell], f.Repeat+1)

		if questions[cell] == nil {
			questions[cell] = tabulate.Answers{}
		}

		if f.Measured {
			questions[cell].Add(f.Question, f.Official)
		}
	}

	for i := range rows {
		row := &rows[i]
		if most[row.Cell] < 2 {
			row.Repeats = nil
			continue
		}

		if row.Repeats == nil {
			row.Repeats = &Repeats{} // none has a deviation where all were lost
		}

		row.Repeats.Episodes = most[row.Cell]
		row.Repeats.passes(questions[row.Cell])
	}
}

// passes completes the figures by the episodes of each question.
func (r *Repeats) passes(questions tabulate.Answers) {
	for k := 1; k <= r.Episodes; k++ {
		var at, all []float64

		for _, question := range slices.Sorted(maps.Keys(questions)) {
			n, right := int(questions[question].Trials), int(questions[question].Successes)
			if n >= k {
				at = append(at, tabulate.PassAt(k, n, right))
				all = append(all, tabulate.PassAll(k, n, right))
			}
		}

		passAt, _ := tabulate.MeanStdDev(at)
		passAll, _ := tabulate.MeanStdDev(all)
		r.PassAt, r.PassAll = append(r.PassAt, passAt), append(r.PassAll, passAll)
	}
}
