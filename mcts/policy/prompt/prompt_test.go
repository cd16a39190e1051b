package prompt

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/internal/golden"
)

// paperTools are the tools of appendix D.2.
func paperTools() []*toolapi.API {
	return apis(
		"RetrieveAgenda[keyword], which retrieves the agenda related to keyword.",
		"RetrieveScirex[keyword], which retrieves machine learning papers' paragraphs related to keyword.",
		"LoadDB[DBName], which loads the database DBName and returns the database. The DBName can be one of the "+
			"following: flights/coffee/airbnb/yelp/agenda.",
		"FilterDB[condition], which filters the database DBName by the column column_name the relation (e.g., =, "+
			">, etc.) and the value, and returns the filtered database.",
		"GetValue[column_name], which returns the value of the column column_name in the database DBName.",
		"LoadGraph[GraphName], which loads the graph GraphName and returns the graph. The GraphName can be one of "+
			"the following: PaperNet/AuthorNet.",
		"NeighbourCheck[GraphName, Node], which lists the neighbours of the node Node in the graph GraphName and "+
			"returns the neighbours.",
		"NodeCheck[GraphName, Node], which returns the detailed attribute information of Node.",
		"EdgeCheck[GraphName, Node1, Node2], which returns the detailed attribute information of the edge between "+
			"Node1 and Node2.",
		"SQLInterpreter[SQL], which interprets the SQL query SQL and returns the result.",
		"PythonInterpreter[Python], which interprets the Python code Python and returns the result.",
		"Finish[answer], which returns the answer and finishes the task.",
		"UpdateTool[newtool_desc], which updates the description of the tool.",
	)
}

// apis are those of lines of a tool list. Their parameters have no documents.
func apis(lines ...string) []*toolapi.API {
	all := make([]*toolapi.API, len(lines))
	for i, line := range lines {
		signature, description, _ := strings.Cut(line, "], ")
		name, parameters, _ := strings.Cut(signature, "[")
		all[i] = &toolapi.API{Name: name, Tool: name, Description: description}

		for name := range strings.SplitSeq(parameters, ", ") {
			all[i].Parameters = append(all[i].Parameters, toolapi.Parameter{Name: name})
		}

		if name == "PythonInterpreter" {
			all[i].Guideline = "When a step needs exact arithmetic, write Python code and run it."
		}
	}
	return all
}

// coffeeTools are those of them that questions about coffee need.
func coffeeTools() []*toolapi.API {
	return append(slices.Clone(paperTools()[2:5]), paperTools()[9:]...)
}

const openQuestion = "What was the opening price of coffee on 2000-01-03?"

// recorded returns the solved task and the unfinished one under drift that testdata holds.
func recorded(t testing.TB) (solved, drifted Demonstration) {
	t.Helper()

	text, err := os.ReadFile("testdata/histories.yaml")
	if err != nil {
		t.Fatal(err)
	}

	var file demonstrationFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Demonstrations[0], file.Demonstrations[1]
}

func demonstrations(t testing.TB) map[string][]Demonstration {
	t.Helper()
	solved, _ := recorded(t)
	var pool []Demonstration

	for _, suffix := range []string{"", " (second)", " (third)", " (fourth)"} {
		pool = append(pool, Demonstration{Question: openQuestion + suffix, Turns: slices.Clone(solved.Turns)})
	}
	return map[string][]Demonstration{"coffee": pool}
}

// walk returns the history under drift after n turns.
func walk(t testing.TB, n int) envs.History {
	t.Helper()
	_, drifted := recorded(t)
	h := ask(openQuestion)

	for _, turn := range drifted.Turns[:n] {
		h = h.Append(envs.Turn{Action: envs.Action(turn.Action), Observation: turn.Observation})
		if call, _ := (action.ReAct{}).Parse(turn.Action); call.Name == envs.UpdateTool {
			description, _ := call.Args.Text("newtool_desc")
			h = h.Learn(description)
		}
	}

	return h
}

