package scripted

import (
	"errors"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/wire"
	"toolevo/mcts"
)

const (
	openQuestion   = "What was the opening price of coffee on 2000-01-03?"
	openAnswer     = "122.25"
	strangeRequest = "Write a poem."
)

// plans solves openQuestion: load, filter, read, compute, finish.
func plans(question string) (envs.Plan, bool) {
	if !strings.HasPrefix(question, "What was the opening price") {
		return nil, false
	}

	steps := []envs.Call{
		{Tool: "LoadDB", Name: "LoadDB", Args: kv("DBName", "coffee")},
		{Tool: "FilterDB", Name: "FilterDB", Args: kv("condition", "Date=2000-01-03, Open>1")},
		{Tool: "GetValue", Name: "GetValue", Args: kv("column_name", "Open")},
		{Tool: "PythonInterpreter", Name: "PythonInterpreter", Args: kv("Python", "x = 122.25\nprint(x)")},
	}

	return func(results []string) (string, envs.Call, error) {
		if len(results) > 2 && !strings.Contains(results[2], openAnswer) {
			return "", envs.Call{}, errors.New("no opening price")
		}

		if len(results) < len(steps) {
			return "I need step " + steps[len(results)].Tool + ".", steps[len(results)], nil
		}
		return "I know the answer.", envs.Finish(results[3]), nil
	}, true
}

// world is a small environment with the tools the plan needs, under the names of one version.
type world struct {
	codec   action.Codec       // nil is ReAct, read strictly
	names   map[string]drifted // by tool; empty in the prompt version
	answers map[string]string  // by the call in the deployed version
	refuse  map[string]string  // observations of tools that always fail, by deployed name
	wraps   bool               // answers are JSON objects
}

func newWorld(version string) *world {
	w := &world{names: map[string]drifted{}, answers: map[string]string{}}

	for _, d := range driftedTools() {
		old, _, _ := strings.Cut(strings.TrimPrefix(d.notice, "Error: "), "[")
		if d.version == version {
			w.names[old] = d
		}
	}

	p, _ := plans(openQuestion)

	results := []string{
		"We have successfully loaded the coffee database, including the following columns: Date, Open, High, Low, " +
			"Close, Volume, Currency.",
		"We have successfully filtered the data (1 rows).", `{"Open": "122.25"}`, openAnswer,
	}
	for i, r := range results {
		_, call, _ := p(results[:i])

		name, args := call.Name, call.Args
		if d, ok := w.names[name]; ok {
			u, _ := parseNotice(d.notice)
			name, args = d.name, u.apply(args, false)
		}

		w.answers[name+string(pytext.AppendJSON(nil, args))] = r
	}
	return w
}

// act answers one completion.
func (w *world) act(h envs.History, text string) envs.History {
	turn := envs.Turn{
		Action:      envs.Action(text),
		Outcome:     envs.Malformed,
		Observation: "Your action is filtered due to some error in content.",
	}

	call, err := action.ReAct{}.ParseStrict(text)
	if w.codec != nil {
		call, err = w.codec.Parse(text)
	}

	if err != nil {
		return h.Append(turn)
	}

	name, args := call.Name, call.Args
	turn.Call = envs.Call{Tool: name, Name: name, Args: args}
	d, old := w.names[name]

	observation, known := w.answers[name+string(pytext.AppendJSON(nil, args))]
	switch {
	case w.refuse[name] != "":
		turn.Outcome, turn.Observation = envs.ToolError, w.refuse[name]
	case name == envs.FinishTool:
		turn.Outcome, turn.Observation = envs.Incorrect, "Answer is INCORRECT"
		if a, _ := args.Text("answer"); a == openAnswer {
			turn.Outcome, turn.Observation = envs.Correct, "Answer is CORRECT"
		}
	case name == envs.UpdateTool:
		turn.Outcome, turn.Observation = envs.OK, "The description for the new tool has been updated successfully."
		desc, _ := args.Text("newtool_desc")
		h = h.Learn(desc)
	case old:
		turn.Outcome, turn.Observation = envs.Deprecated, d.notice
	case known:
		turn.Outcome, turn.Observation = envs.OK, observation
	default:
		turn.Outcome, turn.Observation = envs.InvocationError,
			"There is something wrong with the arguments you send. Please modify it."
	}

	if w.wraps && name != envs.FinishTool && name != envs.UpdateTool {
		format := wire.AnswerForm{State: "State", Message: "Message"}
		turn.Observation = format.Wrap(turn.Outcome == envs.OK, turn.Observation)
	}
	return h.Append(turn)
}

// telling is a world that says how calls are written in it.
type telling struct {
	envs.Environment // nil: a policy asks for nothing else
	*world
}

// Lift implements [envs.Lifter].
func (w telling) Lift(_ envs.History, c envs.Call) (envs.Call, error) {
	d, ok := w.names[c.Name]
	if !ok {
		return c, nil
	}

	u, _ := parseNotice(d.notice)
	return envs.Call{Tool: c.Tool, Name: d.name, Args: u.apply(c.Args, false)}, nil
}

// in is a policy in a world, told what it may know.
func in(w *world, p Profile) *Policy { return New(p, plans).In(telling{world: w}) }

func ask(question string) envs.History {
	return envs.NewHistory(envs.Task{
		ID: "q", Labels: map[string]string{envs.LabelDataset: "coffee"}, Question: question,
	})
}

func profile(t testing.TB, name string) Profile {
	t.Helper()

	p, err := ParseProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func propose(t testing.TB, p mcts.Policy, r mcts.Request) []mcts.Proposal {
	t.Helper()

	got, err := p.Propose(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}

	if len(got) != r.N {
		t.Fatalf("%d proposals, want %d", len(got), r.N)
	}
	return got
}

// solve runs one episode of at most 20 turns.
func solve(t testing.TB, p mcts.Policy, w *world, question string, seed uint64, greedy bool) envs.History {
	t.Helper()

	h := ask(question)
	for turn := range 20 {
		r := mcts.Request{History: h, N: 1, Seed: seed*1000 + uint64(turn), Greedy: greedy}

		h = w.act(h, propose(t, p, r)[0].Text)
		if last, _ := h.Last(); last.Outcome.Ends() {
			break
		}
	}

	return h
}

// called lists what a history called, with the outcome.
func called(h envs.History) []string {
	var names []string
	for _, t := range h.Turns() {
		names = append(names, t.Call.Name+" "+t.Outcome.String())
	}
	return names
}

func outcome(h envs.History) envs.Outcome {
	t, _ := h.Last()
	return t.Outcome
}
