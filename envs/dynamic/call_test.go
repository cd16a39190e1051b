package dynamic

import (
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// A call without a task is answered as one in a task is, and nothing is remembered.
func TestCallWithoutATask(t *testing.T) {
	t.Parallel()

	e := newEnv(t, "p_s_in", Options{})
	load := envs.Args{{Name: "DBName", Value: "coffee"}}

	state, err := e.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"LoadDB", "InitializeDatabase", "nonsense"} {
		call := envs.Call{Name: name, Args: load}

		inTask, err := e.Step(t.Context(), state, envs.Action(e.codec.Format("next", call)))
		if err != nil {
			t.Fatal(err)
		}

		for range 2 {
			turn, err := e.Call(t.Context(), call)
			if err != nil || turn.Outcome != inTask.Turn.Outcome || turn.Observation != inTask.Turn.Observation {
				t.Errorf("%s: %s %q (%v), in a task %s %q", name, turn.Outcome, turn.Observation, err,
					inTask.Turn.Outcome, inTask.Turn.Observation)
			}
		}
	}

	for _, name := range []string{envs.FinishTool, envs.UpdateTool} {
		if turn, err := e.Call(t.Context(), envs.Call{Name: name, Args: load}); err == nil {
			t.Errorf("%s without a task is answered with %q", name, turn.Observation)
		}
	}

	e = newEnv(t, "p_s_in", Options{Settings: Settings{Feedback: toolapi.FeedbackNone}})
	if turn, err := e.Call(t.Context(), envs.Call{Name: "LoadDB", Args: load}); err != nil ||
		turn.Observation != failedText {
		t.Errorf("without feedback a deprecated name is answered with %q (%v)", turn.Observation, err)
	}
}
