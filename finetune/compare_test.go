package finetune_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/trajectories"
)

// evaluation is cells as an evaluation of a name.
func evaluation(name string, cells ...answered) finetune.Evaluation {
	e := finetune.Evaluation{Name: name}
	e.Jobs, e.Episodes = played(cells)

	for _, j := range e.Jobs {
		for _, task := range j.Tasks {
			q := trajectories.Question{ID: task.ID, Text: task.Question, Labels: task.Labels}
			e.Questions = append(e.Questions, q)
		}
	}

	return e
}

// Questions that only one evaluation asked are in no comparison, and the report is of no task set then.
func TestCompare(t *testing.T) {
	cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: "easy"}

	r, err := finetune.Compare([]finetune.Evaluation{
		evaluation("before", answered{cell: cell, verdicts: "0011-"}),
		evaluation("after", answered{cell: cell, verdicts: "011001"}),
	})
	if err != nil {
		t.Fatal(err)
	}

	c := r.Comparisons[0]
	if len(r.Comparisons) != 1 || c.First.Policy != "p@before" || c.Second.Policy != "p@after" || c.N != 4 ||
		r.TaskSet != "" {
		t.Errorf("%+v of the task set %q", r.Comparisons, r.TaskSet)
	}

	want := []finetune.Flip{
		{Dataset: "coffee", Difficulty: "easy", QuestionID: "1", Question: "Question 1?", Correct: "second"},
		{Dataset: "coffee", Difficulty: "easy", QuestionID: "3", Question: "Question 3?", Correct: "first"},
	}
	if diff := cmp.Diff(want, c.Flipped); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCompareRefusesOtherQuestions(t *testing.T) {
	cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: "easy"}
	one, other := evaluation("one", answered{cell: cell, verdicts: "0"}), evaluation("other",
		answered{cell: cell, verdicts: "0"})
	other.Questions[0].Gold = "something else"

	for _, all := range [][]finetune.Evaluation{{one, other}, {one, one}} {
		if _, err := finetune.Compare(all); !errors.Is(err, finetune.ErrUnlike) {
			t.Errorf("error is %v", err)
		}
	}
}
