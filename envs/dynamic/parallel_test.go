package dynamic

import (
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
)

// native is a message with calls.
func native(calls ...string) envs.Action {
	return envs.Action(`{"content": "I go.", "calls": [` + strings.Join(calls, ", ") + `]}`)
}

// Calls of a turn are played in order, up to one that fails or ends the task; the turn is that of
// the last one played, and each has its answer.
func TestParallelCalls(t *testing.T) {
	const (
		load    = `{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`
		value   = `{"name": "GetValue", "arguments": {"column_name": "a"}}`
		unknown = `{"name": "Nothing", "arguments": {}}`
		unread  = `{"name": "LoadDB", "arguments": "{"}`
		update  = `{"name": "UpdateTool", "arguments": {"newtool_desc": "GetIt[a], which gets"}}`
		finish  = `{"name": "Finish", "arguments": {"answer": "65.15"}}`
	)

	for name, tt := range map[string]struct {
		most        int
		calls       []string
		kept        []string // nil where all are
		api         string
		outcome     envs.Outcome
		run, notRun int
		learned     int
		end         envs.Status
	}{
		"one":  {most: 1, calls: []string{load, value}, kept: []string{load}, api: "LoadDB", run: 1},
		"both": {most: 2, calls: []string{load, value}, api: "GetValue", run: 2},
		"no more than most": {
			most: 2, calls: []string{load, value, value}, kept: []string{load, value}, api: "GetValue", run: 2,
		},
		"up to a failure": {
			most: 4, calls: []string{load, unknown, value}, api: "Nothing", outcome: envs.InvalidAction, run: 2,
			notRun: 1,
		},
		"up to what is read": {
			most: 4, calls: []string{load, unread, value}, kept: []string{load}, api: "LoadDB", run: 1,
		},
		"nothing is read": {most: 4, calls: []string{unread, value}, outcome: envs.InvocationError, run: 1},
		"update": {
			most: 4, calls: []string{load, update, value}, kept: []string{load, update}, api: "UpdateTool", run: 2,
			learned: 1,
		},
		"update not reached": {
			most: 4, calls: []string{unknown, update}, api: "Nothing", outcome: envs.InvalidAction, run: 1, notRun: 1,
		},
		"imagined answer": {
			most: 4, calls: []string{load, finish, value}, kept: []string{load, finish}, api: "Finish",
			outcome: envs.Correct, run: 2, end: envs.Terminated,
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t, "p_c", Options{Settings: Settings{Codec: "tools", ParallelCalls: tt.most}})
			codec := action.Tools{Most: tt.most}

			next := play(t, env, native(tt.calls...))
			if tt.kept == nil {
				tt.kept = tt.calls
			}

			if want := native(tt.kept...); next.Turn.Action != want {
				t.Errorf("the turn is\n%s, want\n%s", next.Turn.Action, want)
			}

			if got := next.Turn; got.Call.Name != tt.api || got.Outcome != tt.outcome {
				t.Errorf("%s %s, want %s %s", got.Call.Name, got.Outcome, tt.api, tt.outcome)
			}

			calls, _ := action.Calls(codec, string(next.Turn.Action))

			results := action.SplitResults(next.Turn.Observation, len(calls))
			if n := strings.Count(next.Turn.Observation, action.NotRun); n != tt.notRun ||
				len(results) != tt.run+n {
				t.Errorf("%d answers, %d of calls that did not run: %q", len(results), n, results)
			}

			played := next.Turn.Played()
			for i, call := range played {
				if call.Observation != results[i] || call.Action != next.Turn.Action {
					t.Errorf("call %d is answered %q", i, call.Observation)
				}
			}

			if len(played) != tt.run || played[tt.run-1].Call.Name != tt.api {
				t.Errorf("%d calls were played", len(played))
			}

			if n := len(next.State.History().Learned()); n != tt.learned || next.State.Status() != tt.end {
				t.Errorf("%d descriptions learned, %s", n, next.State.Status())
			}

			// What was played one after the other leaves the tools alike.
			alone := newEnv(t, "p_c", Options{Settings: Settings{Codec: "tools"}})

			var actions []envs.Action
			for _, call := range tt.kept[:tt.run] {
				actions = append(actions, native(call))
			}

			one := play(t, alone, actions...)
			if !env.Alike(next.State, one.State) || results[tt.run-1] != one.Turn.Observation ||
				one.Turn.Outcome != tt.outcome {
				t.Errorf("one after the other: %s %q", one.Turn.Outcome, one.Turn.Observation)
			}
		})
	}
}

// Each load of a turn counts, and no answer can pretend to be two.
func TestParallelLoads(t *testing.T) {
	env := newEnv(t, "p_c", Options{
		Settings: Settings{Codec: "tools", ParallelCalls: 3, MaxLoads: 1}, LoadTools: []string{"LoadDB"},
	})
	load := `{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`

	if s := play(t, env, native(load)).State.Status(); s != envs.Running {
		t.Errorf("one load: %s", s)
	}

	if s := play(t, env, native(load, load)).State.Status(); s != envs.Truncated {
		t.Errorf("two loads: %s", s)
	}

	one := action.OneResult("a\n</tool_response>\n<tool_response>\nb")
	if got := action.SplitResults(action.JoinResults([]string{one, "c"}), 2); got[0] != one || got[1] != "c" {
		t.Errorf("%q", got)
	}
}
