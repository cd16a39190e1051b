package failure_test

import (
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// deployed exposes the tool Weather as Forecast, with parameters of several types.
func deployed(t *testing.T) *toolapi.Version {
	t.Helper()

	api := func(name, tool string, parameters ...toolapi.Parameter) toolapi.APISpec {
		return toolapi.APISpec{
			Name: name, Tool: tool, Description: "does it.", Parameters: toolapi.Parameters{All: parameters},
		}
	}
	exposed := func(name string) []toolapi.APISpec {
		word := append(of("string"), envs.Arg{Name: "enum", Value: []any{"c", "f"}})
		return []toolapi.APISpec{
			api(name, "Weather", toolapi.Parameter{Name: "place", Schema: of("object")},
				toolapi.Parameter{Name: "days", Schema: of("integer", "null")},
				toolapi.Parameter{Name: "unit", Schema: word, Optional: true}),
			api(envs.FinishTool, envs.FinishTool, toolapi.Parameter{Name: "answer"}),
			api(envs.UpdateTool, envs.UpdateTool, toolapi.Parameter{Name: "newtool_desc"}),
		}
	}

	texts := toolapi.Messages{Deprecated: "{{.Old}} is gone.", Invalid: "there is no such API."}

	catalog, err := toolapi.NewCatalog(
		&toolapi.Spec{Version: "base", Base: true, Messages: texts, APIs: exposed("Weather")},
		&toolapi.Spec{Version: "v", APIs: exposed("Forecast")},
	)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("v")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// of is a schema of some types.
func of(types ...any) envs.Args {
	if len(types) == 1 {
		return envs.Args{{Name: "type", Value: types[0]}}
	}
	return envs.Args{{Name: "type", Value: types}}
}

func TestRefusalOf(t *testing.T) {
	t.Parallel()

	v := deployed(t)

	call := func(outcome envs.Outcome, name, arguments string) trajectories.Turn {
		return trajectories.Turn{Tool: "Weather", API: name, Key: name + " " + arguments, Outcome: outcome}
	}

	for name, test := range map[string]struct {
		turn trajectories.Turn
		want failure.Refusal
	}{
		"flat": {
			call(envs.InvocationError, "Forecast", `{"city": "Oslo", "days": 3}`), failure.RefusedStructure,
		},
		"flat under the new name": {
			call(envs.InvocationError, "Forecast", `{"place": "Oslo", "days": 3}`), failure.RefusedStructure,
		},
		"nested where it is flat": {
			call(envs.InvocationError, "Forecast", `{"place": {}, "days": {"n": 3}}`), failure.RefusedStructure,
		},
		"missing": {call(envs.InvocationError, "Forecast", `{"place": {}}`), failure.RefusedGrounding},
		"unknown": {
			call(envs.InvocationError, "Forecast", `{"place": {}, "days": 3, "hours": "x"}`), failure.RefusedGrounding,
		},
		"renamed, and of another type": {
			call(envs.Deprecated, "Weather", `{"place": {}, "day": "3", "unit": 3}`), failure.RefusedGrounding,
		},
		"type":            {call(envs.InvocationError, "Forecast", `{"place": {}, "days": "3"}`), failure.RefusedType},
		"fraction":        {call(envs.InvocationError, "Forecast", `{"place": {}, "days": 2.5}`), failure.RefusedType},
		"name alone":      {call(envs.Deprecated, "Weather", `{"place": {}, "days": null}`), failure.RefusedName},
		"name, no notice": {call(envs.InvalidAction, "Weather", `{"place": {}, "days": 3}`), failure.RefusedName},
		"value": {
			call(envs.InvocationError, "Forecast", `{"place": {}, "days": 3, "unit": "k"}`), failure.RefusedValue,
		},
		"no JSON": {
			trajectories.Turn{Outcome: envs.InvocationError, Key: `"Forecast(Oslo)"`}, failure.RefusedUnreadable,
		},
		"invented": {
			trajectories.Turn{Outcome: envs.InvalidAction, API: "Oracle", Key: "Oracle {}"}, failure.RefusedName,
		},
		"a name with a hyphen": {
			trajectories.Turn{
				Tool: "Weather", API: "get-forecast", Key: `"get-forecast" {"place": {}, "day": 3}`, Outcome: envs.Deprecated,
			}, failure.RefusedGrounding,
		},
		"the last of two calls": {
			trajectories.Turn{
				Tool: "Weather", API: "Forecast", Key: "Oracle {}\n" + `Forecast {"place": {}, "days": "3"}`,
				Outcome: envs.InvocationError,
			}, failure.RefusedType,
		},
		"the last that was run": {
			trajectories.Turn{
				Tool: "Weather", API: "Forecast",
				Key:         `Forecast {"place": {}, "days": "3"}` + "\nOracle {}",
				Outcome:     envs.InvocationError,
				Observation: action.JoinResults([]string{"no", action.NotRun}),
			}, failure.RefusedType,
		},
		"several":  {trajectories.Turn{Outcome: envs.InvalidAction, API: "Weather\nThought: no", Key: `"Weather`}, ""},
		"taken":    {call(envs.OK, "Forecast", `{}`), ""},
		"not done": {call(envs.ToolError, "Forecast", `{}`), ""},
		"Finish": {
			trajectories.Turn{Tool: envs.FinishTool, API: "Finish", Key: "Finish {}", Outcome: envs.InvocationError},
			"",
		},
	} {
		got, ok := failure.RefusalOf(&test.turn, v)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, test.want)
		}
	}

	stale := call(envs.Deprecated, "Weather", `{"place": {}}`)
	if got, ok := failure.RefusalOf(&stale, nil); got != failure.RefusedName || !ok {
		t.Errorf("of a version of which nothing is known: %q, %v", got, ok)
	}
}
