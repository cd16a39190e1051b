package dynamic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

func TestConforms(t *testing.T) {
	for _, deployed := range []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary"} {
		t.Run(deployed, func(t *testing.T) {
			options := Options{Settings: Settings{MaxLoads: 1}, LoadTools: []string{"LoadDB", "LoadGraph"}}
			actions := []envs.Action{
				"no action", react("LoadDB", `{"DBName": "coffee"}`),
				react("InitializeDatabase", `{"DatabaseName": "coffee"}`),
				react("Init_DB", `{"databaseIdentifier":"coffee"}`),
				react("Init_DB", `{ "databaseIdentifier" : "coffee" }`),
				react("GetValue", `{"column_name": ["a"]}`), react("UpdateTool", `{"newtool_desc": "x"}`),
				react("Finish", `{"answer": "65.15"}`), react("Finish", `{"answer": 1}`),
			}
			envtest.Run(t, func() envs.Environment { return newEnv(t, deployed, options) }, []envs.Task{task}, actions)
		})
	}
}

// States are alike where the tools remember the same, whatever was said and learnt; and, where
// loads are limited, after as many of them.
func TestAlike(t *testing.T) {
	load, other := react("LoadDB", `{"DBName": "coffee"}`), react("LoadDB", `{"DBName": "flights"}`)
	learn := react("UpdateTool", `{"newtool_desc": "x"}`)

	for _, tt := range []struct {
		name     string
		maxLoads int
		a, b     []envs.Action
		want     bool
	}{
		{"words", 0, []envs.Action{load}, []envs.Action{load, "nothing", learn}, true},
		{"another database", 0, []envs.Action{load}, []envs.Action{other}, false},
		{"loaded again", 0, []envs.Action{load}, []envs.Action{load, load}, true},
		{"loaded again where loads are limited", 5, []envs.Action{load}, []envs.Action{load, load}, false},
		{"loaded again where one load is allowed", 1, []envs.Action{load},
			[]envs.Action{load, load}, false},
		{"as many loads where they are limited", 5, []envs.Action{load},
			[]envs.Action{"nothing", load}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := newEnv(t, "p_c", Options{
				Settings:  Settings{MaxLoads: tt.maxLoads},
				LoadTools: []string{"LoadDB"},
			})
			a, b := play(t, env, tt.a...).State, play(t, env, tt.b...).State

			if got := env.Alike(a, b); got != tt.want || env.Alike(b, a) != tt.want {
				t.Errorf("alike is %v, want %v", got, tt.want)
			}
		})
	}

	env, alien := newEnv(t, "p_c", Options{}), envtest.NewMaze()

	s, err := alien.Reset(t.Context(), envtest.MazeTask)
	if err != nil {
		t.Fatal(err)
	}

	own := play(t, env, load).State
	if env.Alike(s, s) || env.Alike(s, own) || env.Alike(own, s) {
		t.Error("states of another environment are alike")
	}

	// Nobody says that memories are the same.
	c := config(t, "p_c", Options{})
	c.Same = nil

	if env, err = New(c); err != nil {
		t.Fatal(err)
	}

	if own = play(t, env, load).State; env.Alike(own, own) {
		t.Error("states are alike, and nothing compares what the tools remember")
	}
}

// TestNoticeExamples does what an agent does that believes a notice: it makes exactly the call of
// the example.
func TestNoticeExamples(t *testing.T) {
	for _, deployed := range []string{"p_s_in", "p_s_ood", "p_s_ood_proprietary"} {
		env := newEnv(t, deployed, Options{})

		prompt := version(t, "p_c")
		for _, old := range version(t, deployed).Deprecated() {
			deprecated := play(t, env, react(old, `{"any": "thing"}`)).Turn
			if deprecated.Outcome != envs.Deprecated || deprecated.Call.Tool != old {
				t.Errorf("%s %s: %s", deployed, old, deprecated.Outcome)
			}

			_, rest, _ := strings.Cut(deprecated.Observation, " Use ")
			name, rest, _ := strings.Cut(rest, "[")
			_, example, _ := strings.Cut(rest, "param example: ")
			example = strings.TrimSuffix(example, " instead.")

			got := play(t, env, react(name, example)).Turn
			if got.Outcome != envs.OK || got.Call.Tool != old {
				t.Errorf("%s: the example %s %s gives %s %q", deployed, name, example, got.Outcome, got.Observation)
			}

			api, _ := prompt.API(old)
			if old == "LoadDB" { // it answers as the real one does
				continue
			}

			for _, p := range api.Parameters {
				if !strings.Contains(got.Observation, old+" ran") || !strings.Contains(got.Observation, `"`+p.Name+`": "`) {
					t.Errorf("%s: the example %s %s did not reach %s of %s: %q", deployed, name, example, p.Name, old,
						got.Observation)
				}
			}
		}
	}
}

