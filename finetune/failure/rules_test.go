package failure_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// labelled is an episode of testdata and what a reader said of it.
type labelled struct {
	Name     string        `yaml:"name"`
	Label    failure.Class `yaml:"label"`
	Why      string        `yaml:"why"`
	Question string        `yaml:"question"`
	Gold     string        `yaml:"gold"`
	Answer   string        `yaml:"answer"`
	Limit    string        `yaml:"limit"`
	Lost     string        `yaml:"lost"`
	Turns    []struct {
		Outcome     string `yaml:"outcome"`
		Tool        string `yaml:"tool"`
		API         string `yaml:"api"`
		Action      string `yaml:"action"`
		Observation string `yaml:"observation"`
	} `yaml:"turns"`
}

func readLabelled(t *testing.T, file string) []labelled {
	t.Helper()

	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}

	var all []labelled
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return all
}

// episode is the episode as an evaluation keeps it, as far as it matters here.
func (l *labelled) episode(t *testing.T) *trajectories.Episode {
	t.Helper()

	e := &trajectories.Episode{Limit: l.Limit, Lost: l.Lost}
	e.DeployedAPI = strings.Split(l.Name, "/")[1]

	for _, turn := range l.Turns {
		outcome, err := envs.ParseOutcome(turn.Outcome)
		if err != nil {
			t.Fatal(err)
		}

		e.Turns = append(e.Turns, trajectories.Turn{
			Action:      turn.Action,
			Tool:        turn.Tool,
			API:         turn.API,
			Key:         action.Key(action.ReAct{}, turn.Action),
			Observation: turn.Observation,
			Outcome:     outcome,
		})
	}

	return e
}

// deployedNames returns the names of the shipped versions.
func deployedNames(t *testing.T) map[string][]string {
	t.Helper()

	catalog, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	all := map[string][]string{}

	for _, name := range catalog.Names() {
		v, err := catalog.Version(name)
		if err != nil {
			t.Fatal(err)
		}

		for _, api := range v.APIs {
			all[name] = append(all[name], api.Name)
		}
	}
	return all
}

