package bench

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
	"toolevo/envs/wire"
)

func deploy(t testing.TB, s *opened, version, task string) *Deployed {
	t.Helper()

	d, err := Deploy(s, version, task, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func callOf(t testing.TB, d *Deployed, c envs.Call) Answer {
	t.Helper()

	a, err := d.Call(t.Context(), c.Name, c.Args)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A call that fits the version is answered, whole; one that fits the old version only is refused in
// the words of the feedback that was chosen, and nobody is asked.
func TestDeployed(t *testing.T) {
	t.Parallel()

	for feedback, want := range map[toolapi.Feedback]string{
		toolapi.FeedbackDeprecation: "deprecated",
		toolapi.FeedbackInvocation:  "argument error",
		toolapi.FeedbackGeneric:     "something wrong",
		toolapi.FeedbackNone:        "The call failed.",
	} {
		c := choice(t, queries)
		c.Environment.Feedback = feedback
		s := open(t, c)
		d, env := deploy(t, s, inDomain, ""), environmentOf(t, s, inDomain)

		for _, task := range s.tasks {
			for _, call := range s.planned(s.queries[task.ID]) {
				before := d.Tally().Scripted

				if a := callOf(t, d, call); a.Outcome == envs.OK || !strings.Contains(a.Text, want) ||
					d.Tally().Scripted != before {
					t.Errorf("%s: %s is answered %s %s, want %q", feedback, call.Name, a.Outcome, a.Text, want)
				}

				if a := callOf(t, d, lifted(t, env, task, call)); a.Outcome != envs.OK ||
					!strings.HasPrefix(a.Text, `{"error": "", "response": `) {
					t.Errorf("%s of %s is answered %s %s", call.Name, inDomain, a.Outcome, a.Text)
				}
			}
		}
	}
}

// Where a version has a form for its answers, a client gets that as the response.
func TestDeployedWithAForm(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)

	file, err := open(t, c).choice.Versions.Spec(inDomain)
	if err != nil {
		t.Fatal(err)
	}

	formed := *file
	formed.Version, formed.Response = "formed", &wire.AnswerForm{State: "state", Message: "said"}

	if c.Versions, err = open(t, c).choice.Versions.With(&formed); err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	task := taskOf(t, s, "G1_instruction-11")
	call := lifted(t, environmentOf(t, s, "formed"), task, s.planned(s.queries[task.ID])[0])

	want := `{"error": "", "response": "{\"state\": \"Success\", \"said\": \"{\\\"error\\\"`
	if a := callOf(t, deploy(t, s, "formed", ""), call); a.Outcome != envs.OK || !strings.HasPrefix(a.Text, want) {
		t.Errorf("the answer is %s, want %s", a.Text, want)
	}
}

// Every task can be played under a version that says something of the tools of some tasks only.
func TestVersionsAboutSomeTools(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)

	file, err := open(t, c).choice.Versions.Spec(base)
	if err != nil {
		t.Fatal(err)
	}

	about := make([]string, 0, len(file.APIs))
	for _, a := range file.APIs {
		if !envs.IsSystem(a.ToolName()) {
			about = append(about, a.ToolName())
		}
	}

	one, source, gone := about[:1], about[1], about[2]
	some := *file
	some.Version, some.Base, some.Deprecates = "some", false, nil
	some.APIs = slices.DeleteFunc(slices.Clone(file.APIs),
		func(a toolapi.APISpec) bool { return a.ToolName() == gone })
	some.Faults = []toolapi.Fault{{Kind: toolapi.Timeout, Tools: one, Share: 1, Calls: 2}}
	some.Silent = silent.Changes{
		{Tools: one, Renamed: &silent.Renamed{Field: "response", As: "reply"}},
	}
	some.Removed = []silent.Removed{{Tool: gone, Elsewhere: silent.Elsewhere{
		Source: source, With: []string{"id"}, By: "id",
	}}}

	if c.Versions, err = open(t, c).choice.Versions.With(&some); err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	env := environmentOf(t, s, "some")
	met := 0

	for _, task := range s.tasks {
		for _, call := range s.planned(s.queries[task.ID]) {
			// A fault begins with the second call of a tool at the latest.
			said := play(t, env, task, text(call), text(call))[1].Turn.Observation
			fails := strings.Contains(said, toolapi.Timeout.Text())

			if fails {
				met++
			}

			if fails != (call.Tool == one[0]) {
				t.Errorf("%s: %s is answered %s", task.ID, call.Name, said)
			}
		}
	}

	if met == 0 {
		t.Error("no task meets the fault")
	}
}

// Functions have the names and schemas of their version; a task's are those that it offers. What is
// no function of them is refused.
func TestFunctions(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, queries))
	s.collection.Documents[2].Method = "POST"
	whole, part := deploy(t, s, inDomain, ""), deploy(t, s, inDomain, "G1_instruction-11")
	all, some := whole.Functions(), part.Functions()

	for i, f := range all {
		if f.ReadsOnly == (i == 2) {
			t.Errorf("%s reads only: %t", f.Name, f.ReadsOnly)
		}
	}

	if len(all) != len(s.collection.Documents) || len(some) != len(s.queries["G1_instruction-11"].APIs) ||
		len(some) == len(all) {
		t.Errorf("%d functions of %d documents, %d of the task", len(all), len(s.collection.Documents), len(some))
	}

	for _, f := range all {
		offered := slices.ContainsFunc(some, func(g Function) bool { return g.Name == f.Name })
		if a := callOf(t, part, envs.Call{Name: f.Name}); !offered && a.Outcome != envs.InvalidAction {
			t.Errorf("%s is called beside the task: %s", f.Name, a.Text)
		}

		if kind, _ := f.Schema.Text("type"); kind != "object" || f.Description == "" {
			t.Errorf("%s has the schema %v and the description %q", f.Name, f.Schema, f.Description)
		}
	}

	for _, name := range []string{envs.FinishTool, envs.UpdateTool, "", "nonsense"} {
		if a := callOf(t, whole, envs.Call{Name: name}); a.Outcome != envs.InvalidAction {
			t.Errorf("%q is answered %s", name, a.Text)
		}
	}

	if _, err := Deploy(s, "p_s", "", nil); err == nil {
		t.Error("an unknown version is deployed")
	}

	_, err := Deploy(s, base, "G1_instruction-1111", nil)
	if err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("an unknown task: %v", err)
	}
}

