package facts

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune/failure"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// board has episodes that fail in several ways, one that does not, and a lost one.
func board(t *testing.T) *Board {
	t.Helper()

	v := version(t, "p_s_in")
	wrong := trajectories.Turn{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Incorrect}

	right, lost := sample(v, "a", 5, oldLoad, wrongLoad, newLoad, finish), sample(v, "b", 0, oldLoad)
	right.Official, right.Labels = true, map[string]string{"dataset": "coffee", "template": "open"}
	lost.Lost = "the disk is full"

	stopped := sample(v, "e", 0, newLoad, newFilter)
	stopped.Limit = "depth"

	var b Board
	b.add(right, lost, sample(v, "c", 0, oldLoad, oldLoad, wrong), sample(v, "d", 0, newLoad, wrong), stopped)
	return &b
}

// Shares are of the failed episodes and of the refused calls; what was refused counts in all that
// was measured.
func TestErrors(t *testing.T) {
	want := []ErrorRow{{
		Contender: Contender{"p", "p_s_in"}, N: 4, Measured: 4, Lost: 1, Failed: 3,
		Classes: []ClassCount{
			{failure.RepeatedDeprecated, failure.InvocationErrors, 1, 1. / 3},
			{failure.IncorrectOutput, failure.PlanningErrors, 1, 1. / 3},
			{failure.Undecided, failure.NoHeading, 1, 1. / 3},
		},
		Refusals: []RefusalCount{{failure.RefusedUnreadable, 1, 0.25}, {failure.RefusedGrounding, 3, 0.75}},
	}}

	e := board(t).Errors()
	if diff := cmp.Diff(want, e.Rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	var text strings.Builder
	if err := tabulate.WriteText(&text, e.Grids(), 80); err != nil {
		t.Fatal(err)
	}

	for _, line := range []string{
		"p       p_s_in  4   20%       3\n", "p under p_s_in\n",
		"  invocation error in new tools  repeated-deprecated         1   33.3\n",
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("no line %q in\n%s", line, text.String())
		}
	}
}

// Several episodes of a question are one question; its episodes are what failed.
func TestErrorsOfRepeats(t *testing.T) {
	v := version(t, "p_s_in")
	wrong := trajectories.Turn{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Incorrect}

	first, second := sample(v, "a", 0, wrong), sample(v, "a", 0, oldLoad, wrong)
	second.Repeat = 1

	var b Board
	b.add(first, second)

	if r := b.Errors().Rows[0]; r.N != 1 || r.Measured != 2 || r.Failed != 2 {
		t.Errorf("%d questions, %d episodes, %d failed", r.N, r.Measured, r.Failed)
	}

	if r := b.Adaptation().Rows[0]; r.N != 1 || r.Measured != 2 || r.Met != 1 || r.MetShare != 0.5 {
		t.Errorf("%d questions, %d episodes, %d met a deprecation: %v", r.N, r.Measured, r.Met,
			r.MetShare)
	}
}

// What was written is read; of other episodes, and of a folder without the tables, nothing is.
func TestFiles(t *testing.T) {
	b, dir := board(t), t.TempDir()

	if _, ok := Read(dir, "sum"); ok {
		t.Error("an empty folder has tables")
	}

	if err := b.Write(dir, "sum"); err != nil {
		t.Fatal(err)
	}

	got, ok := Read(dir, "sum")
	if diff := cmp.Diff(b, got); diff != "" || !ok {
		t.Errorf("-want +got:\n%s", diff)
	}

	if _, ok := Read(dir, "other"); ok {
		t.Error("tables of other episodes are read")
	}
}

// A judge adds verdicts, and changes none.
func TestAddVerdicts(t *testing.T) {
	dir := t.TempDir()
	said := func(judge string, try int, value float64) Verdict {
		return Verdict{
			Key: Key{Policy: "p", QuestionID: "a"}, Judge: judge, Score: "sopr", Try: try, Value: value, Read: true,
		}
	}

	for _, added := range [][]Verdict{
		{said("rule", 0, 1)}, {said("rule", 0, 0), said("rule", 1, 0)}, {said("model", 0, 0.5)}, nil,
	} {
		if err := AddVerdicts(dir, added); err != nil {
			t.Fatal(err)
		}
	}

	got, err := ReadVerdicts(dir)
	want := []Verdict{said("rule", 0, 1), said("rule", 1, 0), said("model", 0, 0.5)}

	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

// The recipe in CONTRIBUTING.md is all that a table needs.
func TestTableOfTheRecipe(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}

	_, recipe, _ := strings.Cut(string(text), "**A table of a report**")
	_, recipe, _ = strings.Cut(recipe, "```yaml\ntables:\n")
	recipe, _, _ = strings.Cut(recipe, "```")
	table, view, _ := strings.Cut(recipe, "views:\n")

	described := strings.Replace(string(tablesYAML), "\ntables:\n", "\ntables:\n"+table, 1) + view
	all := tabulate.MustRead([]byte(described), sources, reports)
	grids := all.Grids("errors", board(t).rows(all))

	want := [][]string{{"p", "p_s_in", "8", "50.0 [5, 95]"}}
	if got := grids[len(grids)-1]; !cmp.Equal(want, got.Lines) {
		t.Errorf("the last table is %+v", got)
	}
}
