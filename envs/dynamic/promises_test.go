package dynamic

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/envs/toolapi"
)

// The package comment's table of a step, row by row. Where two rows apply, the first gives the
// observation: each action but the last ones has the faults of later rows, too.
func TestRowsOfAStep(t *testing.T) {
	t.Parallel()

	made := factorVersion(t, "parameters-character")

	for _, tt := range []struct {
		name    string
		action  envs.Action
		outcome envs.Outcome
		begins  string
	}{
		{"no action input", "Action: Nobody", envs.Malformed, malformedText},
		{"no action", `Action Input: {"DBName": }`, envs.Malformed, malformedText},
		{"no JSON, and no known name", react("Nobody", `{"DBName"}`), envs.InvocationError,
			argumentError},
		{"no JSON, and a name that stands", react("LoadDB", `{"DBName"}`), envs.InvocationError,
			argumentError},
		{"nobody knows the name", react("Nobody", `{"x": 1}`), envs.InvalidAction,
			"Invalid Action."},
		{"fitted a deprecated version", react("LoadDB", `{"DBName": "coffee"}`), envs.Deprecated,
			"Error: LoadDB[DBName]"},
		{"do not fit", react("LoadDB", `{"Name": "coffee"}`), envs.InvocationError,
			"There is something wrong"},
		{"Finish without an answer", react("Finish", `{"x": 1}`), envs.InvocationError,
			"Invalid Action."},
		{"Finish", react("Finish", `{"answer": "65.15"}`), envs.Correct, correctText},
		{"Finish wrongly", react("Finish", `{"answer": "1"}`), envs.Incorrect, incorrectText},
		{"UpdateTool", react("UpdateTool", `{"newtool_desc": "x"}`), envs.OK, updatedText},
		{"UpdateTool without a text", react("UpdateTool", `{"newtool_desc": 1}`),
			envs.InvocationError, notUpdatedText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := playUnder(t, made, tt.action)
			// Ten words of an observation are left.
			if begins := truncateWords(tt.begins, 10); got.Outcome != tt.outcome ||
				!strings.HasPrefix(got.Observation, begins) {
				t.Errorf("%s %q, want %s %q", got.Outcome, got.Observation, tt.outcome, begins)
			}
		})
	}

	renamed := version(t, "p_s_in")
	if got := playUnder(t, renamed, react("LoadDB", `{"x": 1}`)); got.Outcome != envs.Deprecated {
		t.Errorf("a deprecated name with other parameters: %s %q", got.Outcome, got.Observation)
	}
}

// What a tool says is the observation and the outcome, whichever of the three it may say.
func TestOutcomesOfTools(t *testing.T) {
	t.Parallel()

	for _, outcome := range []envs.Outcome{envs.OK, envs.ToolError, envs.InvocationError} {
		env := answering(t, Options{},
			func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
				return m, envs.Result{Observation: "so it is", Outcome: outcome}, nil
			})

		got := play(t, env, react("LoadDB", `{"DBName": "x"}`))
		if got.Turn.Outcome != outcome || got.Turn.Observation != "so it is" || got.Reward != 0 ||
			got.State.Status() != envs.Running {
			t.Errorf("the tool says %s, the turn %+v", outcome, got)
		}
	}
}

// Every text in a History is valid UTF-8, whatever a model and a tool write.
func TestTextsOfAHistoryAreUTF8(t *testing.T) {
	t.Parallel()

	env := answering(t, Options{},
		func(_ context.Context, m memory, args envs.Args) (memory, envs.Result, error) {
			name, _ := args.Text("DBName")
			return m, envs.Result{Observation: name + "\xff"}, nil
		})

	actions := append(envtest.Hostile(), react("LoadDB", "{\"DBName\": \"a\xff\"}"),
		react("LoadDB\xff", "{\"DBName\": \"a\xff\"}"), react("UpdateTool",
			"{\"newtool_desc\": \"a\xff\"}"))

	for _, a := range actions {
		next := play(t, env, a)
		turn, _ := next.State.History().Last()

		texts := append(next.State.History().Learned(), string(turn.Action), turn.Observation,
			turn.Call.Name)
		for _, arg := range turn.Call.Args {
			text, _ := turn.Call.Args.Text(arg.Name)
			texts = append(texts, arg.Name, text)
		}

		for _, text := range texts {
			if !utf8.ValidString(text) {
				t.Errorf("after %.60q the history has %.60q", a, text)
			}
		}
	}
}

// Versions that do not fit each other: what only one of them has is no call of the other, and never
// a crash.
func TestForeignVersions(t *testing.T) {
	t.Parallel()

	c, err := toolapi.Load(fstest.MapFS{"v.yaml": {Data: []byte(`
version: v
base: true
messages: {deprecated: old, invalid: "{{(index .APIs 2).Name}} and others"}
apis:
  - {name: Finish, description: which ends., parameters: [answer]}
  - {name: UpdateTool, description: which learns., parameters: [newtool_desc]}
  - {name: LoadDB, description: which loads., parameters: [DBName]}
`)}})
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version("v")
	if err != nil {
		t.Fatal(err)
	}

	// The server has fewer tools than the prompt says.
	config := config(t, "p_c", Options{})
	config.Deployed = v
	config.Tools = map[string]Tool[memory]{"LoadDB": config.Tools["LoadDB"]}

	env, err := New(config)
	if err != nil {
		t.Fatal(err)
	}

	call := envs.Call{Name: "RetrieveScirex", Args: envs.Args{{Name: "keyword", Value: "x"}}}

	turn, err := env.Call(t.Context(), call)
	if err != nil || turn.Outcome != envs.InvalidAction {
		t.Errorf("a name of the prompt alone is answered with %+v (%v)", turn, err)
	}

	if lifted, err := env.Lift(envs.NewHistory(task), call); err == nil {
		t.Errorf("a tool that is not deployed is lifted to %+v", lifted)
	}

	// A message that cannot be written without UpdateTool is found at once.
	config.Prompt = v
	if env, err = New(config); err != nil {
		t.Fatal(err)
	}

	if got := play(t, env,
		react("Nobody", `{"x": 1}`)).Turn.Observation; got != "LoadDB and others" {
		t.Errorf("the invalid action is answered with %q", got)
	}

	config.Options.UpdateTool = false
	if _, err := New(config); err == nil {
		t.Error("an environment has no message about invalid actions")
	}
}
