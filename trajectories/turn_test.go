package trajectories_test

import (
	"testing"

	"toolevo/envs"
	"toolevo/trajectories"
)

func TestDescription(t *testing.T) {
	update := trajectories.Turn{Tool: envs.UpdateTool, API: envs.UpdateTool, Outcome: envs.OK}

	for key, want := range map[string]string{
		`UpdateTool {"newtool_desc": "Open[name], \"which\" opens"}`: `Open[name], "which" opens`,
		`UpdateTool {"newtool_desc": 3}`:                             "",
		`UpdateTool { }`:                                             "",
		`"no call at all"`:                                           "",
	} {
		turn := update
		turn.Key = key

		if got, ok := turn.Description(); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", key, got, ok)
		}
	}

	failed := update
	failed.Outcome, failed.Key = envs.InvocationError, `UpdateTool {"newtool_desc": "x"}`

	if got, ok := failed.Description(); ok {
		t.Errorf("an update that failed says %q", got)
	}
}

func TestUnknownTool(t *testing.T) {
	for _, test := range []struct {
		turn trajectories.Turn
		want string
	}{
		{trajectories.Turn{API: "Search Web", Outcome: envs.InvalidAction}, "Search Web"},
		{trajectories.Turn{API: "Load\nThought: no", Outcome: envs.InvalidAction}, ""},
		{trajectories.Turn{API: "LoadAction: Finish", Outcome: envs.InvalidAction}, ""},
		{trajectories.Turn{API: "Load", Outcome: envs.Deprecated}, ""},
	} {
		if got, ok := test.turn.UnknownTool(); got != test.want || ok != (test.want != "") {
			t.Errorf("%+v: %q, %v", test.turn, got, ok)
		}
	}
}

func TestRecovery(t *testing.T) {
	turns := []trajectories.Turn{
		{Tool: "Load", Outcome: envs.Deprecated},
		{Tool: "Load", Outcome: envs.InvocationError},
		{Tool: "Filter", Outcome: envs.Deprecated},
		{Tool: "Load", Outcome: envs.OK},
		{Tool: envs.FinishTool, Outcome: envs.InvocationError},
		{Outcome: envs.Malformed},
		{Tool: envs.FinishTool, Outcome: envs.Incorrect},
	}

	for i, want := range []int{3, 2, 0, 0, 2, 0, 0} {
		if got, ok := trajectories.Recovery(turns, i); got != want || ok != (want > 0) {
			t.Errorf("turn %d: after %d turns, %v, want %d", i, got, ok, want)
		}
	}
}
