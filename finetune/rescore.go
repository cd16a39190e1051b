package finetune

import (
	"io"
	"iter"

	"toolevo/envs"
	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// Rescored is how another matcher judges the answers of an evaluation.
type Rescored struct {
	Rows    []RescoredRow `json:"rows"`    // a row for each cell of which an episode was not lost
	Changed []Rescoring   `json:"changed"` // the answers of which it says otherwise, in the order of the rows
	Revised int           `json:"revised"` // verdicts by this matcher that the evaluation has and that differ now
}

// RescoredRow is a cell's accuracy by both matchers, as proportions of the N questions that were
// not lost.
type RescoredRow struct {
	Cell
	N            int     `json:"n"`             // questions measured
	Official     float64 `json:"official"`      // right when the evaluation was made, by the benchmark's matcher
	Rescored     float64 `json:"rescored"`      // right by the other matcher
	RescoredLow  float64 `json:"rescored_low"`  // lower end of its interval, clustered by template
	RescoredHigh float64 `json:"rescored_high"` // upper end
	Gained       int     `json:"gained"`        // answers that only the other matcher takes
	Dropped      int     `json:"dropped"`       // answers that only the benchmark's took
}

// Rescoring is an answer that the other matcher judges differently.
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
	Kept  func(e *trajectories.Episode) bool // its verdict when the episode was played; nil if none was kept
}

// Rescore compares the answers of an evaluation with the gold answers by another matcher. An
// episode without an answer stays wrong. An episode of no job is an error, and so is the first of
// episodes.
func Rescore(jobs []Job, episodes iter.Seq2[trajectories.Episode, error], by Verdict) (*Rescored, error) {
	r := &Rescored{Changed: []Rescoring{}}
	places := newPlaces(jobs)

	var all []rescored

	for e, err := range episodes {
		if err != nil {
			return nil, err
		}

		i, err := places.index(&e)
		if err != nil {
			return nil, err
		}

		// A lost episode has no answer that a matcher could judge.
		if e.Lost != "" {
			continue
		}

		// An episode that did not end has no answer, whatever its last text says.
		correct := e.Status == envs.Terminated.String() && by.Match(e.Gold, e.Answer)

		// Another verdict than the one kept means that the matcher itself was revised since.
		if by.Kept != nil && by.Kept(&e) != correct {
			r.Revised++
		}

		all = append(all, rescored{
			Fact: facts.Of(&e, jobs[i].Cell.API, nil), Rescored: correct,
			Gained: correct && !e.Official, Dropped: e.Official && !correct,
		})

		if correct != e.Official {
			r.Changed = append(r.Changed, Rescoring{
				jobs[i].Cell, e.QuestionID, e.Question, e.Gold, e.Answer, correct,
			})
		}
	}

	r.Rows = tabulate.As[RescoredRow](tables().Tables["rescored"].Rows(tabulate.Of(all)))
	return r, nil
}

// rescored is an episode, and what the other matcher says.
type rescored struct {
	facts.Fact
	Rescored bool `json:"rescored"` // right by the other matcher
	Gained   bool `json:"gained"`   // only by that
	Dropped  bool `json:"dropped"`  // only by the benchmark's
}

// WriteTable writes the accuracies for a terminal, a line for each cell.
func (r *Rescored) WriteTable(w io.Writer) error {
	rows := tabulate.RowsOf(r.Rows)
	for _, row := range rows {
		named(row)
	}
	grids := tables().Grids("rescored", map[string][]tabulate.Row{"rescored": rows})
	return tabulate.WriteText(w, grids, terminal)
}
