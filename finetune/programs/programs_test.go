package programs_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/measure"
	"toolevo/envs/stategen/taskfile"
	"toolevo/finetune"
	"toolevo/finetune/programs"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

var (
	chain    = measure.Flow{{Tool: "cat", Assign: "a"}, {Tool: "linear", Assign: "b", Uses: []string{"a"}}}
	branched = measure.Flow{{Tool: "cat"}, {Branches: []measure.Flow{{{Tool: "cat"}}, {{Tool: "linear"}}}}}
)

func TestComplexity(t *testing.T) {
	samples := []programs.Sample{
		{Domain: "tensor", Flow: chain, Sizes: &programs.Sizes{Instruction: 10, Code: 30}},
		{Domain: "tensor", Flow: branched, Sizes: &programs.Sizes{Instruction: 20, Code: 10}},
		{Domain: "voice", Flow: branched},
	}

	f := func(x float64) *float64 { return &x }
	want := []programs.Complexity{
		{
			Domain: "tensor", N: 2, Instruction: f(15), Code: f(20), Calls: 2.5, Depth: 0.5, Bindings: 0.5,
			Straight: f(0.5),
		},
		{Domain: "voice", N: 1, Calls: 3, Straight: f(0)},
		{Domain: "all", N: 3, Calls: 8. / 3, Depth: 1. / 3, Bindings: 1. / 3, Straight: f(1. / 3)},
		{
			Domain: "StateEval", N: 120, Instruction: f(717.08), Code: f(442.11), Calls: 7.16, Depth: 2, Bindings: 5.03,
			Published: true,
		},
	}

	got := programs.ComplexityOf(samples)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	r := programs.Report{Complexity: got}
	text := written(t, func(w io.Writer) error { return tabulate.WriteText(w, r.Tables(), 80) })

	for _, line := range []string{"statistic  tensor voice all StateEval", "Code Length 20.00 – – 442.11",
		"Function Call Num 2.50 3.00 2.67 7.16", "Path Depth 0.50 0.00 0.33 –",
		"Binding Count, as published – – – 5.03"} {
		if !strings.Contains(oneSpace(text), oneSpace(line)) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// oneSpace is a text with one space where there are several.
func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()

	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCoverage(t *testing.T) {
	runs := []measure.Growth{
		{ATC: []float64{0.25, 0.5}, Pairs: []int{2, 3}}, {ATC: []float64{0.5, 0.5}, Pairs: []int{3, 5}},
	}
	guided := programs.CoverageOf("tensor", "argmax", runs)

	want := programs.Coverage{
		Domain: "tensor", Source: "argmax", Runs: 2, ATC: []float64{0.375, 0.5}, Low: []float64{0.25, 0.5},
		High: []float64{0.5, 0.5}, Pairs: []float64{2.5, 4},
	}
	if d := cmp.Diff(want, guided); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	written1 := programs.CoverageOf("tensor", "openai:m", []measure.Growth{{ATC: []float64{0.1, 0.1, 0.1, 0.1, 0.2}}})
	r := programs.Report{Coverage: []programs.Coverage{guided, written1}}

	text := oneSpace(written(t, func(w io.Writer) error { return tabulate.WriteText(w, r.Tables(), 80) }))
	for _, line := range []string{"domain source runs 5 pairs", "tensor argmax 2 – –", "tensor openai:m 1 20.0 –"} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}

	lines, err := csv.NewReader(strings.NewReader(written(t, r.WriteCoverageCSV))).ReadAll()
	if err != nil || len(lines) != 8 || lines[2][4] != "0.5" || lines[7][7] != "" {
		t.Errorf("error %v, CSV %q", err, lines)
	}

	figures := r.Figures()
	if len(figures) != 1 {
		t.Fatalf("%d figures, want 1", len(figures))
	}

	svg := written(t, figures[0].WriteSVG)
	for _, want := range []string{">argmax<", ">openai:m<", ">tensor<", ">programs<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in the figure", want)
		}
	}

	if _, err := png.Decode(strings.NewReader(written(t, figures[0].WritePNG))); err != nil {
		t.Errorf("PNG: %v", err)
	}
}

func turn(o envs.Outcome, tool string) trajectories.Turn {
	return trajectories.Turn{Tool: tool, API: tool, Outcome: o}
}

// episode is one of a case; it passed when its last turn is correct.
func episode(id string, turns ...trajectories.Turn) *trajectories.Episode {
	e := &trajectories.Episode{Row: trajectories.Row{Turns: turns}}
	e.Policy, e.QuestionID = "p", id
	e.Labels = map[string]string{envs.LabelDataset: id[:strings.IndexByte(id, '-')]}
	e.Official = len(turns) > 0 && turns[len(turns)-1].Outcome == envs.Correct
	return e
}

