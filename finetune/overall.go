package finetune

import (
	"cmp"
	"slices"

	"toolevo/finetune/statistics"
)

// all is the dataset of a row that stands for every one.
const all = "all"

// Mean returns the mean over all datasets of a policy and API version, and whether there is one.
func (r *Report) Mean(c Contender) (Summary, bool) {
	for _, s := range slices.Backward(r.Summaries) { // the one of all difficulties is the last
		if s.Contender == c {
			return s, true
		}
	}

	return Summary{}, false
}

// Overall returns the report's rows and warnings with one row for each policy and API version, over all its questions.
// Unlike in a [Summary] every question weighs the same.
func (r *Report) Overall() *Report {
	merged := Report{Engines: r.Engines, Warnings: r.Warnings, TaskSet: r.TaskSet, Feedback: r.Feedback}
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
	r.Official, r.Strict = mean(r.Official, other.Official), mean(r.Strict, other.Strict)
	r.Turns, r.Tokens = mean(r.Turns, other.Turns), mean(r.Tokens, other.Tokens)
	r.FirstUnreadable = mean(r.FirstUnreadable, other.FirstUnreadable)

	r.N += other.N
	r.Lost += other.Lost
	r.Unanswered += other.Unanswered
	r.TooLong += other.TooLong

	r.Silent += other.Silent
	for outcome, n := range other.Outcomes {
		r.Outcomes[outcome] += n
	}

	turns := 0
	for _, n := range r.Outcomes {
		turns += n
	}

	r.RepeatedTurns += other.RepeatedTurns
	r.RepeatedShare = float64(r.RepeatedTurns) / float64(max(turns, 1))

	r.FirstLoss = cmp.Or(r.FirstLoss, other.FirstLoss)

	r.OfficialLow, r.OfficialHigh = statistics.WilsonOf(r.Official, r.N)
	r.StrictLow, r.StrictHigh = statistics.WilsonOf(r.Strict, r.N)
}