func TestCall(t *testing.T) {
	env := newEnv(t, "p_s_in", Options{})

	tests := []struct {
		action  envs.Action
		outcome envs.Outcome
		call    envs.Call
	}{
		{react("InitializeDatabase", `{"DatabaseName": "coffee"}`), envs.OK, envs.Call{
			Tool: "LoadDB",
			Name: "InitializeDatabase",
			Args: envs.Args{{Name: "DatabaseName", Value: "coffee"}},
		}},
		{react("InitializeDatabase", `{ }`), envs.InvocationError, envs.Call{
			Tool: "LoadDB",
			Name: "InitializeDatabase",
			Args: envs.Args{},
		}},
		{react("LoadDB", `{"x": 1}`), envs.Deprecated, envs.Call{
			Tool: "LoadDB",
			Name: "LoadDB",
			Args: envs.Args{{Name: "x", Value: envs.Number("1")}},
		}},
		{react("Init_DB", `{"x": null}`), envs.InvalidAction,
			envs.Call{Name: "Init_DB", Args: envs.Args{{Name: "x", Value: nil}}}},
		{react("InitializeDatabase", `{x}`), envs.InvocationError, envs.Call{}},
		{"hm", envs.Malformed, envs.Call{}},
	}
	for _, tt := range tests {
		got := play(t, env, tt.action).Turn
		if diff := cmp.Diff(tt.call, got.Call); diff != "" || got.Outcome != tt.outcome {
			t.Errorf("%q: %s, want %s; call (-want +got):\n%s", tt.action, got.Outcome, tt.outcome, diff)
		}
	}
}

// TestCodec steps through a task with function calls, whose hostile texts are observations, too.
func TestCodec(t *testing.T) {
	env := newEnv(t, "p_s_in", Options{Settings: Settings{Codec: "function-call"}})

	for text, outcome := range map[envs.Action]envs.Outcome{
		`<think>so be it</think>{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`: envs.Deprecated,
		`{"name": "InitializeDatabase", "arguments": {"DatabaseName": "coffee"}}`:      envs.OK,
		`{"name": "InitializeDatabase", "arguments": {"DatabaseName": "coffee"}`:       envs.InvocationError,
		react("InitializeDatabase", `{"DatabaseName": "coffee"}`):                      envs.Malformed,
		`{"name": "Finish", "arguments": {"answer": "65.15"}}`:                         envs.Correct,
	} {
		got := play(t, env, text).Turn
		if got.Outcome != outcome {
			t.Errorf("%q: %s, want %s: %s", text, got.Outcome, outcome, got.Observation)
		}

		if outcome == envs.Malformed && !strings.Contains(got.Observation, `{"name": "TOOL", "arguments": {`) {
			t.Errorf("%q does not say how a call is written", got.Observation)
		}
	}

	if got, want := env.Canonical(`{"name": "A", "arguments": {"x": 1}}`), `A {"x": 1}`; got != want {
		t.Errorf("the key is %q, want %q", got, want)
	}

	envtest.Run(t, func() envs.Environment { return env }, []envs.Task{task}, []envs.Action{
		`{"name": "InitializeDatabase", "arguments": {"DatabaseName": "coffee"}}`,
		`{"name": "Finish", "arguments": {"answer": "65.15"}}`,
	})
}

