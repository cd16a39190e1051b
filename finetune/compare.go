package finetune

import (
	"errors"
	"fmt"
	"iter"

	"toolevo/trajectories"
)

// ErrUnlike says that evaluations cannot stand in one report.
var ErrUnlike = errors.New("the evaluations cannot be compared")

// Evaluation is an evaluation that is compared with others.
type Evaluation struct {
	Name      string // e.g. of its run directory
	Jobs      []Job
	Questions []trajectories.Question
	Episodes  iter.Seq2[trajectories.Episode, error]
}

// Flip is a question that one side of a comparison answered correctly and the other did not.
type Flip struct {
	Dataset    string `json:"dataset"`     // e.g. "coffee"
	Difficulty string `json:"difficulty"`  // "easy" or "hard"
	QuestionID string `json:"question_id"` // unique within dataset and difficulty
	Question   string `json:"question"`    // its text
	Correct    string `json:"correct"`     // which side answered it correctly: "first" or "second"
}

// Compare returns one report on several evaluations, and in its comparisons the questions that flipped. A policy that
// two of them measured on the same cell is called POLICY@NAME in all. The report has a task set only if it is that of
// every evaluation. The error wraps ErrUnlike when two have the same name, or mean different questions by the same ID.
func Compare(evaluations []Evaluation) (*Report, error) {
	if err := alike(evaluations); err != nil {
		return nil, err
	}

	var (
		jobs    []Job
		name    = renaming(evaluations)
		taskSet = TaskSet(evaluations[0].Questions)
	)

	for _, e := range evaluations {
		for _, j := range e.Jobs {
			j.Cell.Policy = name(e, j.Cell.Policy)
			jobs = append(jobs, j)
		}

		if TaskSet(e.Questions) != taskSet {
			taskSet = ""
		}
	}

	report, given, err := summarise(jobs, renamed(evaluations, name))
	if err != nil {
		return nil, err
	}

	report.TaskSet = taskSet
	for i, c := range report.Comparisons {
		report.Comparisons[i].Flipped = given.flips(c.First, c.Second)
	}

	return report, nil
}

// alike makes sure that evaluations have names of their own and mean the same by the same question.
func alike(evaluations []Evaluation) error {
	type asked struct {
		trajectories.Question
		evaluation string
	}

	names, all := map[string]bool{}, map[questionKey]asked{}

	for _, e := range evaluations {
		if names[e.Name] {
			return fmt.Errorf("%w: two have the name %s: rename one, or name it once", ErrUnlike, e.Name)
		}

		names[e.Name] = true

		for _, q := range e.Questions {
			cell := CellOf("", "", q.Labels)
			key := questionKey{cell.Dataset, cell.Difficulty, q.ID}

			if other, ok := all[key]; ok && (other.Text != q.Text || other.Gold != q.Gold) {
				return fmt.Errorf("%w: question %s is another one in %s than in %s: evaluate the policies on the same "+
					"data", ErrUnlike, q.ID, e.Name, other.evaluation)
			}

			all[key] = asked{q, e.Name}
		}
	}

	return nil
}

// renaming returns what the report calls an evaluation's policy.
func renaming(evaluations []Evaluation) func(Evaluation, string) string {
	measured, twice := map[Cell]bool{}, map[string]bool{}

	for _, e := range evaluations {
		for _, j := range e.Jobs {
			for _, version := range j.versions() {
				cell := j.Cell
				cell.API = version
				twice[cell.Policy] = twice[cell.Policy] || measured[cell]
				measured[cell] = true
			}
		}
	}

	return func(e Evaluation, policy string) string {
		if twice[policy] {
			return policy + "@" + e.Name
		}

		return policy
	}
}

// renamed yields the episodes of all evaluations under the names of the report.
func renamed(evaluations []Evaluation, name func(Evaluation, string) string) iter.Seq2[trajectories.Episode, error] {
	return func(yield func(trajectories.Episode, error) bool) {
		for _, e := range evaluations {
			for episode, err := range e.Episodes {
				episode.Policy = name(e, episode.Policy)
				if !yield(episode, err) || err != nil {
					return
				}
			}
		}
	}
}

// flips are the questions that both sides measured and one of them answered correctly.
func (a *answers) flips(first, second Contender) []Flip {
	var flips []Flip

	for i, q := range a.questions {
		v, w := a.verdicts[first][i], a.verdicts[second][i]
		if v.measured == 0 || w.measured == 0 || v.correct() == w.correct() {
			continue
		}

		f := Flip{q.dataset, q.difficulty, q.id, q.text, "first"}
		if w.correct() {
			f.Correct = "second"
		}

		flips = append(flips, f)
	}

	return flips
}
