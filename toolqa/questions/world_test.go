package questions

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/graph"
	"toolevo/toolqa/pytool"
	"toolevo/toolqa/retrieve"
	"toolevo/toolqa/sqltool"
	"toolevo/toolqa/table"
)

// apiVersions are those in which every dataset's plans are followed.
var apiVersions = []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary"}

// sharedEngine is the engine of all worlds, which TestMain closes.
var sharedEngine = sync.OnceValues(func() (sandbox.Engine, error) {
	return engines.Open(context.Background(), engines.Options{Modules: []string{"numpy"}})
})

func TestMain(m *testing.M) {
	engines.Main()

	code := m.Run()

	if e, err := sharedEngine(); err == nil {
		err = e.Close()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)

			code = 1
		}
	}

	if err := removeSyntheticCorpora(); err != nil {
		fmt.Fprintln(os.Stderr, err)

		code = 1
	}

	os.Exit(code)
}

// world is the real tools over one corpus. The scripted reader plays in it: it follows the plans
// and, where the deployed version is not that of the prompt, learns from the errors what the tools
// are called.
type world struct {
	t        testing.TB
	versions *toolapi.Catalog
	tools    map[string]dynamic.Tool[toolqa.Session]
	reader   mcts.Policy
}

// shippedVersions loads the versions once for all worlds: nothing changes a catalog.
var shippedVersions = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(apis.FS()) })

func newWorld(t testing.TB, c *corpus.Corpus) *world {
	t.Helper()

	versions, err := shippedVersions()
	if err != nil {
		t.Fatal(err)
	}

	profile, err := scripted.ParseProfile("reader")
	if err != nil {
		t.Fatal(err)
	}

	engine, err := sharedEngine()
	if err != nil {
		t.Skipf("plans that compute cannot run: %v", err)
	}

	seen := &memory{}

	w := &world{
		t:        t,
		versions: versions,
		reader:   scripted.New(profile, Plan),
		tools: map[string]dynamic.Tool[toolqa.Session]{
			"PythonInterpreter": pytool.New(engine, pytool.Options{Memory: seen}),
		},
	}
	for _, name := range []string{"LoadDB", "FilterDB", "GetValue", "SQLInterpreter", "RetrieveAgenda",
		"RetrieveScirex", "LoadGraph", "NeighbourCheck", "NodeCheck", "EdgeCheck"} {
		w.tools[name] = unusedTool(name)
	}

	switch c.Dataset() {
	case toolqa.DBLP:
		w.addGraphs(c)
	case toolqa.SciREX:
		w.addPassages("RetrieveScirex", c, seen)
	case toolqa.Agenda:
		w.addPassages("RetrieveAgenda", c, seen)
		w.addTable(c)
	default:
		w.addTable(c)
	}

	return w
}

func (w *world) addTable(c *corpus.Corpus) {
	w.t.Helper()

	sql, err := sqltool.New(w.t.Context(), sqltool.Options{}, c)
	if err != nil {
		w.t.Fatal(err)
	}

	closeLater(w.t, sql.Close)
	w.tools["LoadDB"], w.tools["FilterDB"], w.tools["GetValue"], w.tools["SQLInterpreter"] = table.NewLoadDB(c),
		&table.FilterDB{}, table.GetValue{}, sql
}

func (w *world) addPassages(name string, c *corpus.Corpus, seen envs.Memory) {
	w.t.Helper()

	index, err := retrieve.Open(w.t.Context(), c, nil)
	if err != nil {
		w.t.Fatal(err)
	}

	w.tools[name] = retrieve.NewTool(name, c, index).WithMemory(seen)
}

func (w *world) addGraphs(c *corpus.Corpus) {
	w.t.Helper()

	graphs, err := graph.Open(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}

	closeLater(w.t, graphs.Close)
	w.tools["LoadGraph"], w.tools["NodeCheck"] = graph.LoadGraph{Graphs: graphs}, graph.NodeCheck{Graphs: graphs}
	w.tools["NeighbourCheck"], w.tools["EdgeCheck"] = graph.NeighbourCheck{Graphs: graphs},
		graph.EdgeCheck{Graphs: graphs}
}

// unusedTool is a tool that no plan about the dataset calls.
type unusedTool string

func (u unusedTool) Call(context.Context, toolqa.Session, envs.Args) (toolqa.Session, envs.Result, error) {
	return toolqa.Session{}, envs.Result{}, fmt.Errorf("a plan calls %s", string(u))
}

// memory runs every program and every search once for all API versions.
type memory struct{ results sync.Map }

func (m *memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	r, ok := m.results.Load(key)
	if !ok {
		return envs.Result{}, false, nil
	}
	return r.(envs.Result), true, nil
}

func (m *memory) Remember(_ context.Context, key string, r envs.Result) error {
	m.results.LoadOrStore(key, r)
	return nil
}

// ending is how a question ended.
type ending struct {
	toolqa.Question
	history envs.History
	grade   envs.Grade
}

// right reports whether both matchers take the answer.
func (e ending) right() bool {
	last, _ := e.history.Last()
	return last.Outcome == envs.Correct && e.grade.Strict && e.grade.Official
}

// exact reports whether the answer is written as the gold answer is, too.
func (e ending) exact() bool { return e.right() && e.grade.Answer == e.Answer }

