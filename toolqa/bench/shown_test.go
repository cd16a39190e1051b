package bench_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
	"toolevo/mcts/policy/serving"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
)

// sharedEngine runs the programs of all datasets; TestMain closes it.
var sharedEngine = sync.OnceValues(func() (sandbox.Engine, error) {
	return engines.Open(context.Background(), engines.Options{})
})

func TestMain(m *testing.M) {
	engines.Main()

	code := m.Run()

	if e, err := sharedEngine(); err == nil {
		if err := e.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)

			code = 1
		}
	}

	os.Exit(code)
}

// rowsOf are how many rows the corpora have, where it is not their usual number.
var rowsOf = map[toolqa.Dataset]int{toolqa.Agenda: 1000, toolqa.DBLP: 1500, toolqa.Flights: 12_000}

// looks are what an author asks the tables before a query: the names of their columns, which the
// document of SQLInterpreter leaves to LoadDB, and how their cells are written.
var looks = map[toolqa.Dataset][]string{
	toolqa.Agenda:  {"SELECT * FROM agenda.agenda_data LIMIT 3"},
	toolqa.Airbnb:  {"SELECT * FROM airbnb.airbnb_data LIMIT 3", "SELECT DISTINCT room_type FROM airbnb.airbnb_data"},
	toolqa.Coffee:  {"SELECT * FROM coffee.coffee_data LIMIT 3"},
	toolqa.Flights: {"SELECT * FROM flights.flights_data LIMIT 3"},
	toolqa.Yelp:    {"SELECT * FROM yelp.yelp_data LIMIT 3"},
}

// Who sees the prompt of a task alone can write the calls of its solution: whatever is in them is
// said there, in the question, in what was observed before, or can be computed from that. Under
// other versions than that of the prompt notices add what has changed.
func TestPromptsSayWhatSolutionsTake(t *testing.T) {
	t.Parallel()

	shipped, err := (bench.ToolQA{}).Versions("")
	if err != nil {
		t.Fatal(err)
	}

	maker, err := drift.NewMaker(shipped, "p_c", nil, 3)
	if err != nil {
		t.Fatal(err)
	}

	versions := []string{"p_c", "p_s_in", "p_s_ood"}
	catalog := shipped

	for i := range 10 {
		made, _ := maker.Version(i)
		if catalog, err = catalog.With(made); err != nil {
			t.Fatal(err)
		}

		versions = append(versions, made.Version)
	}

	for _, ds := range toolqa.Datasets() {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()

			s := open(t, ds, catalog)
			memory := &memory{}
			base := shown(t, ds, versionOf(t, catalog, "p_c"))
			base.Read = append(look(t, s, ds, base), base.Tools[envs.FinishTool])

			for i, version := range versions {
				env, err := s.Environment(version, memory)
				if err != nil {
					t.Fatal(err)
				}

				deployed := versionOf(t, catalog, version)
				reader := shown(t, ds, deployed)

				spec, err := catalog.Spec(version)
				if err != nil {
					t.Fatal(err)
				}

				reader.Choose(spec)

				for k, task := range tasksOf(s, version) {
					if made := i - 3; made >= 0 && k%4 != made%4 {
						continue // a quarter of the templates each
					}

					w := &writer{
						t: t, env: env, deployed: deployed, author: base.clone(task.Question), reader: reader,
					}
					w.solve(s.(suite.Planner), task)
				}
			}
		})
	}
}