// turns makes an episode of outcomes, a letter each: o ok, t tool error, d deprecated, v wrong
// arguments, i an invented name, s a misspelt one, m malformed, j no JSON, u an update, x a wrong
// answer. Calls of o are the same when letters before them are, and O is a call that was not made
// before.
func turns(letters string) []trajectories.Turn {
	var all []trajectories.Turn

	for i, letter := range letters {
		turn := trajectories.Turn{Tool: "LoadDB", API: "Init_DB", Key: "Init_DB {}", Outcome: envs.OK}

		switch letter {
		case 'O':
			turn.Tool, turn.Key = fmt.Sprint("tool", i), fmt.Sprint("call", i)
		case 't':
			turn.Outcome = envs.ToolError
		case 'd':
			turn.Outcome, turn.API, turn.Key = envs.Deprecated, "LoadDB", "LoadDB {}"
		case 'v':
			turn.Outcome = envs.InvocationError
		case 'i':
			turn.Outcome, turn.Tool, turn.API = envs.InvalidAction, "", "SearchTheWeb"
		case 's':
			turn.Outcome, turn.Tool, turn.API = envs.InvalidAction, "", "InitDB"
		case 'n':
			turn.Outcome, turn.Tool, turn.API = envs.InvalidAction, "", "LoadDB\nAction: Finish"
		case 'm':
			turn.Outcome, turn.Tool, turn.API = envs.Malformed, "", ""
		case 'j':
			turn.Outcome, turn.Tool, turn.API = envs.InvocationError, "", ""
		case 'u':
			turn.Tool, turn.API = envs.UpdateTool, envs.UpdateTool
		case 'x':
			turn.Outcome, turn.Tool, turn.API = envs.Incorrect, envs.FinishTool, envs.FinishTool
		}

		all = append(all, turn)
	}
	return all
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		turns, limit string
		class        failure.Class
		rule         string
		turn         int
	}{
		{"dv", "silence", failure.InstructionsNotFollowed, "silence", 2},
		{"", "silence", failure.InstructionsNotFollowed, "silence", 0},

		{"dvx", "", failure.InvalidInvocation, "wrong-calls", 2},
		{"dssx", "", failure.InvalidInvocation, "wrong-calls", 2},
		{"ddvx", "", failure.InvalidInvocation, "wrong-calls", 3}, // a tie: it knows the new tool
		{"dvoOx", "", failure.IncorrectOutput, "answered", 5},     // got over

		{"ddx", "", failure.RepeatedDeprecated, "ignored-notices", 2},
		{"dOddd", "depth", failure.RepeatedDeprecated, "ignored-notices", 4}, // the first notice since is no mistake
		{"dOudOudx", "", failure.IncorrectOutput, "answered", 8},
		{"dx", "", failure.IncorrectOutput, "answered", 2},

		{"diix", "", failure.ToolMisuse, "invented-tools", 2},
		{"dimmm", "depth", failure.InstructionsNotFollowed, "unreadable-texts", 3},
		{"dnn", "depth", failure.InstructionsNotFollowed, "unreadable-texts", 2},
		{"jx", "", failure.InstructionsNotFollowed, "unreadable-texts", 1},
		{"Ojx", "", failure.IncorrectOutput, "answered", 3}, // a slip
		{"Ojmx", "", failure.InstructionsNotFollowed, "unreadable-texts", 2},

		{"Otttx", "", failure.InvocationLooping, "vain-calls", 2},
		{"Ottx", "", failure.IncorrectOutput, "answered", 4},
		{"OOooooo", "depth", failure.InvocationLooping, "nothing-new", 4},
		{"OOooooo", "context", failure.InvocationLooping, "nothing-new", 4},
		{"OOoooox", "", failure.IncorrectOutput, "answered", 7},

		{"OOOOO", "depth", failure.Undecided, "none", 5},
		{"OOOOOooo", "environment", failure.Undecided, "none", 8}, // fewer than half
		{"x", "", failure.IncorrectOutput, "answered", 1},
	} {
		e := &trajectories.Episode{Limit: test.limit}
		e.Turns = turns(test.turns)

		v, ok := failure.Classify(e, []string{"Init_DB", "Extract_Value", envs.FinishTool})
		if want := (failure.Verdict{Class: test.class, Rule: test.rule, Turn: test.turn}); !ok || v != want {
			t.Errorf("%s, stopped by %q: got %+v, want %+v", test.turns, test.limit, v, want)
		}
	}
}

// A lost question is ours whatever came before; a right answer is no failure.
func TestWhatIsNoFailureOfTheAgent(t *testing.T) {
	lost := &trajectories.Episode{Lost: "the server is down"}
	if v, ok := failure.Classify(lost, nil); !ok || v.Class != failure.Infrastructure {
		t.Errorf("a lost question: %+v, %v", v, ok)
	}

	right := &trajectories.Episode{}
	right.Turns, right.Official = turns("ddd"), true

	if v, ok := failure.Classify(right, nil); ok {
		t.Errorf("a right answer: %+v", v)
	}
}

// Every episode that can be has a verdict, at a turn that it has.
func TestEveryFailureHasAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[oOtdvisnmju]{0,20}x?`).Draw(t, "turns")
		limit := rapid.SampledFrom([]string{"", "depth", "silence", "context", "environment"}).Draw(t, "limit")

		e := &trajectories.Episode{Limit: limit}
		e.Turns = turns(letters)

		v, ok := failure.Classify(e, []string{"Init_DB"})
		if !ok || !slices.Contains(failure.Classes(), v.Class) || v.Rule == "" || v.Turn > len(letters) ||
			(v.Turn < 1) != (letters == "") {
			t.Errorf("%q stopped by %q: %+v, %v", letters, limit, v, ok)
		}
	})
}