// Functions that a version gives one name are one function, each of which an argument chooses.
func TestFunctionsOfOneName(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)
	all := open(t, c).choice.Versions

	m, err := drift.NewMaker(all, base, nil, 1)
	if err != nil {
		t.Fatal(err)
	}

	merge, err := drift.ParseFactor("merge-tools")
	if err != nil {
		t.Fatal(err)
	}

	made, _ := m.FactorVersion(merge, 0)
	if c.Versions, err = all.With(made); err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	d, v := deploy(t, s, made.Version, ""), versionOf(t, s, made.Version)

	for _, a := range v.APIs {
		if envs.IsSystem(a.Tool) {
			continue
		}

		args, err := a.Lift(apiOf(t, versionOf(t, s, base), a.Tool).Sample())
		if err != nil {
			t.Fatal(err)
		}

		if got := callOf(t, d, envs.Call{Name: a.Name, Args: args}); got.Outcome != envs.OK {
			t.Errorf("%s%v is answered %s %s", a.Name, args, got.Outcome, got.Text)
		}

		got := callOf(t, d, envs.Call{Name: a.Tool})
		if got.Outcome == envs.OK && a.Name != a.Tool {
			t.Errorf("%s is still answered", a.Tool)
		}
	}

	functions := d.Functions()

	for i, f := range functions {
		is := func(g Function) bool { return g.Name == f.Name }
		twice := slices.ContainsFunc(functions[:i], is)

		if named := v.Named(f.Name); twice || len(named) == 0 ||
			pytext.JSON(f.Schema) != pytext.JSON(toolapi.Shown(named)[0].Schema()) {
			t.Errorf("%s has the schema %s", f.Name, pytext.JSON(f.Schema))
		}
	}
}

// APIs are found by their published names, however they are written, and functions by their own.
func TestFind(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, queries))
	d := deploy(t, s, inDomain, "")

	for _, doc := range s.collection.Documents {
		for _, k := range []toolbench.Key{doc.Key, virtual.Normalised(doc.Key)} {
			if name, ok := d.Find(k); !ok || name != s.functions[doc.Key] {
				t.Errorf("%s is found as %q, %v", k, name, ok)
			}
		}
	}

	f := d.Functions()[0].Name
	if name, ok := d.Find(toolbench.Key{Category: "any", Tool: "any", API: f}); !ok || name != f {
		t.Errorf("%s is found as %q, %v", f, name, ok)
	}

	if name, ok := d.Find(toolbench.Key{Category: "Weather", Tool: "none", API: "none"}); ok {
		t.Errorf("an API that nobody has is found as %s", name)
	}
}

