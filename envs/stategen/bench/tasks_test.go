package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/dynamic"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// mixed is the choice of a data folder in whose file the domains are out of order.
func mixed(t testing.TB) suite.Choice {
	t.Helper()

	data := t.TempDir()

	for _, name := range []string{"voice", "session", "tensor", "voice"} {
		d, err := domains.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}

		f, err := taskfile.Edit(data, suite.Splits())
		if err != nil {
			t.Fatal(err)
		}

		n := f.Count("test", name) + 6
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}

		g := wanted(t, "test", n)
		g.domains = []stategen.Domain{d}

		if _, err := g.run(t.Context(), data, &console.Steps{}); err != nil {
			t.Fatal(err)
		}
	}
	return suite.Choice{Data: data, Split: "test", Prompt: base,
		Environment: dynamic.Settings{UpdateTool: true}}
}

// tasksIn returns the generated tasks of the test split, as their file has them.
func tasksIn(t testing.TB, data string) []*stategen.Task {
	t.Helper()

	var all []*stategen.Task

	f, err := taskfile.Open(data, "test", func(t *stategen.Task) error {
		all = append(all, t)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// naively returns the tasks of generated ones as the package comment says them: by domain, in
// alphabetical order, branching ones first, then as the file has them.
func naively(all []*stategen.Task, of func(t *stategen.Task) []string) (ids []string,
	labels map[string][3]string) {
	labels = map[string][3]string{}

	for _, domain := range []string{"session", "tensor", "voice"} {
		for _, difficulty := range []string{"branching", "linear"} {
			for _, t := range all {
				has := "linear"
				if t.Program.Branch != nil {
					has = "branching"
				}

				if t.Program.Domain != domain || has != difficulty {
					continue
				}

				for _, id := range of(t) {
					ids = append(ids, id)
					labels[id] = [3]string{domain, difficulty, t.ID}
				}
			}
		}
	}

	return ids, labels
}

func idsOf(tasks []envs.Task) []string {
	var ids []string
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// The package comment about tasks, read naively: their order, IDs and labels, and what a question
// has.
func TestTasks(t *testing.T) {
	t.Parallel()

	c := mixed(t)
	s, generated := open(t, c), tasksIn(t, c.Data)

	want, labels := naively(generated, func(t *stategen.Task) []string {
		var ids []string
		for _, c := range t.Cases {
			ids = append(ids, t.ID+"/"+c.Path)
		}
		return ids
	})

	tasks := s.Tasks()
	if diff := cmp.Diff(want, idsOf(tasks)); diff != "" {
		t.Error(diff)
	}

	listed, err := StateGen{}.List(c.Data, c.Split)
	if diff := cmp.Diff(tasks, listed); diff != "" || err != nil {
		t.Errorf("the list has others (%v): %s", err, diff)
	}

	for _, task := range tasks {
		got := [3]string{task.Labels["dataset"], task.Labels["difficulty"], task.Labels["program"]}
		if got != labels[task.ID] {
			t.Errorf("%s has the labels %v", task.ID, got)
		}

		of := generated[slices.IndexFunc(generated,
			func(g *stategen.Task) bool { return g.ID == got[2] })]
		number := slices.IndexFunc(of.Cases,
			func(c stategen.Case) bool { return of.ID+"/"+c.Path == task.ID })

		parts := []string{of.Instruction.Variables, of.Instruction.Text}
		for _, v := range of.Program.Init {
			value := v.Value.Any
			if set, ok := of.Cases[number].Set[v.Name]; ok {
				value = set.Any
			}

			parts = append(parts, v.Name+" = "+string(pytext.AppendJSON(nil, value))+"\n")
		}

		question := task.Question
		for _, part := range append(parts, "\nGive RESULT as the answer, written as JSON.") {
			_, rest, ok := strings.Cut(question, part)
			if !ok {
				t.Fatalf("%s: %q is not in order in the question\n%s", task.ID, part, task.Question)
			}

			question = rest
		}
	}
}

// A program without variables is told without any.
func TestGiven(t *testing.T) {
	t.Parallel()

	const how = "Give RESULT as the answer, written as JSON. What a tool has returned may be given whole, or by its " +
		"handle where it has one."

	one := stategen.Program{Init: []stategen.Variable{{Name: "n", Value: stategen.Value{Any: "1"}}}}

	if got := valuesOf(&stategen.Program{}, stategen.Case{}); got != how {
		t.Errorf("without variables it is %q", got)
	}

	if got, want := valuesOf(&one,
		stategen.Case{}), "The values are:\nn = \"1\"\n\n"+how; got != want {
		t.Errorf("with one it is %q, want %q", got, want)
	}
}

// What is chosen is what is there of it, in the order of all.
func TestChoose(t *testing.T) {
	t.Parallel()

	whole := mixed(t)
	all := open(t, whole).Tasks()

	for _, tt := range []struct {
		datasets, difficulties, has []string
	}{
		{nil, nil, []string{"session", "tensor", "voice"}},
		{[]string{"voice", "session"}, nil, []string{"session", "voice"}},
		{[]string{"tensor"}, []string{linear}, []string{"tensor"}},
		{nil, []string{branching}, []string{"session", "tensor", "voice"}},
	} {
		c := whole
		c.Datasets, c.Difficulties = tt.datasets, tt.difficulties

		var want []string

		for _, task := range all {
			if slices.Contains(tt.has, task.Labels[envs.LabelDataset]) &&
				(tt.difficulties == nil || slices.Contains(tt.difficulties,
					task.Labels[envs.LabelDifficulty])) {
				want = append(want, task.ID)
			}
		}

		s := open(t, c)
		if diff := cmp.Diff(want, idsOf(s.Tasks())); diff != "" ||
			!slices.Equal(s.Datasets(), tt.has) {
			t.Errorf("%+v: datasets %v, tasks %s", tt, s.Datasets(), diff)
		}
	}

	few := whole
	few.Data, few.Datasets = t.TempDir(), []string{"tensor"}

	g := wanted(t, "test", 1)
	g.domains = g.domains[:1] // session alone

	if _, err := g.run(t.Context(), few.Data, &console.Steps{}); err != nil {
		t.Fatal(err)
	}

	if _, err := (StateGen{}).Open(t.Context(), few); err == nil ||
		!strings.Contains(err.Error(), "of the domain tensor") {
		t.Errorf("a domain without tasks: %v", err)
	}

	few.Datasets = nil
	if s := open(t, few); !slices.Equal(s.Datasets(), []string{"session"}) {
		t.Errorf("the datasets are %v", s.Datasets())
	}
}

// What the benchmark says of itself is what the domains, its versions and its file are.
func TestBenchmark(t *testing.T) {
	t.Parallel()

	of := StateGen{}
	if of.Name() != "stategen" {
		t.Errorf("it is called %s", of.Name())
	}

	for setting, want := range map[string][]string{
		"dataset": {"session", "tensor", "voice"}, "difficulty": {"branching", "linear"},
		"split": {"train", "dev", "test", "examples"}, "codec": nil,
	} {
		if got := of.Values(setting); !slices.Equal(got, want) {
			t.Errorf("%s can be %v, want %v", setting, got, want)
		}
	}

	shown, unasked := of.DatasetTools()
	if !unasked {
		t.Error("prompts show a task the tools of all domains")
	}

	for _, d := range domains.All() {
		var want []string
		for _, a := range d.APIs() {
			want = append(want, a.Name)
		}

		want = append(want, "Finish", "UpdateTool")
		if !slices.Equal(shown[d.Name()], want) {
			t.Errorf("%s has the tools %v, want %v", d.Name(), shown[d.Name()], want)
		}
	}

	if names := slices.Sorted(maps.Keys(shown)); len(names) != 3 {
		t.Errorf("tools of %v", names)
	}

	const own = "version: mine\nfrom: p_c\napis: []\n"
	if _, err := of.Versions("", toolapi.File{Path: "mine.yaml",
		Text: own + "colour: red\n"}); err == nil {
		t.Error("a file of a version that cannot be read is no error")
	}

	c := choice(t, 1)

	text, err := os.ReadFile(taskfile.Path(c.Data, c.Split))
	if err != nil {
		t.Fatal(err)
	}

	s := open(t, c)
	sum := sha256.Sum256(text)

	if want := map[string]string{"split test": hex.EncodeToString(sum[:])}; !maps.Equal(s.Lineage(),
		want) {
		t.Errorf("the lineage is %v, want %v", s.Lineage(), want)
	}
}

// A suite that is closed plays nothing that it did not have ready; all failures are ours.
func TestClosed(t *testing.T) {
	t.Parallel()

	c := choice(t, 1)

	s, err := StateGen{}.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	env, task := environmentOf(t, s, base), s.Tasks()[0]

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	_, err = env.Reset(t.Context(), task)
	if stage, _ := envs.FailedStage(err); stage != envs.StageEnvironment {
		t.Errorf("a task of a closed suite begins: %v", err)
	}

	plan, _ := s.(suite.Planner).Plan(task.Question)
	if _, call, err := plan(nil); err == nil {
		t.Errorf("the plan of a closed suite calls %+v", call)
	}

	for name, call := range map[string]func() error{
		"a version that is not there": func() error { _, err := s.Environment("nobody", nil); return err },
		"the answer of a task that was not begun": func() error {
			_, err := grader{s.(*opened)}.Grade(t.Context(), playing{}, envs.NewHistory(task), "1")
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s is no error", name)
		}
	}

	if _, ok := s.(suite.Planner).Plan("another question"); ok {
		t.Error("a question that nobody asks has a plan")
	}
}

// An argument that no session ever has is the agent's misreading; one that fits none of those that
// are there is a mismanaged state.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, 1))
	env := environmentOf(t, s, base)

	i := slices.IndexFunc(s.Tasks(), func(t envs.Task) bool {
		return t.Labels[envs.LabelDataset] == "session"
	})

	state, err := env.Reset(t.Context(), s.Tasks()[i])
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		call envs.Call
		want envs.Outcome
		says string
	}{
		{envs.Call{Name: "query_sessions", Args: envs.Object(
			"source", "hub", "type", "group", "field", "title", "value", "x",
		)}, envs.InvocationError, `The field "title" is not of the form data.KEY, e.g. data.title.`},
		{envs.Call{Name: "delete_session", Args: envs.Object(
			"source", "hub", "type", "group", "id", "nobody",
		)}, envs.ToolError, `There is no session with the id "nobody" of the source "hub" and type group.`},
	} {
		next, err := env.Step(t.Context(), state, text(c.call))
		if err != nil {
			t.Fatal(err)
		}

		if next.Turn.Outcome != c.want || next.Turn.Observation != c.says {
			t.Errorf("%s: %+v, want %s and %q", c.call.Name, next.Turn, c.want, c.says)
		}
	}
}

// Calls of a service change nothing of another one, and belong to tasks. No call is a load.
func TestServices(t *testing.T) {
	t.Parallel()

	c := choice(t, 1)
	c.Environment.MaxLoads = 1
	s := open(t, c)
	env := environmentOf(t, s, base)

	byDomain := map[string]envs.Task{}
	calls := map[string]envs.Call{}

	for _, task := range s.Tasks() {
		domain := task.Labels[envs.LabelDataset]
		_, all := play(t, s, env, task, as)
		byDomain[domain], calls[domain] = task, all[0]
	}

	for domain, task := range byDomain {
		state, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		for other, call := range calls {
			next, err := env.Step(t.Context(), state, text(call))
			if err != nil {
				t.Fatal(err)
			}

			// Where a call was let through, the service may have changed.
			alike := env.(envs.Comparer).Alike(state, next.State)
			refused := next.Turn.Outcome == envs.ToolError &&
				next.Turn.Observation == "Error: "+call.Name+" is of another service than this task."

			if refused != (domain != other) || refused && !alike {
				t.Errorf("%s of %s in a task of %s: %+v", call.Name, other, domain, next.Turn)
			}
		}

		if turn, err := env.(*dynamic.Environment[playing]).Call(t.Context(),
			calls[domain]); err == nil {
			t.Errorf("a call without a task is answered with %+v", turn)
		}
	}

	// States are alike where the same calls of the same task were made, and in no other task.
	tasks := s.Tasks()
	first, _ := play(t, s, env, tasks[0], as)
	again, _ := play(t, s, env, tasks[0], as)
	other, _ := play(t, s, env, tasks[1], as)

	if !env.(envs.Comparer).Alike(first.State, again.State) ||
		env.(envs.Comparer).Alike(first.State, other.State) {
		t.Error("states of the same calls are not alike, or those of two tasks are")
	}
}

// Files that are no tasks of this program are told with the task.
func TestForeignFiles(t *testing.T) {
	t.Parallel()

	c := choice(t, 1)

	text, err := os.ReadFile(taskfile.Path(c.Data, c.Split))
	if err != nil {
		t.Fatal(err)
	}

	unhashed(t, c.Data)

	for want, changed := range map[string][]byte{
		"unknown domain": bytes.Replace(text, []byte(`"domain":"tensor"`),
			[]byte(`"domain":"tensors"`), 1),
		"two tasks are called": append(slices.Clone(text), text...),
	} {
		if err := os.WriteFile(taskfile.Path(c.Data, c.Split), changed, 0o600); err != nil {
			t.Fatal(err)
		}

		if _, err := (StateGen{}).Open(t.Context(), c); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("opening says %v, want %s", err, want)
		}

		if tasks, err := (StateGen{}).List(c.Data, c.Split); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("listing says %v and gives %d tasks, want %s", err, len(tasks), want)
		}
	}
}