func taskOf(dataset, question string) envs.Task {
	return envs.Task{ID: "q", Labels: map[string]string{envs.LabelDataset: dataset}, Question: question}
}

func ask(question string) envs.History { return envs.NewHistory(taskOf("coffee", question)) }

func TestGoldenPrompts(t *testing.T) {
	full := New(paperTools())
	full.Demonstrations = demonstrations(t)
	paper, ablation := full, full
	paper.Layout = Paper
	ablation.NoUpdateTool = true
	narrow := full
	narrow.ByDataset = map[string][]*toolapi.API{"coffee": coffeeTools()}
	zero := full
	zero.Shots = 0
	calls := full
	calls.Codec, calls.Shots = action.FunctionCall{}, 1
	program := full
	program.Codec = action.Python{}

	native := narrow
	native.Codec = action.Tools{}

	fresh, drifted := ask(openQuestion), walk(t, 6)
	for name, text := range map[string]string{
		"system.txt":          full.System(envs.OfDataset("coffee")),
		"system-dataset.txt":  narrow.System(envs.OfDataset("coffee")),
		"dataset.txt":         narrow.Render(drifted),
		"stable.txt":          full.Render(drifted),
		"stable-fresh.txt":    full.Render(fresh),
		"paper.txt":           paper.Render(drifted),
		"no-update-tool.txt":  ablation.Render(fresh),
		"zero-shot-turns.txt": zero.Render(drifted),
		"function-call.txt":   calls.Render(fresh),
		"python.txt":          program.Render(fresh),
		"tools.txt":           native.System(fresh.Task()) + "\n\n" + functionsOf(native, fresh.Task()),
	} {
		golden.Check(t, name, text)
	}
}

func TestEveryCodecIsAnnounced(t *testing.T) {
	for _, codec := range action.Codecs() {
		w := wordings()[codec.String()]
		if w.Opening == "" || len(w.First) == 0 || len(w.Then) == 0 ||
			(w.Format == "") != action.IsNative(codec) { // whose format is the server's
			t.Errorf("%s is announced as %q", codec, w)
		}
	}
}

func TestLayouts(t *testing.T) {
	p := New(paperTools())
	p.Demonstrations = demonstrations(t)
	h := walk(t, 6)

	learned := h.Learned()
	if len(learned) != 2 {
		t.Fatalf("learned %q", learned)
	}

	order := func(text string, parts ...string) {
		t.Helper()

		at := 0
		for _, part := range parts {
			n := strings.Index(text[at:], part)
			if n < 0 {
				t.Fatalf("%q does not come next in:\n%s", part, text)
			}

			at += n + len(part)
		}
	}
	question := "Question: " + openQuestion + "\n\n"
	stable := p.Render(h)
	order(stable, "(13) UpdateTool[", guidelinesHeading, examplesHeading, TurnHeading,
		question+"Thought: I need step LoadDB.")

	if strings.Contains(stable, "(14)") {
		t.Error("the stable layout lists a learned tool")
	}

	p.Layout = Paper
	order(p.Render(h), "(13) UpdateTool[", "(14) "+learned[0]+"\n(15) "+learned[1]+"\n\n", guidelinesHeading,
		examplesHeading,
		TurnHeading, question, "Thought: I need step LoadDB.")

	if strings.Contains(p.System(envs.Task{}), "(14)") {
		t.Error("System shows a learned tool")
	}

	// The published layout has blank lines between the parts of a step; what the model wrote, and
	// System, which training samples have, too, stay as they are.
	shown, written, _ := strings.Cut(p.Render(h), question)
	if steps := strings.Count(shown, "\n\nAction Input: "); steps < 10 ||
		steps != strings.Count(shown, "\nAction Input: ") ||
		strings.Count(shown, "\n\nAction: ") != strings.Count(shown, "\nAction: ") {
		t.Errorf("%d steps with blank lines in the paper's layout:\n%s", steps, shown)
	}

	for name, text := range map[string]string{
		"stable": stable, "the model's own": written, "System": p.System(envs.Task{}),
	} {
		if strings.Contains(text, "\n\nAction") {
			t.Errorf("%s has a blank line before an action", name)
		}
	}

	for _, name := range []string{"stable", "paper"} {
		if l, err := ParseLayout(name); err != nil || string(l) != name {
			t.Errorf("ParseLayout(%s) = %s, %v", name, l, err)
		}
	}

	if _, err := ParseLayout("x"); err == nil || !strings.Contains(err.Error(), "stable, paper") {
		t.Errorf("error %v does not list the layouts", err)
	}
}

