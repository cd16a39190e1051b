package finetune

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// ErrUnlike means that evaluations cannot be in one report.
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

// Compare returns one report on several evaluations, and in its comparisons the questions that
// flipped. A policy that two of them measured on the same cell is called POLICY@NAME in all. The
// report has a task set only if it is that of every evaluation. The error wraps ErrUnlike when two
// have the same name, or mean different questions by the same ID.
func Compare(evaluations []Evaluation) (*Report, error) {
	if err := checkComparable(evaluations); err != nil {
		return nil, err
	}

	// Whether a policy needs its evaluation's name depends on the jobs of all evaluations, so the
	// naming is settled before the first job is renamed.
	var (
		jobs    []Job
		name    = Naming(evaluations)
		taskSet = TaskSet(evaluations[0].Questions)
	)

	for _, e := range evaluations {
		for _, j := range e.Jobs {
			j.Cell.Policy = name(e, j.Cell.Policy)
			jobs = append(jobs, j)
		}

		// Cells of different task sets may share a report, but no single hash would then be true of
		// it.
		if TaskSet(e.Questions) != taskSet {
			taskSet = ""
		}
	}

	all, err := factsOf(jobs, renamed(evaluations, name))
	if err != nil {
		return nil, err
	}

	// Only evaluations know the texts of questions, so ReportOf cannot list the flips itself.
	report := ReportOf(all)
	report.TaskSet = taskSet
	report.flips(all, evaluations)
	return report, nil
}

// checkComparable makes sure that evaluations have distinct names and mean the same by the same
// question.
func checkComparable(evaluations []Evaluation) error {
	type asked struct {
		trajectories.Question
		evaluation string
	}

	names, all := map[string]bool{}, map[[3]string]asked{}

	for _, e := range evaluations {
		// The name is all that tells two measurements of one policy apart.
		if names[e.Name] {
			return fmt.Errorf("%w: two have the name %s: rename one, or name it once", ErrUnlike, e.Name)
		}

		names[e.Name] = true

		for _, q := range e.Questions {
			cell := CellOf("", "", q.Labels)
			key := [...]string{cell.Dataset, cell.Difficulty, q.ID}

			// The same text with another judge of its answers is another question, too.
			if other, ok := all[key]; ok && (other.Text != q.Text || other.Gold != q.Gold ||
				other.Labels[envs.LabelJudge] != q.Labels[envs.LabelJudge]) {
				return fmt.Errorf("%w: question %s is not the same in %s and in %s: "+
					"evaluate the policies on the same data", ErrUnlike, q.ID, e.Name, other.evaluation)
			}

			all[key] = asked{q, e.Name}
		}
	}
	return nil
}

// Naming returns a function that names an evaluation's policy in a report on all: POLICY@NAME where
// two of them measured it on the same cell.
func Naming(evaluations []Evaluation) func(Evaluation, string) string {
	measured, twice := map[Cell]bool{}, map[string]bool{}

	for _, e := range evaluations {
		own := map[Cell]bool{}

		for _, j := range e.Jobs {
			// Two families may have one name and no version in common: rows are by the name.
			for _, version := range slices.Concat(j.versions(), []string{j.Cell.API}) {
				cell := j.Cell
				cell.API = version
				twice[cell.Policy] = twice[cell.Policy] || measured[cell]
				own[cell] = true
			}
		}

		maps.Copy(measured, own)
	}

	return func(e Evaluation, policy string) string {
		if twice[policy] {
			return policy + "@" + e.Name
		}
		return policy
	}
}

// renamed yields the episodes of all evaluations under the names of the report.
func renamed(evaluations []Evaluation,
	name func(Evaluation, string) string) iter.Seq2[trajectories.Episode, error] {
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

// flips adds to comparisons the questions that both sides measured and one of them answered
// correctly, in the order in which they were asked.
func (r *Report) flips(all []facts.Fact, evaluations []Evaluation) {
	// Facts do not hold the texts of questions; tasks do.
	texts := map[string]string{}

	for _, e := range evaluations {
		for _, j := range e.Jobs {
			for _, t := range j.Tasks {
				texts[j.Cell.Dataset+"/"+j.Cell.Difficulty+"/"+t.ID] = t.Question
			}
		}
	}

	answers := answersOf(all)

	// In the order in which they were asked: facts have a row for each contender and repeat.
	questions := tabulate.Distinct(all, func(f facts.Fact) facts.Key {
		return facts.Key{
			Dataset: f.Dataset, Difficulty: f.Difficulty,
			QuestionID: f.QuestionID, Question: f.Question,
		}
	})

	for i := range r.Comparisons {
		c := &r.Comparisons[i]

		for _, q := range questions {
			first, second := answers[c.First], answers[c.Second]

			// A question that one side did not ask, or lost, says nothing about the other.
			order := first.Compare(second, q.Question)
			if first[q.Question].Trials == 0 || second[q.Question].Trials == 0 || order == 0 {
				continue
			}

			f := Flip{q.Dataset, q.Difficulty, q.QuestionID, texts[q.Question], "first"}
			if order < 0 {
				f.Correct = "second"
			}

			c.Flipped = append(c.Flipped, f)
		}
	}
}