var (
	right = turn(envs.Correct, envs.FinishTool)
	wrong = turn(envs.Incorrect, envs.FinishTool)
)

func TestPasses(t *testing.T) {
	lost := episode("voice-1-2/if")
	lost.Lost = "the server is gone"

	var r programs.Results
	for _, e := range []*trajectories.Episode{
		episode("session-1-1/main", right),
		episode("session-1-2/else", turn(envs.Malformed, "")),
		episode("session-1-2/if", turn(envs.ToolError, "get_session"), wrong), // the first case, whatever comes first
		episode("session-1-3/if", right),
		episode("session-1-3/else", wrong),
		episode("voice-1-1", right), // all cases in one episode
		lost,
		episode("voice-1-2/else", right),
		episode("voice-1-3/if", right), // and its other case is beyond the limit
	} {
		add(t, &r, e, nil)
	}

	contender := finetune.Contender{Policy: "p", API: "p_c"}
	want := []programs.Pass{
		{
			Contender: contender, Domain: "session", N: 3, Pass: 1. / 3, Failed: 2,
			Classes: map[code.Class]int{code.Result: 2},
			Causes:  map[programs.Cause]int{programs.State: 1, programs.Undecided: 1},
		},
		{
			Contender: contender, Domain: "voice", N: 1, Lost: 2, Pass: 1,
			Classes: map[code.Class]int{}, Causes: map[programs.Cause]int{},
		},
		{
			Contender: contender, Domain: "all", N: 4, Lost: 2, Pass: 0.5, Failed: 2,
			Classes: map[code.Class]int{code.Result: 2},
			Causes:  map[programs.Cause]int{programs.State: 1, programs.Undecided: 1},
		},
	}

	got := r.Passes()
	for i := range got {
		if got[i].Low >= got[i].Pass && got[i].Pass > 0 || got[i].High < got[i].Pass {
			t.Errorf("%s: %g is not in its interval %g to %g", got[i].Domain, got[i].Pass, got[i].Low, got[i].High)
		}

		got[i].Low, got[i].High = 0, 0
	}

	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	text := oneSpace(written(t, func(w io.Writer) error {
		return tabulate.WriteText(w, programs.PassTables(r.Passes()), 80)
	}))
	if !strings.Contains(text, "policy api session voice all p p_c 33.3 [1, 91] 100.0 [2, 100] 50.0 [7, 93]") {
		t.Errorf("pass@1 is not in\n%s", text)
	}

	figures := programs.PassFigures(r.Passes())
	if len(figures) != 2 {
		t.Fatalf("%d figures, want 2", len(figures))
	}

	for i, name := range []string{"figure-4-p_c", "figure-5-p_c"} {
		if svg := written(t, figures[i].WriteSVG); figures[i].Name != name || !strings.Contains(svg, ">session<") {
			t.Errorf("figure %s shows no sessions", figures[i].Name)
		}
	}
}

// A task that is played several times counts once.
func TestPassesOfRepeats(t *testing.T) {
	var r programs.Results

	for repeat, end := range []trajectories.Turn{right, wrong, right, wrong} {
		e := episode("session-1-1/main", end)
		e.Repeat = repeat
		add(t, &r, e, nil)
	}

	if got := r.Passes()[0]; got.N != 1 || got.Pass != 0.5 || got.Failed != 2 {
		t.Errorf("%d tasks pass in %g, %d runs failed; want 1, 0.5, 2", got.N, got.Pass, got.Failed)
	}
}

// Two evaluations are put together where they asked different things, and not where they asked the
// same, be it turn by turn in one and with programs in the other.
func TestPassesOfSeveralEvaluations(t *testing.T) {
	for _, again := range []string{"session-1-1", "session-1-1/if"} {
		var r programs.Results

		add(t, &r, episode("session-1-1/if", right), nil)
		add(t, &r, episode("session-1-2/if", right), nil)
		add(t, &r, episode("session-1-1/else", right), nil)

		if err := r.Add("p_c", episode(again, right), nil); err == nil || !strings.Contains(err.Error(), "by itself") {
			t.Errorf("%s is counted twice: %v", again, err)
		}
	}
}

// program is the only turn of an episode in code mode.
func program(v code.Verdict) trajectories.Turn {
	return trajectories.Turn{Outcome: envs.Incorrect, Observation: v.Observation()}
}

func add(t *testing.T, r *programs.Results, e *trajectories.Episode, references *programs.References) {
	t.Helper()

	if err := r.Add("p_c", e, references); err != nil {
		t.Fatal(err)
	}
}

