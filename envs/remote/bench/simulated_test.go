package bench

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/suite"
)

// simulatedLibrary opens the library's tasks with a model in the place of its tools, which is asked
// by w.
func simulatedLibrary(t *testing.T, w *writer) *opened {
	t.Helper()

	data := library(t, nil)
	change(t, toolsetPath(data), "instances:", "simulated: {model: openai:m}\ninstances:")
	return openWith(t, data, "test", func(string, suite.WriterOptions) (suite.Writer, error) { return w, nil })
}

// begun returns a suite's environment under the base version, and the state in which its first task
// begins.
func begun(t *testing.T, s suite.Suite, m envs.Memory) (envs.Environment, envs.State) {
	t.Helper()

	env, err := s.Environment(base, m)
	if err != nil {
		t.Fatal(err)
	}

	start, err := env.Reset(t.Context(), s.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}
	return env, start
}

// act plays calls from a state, and returns the last one and the state after it.
func act(t *testing.T, env envs.Environment, s envs.State, calls ...envs.Call) (envs.State, envs.Turn) {
	t.Helper()

	for _, c := range calls {
		next, err := env.Step(t.Context(), s, envs.Action(action.ReAct{}.Format("", c)))
		if err != nil {
			t.Fatal(err)
		}

		s = next.State
	}

	turns := s.History().Turns()
	return s, turns[len(turns)-1]
}

func call(tool string, args ...any) envs.Call {
	return envs.Call{Tool: tool, Name: tool, Args: envs.Object(args...)}
}

// A model that stands in for tools is told what was changed on the way to a state, and nothing of
// other branches or of what only read; what it made up is made up once.
func TestSimulatedTools(t *testing.T) {
	t.Parallel()

	w := &writer{replies: []string{
		`{"refused": false, "answer": {"lent": "Emma", "left": 0}}`,
		`{"refused": true, "answer": "no copy of Emma is left"}`,
		`{"refused": false, "answer": {"loans": []}}`,
		`{"refused": false, "answer": {"lent": "Persuasion", "left": 1}}`,
	}}
	suite := simulatedLibrary(t, w)
	remembered := &memory{}

	env, start := begun(t, suite, remembered)

	emma := call("lend_book", "book", envs.Number("2"), "reader", "Ada")

	lent, turn := act(t, env, start, emma)
	if turn.Outcome != envs.OK || turn.Observation != `{"lent": "Emma", "left": 0}` || turn.Maker != "openai:m" {
		t.Fatalf("%+v", turn)
	}

	again := call("lend_book", "book", envs.Number("2"), "reader", "Bo")
	if _, turn = act(t, env, lent, again); turn.Outcome != envs.ToolError {
		t.Errorf("%+v", turn)
	}

	if !strings.Contains(w.asked[1], `"lent\": \"Emma`) {
		t.Errorf("it was not told that Emma was lent:\n%s", w.asked[1])
	}

	// Another branch: the beginning, where nothing was lent.
	if _, turn = act(t, env, start, call("list_loans", "reader", "Ada")); turn.Observation != `{"loans": []}` {
		t.Errorf("%+v", turn)
	}

	if strings.Contains(w.asked[2], "Emma") {
		t.Errorf("it was told of another branch:\n%s", w.asked[2])
	}

	// Back, and on: nothing that was made up is asked again.
	_, turn = act(t, env, start, emma, call("lend_book", "book", envs.Number("1"), "reader", "Ada"))
	if turn.Outcome != envs.OK || len(w.asked) != 4 {
		t.Errorf("%+v after %d requests, want 4", turn, len(w.asked))
	}

	if _, ok := suite.Lineage()["simulated"]; !ok || !suite.Remote() {
		t.Errorf("nothing says that a model stands in: %v", suite.Lineage())
	}
}

// A model that cannot be asked, or writes no answer, is a failure of the run and no answer of a
// tool.
func TestSimulatedToolsThatAnswerNothing(t *testing.T) {
	t.Parallel()

	for _, replies := range [][]string{nil, {"It lends the book."}, {`{"refused": "no", "answer": 1}`}} {
		suite := simulatedLibrary(t, &writer{replies: replies})

		env, err := suite.Environment(base, nil)
		if err != nil {
			t.Fatal(err)
		}

		start, err := env.Reset(t.Context(), suite.Tasks()[0])
		if err != nil {
			t.Fatal(err)
		}

		_, err = env.Step(t.Context(), start, envs.Action(action.ReAct{}.Format("", call("find_books"))))
		if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool {
			t.Errorf("%q: %v", replies, err)
		}

		if _, alone := envs.GivenUp(err); alone != (replies != nil) {
			t.Errorf("%q: %v, given up: %v", replies, err, alone)
		}

		if replies == nil && !errors.Is(err, errDown) {
			t.Errorf("it does not say why: %v", err)
		}
	}
}

// The time that a call of a tool may take is no bound for a model.
func TestSimulatedToolsTakeTheirTime(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	change(t, toolsetPath(data), "instances:", "simulated: {model: openai:m}\ninstances:")
	change(t, toolsetPath(data), "timeout: 30s", "timeout: 1ns")

	w := &writer{replies: []string{`{"refused": false, "answer": {"loans": []}}`}}
	suite := openWith(t, data, "test",
		func(string, suite.WriterOptions) (suite.Writer, error) { return w, nil })

	env, start := begun(t, suite, nil)

	act(t, env, start, call("find_books"))
}

// Tools that nothing brings back may be simulated, and are not called for it.
func TestSimulatedToolsAreNotCalled(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	text := "mcp: {url: 'http://127.0.0.1:1/mcp'}\nsimulated: {model: openai:m}\n" +
		"reads: [find_books, get_book, list_loans]\ninstances: 2\ntimeout: 1s\npatience: 1s\n"

	if err := os.WriteFile(toolsetPath(data), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	toolset, err := readToolset(data)
	if err != nil {
		t.Fatal(err)
	}

	spec, err := readBase(data)
	if err != nil {
		t.Fatal(err)
	}

	if err := toolset.check(spec); err != nil {
		t.Error(err)
	}

	checked, err := checkTools(t.Context(), data, true, steps())
	if err != nil {
		t.Fatal(err)
	}

	var called []string
	for _, c := range checked.Planned.Calls {
		called = append(called, c.Tool)
	}

	if want := []string{"find_books", "get_book", "list_loans"}; !slices.Equal(called, want) {
		t.Errorf("a check calls %v, want %v", called, want)
	}
}
