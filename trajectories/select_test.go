package trajectories_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/trajectories"
	"toolevo/trajectories/internal/synth"
)

// did returns a row of a question whose actions are the letters of a word.
func did(question, node int, word string) trajectories.Row {
	r := trajectories.Row{
		SchemaVersion: trajectories.SchemaVersion,
		Labels:        map[string]string{"dataset": "coffee"},
		Split:         "train",
		QuestionIndex: question,
		QuestionID:    fmt.Sprint("q", question),
		Node:          node,
		Official:      true,
		Strict:        true,
		TurnCount:     len(word),
	}
	for _, letter := range word {
		r.Turns = append(r.Turns, trajectories.Turn{Key: string(letter), Action: string(letter)})
	}

	r.Key = trajectories.Key(r.Turns)

	return r
}

func words(rows []trajectories.Row) []string {
	var all []string

	for _, r := range rows {
		var w strings.Builder
		for _, t := range r.Turns {
			w.WriteString(t.Key)
		}

		all = append(all, w.String())
	}

	return all
}

func TestSelectStrategies(t *testing.T) {
	rows := []trajectories.Row{did(0, 1, "abcde"), did(0, 2, "abc"), did(0, 3, "abcd"), did(0, 4, "xyz"),
		did(0, 5, "acb"), did(0, 6, "abc")}

	cases := []struct {
		strategy trajectories.Strategy
		n        int
		want     []string
	}{
		{trajectories.Shortest, 1, []string{"abc"}},
		{trajectories.Shortest, 2, []string{"abc", "xyz"}},
		{trajectories.Shortest, 4, []string{"abc", "abcd", "xyz", "acb"}},
		{trajectories.Diverse, 1, []string{"abc"}},
		{trajectories.Diverse, 2, []string{"abc", "xyz"}},
		{trajectories.Diverse, 3, []string{"abcde", "abc", "xyz"}},
		{trajectories.Diverse, 9, []string{"abcde", "abc", "abcd", "xyz", "acb"}},
		{trajectories.Random, 0, []string{"abcde", "abc", "abcd", "xyz", "acb"}},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.strategy, c.n), func(t *testing.T) {
			var report trajectories.SelectionReport
			s := trajectories.Selection{PerQuestion: c.n, Strategy: c.strategy}

			got := collect(t, s.Select(sequence(rows), &report))
			if d := cmp.Diff(c.want, words(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}

			want := trajectories.SelectionReport{Rows: 6, Kept: len(c.want), Questions: 1, QuestionsKept: 1,
				Dropped:   trajectories.Dropped{Duplicate: 1, Surplus: 5 - len(c.want)},
				Elsewhere: trajectories.ElsewhereReport{Skipped: true, Refused: []trajectories.Refused{}}}
			if d := cmp.Diff(want, report); d != "" {
				t.Errorf("report, -want +got:\n%s", d)
			}
		})
	}
}

func TestSelectFilters(t *testing.T) {
	loose, dev, recovered := did(0, 1, "a"), did(1, 1, "b"), did(2, 1, "c")
	loose.Strict = false
	dev.Split = "dev" // sorts before train
	recovered.Recovered = 1
	wrong := did(3, 1, "d")
	wrong.Official, wrong.Strict = false, false
	rows := []trajectories.Row{dev, loose, recovered, wrong}

	cases := []struct {
		name string
		s    trajectories.Selection
		want []string
		drop trajectories.Dropped
	}{
		{"strict and train are the default", trajectories.Selection{}, []string{"c"},
			trajectories.Dropped{Score: 2, Split: 1}},
		{"official", trajectories.Selection{Score: trajectories.Official}, []string{"a", "c"},
			trajectories.Dropped{Score: 1, Split: 1}},
		{"split", trajectories.Selection{Split: "dev"}, []string{"b"}, trajectories.Dropped{Split: 3}},
		{"recovery", trajectories.Selection{RequireRecovery: true}, []string{"c"},
			trajectories.Dropped{Score: 2, Split: 1}},
		{"no recovery", trajectories.Selection{Split: "dev", RequireRecovery: true}, nil,
			trajectories.Dropped{Split: 3, NoRecovery: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var report trajectories.SelectionReport

			got := words(collect(t, c.s.Select(sequence(rows), &report)))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}

			if d := cmp.Diff(c.drop, report.Dropped); d != "" {
				t.Errorf("dropped, -want +got:\n%s", d)
			}
		})
	}
}