// TestTypes checks that what a typed API says about wrong arguments is an observation.
func TestTypes(t *testing.T) {
	c, err := toolapi.Load(fstest.MapFS{"v.yaml": {Data: []byte(`
version: v
base: true
messages: {deprecated: old, invalid: invalid}
apis:
  - {name: Wait, description: which waits., parameters: [{name: seconds, type: integer, required: false}]}
  - {name: Finish, description: which ends., parameters: [answer]}
  - {name: UpdateTool, description: which learns., parameters: [newtool_desc]}
`)}})
	if err != nil {
		t.Fatal(err)
	}

	v, _ := c.Version("v")
	wait := ToolFunc[memory](func(_ context.Context, m memory, args envs.Args) (memory, envs.Result, error) {
		return m, envs.Result{Observation: fmt.Sprint("waited ", args)}, nil
	})

	env, err := New(Config[memory]{
		Prompt: v, Deployed: v, Tools: map[string]Tool[memory]{"Wait": wait}, Grader: fakeGrader{},
	})
	if err != nil {
		t.Fatal(err)
	}

	for input, want := range map[string]string{
		`{"seconds": 3}`:   "ok waited [{seconds 3}]",
		`{ }`:              "ok waited []",
		`{"seconds": "3"}`: `invocation-error argument error: parameter "seconds": got string, want integer`,
		`{"minutes": 3}`:   "invocation-error argument error: additional properties 'minutes' not allowed",
	} {
		turn := play(t, env, react("Wait", input)).Turn
		if got := turn.Outcome.String() + " " + turn.Observation; got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
}

// TestPromptNames checks a prompt version that is not p_c: its names are known, and it is what the
// messages list.
func TestPromptNames(t *testing.T) {
	c := config(t, "p_s_ood", Options{})
	c.Prompt = version(t, "p_s_in")

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}

	got := play(t, env, react("InitializeDatabase", `{"DatabaseName": "coffee"}`)).Turn
	if got.Outcome != envs.InvalidAction || got.Call.Tool != "LoadDB" ||
		!strings.Contains(got.Observation, " InitializeDatabase[<DatabaseName>] ") {
		t.Errorf("%s of %q: %q", got.Outcome, got.Call.Tool, got.Observation)
	}
}

func TestFinish(t *testing.T) {
	tests := []struct {
		input   string
		reward  string
		outcome envs.Outcome
		grade   envs.Grade
	}{
		{`{"answer": "65.15"}`, rewardOfficial, envs.Correct, envs.Grade{Answer: "65.15", Official: true, Strict: true}},
		{`{"answer": 65.150}`, rewardOfficial, envs.Correct, envs.Grade{Answer: "65.15", Official: true, Strict: true}},
		{`{"answer": " 65.15"}`, rewardOfficial, envs.Correct, envs.Grade{Answer: " 65.15", Official: true}},
		{`{"answer": " 65.15"}`, rewardStrict, envs.Incorrect, envs.Grade{Answer: " 65.15", Official: true}},
		{`{"answer": "65.15"}`, rewardStrict, envs.Correct, envs.Grade{Answer: "65.15", Official: true, Strict: true}},
		{`{"answer": ["a", true, null, {"b": 1e5}]}`, rewardOfficial, envs.Incorrect,
			envs.Grade{Answer: "['a', True, None, {'b': 100000.0}]"}},
	}
	for _, tt := range tests {
		got := play(t, newEnv(t, "p_s_in", Options{Settings: Settings{Reward: tt.reward}}), react("Finish", tt.input))
		if got.Turn.Outcome != tt.outcome || got.Grade != tt.grade || got.State.Status() != envs.Terminated {
			t.Errorf("%s, %s reward: %s %+v, want %s %+v", tt.input, tt.reward, got.Turn.Outcome, got.Grade, tt.outcome,
				tt.grade)
		}
	}
}

func TestActionsEndWithTheirCall(t *testing.T) {
	finish := string(react("Finish", `{"answer": "65.15"}`))
	longer := envs.Action(finish + "\n```\nThought: {done}.")

	got := play(t, newEnv(t, "p_s_in", Options{}), longer)
	if turn, _ := got.State.History().Last(); got.Turn.Outcome != envs.Correct || string(turn.Action) != finish {
		t.Errorf("%s after %q", got.Turn.Outcome, turn.Action)
	}

	got = play(t, newEnv(t, "p_s_in", Options{LastBrace: true}), longer)
	if turn, _ := got.State.History().Last(); got.Turn.Outcome != envs.InvocationError || turn.Action != longer {
		t.Errorf("the published code's way: %s after %q", got.Turn.Outcome, turn.Action)
	}
}