// Where a model answers with a program, a task is a generated one with all of its cases.
func TestPrograms(t *testing.T) {
	t.Parallel()

	c := mixed(t)
	c.Environment.Codec = "python"

	s, err := StateGen{}.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })

	want, labels := naively(tasksIn(t, c.Data),
		func(t *stategen.Task) []string { return []string{t.ID} })
	if diff := cmp.Diff(want, idsOf(s.Tasks())); diff != "" {
		t.Error(diff)
	}

	env, err := s.Environment("p_s_in", nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, task := range s.Tasks() {
		if got := [3]string{task.Labels["dataset"], task.Labels["difficulty"],
			task.Labels["program"]}; got !=
			labels[task.ID] {
			t.Errorf("%s has the labels %v", task.ID, got)
		}

		if _, err := env.Reset(t.Context(), task); err != nil {
			t.Error(err)
		}

		plan, ok := s.(suite.Planner).Plan(task.Question)
		if !ok {
			t.Fatalf("%s has no plan", task.ID)
		}

		shown, err := show(c.Data, task.ID)
		if err != nil {
			t.Fatal(err)
		}

		_, call, err := plan(nil)
		if program, _ := call.Args[0].Value.(string); err != nil || strings.TrimSpace(program) !=
			strings.TrimSpace(shown.Source) {
			t.Errorf("%s: the plan is\n%s\n(%v), want\n%s", task.ID, program, err, shown.Source)
		}
	}

	if _, err := env.Reset(t.Context(), envs.Task{ID: "voice-9-00000"}); err == nil {
		t.Error("a task that is not there begins")
	}

	if _, ok := s.(suite.Planner).Plan("another question"); ok {
		t.Error("a question that nobody asks has a plan")
	}

	if _, err := s.Environment("nobody", nil); err == nil {
		t.Error("a version that is not there is deployed")
	}

	c.Prompt = "nobody"
	if _, err := (StateGen{}).Open(t.Context(), c); err == nil {
		t.Error("a version that is not there is shown")
	}

	if !slices.ContainsFunc(StateGen{}.Codecs(),
		func(c action.Codec) bool { return c == action.Python{} }) {
		t.Error("no codec of programs")
	}
}