func versionOf(t *testing.T, c *toolapi.Catalog, name string) *toolapi.Version {
	t.Helper()

	v, err := c.Version(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tasksOf returns the tasks of a suite, one of each template under another version than that of the
// prompt.
func tasksOf(s suite.Suite, version string) []envs.Task {
	known := map[string]bool{}
	return slices.DeleteFunc(s.Tasks(), func(t envs.Task) bool {
		again := known[t.Labels[envs.LabelTemplate]]
		known[t.Labels[envs.LabelTemplate]] = true
		return again && version != "p_c"
	})
}

// open opens a suite over a synthetic corpus, with some questions of each template.
func open(t *testing.T, ds toolqa.Dataset, versions *toolapi.Catalog, change ...func(*suite.Choice)) suite.Suite {
	t.Helper()

	ctx, data := t.Context(), t.TempDir()
	if _, err := synth.Build(ctx, data, ds, synth.Options{Seed: 1, Rows: rowsOf[ds], Scale: synth.Demo}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(ctx, data, ds)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	view, err := questions.Load(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()

	var all []toolqa.Question

	for _, d := range toolqa.Difficulties() {
		counts := questions.Counts{Test: each * len(questions.Templates(ds, d))}

		made, err := questions.Generate(rand.New(rand.NewPCG(1, 1)), view, d, questions.Options{Counts: counts})
		if err != nil {
			t.Fatal(err)
		}

		for i := range made {
			made[i].Corpus = c.Info().ContentSHA256
		}

		all = append(all, made...)
	}

	if err := questions.Write(data, all); err != nil {
		t.Fatal(err)
	}

	choice := suite.Choice{
		Data: data, Datasets: []string{string(ds)}, Split: string(toolqa.Test), Prompt: "p_c", Versions: versions,
		Environment: dynamic.Settings{UpdateTool: true}, Settings: map[string]suite.Settings{},
	}
	for _, section := range (bench.ToolQA{}).Sections() {
		choice.Settings[section.Name] = section.New()
	}

	for _, c := range change {
		c(&choice)
	}

	s, err := (bench.ToolQA{}).Open(ctx, choice)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	engine, err := sharedEngine()
	if err != nil {
		t.Skipf("plans that compute cannot run: %v", err)
	}

	s.(suite.Sandboxed).UseEngine(engine)
	return s
}

// each is how many questions of a template there are.
const each = 3

// memory runs every program and every search once for all versions.
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

// author is who writes solutions.
type author struct{ suitetest.Author }

// shown returns the author who sees the prompt of a version for tasks of a dataset.
func shown(t *testing.T, ds toolqa.Dataset, v *toolapi.Version) *author {
	t.Helper()

	c, err := configs.Load(configs.SettingLayer("test", "suite", "toolqa"),
		configs.SettingLayer("test", "server.prompt.tools", configs.ToolsOfDataset))
	if err != nil {
		t.Fatal(err)
	}

	p, err := serving.NewPrompt(bench.ToolQA{}, c, v, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	text := p.System(envs.Task{Labels: map[string]string{envs.LabelDataset: string(ds)}})
	return &author{suitetest.Author{Tools: suitetest.Listed(text), Known: languages()}}
}

// clone returns the author when a question was asked.
func (a *author) clone(question string) *author {
	return &author{suitetest.Author{
		Tools: maps.Clone(a.Tools), Read: slices.Concat(a.Read, told(question)), Known: a.Known,
	}}
}

// look makes the calls of looks, which take no more than the documents say, and returns their
// results.
func look(t *testing.T, s suite.Suite, ds toolqa.Dataset, a *author) (read []string) {
	t.Helper()

	if len(looks[ds]) == 0 {
		return nil
	}

	env, err := s.Environment("p_c", nil)
	if err != nil {
		t.Fatal(err)
	}

	if !strings.Contains(a.Tools["SQLInterpreter"], "their columns are those of the databases as loaded") {
		t.Error("the document of SQLInterpreter does not say where the names of columns are")
	}

	calls := []envs.Call{{Tool: "LoadDB", Name: "LoadDB", Args: envs.Object("DBName", string(ds))}}
	for _, sql := range looks[ds] {
		calls = append(calls, envs.Call{Tool: "SQLInterpreter", Name: "SQLInterpreter", Args: envs.Object("SQL", sql)})
	}

	state, err := env.Reset(t.Context(), s.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range calls {
		if missing := (&author{suitetest.Author{Tools: a.Tools, Read: read, Known: a.Known}}).call(c); missing != nil {
			t.Errorf("a first look: %q", missing)
		}

		next, err := env.Step(t.Context(), state, envs.Action(action.ReAct{}.Format("I look.", c)))
		if err != nil || next.Turn.Outcome != envs.OK {
			t.Fatalf("%v: %s, %v", c, next.Turn.Observation, err)
		}

		state, read = next.State, append(read, told(next.Turn.Observation)...)
	}
	return read
}

// writer solves a task as the plan says, and says where its author would not know how.
type writer struct {
	t        *testing.T
	env      envs.Environment
	deployed *toolapi.Version
	author   *author // sees the prompt of p_c, and notices
	reader   *author // sees the prompt of the deployed version
}

func (w *writer) solve(p suite.Planner, task envs.Task) {
	w.t.Helper()

	plan, ok := p.Plan(task.Question)
	if !ok {
		w.t.Errorf("no plan for %q", task.Question)
		return
	}

	state, err := w.env.Reset(w.t.Context(), task)
	if err != nil {
		w.t.Fatal(err)
	}

	var results []string

	for state.Status() == envs.Running {
		_, call, err := plan(results)
		if err != nil {
			w.t.Errorf("%s: %s: %v", w.deployed.Name, task.Question, err)
			return
		}

		for _, missing := range w.author.call(call) {
			w.t.Errorf("%s: %s: %s", w.deployed.Name, task.Labels[envs.LabelTemplate], missing)
		}

		turn := w.step(&state, w.lifted(&state, call))
		if turn.Outcome != envs.OK && !turn.Outcome.Ends() {
			w.t.Errorf("%s: %s: %s: %s", w.deployed.Name, task.Question, turn.Action, turn.Observation)
			return
		}

		results = append(results, wire.ReadAnswer(turn.Observation))
		w.author.Read = append(w.author.Read, told(results[len(results)-1])...)
	}
}

// lifted is a call as the deployed version wants it, of which its author learns by the notice that
// the call gets.
func (w *writer) lifted(state *envs.State, call envs.Call) envs.Call {
	w.t.Helper()

	lifted, err := envs.Lift(w.env, (*state).History(), call)
	if err != nil {
		w.t.Error(err)
		return call
	}

	missing := w.author.lowered(lifted, call)
	if missing != nil {
		d, ok := w.deployed.Deprecation(call.Name)
		if !ok {
			d, _ = w.deployed.Outdated(call.Name, call.Args)
		}

		if turn := w.step(state, call); !w.author.Learn(d, wire.ReadAnswer(turn.Observation)) {
			w.t.Errorf("%s: nobody learns how to say %v: %s", w.deployed.Name, call, turn.Observation)
		}

		missing = w.author.lowered(lifted, call)
	}

	w.reader.Read = w.author.Read
	for _, what := range append(missing, w.reader.lowered(lifted, call)...) {
		w.t.Errorf("%s: %s", w.deployed.Name, what)
	}
	return lifted
}

func (w *writer) step(state *envs.State, call envs.Call) envs.Turn {
	w.t.Helper()

	next, err := w.env.Step(w.t.Context(), *state, envs.Action(action.ReAct{}.Format("next", call)))
	if err != nil {
		w.t.Fatal(err)
	}

	*state = next.State
	return next.Turn
}

// call returns what of a call of the prompt version the author cannot know.
func (a *author) call(c envs.Call) []string {
	var missing, written []string

	for _, arg := range c.Args {
		text := arg.Value.(string)
		written = append(written, text)

		switch c.Tool {
		case "SQLInterpreter", "PythonInterpreter":
			missing = append(missing, a.Code(c.Name, text, ownNames(c.Tool, text)...)...)
			missing = append(missing, a.rounding(text)...)
		case "FilterDB":
			missing = append(missing, a.condition(text)...)
		case "GetValue":
			missing = append(missing, a.texts(c.Name, strings.Split(text, ", "))...)
		case "RetrieveAgenda", "RetrieveScirex":
			missing = append(missing, a.Code(c.Name, english.ReplaceAllString(text, " "))...)
		case envs.FinishTool:
			missing = append(missing, a.texts(c.Name, list.Split(text, -1))...)
		default:
			written = written[:len(written)-1]
		}
	}

	whole := *a
	whole.Read = append(written, a.Read...)
	return append(missing, whole.Call(c)...)
}

// rounding returns what of the decimals of a program nobody has told the author who writes answers.
func (a *author) rounding(program string) (missing []string) {
	for _, m := range decimals.FindAllStringSubmatch(program, -1) {
		if said := map[string]string{"1": "has one decimal", "2": "or two for"}[m[1]+m[2]]; said == "" ||
			!strings.Contains(a.Tools[envs.FinishTool], said) {
			missing = append(missing, "decimals: "+m[0])
		}
	}

	return missing
}

// condition returns what of the condition of a filter the author cannot know.
func (a *author) condition(text string) (missing []string) {
	for part := range strings.SplitSeq(text, ", ") {
		m := relation.FindStringSubmatch(part)
		if m == nil || !strings.Contains(a.Tools["FilterDB"], m[2]) {
			missing = append(missing, "FilterDB: "+part)
			continue
		}

		missing = append(missing, a.texts("FilterDB", []string{m[1], m[3]})...)
	}
	return missing
}

// texts returns which of some texts the author cannot know, neither as they are nor word by word.
func (a *author) texts(tool string, texts []string) (missing []string) {
	for _, text := range texts {
		whole := a.Author
		whole.Tools = map[string]string{"say": "say[text] " + a.Tools[tool]}

		said := whole.Call(envs.Call{Name: "say", Args: envs.Object("text", text)}) == nil
		if !said && a.Code(tool, text) != nil {
			missing = append(missing, tool+": "+text)
		}
	}

	return missing
}

// lowered returns what of a call of the deployed version the author of what it means cannot know.
func (a *author) lowered(c, meant envs.Call) []string {
	whole := *a

	var parts []string
	for _, arg := range meant.Args {
		parts = append(parts, arg.Value.(string))
	}

	slices.SortFunc(parts, func(x, y string) int { return len(y) - len(x) })
	whole.Read = append(slices.Clone(parts), a.Read...)

	var missing []string

	for _, arg := range c.Args {
		text, ok := arg.Value.(string)
		if !ok {
			continue
		}

		rest := text
		for _, part := range parts {
			rest = strings.ReplaceAll(rest, part, " ")
		}

		if rest != text { // the form around the values is that of the notice
			missing = append(missing, a.Code(c.Name, strings.Map(unquoted, rest))...)
			whole.Read = append(whole.Read, text)
		}
	}

	return append(missing, whole.Call(c)...)
}

func unquoted(r rune) rune {
	if r == '\'' || r == '"' {
		return ' '
	}
	return r
}

var (
	relation = regexp.MustCompile(`^(.*?)(>=|<=|=|<|>)(.*)$`)
	list     = regexp.MustCompile(`[,;] `)
	english  = regexp.MustCompile(`(?:^|\s)[a-z ]+(?:[\s,]|$)`)
	decimals = regexp.MustCompile(`%\.(\d)f|round\(.*, (\d)\)`)
	aliases  = regexp.MustCompile(`\bAS (\w+)`)
	names    = regexp.MustCompile(`(\w+)(?:, (\w+))* (?:=|\+=|in) |def (\w+)\((\w+)\)|\.(\w+)\(|\((\w+), (_)\)`)
	flight   = regexp.MustCompile(`\b([A-Z0-9]{2})(\d{1,4})\b`)
	clock    = regexp.MustCompile(`\b\d{1,2}:\d{2} [AP]M\b`)
	day      = regexp.MustCompile(`\b\d{4}/\d{2}/\d{2}\b`)
	hhmm     = regexp.MustCompile(`\b(\d{0,2})(\d{2})(?:\.0)?\b`)
)

// ownNames are those that a program, or a query, gives.
func ownNames(tool, program string) (given []string) {
	own := names
	if tool == "SQLInterpreter" {
		own = aliases
	}

	for _, m := range own.FindAllStringSubmatch(program, -1) {
		given = append(given, m[1:]...)
	}
	return given
}

// told is what a text says, and what can be computed from it: the carrier and the number of a
// flight, a time on 24 hours, a date in words, a time that is written without a colon.
func told(text string) []string {
	all := []string{text}
	for _, m := range flight.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+" "+m[2])
	}

	for _, c := range clock.FindAllString(text, -1) {
		if at, err := time.Parse("3:04 PM", c); err == nil {
			all = append(all, at.Format("15:04"))
		}
	}

	for _, d := range day.FindAllString(text, -1) {
		if at, err := time.Parse("2006/01/02", d); err == nil {
			all = append(all, at.Format("January 2, 2006"))
		}
	}

	for _, m := range hhmm.FindAllStringSubmatch(text, -1) {
		hour, _ := strconv.Atoi(m[1])
		all = append(all, fmt.Sprintf("%d:%s", hour, m[2]))
	}
	return all
}

// languages are the words of SQL and of Python that solutions use, and the numbers that everybody
// knows: of degrees, miles and minutes.
func languages() map[string]bool {
	known := map[string]bool{}

	for word := range strings.FieldsSeq(`
		select from where and as order by desc limit group avg max min count sum distinct between case when then end is
		not null over lag concat replace cast signed pow cos radians find_in_set true long
		print or str round from import datetime strptime def return if in for else len set int max sorted append dict zip
		values sum join split strip update count key math radians sin lambda i m p d
		0 1 2 1f 02d
		100 0.08 0.5 69.0 69.17 3 5 10 6378.137 0.00669438 1.609344 60 11 12 720
		yes no am pm`) {
		known[word] = true
	}

	return known
}
