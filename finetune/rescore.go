package finetune

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"toolevo/envs"
	"toolevo/finetune/statistics"
	"toolevo/finetune/table"
	"toolevo/trajectories"
)

// Rescored says what another matcher makes of the answers of an evaluation.
type Rescored struct {
	Rows    []RescoredRow `json:"rows"`    // a row for each cell of which an episode was not lost
	Changed []Rescoring   `json:"changed"` // the answers of which it says otherwise, in the order of the rows
	Revised int           `json:"revised"` // verdicts by this matcher that the evaluation has and that differ now
}

// RescoredRow is a cell's accuracy by both matchers, as proportions of the N questions that were not lost.
type RescoredRow struct {
	Cell
	N            int     `json:"n"`             // questions measured
	Official     float64 `json:"official"`      // right when the evaluation was made, by the benchmark's matcher
	Rescored     float64 `json:"rescored"`      // right by the other matcher
	RescoredLow  float64 `json:"rescored_low"`  // lower end of the 95 % Wilson interval
	RescoredHigh float64 `json:"rescored_high"` // upper end
	Gained       int     `json:"gained"`        // answers that only the other matcher takes
	Dropped      int     `json:"dropped"`       // answers that only the benchmark's took
}

// Rescoring is an answer of which the other matcher says otherwise.
type Rescoring struct {
	Cell
	QuestionID string `json:"question_id"` // unique within dataset and difficulty
	Question   string `json:"question"`    // its text
	Gold       string `json:"gold"`        // its gold answer
	Answer     string `json:"answer"`      // the one that was given
	Correct    bool   `json:"correct"`     // by the other matcher
}

// A Verdict is how a matcher judges.
type Verdict struct {
	Match func(gold, answer string) bool
	Kept  func(e *trajectories.Episode) bool // its verdict when the episode was played; nil where none was kept
}

// Rescore compares the answers of an evaluation with the gold answers by another matcher. An episode without an answer
// stays wrong. An episode of no job is an error, and so is the first of episodes.
func Rescore(jobs []Job, episodes iter.Seq2[trajectories.Episode, error], by Verdict) (*Rescored, error) {
	r := &Rescored{Rows: make([]RescoredRow, len(jobs)), Changed: []Rescoring{}}
	places := newPlaces(jobs)
	official, rescored := make([]int, len(jobs)), make([]int, len(jobs))

	for i, j := range jobs {
		r.Rows[i].Cell = j.Cell
	}

	for e, err := range episodes {
		if err != nil {
			return nil, err
		}

		i, err := places.of(&e)
		if err != nil {
			return nil, err
		}

		if e.Lost != "" {
			continue
		}

		row := &r.Rows[i]
		row.N++

		correct := e.Status == envs.Terminated.String() && by.Match(e.Gold, e.Answer)
		if by.Kept != nil && by.Kept(&e) != correct {
			r.Revised++
		}

		if e.Official {
			official[i]++
		}

		if correct {
			rescored[i]++
		}

		switch {
		case correct == e.Official:
			continue
		case correct:
			row.Gained++
		default:
			row.Dropped++
		}

		r.Changed = append(r.Changed, Rescoring{row.Cell, e.QuestionID, e.Question, e.Gold, e.Answer, correct})
	}

	for i := range r.Rows {
		row := &r.Rows[i]
		row.Official = float64(official[i]) / float64(max(row.N, 1))
		row.Rescored = float64(rescored[i]) / float64(max(row.N, 1))
		row.RescoredLow, row.RescoredHigh = statistics.Wilson(rescored[i], row.N)
	}

	r.Rows = slices.DeleteFunc(r.Rows, func(row RescoredRow) bool { return row.N == 0 })

	return r, nil
}

// WriteTable writes the accuracies for a terminal, a line for each cell.
func (r *Rescored) WriteTable(w io.Writer) error {
	t := table.Table{
		Heads: []string{"policy", "api", "data", "n", "official", "rescored [95%]", "gained", "dropped"},
	}

	for _, row := range r.Rows {
		of := Row{Cell: row.Cell, N: row.N}
		t.Lines = append(t.Lines, []string{
			row.Policy, row.API, of.data(), fmt.Sprint(row.N), of.percent(row.Official),
			of.withInterval(row.Rescored, row.RescoredLow, row.RescoredHigh, 0), fmt.Sprint(row.Gained),
			fmt.Sprint(row.Dropped),
		})
	}

	return t.Write(w)
}