// TestUpdateTool checks that a description is learned below the call and nowhere else.
func TestUpdateTool(t *testing.T) {
	env := newEnv(t, "p_s_in", Options{})

	first, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	learned, err := env.Step(t.Context(), first, react("UpdateTool", `{"newtool_desc": "\n a\tb "}`))
	if err != nil {
		t.Fatal(err)
	}

	again, err := env.Step(t.Context(), learned.State, react("UpdateTool", `{"newtool_desc": "a\tb"}`))
	if err != nil {
		t.Fatal(err)
	}

	if got := again.State.History().Learned(); !slices.Equal(got, []string{"a\tb", "a\tb"}) {
		t.Errorf("learned %q", got)
	}

	if got := first.History().Learned(); got != nil {
		t.Errorf("the state above learned %q", got)
	}

	if got := play(t, env, react("UpdateTool", `{"newtool_desc": 3}`)); got.Turn.Outcome != envs.InvocationError ||
		got.State.History().Learned() != nil {
		t.Errorf("a number: %s, learned %q", got.Turn.Outcome, got.State.History().Learned())
	}
}

func TestNoUpdateTool(t *testing.T) {
	c := config(t, "p_s_in", Options{})
	c.Options.UpdateTool = false

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}

	got := play(t, env, react("UpdateTool", `{"newtool_desc": "x"}`))
	if got.Turn.Outcome != envs.InvalidAction || got.Turn.Call.Tool != "" ||
		strings.Contains(got.Turn.Observation, "UpdateTool") {
		t.Errorf("%s of %q: %q", got.Turn.Outcome, got.Turn.Call.Tool, got.Turn.Observation)
	}
}

func TestMaxLoads(t *testing.T) {
	good, bad := react("InitializeDatabase", `{"DatabaseName": "coffee"}`),
		react("InitializeDatabase", `{"DatabaseName": "tea"}`)
	old, wrong := react("LoadDB", `{"DBName": "coffee"}`), react("InitializeDatabase", `{ }`)
	graph, other := react("InitializeGraphData", `{"Graph_Name": "dblp"}`),
		react("Fetch_Agenda_Data", `{"Query": "q", "return_num": 3}`)

	published := []string{"LoadDB", "LoadGraph", "InitializeDatabase", "InitializeGraphData", "Init_DB", "Import_Graph"}

	tests := []struct {
		name    string
		names   []string
		actions []envs.Action
		ends    bool
	}{
		{"published: one name", []string{"LoadDB"}, []envs.Action{old, good, old, good, old}, true},
		{"published: the load tools do not count", []string{"LoadDB"},
			[]envs.Action{good, good, good}, false},
		{"two loads", nil, []envs.Action{good, good}, false},
		{"the third ends", nil, []envs.Action{good, good, good}, true},
		{"graphs count", nil, []envs.Action{good, graph, good}, true},
		{"other tools do not", nil, []envs.Action{good, other, other, other, good}, false},
		{"failures do not", nil, []envs.Action{bad, old, wrong, bad, good, good}, false},
		{"published: failures do", published, []envs.Action{bad, old, wrong}, true},
		{"published: two failures", published, []envs.Action{bad, old}, false},
		{"published: what is no JSON does", published,
			[]envs.Action{good, good, react("InitializeDatabase", `{'DatabaseName': 'coffee'}`)}, true},
		{"published: names of other versions do", published,
			[]envs.Action{react("Init_DB", `{"x": 1}`), react("Import_Graph", `{x}`), old}, true},
		{"published: other names do not", published,
			[]envs.Action{good, good, react("ImportGraph", `{"Graph": "dblp"}`), react("Open", `{x}`)}, false},
		{"published: without an input there is no name", published, []envs.Action{good, good, "Action: LoadDB"},
			false},
		{"no JSON", nil, []envs.Action{good, good, react("InitializeDatabase", `{'DatabaseName': 'coffee'}`),
			react("Init_DB", `{"x": 1}`)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := newEnv(t, "p_s_in", Options{
				Settings:  Settings{MaxLoads: 2},
				LoadTools: []string{"LoadDB", "LoadGraph"},
				LoadNames: tt.names,
			})

			got := play(t, env, tt.actions...)
			if ended := got.State.Status() == envs.Truncated; ended != tt.ends || ended != (got.Reward == -1) {
				t.Errorf("%s with reward %v", got.State.Status(), got.Reward)
			}
		})
	}

	for _, limit := range []int{0, 1, 5} {
		options := Options{Settings: Settings{MaxLoads: limit}, LoadTools: []string{"LoadDB"}}
		if limit == 5 { // a limit needs the one or the other
			options.LoadTools, options.LoadNames = nil, []string{"InitializeDatabase"}
		}

		env := newEnv(t, "p_s_in", options)
		actions := slices.Repeat([]envs.Action{good}, max(limit, 10))

		if limit > 0 {
			actions = actions[:limit]
		}

		if status := play(t, env, actions...).State.Status(); status != envs.Running {
			t.Errorf("%d loads of at most %d: %s", len(actions), limit, status)
		}

		if limit == 0 {
			continue
		}

		if status := play(t, env,
			append(actions, good)...).State.Status(); status != envs.Truncated {
			t.Errorf("a load more than %d: %s", limit, status)
		}
	}
}

