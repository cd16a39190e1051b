package dynamic

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// changed is p_c, but for something.
func changed(t *testing.T, change func(s *toolapi.Spec)) *toolapi.Version {
	t.Helper()

	c, err := toolapi.Load(os.DirFS("../../configs/apis"))
	if err != nil {
		t.Fatal(err)
	}

	spec, err := c.Spec("p_c")
	if err != nil {
		t.Fatal(err)
	}

	other := *spec
	other.Version, other.Base, other.Messages = "changed", false, toolapi.Messages{}
	change(&other)

	if c, err = c.With(&other); err != nil {
		t.Fatal(err)
	}

	v, err := c.Version("changed")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tables answer as a table with three rows of coffee, the second of which is one before LoadDB.
func tables(t *testing.T, deployed *toolapi.Version, options Options) *Environment[memory] {
	t.Helper()

	c := config(t, "p_c", options)
	c.Deployed = deployed
	c.Tools["GetValue"] = ToolFunc[memory](func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
		return m, envs.Result{Observation: `{"Open": ["1.5", "2.0", "` + m.db + `"]}`}, nil
	})

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

var (
	load  = react("LoadDB", `{"DBName": "coffee"}`)
	value = react("GetValue", `{"column_name": "Open"}`)
)

// A hint in answers stands above those in which a change shows, however long these are; otherwise
// an answer has no hint.
func TestHints(t *testing.T) {
	t.Parallel()

	change := silent.Change{
		Tools: []string{"GetValue"}, Scaled: &silent.Scaled{Where: silent.Where{Fields: []string{"Open"}}, Zeros: 2},
	}
	deployed := changed(t, func(s *toolapi.Spec) { s.Silent = silent.Changes{change} })

	for hint, want := range map[string]string{
		HintAnswer:   silent.NoteWord + change.Note() + "\n" + `{"Open": ["150.0", "200.0", "coffee"]}`,
		HintDocument: `{"Open": ["150.0", "200.0", "coffee"]}`,
		HintNone:     `{"Open": ["150.0", "200.0", "coffee"]}`,
	} {
		env := tables(t, deployed, Options{Settings: Settings{Hint: hint}})

		if got := play(t, env, load, value).Turn.Observation; got != want {
			t.Errorf("%s: %s", hint, got)
		}

		notes, shown := env.Notes(envs.NewHistory(task), envs.Call{Name: "GetValue"})
		if shown != (hint == HintDocument) || cmp.Diff([]string{change.Note()}, notes) != "" {
			t.Errorf("%s: the document says %q, shown %v", hint, notes, shown)
		}

		if got := play(t, env, load).Turn.Observation; strings.Contains(got, silent.NoteWord) {
			t.Errorf("%s: nothing shows in %s", hint, got)
		}
	}

	env := tables(t, deployed, Options{Settings: Settings{Hint: HintAnswer, ObservationWords: 1}})
	if got := play(t, env, load, value).Turn.Observation; got != silent.NoteWord+change.Note()+"\n{\"Open\": ..." {
		t.Errorf("a long answer is %s", got)
	}
}

// faulty deploys a fault that meets every tool, and returns the observations of loading and of n
// calls after it.
func faulty(t *testing.T, kind toolapi.FaultKind, n int) (observations []string, outcomes []envs.Outcome) {
	t.Helper()

	env := tables(t, changed(t, func(s *toolapi.Spec) {
		s.Faults = []toolapi.Fault{{Kind: kind, Tools: []string{"GetValue"}, Share: 1, Calls: 2}}
	}), Options{Settings: Settings{Hint: HintAnswer}})

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	actions := []envs.Action{load}
	for range n {
		actions = append(actions, value)
	}

	for _, a := range actions {
		next, err := env.Step(t.Context(), state, a)
		if err != nil {
			t.Fatal(err)
		}

		observations = append(observations, next.Turn.Observation)
		outcomes = append(outcomes, next.Turn.Outcome)
		state = next.State
	}
	return observations, outcomes
}

// Each kind of fault does what its document says for two calls in a row, and nothing before or
// after.
func TestFaults(t *testing.T) {
	t.Parallel()

	const whole = `{"Open": ["1.5", "2.0", "coffee"]}`

	for kind, want := range map[toolapi.FaultKind]string{
		toolapi.RateLimit:  toolapi.RateLimit.Text(),
		toolapi.Timeout:    toolapi.Timeout.Text(),
		toolapi.HalfAnswer: silent.NoteWord + silent.Passing + "\n" + `{"Open": ["1.5", "2.0"]}`,
		toolapi.StaleRead:  silent.NoteWord + silent.Passing + "\n" + `{"Open": ["1.5", "2.0", ""]}`,
	} {
		got, outcomes := faulty(t, kind, 5)
		met := 0

		for i := range got {
			switch got[i] {
			case want:
				met++

				if explicit := kind.Text() != ""; explicit != (outcomes[i] == envs.Unavailable) {
					t.Errorf("%s: %s", kind, outcomes[i])
				}

				if met == 2 && got[i-1] != want {
					t.Errorf("%s comes and goes: %q", kind, got)
				}
			case whole:
			default:
				if i > 0 {
					t.Errorf("%s: %s", kind, got[i])
				}
			}
		}

		if met != 2 {
			t.Errorf("%s meets %d calls: %q", kind, met, got)
		}
	}
}

// Several calls of a turn are calls one after the other.
func TestFaultsOfSeveralCalls(t *testing.T) {
	t.Parallel()

	env := tables(t, changed(t, func(s *toolapi.Spec) {
		s.Faults = []toolapi.Fault{{Kind: toolapi.RateLimit, Tools: []string{"GetValue"}, Share: 1, Calls: 1}}
	}), Options{Settings: Settings{Codec: "tools", Finish: FinishByCall, ParallelCalls: 4}})

	call := `{"name": "GetValue", "arguments": {"column_name": "Open"}}`
	got := play(t, env, native(call, call, call)).Turn

	// The fault is met at the first call or the second, and ends the turn.
	results := action.Results(env.codec, string(got.Action), got.Observation)
	if got.Outcome != envs.Unavailable || len(results) != 3 || results[2] != action.NotRun {
		t.Errorf("%s: %q", got.Outcome, results)
	}
}

// Calls that belong to no task are not counted, and meet no fault.
func TestFaultsBelongToTasks(t *testing.T) {
	t.Parallel()

	env := tables(t, changed(t, func(s *toolapi.Spec) {
		s.Faults = []toolapi.Fault{{Kind: toolapi.Timeout, Share: 1, Calls: 10}}
	}), Options{})

	turn, err := env.Call(t.Context(), envs.Call{Name: "GetValue", Args: envs.Object("column_name", "Open")})
	if err != nil || turn.Outcome != envs.OK {
		t.Errorf("%s: %s, %v", turn.Outcome, turn.Observation, err)
	}
}