// model is a language model that writes the same reply to everything.
type model struct {
	calls  atomic.Int64
	closed atomic.Bool
	reply  func(call int64) (string, error)
	asked  atomic.Value // the last request
}

func (m *model) Write(_ context.Context, _, request string, _ uint64) (string, error) {
	m.asked.Store(request)
	return m.reply(m.calls.Add(1))
}

func (m *model) Close() error {
	m.closed.Store(true)
	return nil
}

// simulated is a choice whose APIs a model stands in for.
func simulated(t testing.TB, m *model, cache string) suite.Choice {
	t.Helper()

	c := choice(t, queries)
	c.Settings = map[string]suite.Settings{section: &settings{
		Simulator: "openai:m", Mode: "cot", Temperature: 0.5, Tokens: 100, Server: "http://there", Cache: cache,
	}}
	c.Writer = func(name string, o suite.WriterOptions) (suite.Writer, error) {
		if name != "openai:m" || o != (suite.WriterOptions{Server: "http://there", Temperature: 0.5, MaxTokens: 100}) {
			t.Errorf("the model %s is opened with %+v", name, o)
		}
		return m, nil
	}
	return c
}

// memory is a log of results.
type memory map[string]envs.Result

func (m memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	r, ok := m[key]
	return r, ok, nil
}

func (m memory) Remember(_ context.Context, key string, r envs.Result) error {
	if _, ok := m[key]; !ok {
		m[key] = r
	}
	return nil
}

// An agent meets the model that stands in for the APIs; a run remembers what it said; and the
// lineage names it.
func TestModelAsSimulator(t *testing.T) {
	t.Parallel()

	m := &model{reply: func(call int64) (string, error) {
		if call%2 == 1 {
			return "Let me think.", nil
		}
		return `{"mechanism_of_the_api": "It asks the clouds.", "error": "", "response": "sunny"}`, nil
	}}
	s := open(t, simulated(t, m, ""))

	if got := s.Lineage()["simulator"]; !strings.HasPrefix(got, "cot openai:m ") || m.calls.Load() != 0 {
		t.Errorf("the lineage names %q after %d calls", got, m.calls.Load())
	}

	if err := s.Prepare(t.Context()); err != nil || !s.Remote() {
		t.Errorf("Prepare says %v, remote %v", err, s.Remote())
	}

	log := memory{}
	task := taskOf(t, s, "G1_instruction-11")
	call := text(s.planned(s.queries[task.ID])[0])

	for range 2 {
		env, err := s.Environment(base, log)
		if err != nil {
			t.Fatal(err)
		}

		turn := play(t, env, task, call)[0].Turn
		if turn.Observation != `{"error": "", "response": "sunny"}` || turn.Maker != "cot openai:m" ||
			turn.Outcome != envs.OK {
			t.Errorf("the turn is %+v", turn)
		}
	}

	if m.calls.Load() != 2 || len(log) != 1 {
		t.Errorf("%d calls of the model, %d results remembered", m.calls.Load(), len(log))
	}

	if err := s.Close(); err != nil || !m.closed.Load() {
		t.Errorf("Close says %v, closed %v", err, m.closed.Load())
	}
}