// A question that another split asks, too, is taken from neither, in whatever spelling, and named.
func TestSelectKnowsOtherSplits(t *testing.T) {
	ours, shared, foreign := did(0, 1, "a"), did(1, 1, "b"), did(2, 1, "c")
	ours.Question, shared.Question, foreign.Question = "What?", "How  much is it?", "how much is it?"
	shared.QuestionID, foreign.Split = "train-1", "test"
	foreign.QuestionIndex = 9
	var elsewhere trajectories.Elsewhere
	elsewhere.Add("How much is it? ", "test: test-9")
	elsewhere.Add("Where?", "dev: dev-0")

	rows := []trajectories.Row{foreign, ours, shared}

	var report trajectories.SelectionReport

	got := words(collect(t, trajectories.Selection{Elsewhere: &elsewhere}.Select(sequence(rows), &report)))
	if d := cmp.Diff([]string{"a"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	want := trajectories.SelectionReport{
		Rows:          3,
		Kept:          1,
		Questions:     3,
		QuestionsKept: 1,
		Dropped:       trajectories.Dropped{Split: 1, Elsewhere: 1},
		Elsewhere: trajectories.ElsewhereReport{
			Questions: 2,
			Refused:   []trajectories.Refused{{QuestionID: "train-1", Split: "train", AlsoIn: "test: test-9"}},
		},
	}
	if d := cmp.Diff(want, report); d != "" {
		t.Errorf("report, -want +got:\n%s", d)
	}
}

func TestSelectRefuses(t *testing.T) {
	rows := []trajectories.Row{did(1, 1, "a"), did(0, 1, "b")}

	cases := []struct {
		s    trajectories.Selection
		want string
	}{
		{trajectories.Selection{}, "canonical order"},
		{trajectories.Selection{Strategy: "best"}, "random, shortest, diverse"},
		{trajectories.Selection{Score: "lenient"}, "strict, official"},
		{trajectories.Selection{PerQuestion: -1}, "-1"},
	}
	for _, c := range cases {
		err := firstError(c.s.Select(sequence(rows), &trajectories.SelectionReport{}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.s, err, c.want)
		}
	}
}

// What is chosen for a question depends on no other question, is within the limit, distinct, and accounted for.
func TestSelectProperties(t *testing.T) {
	all := synth.Rows(3, 12, 4)

	rapid.Check(t, func(t *rapid.T) {
		s := trajectories.Selection{
			PerQuestion: rapid.IntRange(0, 5).Draw(t, "n"),
			Strategy:    rapid.SampledFrom(trajectories.Strategies()).Draw(t, "strategy"),
			Seed:        rapid.Uint64().Draw(t, "seed"),
		}
		run := func(rows []trajectories.Row) ([]trajectories.Row, trajectories.SelectionReport) {
			var kept []trajectories.Row

			var report trajectories.SelectionReport
			for r, err := range s.Select(sequence(rows), &report) {
				if err != nil {
					t.Fatal(err)
				}

				kept = append(kept, r)
			}

			return kept, report
		}
		kept, report := run(all)

		d := report.Dropped
		if report.Rows != report.Kept+d.Split+d.Elsewhere+d.Score+d.NoRecovery+d.Duplicate+d.Surplus ||
			report.Rows != len(all) || report.Kept != len(kept) {
			t.Fatalf("the report does not add up: %+v, %d rows, %d kept", report, len(all), len(kept))
		}

		question := rapid.IntRange(0, 11).Draw(t, "question")
		of := func(rows []trajectories.Row) []trajectories.Row {
			return slices.DeleteFunc(slices.Clone(rows),
				func(r trajectories.Row) bool { return r.QuestionIndex != question })
		}

		alone, _ := run(of(all))
		if diff := cmp.Diff(of(kept), alone); diff != "" {
			t.Fatalf("other questions change the choice, -with +without:\n%s", diff)
		}

		keys := map[string]bool{}
		for _, r := range alone {
			keys[r.Key] = true
		}

		if len(keys) != len(alone) || s.PerQuestion > 0 && len(alone) > s.PerQuestion {
			t.Fatalf("%d rows of %d keys, limit %d", len(alone), len(keys), s.PerQuestion)
		}
	})
}

func TestRandomDependsOnTheSeed(t *testing.T) {
	rows := synth.Rows(3, 12, 4)

	choose := func(seed uint64) []trajectories.Row {
		s := trajectories.Selection{PerQuestion: 2, Seed: seed}
		return collect(t, s.Select(sequence(rows), &trajectories.SelectionReport{}))
	}
	if cmp.Equal(choose(1), choose(2)) {
		t.Error("two seeds choose the same of twelve questions")
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"abc", "abc", 0},
		{"abc", "xyz", 1},
		{"abc", "", 1},
		{"abc", "acb", (0 + 2.0/3) / 2},          // the same set, two substitutions
		{"abc", "abcd", (1 - 3.0/4 + 1.0/4) / 2}, // one more
		{"aab", "ab", (0 + 1.0/3) / 2},
	}
	for _, c := range cases {
		a, b := did(0, 0, c.a).Turns, did(0, 0, c.b).Turns
		if got := trajectories.Distance(a, b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Distance(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}

		if trajectories.Distance(a, b) != trajectories.Distance(b, a) {
			t.Errorf("Distance(%q, %q) is not symmetric", c.a, c.b)
		}
	}
}

// At random, but no two that call the same tools while there are others.
func TestRandomTakesDifferentToolsFirst(t *testing.T) {
	var rows []trajectories.Row

	for i, tools := range []string{"LGF", "LGF", "LGF", "LPF", "LGGF", "LGF"} {
		r := did(0, i, fmt.Sprint(i))

		r.Turns = nil
		for j, tool := range strings.Split(tools, "") {
			r.Turns = append(r.Turns, trajectories.Turn{API: tool, Key: fmt.Sprint(tool, i, j), Action: tool})
		}

		r.Key = trajectories.Key(r.Turns)
		rows = append(rows, r)
	}

	chosen := map[int]bool{}

	for seed := range uint64(20) {
		var report trajectories.SelectionReport
		s := trajectories.Selection{PerQuestion: 3, Seed: seed}
		different := map[string]bool{}

		for _, r := range collect(t, s.Select(sequence(rows), &report)) {
			tools := ""
			for _, turn := range r.Turns {
				tools += turn.API
			}

			different[tools] = true
			chosen[r.Node] = true
		}

		if len(different) != 3 {
			t.Errorf("seed %d takes %v, want three sequences of tools", seed, different)
		}
	}

	if len(chosen) != len(rows) {
		t.Errorf("of 20 seeds none takes all but %d of %d rows", len(chosen), len(rows))
	}
}