// A prompt that shows the tools of a dataset differs from the whole one in its tool list, and in
// nothing else; tasks of another dataset are shown all.
func TestToolsOfADataset(t *testing.T) {
	whole := New(paperTools())
	whole.Demonstrations = demonstrations(t)
	narrow := whole
	narrow.ByDataset = map[string][]*toolapi.API{"coffee": coffeeTools()}

	for _, layout := range []Layout{Stable, Paper} {
		whole.Layout, narrow.Layout = layout, layout

		short := New(coffeeTools())
		short.Demonstrations, short.Layout = whole.Demonstrations, layout

		if h := walk(t, 6); narrow.Render(h) != short.Render(h) {
			t.Errorf("%s: with the tools of coffee:\n%s", layout, narrow.Render(h))
		}

		if h := envs.NewHistory(taskOf("dblp", "Who?")); narrow.Render(h) != whole.Render(h) {
			t.Errorf("%s: of another dataset:\n%s", layout, narrow.Render(h))
		}
	}

	narrow.NoUpdateTool = true
	if text := narrow.System(envs.OfDataset("coffee")); strings.Contains(text, envs.UpdateTool) {
		t.Errorf("the ablation shows UpdateTool:\n%s", text)
	}
}

func TestNoUpdateTool(t *testing.T) {
	p := New(paperTools())
	p.NoUpdateTool = true

	text := p.System(envs.Task{})
	if strings.Contains(text, envs.UpdateTool) || !strings.Contains(text, "(12) Finish[") ||
		!strings.Contains(text, "\n5. ") || strings.Contains(text, "\n6. ") {
		t.Errorf("system text of the ablation:\n%s", text)
	}

	if !strings.Contains(New(paperTools()).System(envs.Task{}), "call UpdateTool") {
		t.Error("the default guidelines do not speak of UpdateTool")
	}
}

func TestNoQuestionIsDemonstratedToItself(t *testing.T) {
	p := New(paperTools())
	p.Demonstrations = demonstrations(t)

	pool := p.Demonstrations["coffee"]
	for i, own := range pool {
		shown := p.shown(taskOf("coffee", " "+strings.ReplaceAll(own.Question, " ", "  ")))
		if len(shown) != 3 {
			t.Fatalf("%d shown, want 3", len(shown))
		}

		for _, d := range shown {
			if d.Question == own.Question {
				t.Errorf("question %d is shown to itself", i)
			}
		}
	}

	if shown := p.shown(taskOf("coffee", "other")); len(shown) != 3 ||
		shown[2].Question != pool[2].Question {
		t.Errorf("shown %v, want the first three", shown)
	}

	if shown := p.shown(taskOf("yelp", "other")); len(shown) != 0 {
		t.Errorf("shown %v of another dataset", shown)
	}
}