// lists returns the references of a split with one task, session-1-1, which lists sessions, and
// those again.
func lists(t *testing.T) *programs.References {
	t.Helper()

	list := func(assign string) stategen.Stmt {
		return stategen.Stmt{Call: &stategen.Call{Assign: assign, Tool: "list_sessions", Args: []stategen.Named{
			{Name: "source", Expr: stategen.Literal("hub")}, {Name: "type", Expr: stategen.Literal("group")},
		}}}
	}
	result, data := stategen.Var("r_2"), t.TempDir()

	f, err := taskfile.Edit(data, []string{"train"})
	if err != nil {
		t.Fatal(err)
	}

	_, err1 := f.Add("train", &stategen.Task{
		ID:      "session-1-1",
		Program: stategen.Program{Domain: "session", Main: []stategen.Stmt{list("r_1"), list("r_2")}, Result: &result},
		Cases:   []stategen.Case{{Path: "main"}},
	})
	if err := errors.Join(err1, f.Commit(), f.Close()); err != nil {
		t.Fatal(err)
	}

	r, err := programs.OpenReferences(data, "train")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})

	return r
}

func TestClasses(t *testing.T) {
	get, list := turn(envs.OK, "get_session"), turn(envs.OK, "list_sessions")
	references := lists(t)

	for _, c := range []struct {
		name  string
		turns []trajectories.Turn
		class code.Class
		cause programs.Cause
	}{
		{"silence", nil, code.Syntax, programs.NotFollowed},
		{"no call", []trajectories.Turn{get, turn(envs.Malformed, "")}, code.Syntax, programs.NotFollowed},
		{
			"an API that is not there", []trajectories.Turn{{API: "get_sesion", Outcome: envs.InvalidAction}},
			code.Execution, programs.Misread,
		},
		{
			"arguments that are no JSON", []trajectories.Turn{get, turn(envs.InvocationError, "")}, code.Syntax,
			programs.NotFollowed,
		},
		{
			"a handle that is not there", []trajectories.Turn{get, turn(envs.ToolError, "list_sessions")},
			code.Execution, programs.State,
		},
		{"a limit", []trajectories.Turn{get, get}, code.Execution, programs.Undecided},
		{
			"a wrong answer after a refusal", []trajectories.Turn{turn(envs.InvocationError, "get_session"), wrong},
			code.Result, programs.Misread,
		},
		{
			"a wrong answer of other tools, the refusal made right",
			[]trajectories.Turn{turn(envs.Deprecated, "get_session"), get, get, list, wrong}, code.Result,
			programs.NotFollowed,
		},
		{
			"a wrong answer of the right tools", []trajectories.Turn{list, turn(envs.OK, envs.UpdateTool), list, wrong},
			code.Result, programs.State,
		},
		{
			"a program in a verdict's words",
			[]trajectories.Turn{program(code.Verdict{Class: code.Execution, Cause: code.WrongURL})}, code.Execution,
			programs.Misread,
		},
		{
			"a program that uses a value as its document forbids",
			[]trajectories.Turn{program(code.Verdict{Class: code.Execution, Cause: code.Arguments})}, code.Execution,
			programs.Misread,
		},
		{
			"a program that forgot an import",
			[]trajectories.Turn{program(code.Verdict{Class: code.Execution, Cause: code.NoVariable})}, code.Execution,
			programs.NotDefined,
		},
		{
			"a program that imports what is not there",
			[]trajectories.Turn{program(code.Verdict{Class: code.Execution, Cause: code.NoModule})}, code.Execution,
			programs.NotDefined,
		},
		{
			"a program of the right calls that leaves another state",
			[]trajectories.Turn{program(code.Verdict{Class: code.Result, Cause: code.WrongState})}, code.Result,
			programs.State,
		},
		{
			"a program of the right calls with another RESULT",
			[]trajectories.Turn{program(code.Verdict{Class: code.Result, Cause: code.WrongResult})}, code.Result,
			programs.State,
		},
		{
			"a program of other calls", []trajectories.Turn{program(code.Verdict{
				Class: code.Result, Cause: code.WrongState, OtherTools: true,
			})}, code.Result, programs.NotFollowed,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r programs.Results
			add(t, &r, episode("session-1-1/main", c.turns...), references)

			want := programs.Pass{
				Classes: map[code.Class]int{c.class: 1}, Causes: map[programs.Cause]int{c.cause: 1},
			}
			got := r.Passes()[0]

			if d := cmp.Diff([2]any{want.Classes, want.Causes}, [2]any{got.Classes, got.Causes}); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
