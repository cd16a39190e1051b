package finetune

import (
	"cmp"
	"math"
)

// all is the dataset of a row that stands for every one.
const all = "all"

// Overall returns the report with one row for each policy and API version, over all its questions.
func (r *Report) Overall() *Report {
	merged := *r
	merged.Rows = nil
	places := map[Cell]int{}

	for _, row := range r.Rows {
		cell := Cell{Policy: row.Policy, API: row.API, Dataset: all}

		i, ok := places[cell]
		if !ok {
			i = len(merged.Rows)
			places[cell] = i
			merged.Rows = append(merged.Rows, Row{Cell: cell, Outcomes: map[string]int{}})
		}

		merged.Rows[i].add(row)
	}

	return &merged
}

// add counts the questions of another row, too.
func (r *Row) add(other Row) {
	mean := func(a, b float64) float64 {
		return (a*float64(r.N) + b*float64(other.N)) / float64(max(r.N+other.N, 1))
	}
	r.Official, r.Strict, r.Turns = mean(r.Official, other.Official), mean(r.Strict, other.Strict),
		mean(r.Turns, other.Turns)

	r.N += other.N
	r.Lost += other.Lost
	r.Unanswered += other.Unanswered
	r.TooLong += other.TooLong

	r.Silent += other.Silent
	for outcome, n := range other.Outcomes {
		r.Outcomes[outcome] += n
	}

	r.FirstLoss = cmp.Or(r.FirstLoss, other.FirstLoss)

	right := func(p float64) int { return int(math.Round(p * float64(r.N))) }
	r.OfficialLow, r.OfficialHigh = Wilson(right(r.Official), r.N)
	r.StrictLow, r.StrictHigh = Wilson(right(r.Strict), r.N)
}
