package app

import (
	"testing"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/finetune/gate"
	"toolevo/trajectories"
)

// A task is equal by construction only if no call of a turn is of a tool that changed, whichever of
// several it is.
func TestTurnsOfSeveralCalls(t *testing.T) {
	catalog, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	const load, get, finish = `LoadDB {"DBName": "coffee"}`, `GetValue {"column_name": "Open"}`, `Finish {"answer": "1"}`

	for _, tt := range []struct {
		key     string
		isEqual bool
		calls   int // of LoadDB
	}{
		{load, false, 1}, {get, true, 0}, {load + "\n" + get, false, 1}, {get + "\n" + load, false, 1},
		{load + "\n" + finish, false, 1}, {get + "\n" + finish, true, 0},
	} {
		in := &gated{changed: map[string]bool{"LoadDB": true}}
		task := &gate.Task{Calls: map[string][]string{}, Equal: true}
		turn := &trajectories.Turn{Key: tt.key, Outcome: envs.OK}

		// A turn has the tool of its last call.
		for key, tool := range map[string]string{load: "LoadDB", get: "GetValue", finish: envs.FinishTool} {
			if len(tt.key) >= len(key) && tt.key[len(tt.key)-len(key):] == key {
				turn.Tool, turn.API = tool, tool
			}
		}

		in.addTurn(task, v, turn)

		if task.Equal != tt.isEqual || len(task.Calls["LoadDB"]) != tt.calls {
			t.Errorf("%q: %+v", tt.key, task)
		}
	}
}
