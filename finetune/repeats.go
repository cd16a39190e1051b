package finetune

import (
	"maps"
	"slices"

	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
)

// Repeats is what several sampled episodes of each question add, by the official matcher.
type Repeats struct {
	Episodes  int     `json:"episodes"`  // of each question
	Deviation float64 `json:"deviation"` // sample standard deviation of the repeats' accuracies
	// pass@k for k = 1, 2, … as far as a question has k episodes: at least one of k is right
	PassAt  []float64 `json:"pass_at"`
	PassAll []float64 `json:"pass_all"` // pass^k, as far: all of k episodes are right
}

// addRepeats adds pass@k and pass^k to the rows of cells with several episodes of each question.
// They are means over the questions with k episodes that were not lost.
func addRepeats(rows []Row, all []facts.Fact) {
	questions, most := map[Cell]tabulate.Answers{}, map[Cell]int{}

	for i := range all {
		f := &all[i]
		cell := Cell{f.Policy, f.API, f.Dataset, f.Difficulty}

		// The number of repeats is that of what was planned: lost episodes count here, though they
		// are measured nowhere.
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

		// The table has a deviation for every cell; over a single repeat it means nothing.
		if most[row.Cell] < 2 {
			row.Repeats = nil
			continue
		}

		if row.Repeats == nil {
			row.Repeats = &Repeats{} // the table gave no deviation: all episodes were lost
		}

		row.Repeats.Episodes = most[row.Cell]
		row.Repeats.passes(questions[row.Cell])
	}
}

// passes completes the figures by the episodes of each question, up to as many as a question has.
func (r *Repeats) passes(questions tabulate.Answers) {
	r.PassAt, r.PassAll = []float64{}, []float64{}

	for k := 1; k <= r.Episodes; k++ {
		var at, all []float64

		for _, question := range slices.Sorted(maps.Keys(questions)) {
			n, right := int(questions[question].Trials), int(questions[question].Successes)
			if n >= k {
				at = append(at, tabulate.PassAt(k, n, right))
				all = append(all, tabulate.PassAll(k, n, right))
			}
		}

		if len(at) == 0 {
			return
		}

		passAt, _ := tabulate.MeanStdDev(at)
		passAll, _ := tabulate.MeanStdDev(all)
		r.PassAt, r.PassAll = append(r.PassAt, passAt), append(r.PassAll, passAll)
	}
}
