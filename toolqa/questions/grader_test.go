package questions

import (
	"context"
	"testing"

	"toolevo/envs"
	"toolevo/toolqa"
)

func TestGrader(t *testing.T) {
	g, err := NewGrader([]toolqa.Question{{ID: "q1", Answer: "-2.79%"}, {ID: "q2", Answer: ""},
		{ID: "q1", Answer: "-2.79%"}})
	if err != nil {
		t.Fatal(err)
	}

	if !g.Known(envs.Task{ID: "q1"}) || !g.Known(envs.Task{ID: "q2"}) || g.Known(envs.Task{ID: "q3"}) {
		t.Error("Known is wrong about q1, q2 or q3")
	}

	got, err := g.Grade(context.Background(), toolqa.Session{}, envs.NewHistory(envs.Task{ID: "q1"}), "2.79%")
	if want := (envs.Grade{Answer: "2.79%", Official: true}); err != nil || got != want {
		t.Errorf("Grade = %+v, %v, want %+v", got, err, want)
	}

	_, err = g.Grade(context.Background(), toolqa.Session{}, envs.NewHistory(envs.Task{ID: "q3"}), "2.79%")
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageEnvironment {
		t.Errorf("grading an unknown task: error %v, want a failure of the environment", err)
	}

	if _, err := NewGrader([]toolqa.Question{{ID: "q1", Answer: "1"}, {ID: "q1", Answer: "2"}}); err == nil {
		t.Error("two answers to one question are accepted")
	}
}
