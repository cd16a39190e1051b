package finetune_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
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

// Questions that only one evaluation asked are in no comparison, and the report is of no task set
// then.
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

// A policy is named with its evaluation only where two measured it on the same questions, also
// where one of them met a family of versions. The report is of the task set that all have, and an
// episode that cannot be read ends it.
func TestCompareNames(t *testing.T) {
	cell := func(policy, api, dataset string) finetune.Cell {
		return finetune.Cell{Policy: policy, API: api, Dataset: dataset, Difficulty: "easy"}
	}
	names := func(all ...finetune.Evaluation) (policies []string, taskSet string) {
		r, err := finetune.Compare(all)
		if err != nil {
			t.Fatal(err)
		}

		for _, row := range r.Rows {
			policies = append(policies, row.Policy+" "+row.API)
		}
		return policies, r.TaskSet
	}

	apart, set := names(evaluation("one", answered{cell: cell("p", "p_c", "coffee"), verdicts: "1"}),
		evaluation("two", answered{cell: cell("p", "p_s_in", "coffee"), verdicts: "1"},
			answered{cell: cell("q", "p_c", "coffee"), verdicts: "0"}))
	if diff := cmp.Diff([]string{"p p_c", "p p_s_in", "q p_c"}, apart); diff != "" || set != "" {
		t.Errorf("task set %q: %s", set, diff)
	}

	family := evaluation("two", answered{cell: cell("p", "p_c", "coffee"), verdicts: "1"})
	family.Jobs[0].Cell.API, family.Jobs[0].Versions = "family", []string{"p_c"}

	one := evaluation("one", answered{cell: cell("p", "p_c", "coffee"), verdicts: "1"})

	together, set := names(one, family)
	if diff := cmp.Diff([]string{"p@one p_c", "p@two family"}, together); diff != "" ||
		set != finetune.TaskSet(one.Questions) {
		t.Errorf("task set %q: %s", set, diff)
	}

	other := evaluation("two", answered{cell: cell("p", "p_s_in", "coffee"), verdicts: "1"})
	other.Jobs[0].Cell.API, other.Jobs[0].Versions = "others", []string{"p_s_in", "p_s_ood"}

	if apart, _ := names(one, other); !cmp.Equal(apart, []string{"p p_c", "p others"}) {
		t.Errorf("a family of other versions: %q", apart)
	}

	// Made anew with another seed, a family has its name and other versions.
	again := evaluation("again", answered{cell: cell("p", "p_c", "coffee"), verdicts: "1"})
	again.Jobs[0].Cell.API, again.Jobs[0].Versions = "others", []string{"p_c"}

	if twice, _ := names(other, again); !cmp.Equal(twice, []string{"p@two others", "p@again others"}) {
		t.Errorf("two families of one name: %q", twice)
	}

	// A third one that has the policy on other data does not change that.
	third := evaluation("three", answered{cell: cell("p", "p_c", "yelp"), verdicts: "1"})
	all, _ := names(one, family, third)

	if diff := cmp.Diff([]string{"p@one p_c", "p@two family", "p@three p_c"}, all); diff != "" {
		t.Error(diff)
	}

	// One question is 100 percentage points, and what one side lost is in no comparison.
	r, err := finetune.Compare([]finetune.Evaluation{
		evaluation("one", answered{cell: cell("p", "p_c", "coffee"), verdicts: "11-"}),
		evaluation("two", answered{cell: cell("p", "p_c", "coffee"), verdicts: "0-1"}),
	})
	if err != nil || r.Comparisons[0].Difference != -1 || len(r.Comparisons[0].Flipped) != 1 {
		t.Errorf("%v, %+v", err, r)
	}

	gone := errors.New("gone")
	one.Episodes = func(yield func(trajectories.Episode, error) bool) {
		if yield(trajectories.Episode{}, gone) {
			t.Error("it goes on after an error")
		}
	}

	if _, err := finetune.Compare([]finetune.Evaluation{one}); !errors.Is(err, gone) {
		t.Errorf("error is %v", err)
	}
}

func TestCompareRefusesOtherQuestions(t *testing.T) {
	cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: "easy"}
	one, other := evaluation("one", answered{cell: cell, verdicts: "0"}), evaluation("other",
		answered{cell: cell, verdicts: "0"})
	other.Questions[0].Gold = "something else"
	third := evaluation("third", answered{cell: cell, verdicts: "0"})
	third.Questions[0].Text = "Something else?"
	judged := evaluation("judged", answered{cell: cell, verdicts: "0"})
	judged.Questions[0].Labels = maps.Clone(judged.Questions[0].Labels)
	judged.Questions[0].Labels[envs.LabelJudge] = "openai:m"

	for _, all := range [][]finetune.Evaluation{{one, other}, {one, third}, {one, one}, {one, judged}} {
		if _, err := finetune.Compare(all); !errors.Is(err, finetune.ErrUnlike) {
			t.Errorf("error is %v", err)
		}
	}
}
