package judge_test

import (
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/judge"
	"toolevo/trajectories"
)

func TestOfEpisode(t *testing.T) {
	t.Parallel()

	e := &trajectories.Episode{Row: trajectories.Row{
		Policy: "p", QuestionID: "G1_x-7", Question: "How warm is it?\n\n" + answers.Offer + "\n" +
			`{"name": "f", "description": "", "parameters": {"type": "object"}}`,
		Labels: map[string]string{envs.LabelDifficulty: "exposed"}, Official: true,
		Turns: []trajectories.Turn{{
			API: "Finish", Tool: "Finish", Key: `Finish {"answer": "9 degrees"}`, Outcome: envs.Correct,
		}},
	}}

	a, err := judge.OfEpisode(e, "family", nil)
	if err != nil {
		t.Fatal(err)
	}

	agent := finetune.Contender{Policy: "p", API: "family"}
	if a.Agent != agent || a.Group != "G1_x" || a.ID != "7" || a.Exposure != "exposed" || !a.Right ||
		a.Conduct == nil || a.Given.Outcome().Text != "9 degrees" {
		t.Errorf("%+v", a)
	}

	e.Lost, e.Turns = "the disk is full", nil

	if a, err := judge.OfEpisode(e, "family", nil); err != nil || !a.Lost || a.Given != nil || a.Conduct != nil {
		t.Errorf("a lost one: %+v, %v", a, err)
	}

	e.Lost, e.Question = "", "How warm is it?"

	if _, err := judge.OfEpisode(e, "family", nil); err == nil {
		t.Error("an episode of another suite is taken")
	}
}

// Who answered in several inputs is told apart by them; what is named twice is refused.
func TestJoin(t *testing.T) {
	t.Parallel()

	first := judge.Input{Name: "one", Answers: []judge.Answer{answered("a", "1", "x"), answered("b", "1", "x")}}
	second := judge.Input{Name: "two", Answers: []judge.Answer{answered("a", "1", "y"), answered("c", "1", "y")}}

	all, err := judge.Join([]judge.Input{first, second})
	if err != nil {
		t.Fatal(err)
	}

	var agents []string
	for _, a := range all {
		agents = append(agents, a.Agent.Policy)
	}

	if want := []string{"a@one", "b", "a@two", "c"}; !slices.Equal(agents, want) {
		t.Errorf("agents %v, want %v", agents, want)
	}

	if _, err := judge.Join([]judge.Input{first, first}); err == nil {
		t.Error("an input that is named twice is taken")
	}
}
