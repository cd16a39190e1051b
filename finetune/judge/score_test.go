package judge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune/failure"
	"toolevo/finetune/judge"
	"toolevo/trajectories"
)

// told judges as a table says, and counts what it was asked.
type told struct {
	status   map[string][]judge.Status // by agent and query
	complete map[string]judge.Status
	prefer   map[string][]judge.Preference // by query
	asked    atomic.Int64
}

func key(a *judge.Answer) string { return a.Agent.Policy + " " + a.ID }

func (t *told) Status(_ context.Context, a *judge.Answer, pass int) (judge.Status, error) {
	t.asked.Add(1)
	return t.status[key(a)][pass], nil
}

func (t *told) Complete(_ context.Context, a *judge.Answer) (judge.Status, error) {
	t.asked.Add(1)
	return t.complete[key(a)], nil
}

func (t *told) Prefer(_ context.Context, first, _ *judge.Answer, round int) (judge.Preference, error) {
	t.asked.Add(1)
	return t.prefer[first.ID][round], nil
}

// reported has answers judged and returns the report.
func reported(t *testing.T, j judge.Judge, all []judge.Answer, scores ...judge.Score) *judge.Report {
	t.Helper()

	judged, err := judge.Run(t.Context(), j, all, judge.Options{Scores: scores, Passes: judge.Passes, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return judged.Report(trajectories.Maker{Name: "told"}, judge.Passes)
}

// percent is a share as papers print it.
func percent(f float64) string { return fmt.Sprintf("%.1f", 100*f) }

// solvedQueries returns as many answers as there are queries, of which each pass takes as many as
// it says.
func solvedQueries(queries int, passes ...int) (*told, []judge.Answer) {
	j := &told{status: map[string][]judge.Status{}}

	all := make([]judge.Answer, queries)
	for i := range all {
		all[i] = answered("a", fmt.Sprint(i), "9 degrees")

		for _, n := range passes {
			status := judge.Unsolved
			if i < n {
				status = judge.Solved
			}

			j.status[key(&all[i])] = append(j.status[key(&all[i])], status)
		}
	}
	return j, all
}

// Cells of DynamicToolBench's table are means of three passes with their population standard
// deviation.
func TestArithmeticOfDynamicToolBench(t *testing.T) {
	t.Parallel()

	for want, test := range map[string]struct {
		queries int
		passes  []int
	}{
		"3.3 ± 0.0":  {61, []int{2, 2, 2}},
		"14.2 ± 0.8": {61, []int{8, 9, 9}}, // the sample standard deviation would be 0.9
	} {
		j, all := solvedQueries(test.queries, test.passes...)
		rate := reported(t, j, all, judge.SoPR).Rows[0].SoPR

		if got := percent(rate.Mean) + " ± " + percent(rate.Deviation); got != want || rate.N != test.queries {
			t.Errorf("%v of %d: %s, want %s", test.passes, test.queries, got, want)
		}
	}
}

// Cells of MirrorAPI's agent table are counts of the ID files, and the average is that of the six
// groups.
func TestArithmeticOfMirrorAPI(t *testing.T) {
	t.Parallel()

	groups := []struct {
		name    string
		queries int
	}{
		{"G1_instruction", 163}, {"G1_category", 153}, {"G1_tool", 158}, {"G2_category", 124}, {"G2_instruction", 106},
		{"G3_instruction", 61},
	}

	for agent, test := range map[string]struct {
		complete []int // of each group
		want     string
	}{
		"ToolLLaMA v2 CoT": {[]int{74, 59, 54, 50, 40, 19}, "45.4 38.6 34.2 40.3 37.7 31.1 37.9"},
		"GPT-4o-mini CoT":  {[]int{69, 61, 60, 55, 39, 22}, "42.3 39.9 38.0 44.4 36.8 36.1 39.6"},
		"GPT-4o CoT":       {[]int{74, 67, 70, 67, 48, 20}, "45.4 43.8 44.3 54.0 45.3 32.8 44.3"},
		"GPT-4o DFS":       {[]int{76, 82, 71, 62, 45, 21}, "46.6 53.6 44.9 50.0 42.5 34.4 45.3"},
	} {
		j := &told{complete: map[string]judge.Status{}}

		var all []judge.Answer

		for g, group := range groups {
			for i := range group.queries {
				a := answered(agent, fmt.Sprintf("%d-%d", g, i), "9 degrees")
				a.Group = group.name

				if i < test.complete[g] {
					j.complete[key(&a)] = judge.Solved
				}

				all = append(all, a)
			}
		}

		r := reported(t, j, all, judge.FAC)

		var got []string
		for _, row := range append(r.Rows, r.Means...) {
			got = append(got, percent(row.FAC.Mean))
		}

		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %s", agent, got, test.want)
		}

		// The standard error of 765 queries is about sqrt(0.4 * 0.6 / 765) = 0.018, and 3.92 times
		// that lies between the ends.
		if fac := r.Means[0].FAC; math.Abs(fac.High-fac.Low-0.07) > 0.015 || fac.Low > fac.Mean ||
			fac.High < fac.Mean {
			t.Errorf("%s: the interval of the mean is %+v", agent, fac)
		}
	}
}

// Unsure is half of Solved; a query without an answer counts 0; one that we lost, and a judgement
// that cannot be read, count nowhere. What needs no judge asks none.
func TestSoPR(t *testing.T) {
	t.Parallel()

	all := []judge.Answer{
		answered("a", "1", "x"), answered("a", "2", "x"), answered("a", "3", "x"), answered("a", "4", ""),
		answered("a", "5", "give_up_and_restart"), answered("a", "6", "x"), answered("a", "7", "x"),
		{Agent: answered("a", "8", "").Agent, Group: "G1_x", ID: "8"},
	}
	all[5].Given.Nodes = all[5].Given.Nodes[:1] // does not end with Finish
	all[6].Lost = true

	j := &told{
		status: map[string][]judge.Status{
			"a 1": {judge.Solved, judge.Solved, judge.Solved},
			"a 2": {judge.Unsure, judge.Unsure, judge.Solved},
			"a 3": {judge.Unsolved, judge.Lost, judge.Unsolved},
		},
		complete: map[string]judge.Status{"a 1": judge.Solved, "a 3": judge.Lost, "a 6": judge.Solved},
	}

	row := reported(t, j, all, judge.SoPR, judge.FAC).Rows[0]
	if row.N != 7 || row.Missing != 1 || row.Lost != 1 || j.asked.Load() != 3*3+4 {
		t.Errorf("%d queries, %d missing, %d lost, %d asked", row.N, row.Missing, row.Lost, j.asked.Load())
	}

	passes := []float64{1.5 / 7, 1.5 / 6, 2.0 / 7}
	mean := (passes[0] + passes[1] + passes[2]) / 3

	if diff := cmp.Diff(passes, row.SoPR.Passes); diff != "" || math.Abs(row.SoPR.Mean-mean) > 1e-12 ||
		row.SoPR.Lost != 1 || row.SoPR.N != 7 || row.SoPR.Low >= mean || row.SoPR.High <= mean {
		t.Errorf("SoPR %+v, %s", row.SoPR, diff)
	}

	if row.FAC.N != 6 || row.FAC.Lost != 1 || row.FAC.Mean != 2.0/6 {
		t.Errorf("FAC %+v", row.FAC)
	}
}

// The only side that solved a query wins without a judge, and so does the only one that answered;
// the rest is a matter of preference, and of most rounds.
func TestSoWR(t *testing.T) {
	t.Parallel()

	all := []judge.Answer{
		answered("a", "1", "x"), answered("a", "2", "x"), answered("a", "3", "x"), answered("a", "4", "x"),
		{Agent: answered("a", "5", "").Agent, Group: "G1_x", ID: "5"}, answered("a", "6", "x"), answered("a", "9", "x"),
		answered("b", "1", "x"), answered("b", "2", "x"), answered("b", "3", "x"), answered("b", "4", "x"),
		answered("b", "5", "x"), answered("b", "6", "x"), answered("b", "8", "x"),
	}

	always := func(s judge.Status) []judge.Status { return []judge.Status{s, s, s} }
	j := &told{
		status: map[string][]judge.Status{
			"a 1": always(judge.Solved), "b 1": always(judge.Unsure), // lost to the reference, no call
			"a 2": {judge.Unsolved, judge.Unsolved, judge.Solved}, "b 2": always(judge.Solved), // two rounds, one call
			"a 3": always(judge.Solved), "b 3": always(judge.Solved),
			"a 4": always(judge.Unsolved), "b 4": always(judge.Unsure),
			"b 5": always(judge.Unsolved), "a 6": always(judge.Lost), "b 6": always(judge.Solved),
			"a 9": always(judge.Solved), "b 8": always(judge.Solved), // the other did not have these queries
		},
		prefer: map[string][]judge.Preference{
			"2": {0, 0, judge.First},
			"3": {judge.Second, judge.Second, judge.First},
			"4": {judge.Neither, judge.NoPreference, judge.Neither},
		},
	}

	r := reported(t, j, all, judge.SoWR)
	if asked := j.asked.Load() - 3*13; asked != 1+3+3 {
		t.Errorf("%d preferences were asked for", asked)
	}

	want := judge.WinRow{
		Reference: all[0].Agent, Candidate: all[7].Agent, Dataset: "G1_x", N: 5, Win: 3, Lose: 1, Tie: 1, Rate: 3.0 / 5,
		LostRounds: 3 + 1,
	}

	got := r.Wins[0]
	got.Low, got.High = 0, 0

	if diff := cmp.Diff(want, got); diff != "" || len(r.Wins) != 2 || r.Wins[1].Dataset != "mean" {
		t.Errorf("%d rows, %s", len(r.Wins), diff)
	}

	options := judge.Options{Scores: []judge.Score{judge.SoWR}, Passes: 1, Workers: 1, Reference: "c"}
	if _, err := judge.Run(t.Context(), j, all, options); !errors.Is(err, judge.ErrNoMatch) {
		t.Errorf("a reference that nobody has: %v", err)
	}

	options.Reference = ""
	if _, err := judge.Run(t.Context(), j, nil, options); !errors.Is(err, judge.ErrNoMatch) {
		t.Errorf("no answers: %v", err)
	}
}

// Exposed and unexposed queries stand apart, and what was done beside what was judged.
func TestExposureAndConduct(t *testing.T) {
	t.Parallel()

	all := []judge.Answer{answered("a", "1", "x"), answered("a", "2", "x")}
	all[0].Exposure, all[1].Exposure = "exposed", "unexposed"

	first := &trajectories.Episode{Row: trajectories.Row{Turns: []trajectories.Turn{
		{Tool: "f", API: "f", Key: "f {}", Outcome: envs.Deprecated},
		{Tool: "f", API: "g", Key: `g {"a": 1}`, Outcome: envs.OK},
		{Tool: "h", API: "h", Key: "h {}", Outcome: envs.InvalidAction},
		{API: "k", Key: "k {}", Outcome: envs.InvalidAction},
		{Outcome: envs.Malformed},
		{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Incorrect},
	}}}
	second := &trajectories.Episode{Row: trajectories.Row{Turns: []trajectories.Turn{
		{Tool: "f", API: "f", Key: "f {}", Outcome: envs.OK},
		{Tool: "f", API: "f", Key: "f {}", Outcome: envs.ToolError},
	}}}

	all[0].Conduct, all[1].Conduct, all[1].Right = judge.ConductOf(first, nil), judge.ConductOf(second, nil), true

	r := reported(t, judge.Rule{}, all, judge.SoPR)

	got := map[string]string{}
	for _, row := range append(r.Rows, r.Means...) {
		got[row.Dataset+" "+row.Difficulty] = fmt.Sprintf("%s of %d, %d of %d, %d of %d", percent(row.SoPR.Mean), row.N,
			row.Conduct.Valid, row.Conduct.Calls, row.Conduct.Recovered, row.Conduct.Met)
	}

	want := map[string]string{
		"G1_x all": "50.0 of 2, 3 of 6, 1 of 2", "mean all": "50.0 of 2, 3 of 6, 1 of 2",
		"G1_x exposed": "0.0 of 1, 1 of 4, 1 of 2", "mean exposed": "0.0 of 1, 1 of 4, 1 of 2",
		"G1_x unexposed": "100.0 of 1, 2 of 2, 0 of 0", "mean unexposed": "100.0 of 1, 2 of 2, 0 of 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	if c := r.Rows[0].Conduct; c.ValidShare != 0.5 || c.RecoveredShare != 0.5 {
		t.Errorf("shares %v and %v, want a half of each", c.ValidShare, c.RecoveredShare)
	}

	for _, c := range r.Rows[0].Conduct.Refusals {
		if want := map[failure.Refusal]int{failure.RefusedName: 3}[c.Refusal]; c.Calls != want {
			t.Errorf("%s: %d refused calls, want %d", c.Refusal, c.Calls, want)
		}
	}
}