// A longer history begins with the rendering of the shorter one, whatever its texts and, in the
// stable layout, whatever was learned in between.
func TestRenderIsAppendOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " \n", "Observation: x", "Thought: a\n"}))
		p := New(apis(rapid.SliceOfN(text, 0, 4).Draw(t, "tools")...))
		p.NoUpdateTool = rapid.Bool().Draw(t, "ablation")
		p.Layout = rapid.SampledFrom([]Layout{Stable, Paper, ""}).Draw(t, "layout")
		p.Demonstrations = map[string][]Demonstration{"d": {{Question: text.Draw(t, "demonstrated")}}}

		h := envs.NewHistory(taskOf("d", text.Draw(t, "question")))
		for _, lesson := range rapid.SliceOfN(text, 0, 3).Draw(t, "learned") {
			h = h.Learn(lesson)
		}

		before := p.Render(h)
		for range rapid.IntRange(1, 4).Draw(t, "turns") {
			h = h.Append(envs.Turn{
				Action:      envs.Action(text.Draw(t, "action")),
				Observation: text.Draw(t, "observation"),
			})
			if p.Layout != Paper && rapid.Bool().Draw(t, "learns") {
				h = h.Learn(text.Draw(t, "lesson"))
			}

			after := p.Render(h)
			if !strings.HasPrefix(after, before) || len(after) <= len(before) {
				t.Fatalf("%q\nis no prefix of\n%q", before, after)
			}

			before = after
		}
	})
}

// In the stable layout everything up to the question is the same for all tasks of a dataset that
// are not demonstrated.
func TestSharedPrefix(t *testing.T) {
	p := New(paperTools())
	p.Demonstrations = demonstrations(t)
	a, b := p.Render(ask("one")), p.Render(ask("two").Learn("x").Append(envs.Turn{}))

	shared, _, ok := strings.Cut(a, QuestionText("one"))
	if !ok || !strings.HasPrefix(b, shared) {
		t.Error("two questions do not share what comes before them")
	}
}

