package trajectories_test

import (
	"regexp"
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
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

// A letter for each turn: d and e are two calls that are deprecated, a digit behind them is what
// was observed, v is the call of d refused for another reason, i, t and m are other failures, o is
// ok, u tells UpdateTool, and x ends the task.
func TestRepeatedFailures(t *testing.T) {
	outcomes := map[rune]envs.Outcome{
		'd': envs.Deprecated, 'e': envs.Deprecated, 'v': envs.InvocationError, 'i': envs.InvalidAction,
		't': envs.ToolError, 'm': envs.Malformed, 'x': envs.Incorrect,
	}

	for letters, want := range map[string]int{
		"":          0,
		"dx":        0,
		"ddd":       2, // the second and the third
		"ded":       1, // another failure lies between, and nothing that changes what the call meets
		"dede":      2,
		"dod":       0, // a turn that is ok may have changed what the call meets
		"dodd":      1,
		"dud":       0, // UpdateTool that is ok is a turn like others
		"dvd":       1, // v fails otherwise
		"d1d2":      0, // the same call was told something else
		"d1d2d1d2":  2,
		"oo":        0, // no failures
		"xx":        0,
		"iittmm":    3,
		"tmiottmix": 1, // the sixth
	} {
		var turns []trajectories.Turn

		for _, letter := range letters {
			turn := trajectories.Turn{Key: string(letter), Outcome: outcomes[letter]}

			switch letter {
			case '1', '2':
				turns[len(turns)-1].Observation = string(letter)
				continue
			case 'v':
				turn.Key = "d"
			case 'u':
				turn.Tool = envs.UpdateTool
			}

			turns = append(turns, turn)
		}

		if got := trajectories.RepeatedFailures(turns); got != want {
			t.Errorf("%q repeats %d failures, want %d", letters, got, want)
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
		if got, ok := trajectories.Recovery(turns, i, nil); got != want || ok != (want > 0) {
			t.Errorf("turn %d: after %d turns, %v, want %d", i, got, ok, want)
		}
	}
}

// A call that succeeds before another one of its turn is a recovery: of the API that failed, and of
// any API of the tool where that is known.
func TestRecoveryBeforeAnotherCall(t *testing.T) {
	const load, open, filter = `Load {"name": "a"}`, `Open {"name": "a"}`, `Filter {"by": "b"}`

	for name, tt := range map[string]struct {
		key     string
		results []string
		outcome envs.Outcome
		without int // the turns without knowing the tools
		with    int
	}{
		"the API":    {load + "\n" + filter, []string{"a", "b"}, envs.OK, 1, 1},
		"another":    {open + "\n" + filter, []string{"a", "b"}, envs.OK, 0, 1},
		"not run":    {filter + "\n" + load, []string{"b", action.NotRun}, envs.ToolError, 0, 0},
		"other tool": {filter + "\n" + filter, []string{"b", "b"}, envs.OK, 0, 0},
	} {
		turns := []trajectories.Turn{
			{Tool: "Load", API: "Load", Key: load, Outcome: envs.InvocationError},
			{
				Tool: "Filter", API: "Filter", Key: tt.key,
				Observation: action.JoinResults(tt.results), Outcome: tt.outcome,
			},
		}

		without, _ := trajectories.Recovery(turns, 0, nil)
		with, _ := trajectories.Recovery(turns, 0, func(c envs.Call) string {
			return map[string]string{"Load": "Load", "Open": "Load", "Filter": "Filter"}[c.Name]
		})

		if without != tt.without || with != tt.with {
			t.Errorf("%s: %d turns, and %d by the tool", name, without, with)
		}
	}
}

// A turn is unreadable where no action could be read from it, whatever the outcome is called.
func TestUnreadable(t *testing.T) {
	for _, test := range []struct {
		turn trajectories.Turn
		want bool
	}{
		{trajectories.Turn{Outcome: envs.Malformed}, true},
		{trajectories.Turn{Outcome: envs.InvocationError}, true}, // its input is no JSON
		{trajectories.Turn{API: "Load", Outcome: envs.InvocationError}, false},
		{trajectories.Turn{API: "Load", Outcome: envs.Deprecated}, false},
		{trajectories.Turn{Outcome: envs.OK}, false},
	} {
		if got := test.turn.Unreadable(); got != test.want {
			t.Errorf("%+v: %v", test.turn, got)
		}
	}
}

// Letters, digits and underscores of ASCII make words, and nothing else does.
func TestWords(t *testing.T) {
	got := trajectories.Words("Use Load_DB2[name], not naïve `GetValue`.")
	if want := []string{"Use", "Load_DB2", "name", "not", "na", "ve", "GetValue"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	word := regexp.MustCompile(`^[[:word:]]$`)

	for c := range rune(128) {
		joined := len(trajectories.Words("x"+string(c)+"y")) == 1
		if joined != word.MatchString(string(c)) {
			t.Errorf("%q joins two words: %v", c, joined)
		}
	}
}