// patient is a context that ends after its error was asked for some times.
type patient struct {
	context.Context
	left int
}

func (p *patient) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// A generation that ends at any point has kept whole tasks, and counts them when it goes on.
func TestGenerationEnds(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	ended := 0

	for patience := 0; ; patience += 3 {
		g := wanted(t, "train", 4)
		g.options.Workers = 1

		before, _ := os.ReadFile(taskfile.Path(data, "train"))
		made, err := g.run(&patient{t.Context(), patience}, data, &console.Steps{})
		after, _ := os.ReadFile(taskfile.Path(data, "train"))

		if !bytes.HasPrefix(after, before) || made.Path != taskfile.Path(data, "train") ||
			made.Split != "train" {
			t.Fatalf("after %d bytes of tasks there are %d: %+v", len(before), len(after), made)
		}

		if err == nil {
			if len(made.Domains) != 3 {
				t.Errorf("made %+v", made)
			}

			break
		}

		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}

		ended++
	}

	if ended == 0 {
		t.Error("no generation was interrupted")
	}

	whole := t.TempDir()
	generate(t, whole, "train", 4)

	want, err1 := os.ReadFile(taskfile.Path(whole, "train"))
	got, err2 := os.ReadFile(taskfile.Path(data, "train"))

	if err := errors.Join(err1, err2); err != nil || string(got) != string(want) {
		t.Errorf("the tasks differ from those of one generation (%v)", err)
	}
}