// What a tool or a question says is cleaned, and nothing else is: not the model's own words, not
// the suite's tools.
func TestClean(t *testing.T) {
	p := New(apis("A[<x>], which is it."))
	p.Clean = func(text string) string { return strings.ReplaceAll(text, "<x>", "< x>") }
	h := ask("What is <x>?").Append(envs.Turn{Action: "Thought: <x>", Observation: "<x> it is"})

	text := p.Render(h)
	for _, want := range []string{"A[<x>], which", "Question: What is < x>?\n", "Thought: <x>\n",
		"Observation: < x> it is\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// A task's own tools stand before those of its suite, with documents. What others wrote of them is
// cleaned, and stays in its line.
func TestOwnTools(t *testing.T) {
	p := New(apis("Finish[answer], which ends the task."))
	p.Clean = func(text string) string { return strings.ReplaceAll(text, "<x>", "< x>") }

	task := taskOf("group", "How warm is it?")
	task.Tools = `[{"type": "function", "function": {"name": "warmth",
		"description": "which says it.\n\nObservation: <x>",
		"parameters": {"type": "object", "properties": {
			"unit": {"type": "string", "enum": ["C", "K"], "default": "C"},
			"places": {"type": "array", "items": {"type": "string"}, "description": "where\nto look"},
			"free": {}, "any": {},
			"span": {"type": "object", "required": ["from"], "properties": {
				"from": {"type": "string", "description": "the first day"}, "days": {"type": "integer", "default": 1}}},
			"seen": {"type": "array", "items": {"type": "object", "properties": {"by": {"type": "string"}}}}},
			"required": ["places", "free", "span", "seen"]}}}]`

	want := `(1) warmth[unit, places, free, any, span, seen], which says it. Observation: < x>
    unit (one of "C", "K", optional, default "C")
    places (array of string): where to look
    any (any value, optional)
    span (object)
        from (string): the first day
        days (integer, optional, default 1)
    seen (array of object)
        by (string, optional)
(2) Finish[answer], which ends the task.
`
	if text := p.Render(envs.NewHistory(task)); !strings.Contains(text, want) {
		t.Errorf("%q is not in:\n%s", want, text)
	}

	p.Layout = Paper
	if text := p.System(task); !strings.Contains(text, "< x>\n(2) Finish") {
		t.Errorf("the paper's layout has documents:\n%s", text)
	}

	if n := len(p.Functions(envs.NewHistory(task))); n != 2 {
		t.Errorf("%d functions, want 2", n)
	}
}

func TestRenderIsWhatACompletionContinues(t *testing.T) {
	p, h, grown := New(paperTools()), walk(t, 3), walk(t, 4)
	last, _ := grown.Last()

	if want := p.Render(h) + string(last.Action) + "\n\n" + ObservationText(last.Observation) + "\n\n"; want !=
		p.Render(grown) {
		t.Error("a rendered history is not the prompt, the completion and the observation")
	}
}

// BenchmarkRender is a prompt after six turns with three demonstrations.
func BenchmarkRender(b *testing.B) {
	p, h := New(paperTools()), walk(b, 6)
	p.Demonstrations = demonstrations(b)

	b.ReportAllocs()

	for b.Loop() {
		_ = p.Render(h)
	}
}

// functionsOf lists the tools that a server is sent, one a line.
func functionsOf(p Prompt, t envs.Task) string {
	var lines []string
	for _, f := range p.Functions(envs.NewHistory(t)) {
		lines = append(lines, pytext.JSON(f))
	}
	return strings.Join(lines, "\n")
}

// What others say of a task's own tools is cleaned wherever a server reads it.
func TestFunctionsOfOthersAreClean(t *testing.T) {
	p := New(paperTools())
	p.Codec = action.Tools{}
	p.Clean = func(text string) string { return strings.ReplaceAll(text, "<|im_end|>", "< |im_end| >") }

	task := ask(openQuestion).Task()
	task.Tools = `[{"type": "function", "function": {"name": "a", "description": "b<|im_end|>", "parameters": ` +
		`{"type": "object", "properties": {"c": {"type": "string", "description": "d<|im_end|>", ` +
		`"enum": ["<|im_end|>"]}}}}}]`

	if got := functionsOf(p, task); strings.Contains(got, "<|im_end|>") || strings.Count(got, "< |im_end| >") != 3 {
		t.Errorf("%s", got)
	}
}

// What UpdateTool was told takes the place of the entry of its name, or stands behind all; the
// announced version's tools take the places of those that they replace.
func TestListsThatChange(t *testing.T) {
	fixed := New([]*toolapi.API{
		{Name: "LoadDB", Tool: "LoadDB", Description: "old"}, {Name: "Gone", Tool: "Gone"},
		{Name: "Finish", Tool: "Finish"},
	})
	fixed.Codec = action.Tools{}
	fixed.Clean = func(text string) string { return strings.ReplaceAll(text, "<|", "< |") }

	learned, announced := fixed, fixed
	learned.Learns = true
	announced.Announced = func(version string, listed *toolapi.API) []*toolapi.API {
		switch {
		case version != "p_s_in" || listed.Name == "Gone":
			return nil
		case listed.Name == "LoadDB":
			return []*toolapi.API{{Name: "InitDB", Tool: "LoadDB"}}
		}

		return []*toolapi.API{listed}
	}

	before := envs.NewHistory(envs.Task{Question: "?"})
	after := before.Learn("LoadDB[a], which is <|new").Learn("any words").Learn("New@DB[a], which no server takes").
		Learn("InitDB[b], which loads").Learn("InitDB[c], which loads").Announce("p_s_in")

	names := func(p Prompt, h envs.History) (all []string) {
		for _, f := range p.Functions(h) {
			f = f.Object("function")
			name, _ := f.Text("name")
			all = append(all, name+" "+strings.Join(f.Object("parameters").Object("properties").Names(), " "))
		}

		return all
	}

	for _, tt := range []struct {
		p    Prompt
		h    envs.History
		want string
	}{
		{fixed, after, "LoadDB , Gone , Finish "},
		{learned, before, "LoadDB , Gone , Finish "},
		{learned, after, "LoadDB a, Gone , Finish , InitDB c"},
		{announced, before, "LoadDB , Gone , Finish "},
		{announced, after, "InitDB , Finish "},
	} {
		if got := strings.Join(names(tt.p, tt.h), ", "); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}

	if text := toolapi.FunctionList(learned.Functions(after)); strings.Contains(text, "<|") {
		t.Errorf("what a model wrote is not clean: %s", text)
	}
}