// A model that stands in for APIs is shown the document that a call was made against, and the call
// as it was written; under the published names nothing but what it always was. What it said is kept
// under the published call in either case.
func TestModelSeesWhatIsDeployed(t *testing.T) {
	t.Parallel()

	m := &model{reply: func(int64) (string, error) { return `{"error": "", "response": "sunny"}`, nil }}
	s := open(t, simulated(t, m, ""))
	renamed := 0

	for _, version := range []string{base, inDomain, outOfDomain, "dtb_v2", "dtb_combined"} {
		log := memory{}

		env, err := s.Environment(version, log)
		if err != nil {
			t.Fatal(err)
		}

		for _, task := range s.tasks {
			for i, call := range s.planned(s.queries[task.ID]) {
				d, _ := s.collection.Document(s.queries[task.ID].Relevant[i])

				key := "toolbench " + virtual.NewCall(version, d.Key, call.Args).Key()
				if log[key].Observation != "" { // another task made the same call
					continue
				}

				written := lifted(t, env, task, call)
				play(t, env, task, text(written))

				asked := m.asked.Load().(string)
				if log[key].Observation == "" {
					t.Errorf("%s: nothing is kept under %s of %s", version, pytext.JSON(call.Args), d.Key)
				}

				_, request, _ := strings.Cut(asked, "\n\nRequest:\n")
				if request != pytext.JSON(written.Args) {
					t.Errorf("%s: the call %s is shown as %s", version, pytext.JSON(written.Args), request)
				}

				if versionOf(t, s, version).Has(apiOf(t, versionOf(t, s, base), call.Tool)) {
					if want := virtual.CoT.Request(d, call.Args, nil); asked != want {
						t.Errorf("%s: what did not change is shown as\n%s\nwant\n%s", version, asked, want)
					}

					continue
				}

				renamed++
				document, _, _ := pytext.DecodeObject(strings.TrimPrefix(asked, "API doc:\n"))
				text := pytext.JSON(document)

				if strings.Contains(text, `"type": ""`) {
					t.Errorf("%s: a type is missing in\n%s", version, text)
				}

				for _, name := range append(written.Args.Names(), written.Name) {
					if written.Name == call.Name && name == call.Name {
						name = d.API
					}

					if !strings.Contains(text, `"`+name+`"`) {
						t.Errorf("%s: %s is not in the document\n%s", version, name, text)
					}
				}
			}
		}
	}

	if renamed < 10 {
		t.Errorf("%d calls under other names", renamed)
	}
}

// apiOf is the API of a tool in a version.
func apiOf(t *testing.T, v *toolapi.Version, tool string) *toolapi.API {
	t.Helper()

	a, ok := v.ForTool(tool)
	if !ok {
		t.Fatalf("%s has no %s", v.Name, tool)
	}
	return a
}

// What the API of a model says that failed is a tool error, and a model that fails is a failure of
// ours.
func TestModelFails(t *testing.T) {
	t.Parallel()

	down := errors.New("down")
	m := &model{reply: func(call int64) (string, error) {
		if call == 1 {
			return `{"error": "no such city", "response": ""}`, nil
		}
		return "", down
	}}
	s := open(t, simulated(t, m, ""))
	env := environmentOf(t, s, base)
	task := taskOf(t, s, "G1_instruction-11")
	call := text(s.planned(s.queries[task.ID])[0])

	if turn := play(t, env, task, call)[0].Turn; turn.Outcome != envs.ToolError {
		t.Errorf("an error of the API is %s", turn.Outcome)
	}

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	_, err = env.Step(t.Context(), state, call)
	if stage, ok := envs.FailedStage(err); !errors.Is(err, down) || !ok || stage != envs.StageTool {
		t.Errorf("a model that fails is %v", err)
	}
}

// A cache gives a later suite what it has.
func TestCacheOfASuite(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")
	m := &model{reply: func(int64) (string, error) { return `{"error": "", "response": "sunny"}`, nil }}

	for range 2 {
		s := open(t, simulated(t, m, path))
		task := taskOf(t, s, "G1_instruction-11")

		_ = play(t, environmentOf(t, s, base), task, text(s.planned(s.queries[task.ID])[0]))

		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}

	if m.calls.Load() != 1 {
		t.Errorf("%d calls of the model, want 1", m.calls.Load())
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()

	good := settings{Simulator: "ollama:m", Mode: "sft", Tokens: 1}

	for _, secret := range []string{"http://me:secret@h", "http://h/v1?key=secret", "command:id"} {
		s := good
		s.Server = "http://there?api-version=2, " + secret

		got, err := s.Validate()
		if got != "server" || err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q %v", secret, got, err)
		}
	}

	for setting, spoil := range map[string]func(*settings){
		"":            func(*settings) {},
		"mode":        func(s *settings) { s.Mode = "ctf" },
		"simulator":   func(s *settings) { s.Simulator = "m" },
		"server":      func(s *settings) { s.Simulator, s.Server = scripted, "http://there" },
		"temperature": func(s *settings) { s.Temperature = -1 },
		"tokens":      func(s *settings) { s.Tokens = 0 },
	} {
		s := good
		spoil(&s)

		if got, err := s.Validate(); (err != nil) != (setting != "") || err != nil && got != setting {
			t.Errorf("%q is spoilt: %q %v", setting, got, err)
		}
	}
}