func TestPublishedNotices(t *testing.T) {
	for published, want := range map[bool]string{true: "param example:  instead.", false: `param example: {"Query"`} {
		env := newEnv(t, "p_s_in", Options{PublishedNotices: published})

		got := play(t, env, react("RetrieveAgenda", `{"keyword": "q"}`)).Turn.Observation
		if !strings.Contains(got, want) {
			t.Errorf("published %v: %q, want %q in it", published, got, want)
		}
	}
}

// What a call is told that is not taken: each feedback tells less than the one before, and none of
// those without notices tells a name. Finish is answered as ever.
func TestFeedback(t *testing.T) {
	const generic, failed = "There is something wrong with your command you send. Please modify it.", "The call failed."

	for _, test := range []struct {
		name, input string
		feedback    toolapi.Feedback
		outcome     envs.Outcome
		want        string
	}{
		{"RetrieveAgenda", `{"keyword": "q"}`, "", envs.Deprecated, "Fetch_Agenda_Data"},
		{"RetrieveAgenda", `{"keyword": "q"}`, toolapi.FeedbackDeprecation, envs.Deprecated, "Fetch_Agenda_Data"},
		{"RetrieveAgenda", `{"keyword": "q"}`, toolapi.FeedbackInvocation, envs.InvalidAction,
			`argument error: there is no API "RetrieveAgenda"`},
		{"RetrieveAgenda", `{"keyword": "q"}`, toolapi.FeedbackGeneric, envs.InvalidAction, generic},
		{"RetrieveAgenda", `{"keyword": "q"}`, toolapi.FeedbackNone, envs.InvalidAction, failed},

		{"Fetch_Agenda_Data", `{"keyword": "q"}`, toolapi.FeedbackDeprecation, envs.InvocationError, generic},
		{"Fetch_Agenda_Data", `{"keyword": "q"}`, toolapi.FeedbackInvocation, envs.InvocationError,
			`argument error: parameter "Query" is missing; parameter "return_num" is missing; ` +
				`parameter "keyword" is not known`},
		{"Fetch_Agenda_Data", `{"keyword": "q"}`, toolapi.FeedbackGeneric, envs.InvocationError, generic},
		{"Fetch_Agenda_Data", `{"keyword": "q"}`, toolapi.FeedbackNone, envs.InvocationError, failed},
		{"ExecuteSQLQuery", `{"SQLCommand": "SELECT 1"}`, toolapi.FeedbackInvocation, envs.InvocationError,
			`argument error: parameter "SQLCommand" does not begin as it has to`},
		{"Apply_Database_Filters", `{"condition2": "a=b"}`, toolapi.FeedbackInvocation, envs.InvocationError,
			`argument error: parameter "condition2" is not known, or not at its number`},

		{"Finish", `{"result": "1"}`, toolapi.FeedbackNone, envs.InvocationError, generic},
		{"Search", `{"q": "1"}`, toolapi.FeedbackDeprecation, envs.InvalidAction, "Valid Actions are"},
		{"Search", `{"q": "1"}`, toolapi.FeedbackInvocation, envs.InvalidAction,
			`argument error: there is no API "Search"`},
		{"Search", `{"q": "1"}`, toolapi.FeedbackGeneric, envs.InvalidAction, generic},
		{"Search", `{"q": "1"}`, toolapi.FeedbackNone, envs.InvalidAction, failed},
	} {
		env := newEnv(t, "p_s_in", Options{Settings: Settings{Feedback: test.feedback}})

		got := play(t, env, react(test.name, test.input)).Turn
		if got.Outcome != test.outcome || !strings.Contains(got.Observation, test.want) {
			t.Errorf("%s%s under %q: %s %q, want %s %q", test.name, test.input, test.feedback, got.Outcome,
				got.Observation, test.outcome, test.want)
		}
	}
}