// Programs that a folder has are not made again, and a domain is given up after 200 of them in a
// row.
func TestRepeatedPrograms(t *testing.T) {
	t.Parallel()

	few := func() *generating {
		g := wanted(t, "train", 205)
		g.domains, g.options.Calls = []stategen.Domain{domains.All()[2]}, 2
		return g
	}

	whole := t.TempDir()
	if _, err := few().run(t.Context(), whole, &console.Steps{}); err != nil {
		t.Fatal(err)
	}

	text, err := os.ReadFile(taskfile.Path(whole, "train"))
	if err != nil {
		t.Fatal(err)
	}

	lines := bytes.SplitAfter(text, []byte("\n"))[:205]

	for _, tt := range []struct {
		name     string
		has      [][]byte
		repeated int
		fails    bool
	}{
		{"199 of them", lines[:199], 199, false},
		{"200 of them", lines[:200], 0, true},
		{"a new one among 204", slices.Concat(lines[:100], lines[101:]), 204, false},
	} {
		// Another program wrote the other split, and no book counts its tasks.
		data := t.TempDir()
		if err := os.MkdirAll(data+"/stategen", 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(taskfile.Path(data, "dev"), bytes.Join(tt.has, nil),
			0o600); err != nil {
			t.Fatal(err)
		}

		g := few()
		g.tasks = 1

		if tt.repeated == 204 {
			g.tasks = 2
		}

		made, err := g.run(t.Context(), data, &console.Steps{})
		if tt.fails {
			if err == nil || !strings.Contains(err.Error(), "the last 200 programs of voice") {
				t.Errorf("%s: error %v", tt.name, err)
			}

			continue
		}

		if err != nil || made.Domains[0].Repeated != tt.repeated ||
			made.Domains[0].Added != g.tasks {
			t.Errorf("%s: %+v (%v)", tt.name, made, err)
		}
	}
}