// play has the reader answer questions under an API version. Under that of the prompt it also
// checks the plans' manners.
func (w *world) play(api string, qs []toolqa.Question) []ending {
	w.t.Helper()

	prompt, err := w.versions.Version("p_c")
	if err != nil {
		w.t.Fatal(err)
	}

	deployed, err := w.versions.Version(api)
	if err != nil {
		w.t.Fatal(err)
	}

	grader, err := NewGrader(qs)
	if err != nil {
		w.t.Fatal(err)
	}

	env, err := dynamic.New(dynamic.Config[toolqa.Session]{
		Prompt: prompt, Deployed: deployed, Tools: w.tools, Grader: grader,
		Options: dynamic.Options{
			Settings:  dynamic.Settings{UpdateTool: true, MaxLoads: 5},
			LoadTools: []string{"LoadDB", "LoadGraph"},
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}

	endings := make([]ending, len(qs))
	for i, q := range qs {
		endings[i] = w.answer(env, q)
		if api == "p_c" && endings[i].right() {
			checkManners(w.t, endings[i])
		}
	}

	return endings
}

func (w *world) answer(env envs.Environment, q toolqa.Question) ending {
	w.t.Helper()

	state, err := env.Reset(w.t.Context(), q.Task())
	if err != nil {
		w.t.Fatal(err)
	}

	most := map[toolqa.Difficulty]int{toolqa.Easy: 15, toolqa.Hard: 20}[q.Difficulty] // turns
	end := ending{Question: q}

	for range most {
		proposals, err := w.reader.Propose(w.t.Context(), mcts.Request{History: state.History(), N: 1, Greedy: true})
		if err != nil {
			w.t.Fatal(err)
		}

		next, err := env.Step(w.t.Context(), state, envs.Action(proposals[0].Text))
		if err != nil {
			w.t.Fatalf("%q: %v", q.Text, err)
		}

		state, end.history, end.grade = next.State, next.State.History(), next.Grade
		if state.Status() != envs.Running {
			break
		}
	}

	return end
}

// checkManners follows a plan once more: it thinks in sentences, calls tools by their own names,
// and ends with Finish.
func checkManners(t testing.TB, e ending) {
	t.Helper()

	plan, _ := Plan(e.Text)

	var results []string
	for _, turn := range e.history.Turns() {
		thought, call, err := plan(results)
		if err != nil {
			t.Errorf("%q: %v", e.Text, err)
			return
		}

		checkThought(t, thought)

		if call.Tool != call.Name {
			t.Errorf("%q: call %+v: want the tool's own name", e.Text, call)
		}

		results = append(results, turn.Observation)
	}

	if _, _, err := plan(results); err == nil {
		t.Errorf("%q: the plan goes on after Finish", e.Text)
	}
}

// playAll has the reader answer questions under every API version, all of them as good says.
func playAll(t *testing.T, c *corpus.Corpus, qs []toolqa.Question, good func(ending) bool, apis ...string) {
	t.Helper()

	w := newWorld(t, c)
	for _, api := range apis {
		for _, e := range w.play(api, qs) {
			if !good(e) {
				e.report(t.Errorf, api)
			}
		}
	}
}

// report tells how a question ended.
func (e ending) report(printf func(format string, args ...any), api string) {
	last, _ := e.history.Last()
	printf("%s: %s: %q, gold %q, answer %q after %d turns: %s\n%s", api, e.Template, e.Text, e.Answer, e.grade.Answer,
		e.history.Len(), last.Action, last.Observation)
}

// wantShare has the reader answer questions under an API version, of each template at least the
// given share.
func (w *world) wantShare(api string, qs []toolqa.Question, least float64) {
	w.t.Helper()

	right, all := map[string]int{}, map[string]int{}
	for _, e := range w.play(api, qs) {
		all[e.Template]++
		if e.right() {
			right[e.Template]++
		} else {
			e.report(w.t.Logf, api)
		}
	}

	for name, n := range all {
		if float64(right[name]) < least*float64(n) {
			w.t.Errorf("%s: %s: %d of %d", api, name, right[name], n)
		}
	}
}

// answersOf finds the answers once more, and returns the different ones of each template.
func answersOf(t testing.TB, c *corpus.Corpus, qs []toolqa.Question) map[string]map[string]bool {
	t.Helper()

	view := mustLoad(t, c)
	answers := map[string]map[string]bool{}

	for _, q := range qs {
		m, ok := recognise(q.Text)
		if !ok || m.template.Name != q.Template {
			t.Fatalf("%q is not recognised as %s", q.Text, q.Template)
		}

		if got, err := rightAnswer(m, view); err != nil || got != q.Answer {
			t.Errorf("%q: the rule finds %q, %v, and found %q", q.Text, got, err, q.Answer)
		}

		if answers[q.Template] == nil {
			answers[q.Template] = map[string]bool{}
		}

		answers[q.Template][q.Answer] = true
	}
	return answers
}

// wantAnswers checks that each template of the dataset has some different answers.
func wantAnswers(t testing.TB, ds toolqa.Dataset, answers map[string]map[string]bool, least int) {
	t.Helper()

	for _, tmpl := range templatesOf(ds) {
		if n := len(answers[tmpl.Name]); n < least {
			t.Errorf("%s: %d different answers, want %d", tmpl.Name, n, least)
		}
	}
}