// answering returns an environment whose LoadDB answers with f.
func answering(t *testing.T, options Options, f ToolFunc[memory]) *Environment[memory] {
	t.Helper()
	c := config(t, "p_c", options)
	c.Tools["LoadDB"] = f

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestObservation(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("w ", n)) }

	tests := []struct {
		limit     int
		said, got string
	}{
		{0, words(1024), words(1024)},
		{0, "a\nb\n" + words(1023), "a b " + words(1022) + " ..."},
		{2, "a\n\nb\n", "a\n\nb\n"},
		{2, "a\n\nb c", "a b ..."},
		{1, "a b", "a ..."},
		{-1, words(3000), words(3000)},
		{0, "caf\xe9 \xff\xfe", "caf\uFFFD \uFFFD"},
	}
	for _, tt := range tests {
		env := answering(t, Options{Settings: Settings{ObservationWords: tt.limit}},
			func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
				return m, envs.Result{Observation: tt.said}, nil
			})
		if got := play(t, env, react("LoadDB", `{"DBName": "x"}`)).Turn.Observation; got != tt.got {
			t.Errorf("limit %d, %.40q: %.60q, want %.60q", tt.limit, tt.said, got, tt.got)
		}
	}
}

// TestOurFailures checks that our failures are errors with a stage, and show the call.
func TestOurFailures(t *testing.T) {
	cause := errors.New("disk full")
	failing := answering(t, Options{}, func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
		return m, envs.Result{}, cause
	})
	odd := answering(t, Options{}, func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
		return m, envs.Result{Outcome: envs.Correct}, nil
	})
	oddFailing := answering(t, Options{},
		func(_ context.Context, m memory, _ envs.Args) (memory, envs.Result, error) {
			return m, envs.Result{Outcome: envs.Correct}, cause
		})

	tests := []struct {
		name  string
		env   *Environment[memory]
		a     envs.Action
		stage envs.Stage
		want  string
	}{
		{"tool", failing, react("LoadDB", `{"DBName": "coffee"}`), envs.StageTool,
			`LoadDB {"DBName": "coffee"}: disk full`},
		{"long arguments", failing, react("LoadDB", `{"DBName": "`+strings.Repeat("é", 100_000)+`"}`), envs.StageTool,
			`…: disk full`},
		{"odd outcome", odd, react("LoadDB", `{"DBName": "coffee"}`), envs.StageTool,
			"a tool cannot answer with the outcome correct"},
		{"odd outcome of a failure", oddFailing, react("LoadDB", `{"DBName": "coffee"}`),
			envs.StageTool,
			"disk full"},
		{"grader", failing, react("Finish", `{"answer": "crash"}`), envs.StageEnvironment,
			`grade "crash" in task "easy-coffee-0000": the matcher crashed`},
	}
	for _, tt := range tests {
		s, err := tt.env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		_, err = tt.env.Step(t.Context(), s, tt.a)
		if stage, _ := envs.FailedStage(err); stage != tt.stage || !strings.Contains(fmt.Sprint(err), tt.want) ||
			len(fmt.Sprint(err)) > 500 {
			t.Errorf("%s: %v, want stage %s and %q", tt.name, err, tt.stage, tt.want)
		}
	}

	s, _ := failing.Reset(t.Context(), task)
	if _, err := failing.Step(t.Context(), s, react("LoadDB", `{"DBName": "x"}`)); !errors.Is(err, cause) {
		t.Errorf("%v does not wrap its cause", err)
	}

	if _, err := failing.Step(t.Context(), nil, "x"); err == nil {
		t.Error("a nil state is not an error")
	}

	call := envs.Call{Name: "LoadDB", Args: envs.Args{{Name: "DBName", Value: "x"}}}
	if turn, err := failing.Call(t.Context(), call); !errors.Is(err, cause) {
		t.Errorf("a call without a task is answered with %+v, error %v", turn, err)
	}
}

func TestNewErrors(t *testing.T) {
	tests := []struct {
		want   string
		change func(*Config[memory])
	}{
		{"the grader is missing", func(c *Config[memory]) { c.Grader = nil }},
		{"the prompt version", func(c *Config[memory]) { c.Prompt = nil }},
		{"the deployed version", func(c *Config[memory]) { c.Deployed = nil }},
		{"no implementation of the tool LoadDB, which p_s_in exposes as InitializeDatabase",
			func(c *Config[memory]) { delete(c.Tools, "LoadDB") }},
		{`an implementation of "OpenDB", which is not a tool of p_s_in`,
			func(c *Config[memory]) { c.Tools["OpenDB"] = c.Tools["LoadDB"] }},
		{`an implementation of "Finish"`, func(c *Config[memory]) { c.Tools["Finish"] = c.Tools["LoadDB"] }},
		{`load tool "Init_DB" is not a tool`, func(c *Config[memory]) { c.Options.LoadTools = []string{"Init_DB"} }},
		{"a limit on loads and no load tools", func(c *Config[memory]) { c.Options.MaxLoads = 1 }},
		{"at most -1 loads", func(c *Config[memory]) { c.Options.MaxLoads = -1 }},
	}
	for _, tt := range tests {
		c := config(t, "p_s_in", Options{})
		tt.change(&c)

		if _, err := New(c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error = %v, want %q in it", err, tt.want)
		}
	}
}

// TestLiftedCalls sends one tool call through every version and expects the tool to get the same.
func TestLiftedCalls(t *testing.T) {
	args := envs.Args{{Name: "condition", Value: "Date>=2000-01-14, Open<70"}}

	want := play(t, newEnv(t, "p_c", Options{}),
		react("FilterDB", string(pytext.AppendJSON(nil, args)))).Turn.Observation
	for _, deployed := range []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary"} {
		name, lifted, err := version(t, deployed).Lift("FilterDB", args)
		if err != nil {
			t.Fatal(err)
		}

		if got := play(t, newEnv(t, deployed, Options{}),
			react(name, string(pytext.AppendJSON(nil, lifted)))).Turn.Observation; got != want {
			t.Errorf("%s: %q, want %q", deployed, got, want)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	env := newEnv(b, "p_s_in", Options{Settings: Settings{MaxLoads: 5}, LoadTools: []string{"LoadDB"}})
	env.names["InitializeDatabase"][0].run = ToolFunc[memory](func(_ context.Context, m memory, _ envs.Args) (memory,
		envs.Result, error) {
		return m, envs.Result{Observation: "We have successfully loaded the coffee database."}, nil
	})

	s, err := env.Reset(b.Context(), task)
	if err != nil {
		b.Fatal(err)
	}

	for name, a := range map[string]envs.Action{
		"tool": react("InitializeDatabase", `{"DatabaseName": "coffee"}`),
		"filter": react("Apply_Database_Filters",
			`{"condition1": "Date>=2000-01-14", "condition2": "Date<=2000-02-14"}`),
		"deprecated": react("LoadDB", `{"DBName": "coffee"}`),
		"malformed":  "I do not know.",
		"finish":     react("Finish", `{"answer": "65.15"}`),
		"1MB":        react("InitializeDatabase", `{"DatabaseName": "`+strings.Repeat("coffee ", 150_000)+`"}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()

			for b.Loop() {
				if _, err := env.Step(b.Context(), s, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	env := newEnv(b, "p_c", Options{})
	a := react("LoadDB", `{"DBName": "coffee"}`)

	b.ReportAllocs()

	for b.Loop() {
		env.Canonical(a)
	}
}

// factorVersion is a version of p_c in which one factor changes.
func factorVersion(t *testing.T, factor string) *toolapi.Version {
	t.Helper()

	c, err := shipped()
	if err != nil {
		t.Fatal(err)
	}

	m, err := drift.NewMaker(c, "p_c", nil, 1)
	if err != nil {
		t.Fatal(err)
	}

	f, err := drift.ParseFactor(factor)
	if err != nil {
		t.Fatal(err)
	}

	spec, _ := m.FactorVersion(f, 0)

	text, err := spec.Encode()
	if err != nil {
		t.Fatal(err)
	}

	if c, err = toolapi.Load(apis.FS(), toolapi.File{Path: "made.yaml", Text: string(text)}); err != nil {
		t.Fatal(err)
	}

	made, err := c.Version(spec.Version)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// What the server answers is an object where the version has such responses: also a result that was
// cut and a notice, and nothing that never reaches the server. Else everything is as without.
func TestResponses(t *testing.T) {
	made := factorVersion(t, "response")

	renamed := *version(t, "p_s_in")
	renamed.Response = &wire.AnswerForm{State: "State", Message: "Message"}

	for _, test := range []struct {
		deployed *toolapi.Version
		action   envs.Action
		wrapped  bool
	}{
		{made, react("LoadDB", `{"DBName": "coffee"}`), true},
		{made, react("LoadDB", `{"DBName": "tea"}`), true},
		{made, react("LoadDB", `{"Name": "coffee"}`), true},
		{made, react("RetrieveScirex", `{"keyword": "`+strings.Repeat("word ", 20)+`"}`), true},
		{&renamed, react("LoadDB", `{"DBName": "coffee"}`), true},
		{made, react("LoadDatabase", `{"DBName": "coffee"}`), false},
		{made, react("LoadDB", `{"DBName"}`), false},
		{made, "I do not know.", false},
		{made, react("UpdateTool", `{"newtool_desc": "x"}`), false},
		{made, react("UpdateTool", `{"newtool_desc": 1}`), false},
		{made, react("Finish", `{"answer": "65.15"}`), false},
		{made, react("Finish", `{"answer": "1"}`), false},
	} {
		plain := *test.deployed
		plain.Response = nil

		want := playUnder(t, &plain, test.action)
		if test.wrapped {
			want.Observation = test.deployed.Response.Wrap(want.Outcome == envs.OK, want.Observation)
		}

		if got := playUnder(t, test.deployed, test.action); got.Observation != want.Observation ||
			got.Outcome != want.Outcome {
			t.Errorf("%s\n%s %s, want %s %s", test.action, got.Outcome, got.Observation, want.Outcome,
				want.Observation)
		}
	}
}

// playUnder plays an action, of whose observation ten words are left.
func playUnder(t *testing.T, deployed *toolapi.Version, a envs.Action) envs.Turn {
	t.Helper()

	config := config(t, "p_c", Options{Settings: Settings{ObservationWords: 10}})
	config.Deployed = deployed

	env, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return play(t, env, a).Turn
}

// A call that was right under the prompt version gets a notice where the name stands and the
// parameters changed; with PublishedFeedback it gets the text about wrong arguments, and so does a
// call that was never right.
func TestOutdatedParameters(t *testing.T) {
	made := factorVersion(t, "parameters-character")
	api, _ := made.API("LoadDB")
	notice := "Error: LoadDB[DBName] is deprecated and will be removed in future releases. Use " + api.Signature() +
		", param example: " + api.Example() + " instead."
	wrong := "There is something wrong with the arguments you send. Please modify it."

	for _, test := range []struct {
		published   bool
		feedback    toolapi.Feedback
		input       string
		outcome     envs.Outcome
		observation string
	}{
		{false, "", `{"DBName": "coffee"}`, envs.Deprecated, notice},
		{false, "", `{"Name": "coffee"}`, envs.InvocationError, wrong},
		{true, "", `{"DBName": "coffee"}`, envs.InvocationError, wrong},
	} {
		config := config(t, "p_c", Options{
			Settings:          Settings{Feedback: test.feedback},
			PublishedFeedback: test.published,
		})
		config.Deployed = made

		env, err := New(config)
		if err != nil {
			t.Fatal(err)
		}

		turn := play(t, env, react("LoadDB", test.input)).Turn
		if turn.Outcome != test.outcome || turn.Observation != test.observation {
			t.Errorf("%+v: %s %s", test, turn.Outcome, turn.Observation)
		}
	}
}
