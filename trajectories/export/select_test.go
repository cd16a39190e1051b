package export_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
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

	if len(r.Turns) > 0 {
		r.Turns[len(r.Turns)-1].Outcome = envs.Correct
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
		strategy export.Strategy
		n        int
		want     []string
	}{
		{export.Shortest, 1, []string{"abc"}},
		{export.Shortest, 2, []string{"abc", "xyz"}},
		{export.Shortest, 4, []string{"abc", "abcd", "xyz", "acb"}},
		{export.Diverse, 1, []string{"abc"}},
		{export.Diverse, 2, []string{"abc", "xyz"}},
		{export.Diverse, 3, []string{"abcde", "abc", "xyz"}},
		{export.Diverse, 9, []string{"abcde", "abc", "abcd", "xyz", "acb"}},
		{export.Random, 0, []string{"abcde", "abc", "abcd", "xyz", "acb"}},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.strategy, c.n), func(t *testing.T) {
			var report export.SelectionReport
			s := export.Selection{PerQuestion: c.n, Strategy: c.strategy}

			got := synth.Collect(t, s.Select(synth.Sequence(rows), &report))
			if d := cmp.Diff(c.want, words(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}

			want := export.SelectionReport{Rows: 6, Kept: len(c.want), Questions: 1, QuestionsKept: 1,
				Dropped:   export.Dropped{Duplicate: 1, Surplus: 5 - len(c.want)},
				Elsewhere: export.ElsewhereReport{Skipped: true, Refused: []export.Refused{}}}
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
	recovered.Deprecations, recovered.Recovered = 2, 2
	halfway := did(2, 2, "e")
	halfway.Deprecations, halfway.Recovered = 2, 1
	wrong := did(3, 1, "d")
	wrong.Official, wrong.Strict = false, false
	rows := []trajectories.Row{dev, loose, recovered, halfway, wrong}

	cases := []struct {
		name string
		s    export.Selection
		want []string
		drop export.Dropped
	}{
		{"strict and train are the default", export.Selection{}, []string{"c", "e"},
			export.Dropped{Score: 2, Split: 1}},
		{"official", export.Selection{Score: export.Official}, []string{"a", "c", "e"},
			export.Dropped{Score: 1, Split: 1}},
		{"split", export.Selection{Split: "dev"}, []string{"b"}, export.Dropped{Split: 4}},
		{"recovery", export.Selection{RequireRecovery: true}, []string{"c"},
			export.Dropped{Score: 2, Split: 1, NoRecovery: 1}},
		{"no recovery", export.Selection{Split: "dev", RequireRecovery: true}, nil,
			export.Dropped{Split: 4, NoRecovery: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var report export.SelectionReport

			got := words(synth.Collect(t, c.s.Select(synth.Sequence(rows), &report)))
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
	var elsewhere export.Elsewhere
	elsewhere.Add("How much is it? ", "test: test-9")
	elsewhere.Add("Where?", "dev: dev-0")

	rows := []trajectories.Row{foreign, ours, shared}

	var report export.SelectionReport

	got := words(synth.Collect(t, export.Selection{Elsewhere: &elsewhere}.Select(synth.Sequence(rows), &report)))
	if d := cmp.Diff([]string{"a"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	want := export.SelectionReport{
		Rows:          3,
		Kept:          1,
		Questions:     3,
		QuestionsKept: 1,
		Dropped:       export.Dropped{Split: 1, Elsewhere: 1},
		Elsewhere: export.ElsewhereReport{
			Questions: 2,
			Refused:   []export.Refused{{QuestionID: "train-1", Split: "train", AlsoIn: "test: test-9"}},
		},
	}
	if d := cmp.Diff(want, report); d != "" {
		t.Errorf("report, -want +got:\n%s", d)
	}
}

func TestSelectRefuses(t *testing.T) {
	rows := []trajectories.Row{did(1, 1, "a"), did(0, 1, "b")}

	cases := []struct {
		s    export.Selection
		want string
	}{
		{export.Selection{}, "canonical order"},
		{export.Selection{Strategy: "best"}, "random, shortest, diverse"},
		{export.Selection{Score: "lenient"}, "strict, official"},
		{export.Selection{PerQuestion: -1}, "-1"},
	}
	for _, c := range cases {
		err := synth.FirstError(c.s.Select(synth.Sequence(rows), &export.SelectionReport{}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.s, err, c.want)
		}
	}
}

// What is chosen for a question depends on no other question, is within the limit, distinct, and
// accounted for.
func TestSelectProperties(t *testing.T) {
	all := synth.Rows(3, 12, 4)

	rapid.Check(t, func(t *rapid.T) {
		s := export.Selection{
			PerQuestion: rapid.IntRange(0, 5).Draw(t, "n"),
			Strategy:    rapid.SampledFrom(export.Strategies()).Draw(t, "strategy"),
			Seed:        rapid.Uint64().Draw(t, "seed"),
		}
		run := func(rows []trajectories.Row) ([]trajectories.Row, export.SelectionReport) {
			var kept []trajectories.Row

			var report export.SelectionReport
			for r, err := range s.Select(synth.Sequence(rows), &report) {
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
		s := export.Selection{PerQuestion: 2, Seed: seed}
		return synth.Collect(t, s.Select(synth.Sequence(rows), &export.SelectionReport{}))
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
		if got := export.Distance(a, b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Distance(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}

		if export.Distance(a, b) != export.Distance(b, a) {
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
		var report export.SelectionReport
		s := export.Selection{PerQuestion: 3, Seed: seed}
		different := map[string]bool{}

		for _, r := range synth.Collect(t, s.Select(synth.Sequence(rows), &report)) {
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

// Weights leave as many of each as the scarcest allows, the same ones each time, and count the
// others.
func TestMix(t *testing.T) {
	var rows []trajectories.Row

	for q := range 60 {
		for i, word := range []string{"ab", "cd", "ef"} {
			r := did(q, i, word)
			r.DeployedAPI, r.Question = []string{"p_c", "p_s_in", "p_s_in"}[i], fmt.Sprint("How much ", q)
			r.Turns[0].Observation = "see"
			rows = append(rows, r)
		}
	}

	mix := export.Mix{By: export.ByAPI, Weights: map[string]float64{"p_c": 3, "p_s_in": 1}}
	count := func(seed uint64) (map[string]int, *export.Manifest) {
		m := wrote(t, filepath.Join(t.TempDir(), "export"), rows,
			export.Options{Selection: export.Selection{Mix: mix, Seed: seed}})
		counts := map[string]int{}

		for _, run := range m.Runs {
			counts[run.DeployedAPI] = run.Rows
		}
		return counts, m
	}

	counts, m := count(1)
	if counts["p_c"] != 60 || counts["p_s_in"] != 20 || m.Selected.Dropped.Weight != 100 || m.Rows != 80 ||
		m.Selected.Kept != 80 || m.Selected.Rows != 180 {
		t.Errorf("%v, %+v", counts, m.Selected)
	}

	if _, again := count(1); !slices.Equal(m.Files, again.Files) {
		t.Error("the same seed gives other samples")
	}

	if _, other := count(2); slices.Equal(m.Files, other.Files) {
		t.Error("another seed gives the same samples")
	}

	// A kind of row that is nowhere, or a weight that is none, is an error.
	for _, weights := range []map[string]float64{{"p_c": 1, "p_s_ood": 1}, {"p_c": 0}, {"p_c": math.Inf(1)}} {
		_, err := export.Write(t.Context(), filepath.Join(t.TempDir(), "export"), synth.Sequence(rows), export.Options{
			Shown: synth.Shown, Selection: export.Selection{Mix: export.Mix{By: export.ByAPI, Weights: weights}},
		})
		if err == nil {
			t.Errorf("%v is accepted", weights)
		}
	}
}

// A run that grows has more trajectories when they are written than when they were counted: the
// weights leave those out.
func TestMixOfARunThatGrows(t *testing.T) {
	var rows []trajectories.Row

	for q, api := range []string{"p_c", "p_s_in", "p_c", "p_s_ood"} {
		r := did(q, 0, "ab")
		r.DeployedAPI, r.Question, r.Turns[0].Observation = api, fmt.Sprint("How much ", q), "see"
		rows = append(rows, r)
	}

	passes := 0
	growing := func(yield func(trajectories.Row, error) bool) {
		// First the codec is looked up, then the rows are counted.
		known := rows
		if passes++; passes <= 2 {
			known = rows[:2]
		}

		synth.Sequence(known)(yield)
	}

	m, err := export.Write(t.Context(), filepath.Join(t.TempDir(), "export"), growing,
		export.Options{
			Shown: synth.Shown,
			Selection: export.Selection{
				Mix: export.Mix{By: export.ByAPI,
					Weights: map[string]float64{"p_c": 1, "p_s_in": 1}},
			},
		})
	if err != nil || passes != 3 || m.Rows != 2 || m.Selected.Rows != 4 ||
		m.Selected.Dropped.Weight != 2 {
		t.Errorf("%d passes, error %v, %+v", passes, err, m)
	}
}

// The share of the questions is held out, and who they are is decided by an order of their texts:
// when other runs and questions come, only some at the border change sides.
func TestDevIsHeldOutByQuestion(t *testing.T) {
	questions := func(rows []trajectories.Row) (train, dev map[string]bool) {
		dir := filepath.Join(t.TempDir(), "export")
		m := wrote(t, dir, rows, export.Options{Selection: export.Selection{Dev: 0.25, Seed: 4}})
		sides := [2]map[string]bool{{}, {}}

		for i, held := range []bool{false, true} {
			for _, s := range synth.Collect(t, export.Read(dir, held)) {
				sides[i][s.Conversations[0].Value] = true
			}
		}

		if len(sides[0]) != m.Questions || len(sides[1]) != m.DevQuestions {
			t.Errorf("%d and %d questions, the manifest says %d and %d", len(sides[0]), len(sides[1]), m.Questions,
				m.DevQuestions)
		}
		return sides[0], sides[1]
	}

	train, dev := questions(synth.Rows(1, 80, 1))
	if len(dev) != 20 || len(train) != 59 {
		t.Errorf("%d of %d questions are held out, want a quarter", len(dev), len(train)+len(dev))
	}

	fewerTrain, fewerDev := questions(synth.Rows(1, 30, 2))
	if len(fewerDev) != 8 || len(fewerTrain) != 22 {
		t.Errorf("%d of %d questions are held out, want a quarter", len(fewerDev), len(fewerTrain)+len(fewerDev))
	}

	var into, outOf int

	for q := range fewerTrain {
		if dev[q] {
			into++
		}
	}

	for q := range fewerDev {
		if train[q] {
			outOf++
		}
	}

	if into > 0 && outOf > 0 || into+outOf > 4 {
		t.Errorf("%d questions come to those held out and %d leave them, want a few of one", into, outOf)
	}
}

// Questions are held out by their texts: under another ID, in another run and in other letters, a
// question is on the same side.
func TestDevIsHeldOutByText(t *testing.T) {
	rows := synth.Rows(1, 60, 1)
	for _, row := range rows {
		row.RunID, row.QuestionID = "again", "again-"+row.QuestionID
		row.Question = strings.ToUpper(row.Question) + "  "
		rows = append(rows, row)
	}

	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, slices.Collect(values(synth.Sorted(rows))), export.Options{
		Selection: export.Selection{Dev: 0.25, Seed: 4},
	})
	held := map[string]bool{}

	for _, s := range synth.Collect(t, export.Read(dir, true)) {
		held[envs.QuestionKey(s.Conversations[0].Value)] = true
	}

	for _, s := range synth.Collect(t, export.Read(dir, false)) {
		if held[envs.QuestionKey(s.Conversations[0].Value)] {
			t.Errorf("%q is on both sides", s.Conversations[0].Value)
		}
	}

	if 2*len(held) != m.DevQuestions || len(held) < 5 {
		t.Errorf("%d texts are held out, of %d questions", len(held), m.DevQuestions)
	}
}

// Of two questions one is held out, however small the share, and of one question none.
func TestDevOfFewQuestions(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1, 9: 1, 42: 4} {
		m := wrote(t, filepath.Join(t.TempDir(), "export"), synth.Rows(1, n, 1),
			export.Options{Selection: export.Selection{Dev: 0.1}})
		if m.DevQuestions != want || m.Questions != n-want {
			t.Errorf("%d of %d questions are held out, want %d", m.DevQuestions, n, want)
		}
	}
}

// What a filter by outcome takes, by hand.
func TestFiltersByOutcome(t *testing.T) {
	type turns = []trajectories.Turn

	turn := func(tool, api, key string, outcome envs.Outcome) trajectories.Turn {
		return trajectories.Turn{Tool: tool, API: api, Key: key, Action: key, Outcome: outcome}
	}
	load := turn("LoadDB", "Open_DB", "load", envs.OK)
	truth := turn(envs.UpdateTool, envs.UpdateTool, `UpdateTool{"newtool_desc": "Open_DB[name], which …"}`, envs.OK)
	both := turn(envs.UpdateTool, envs.UpdateTool, "Open_DB {}\n"+truth.Key, envs.OK)
	both.Observation = action.JoinResults([]string{"loaded", "updated"})

	lie := turn(envs.UpdateTool, envs.UpdateTool, `UpdateTool{"newtool_desc": "Open_DBs[name], which …"}`, envs.OK)
	finish := turn(envs.FinishTool, envs.FinishTool, "finish", envs.Correct)
	mistake := turn("LoadDB", "Open_DB", "mistake", envs.InvocationError)
	garbage := turn("", "", "garbage", envs.Malformed)
	noJSON := turn("", "", "no JSON", envs.InvocationError)

	none, one := 0, 1

	for name, c := range map[string]struct {
		selection export.Selection
		turns     turns
		want      bool
	}{
		"no update":          {export.Selection{RequireUpdate: true}, turns{load, finish}, false},
		"a truthful update":  {export.Selection{RequireUpdate: true}, turns{load, truth, finish}, true},
		"after a call":       {export.Selection{RequireUpdate: true}, turns{both, finish}, true},
		"a lie":              {export.Selection{RequireUpdate: true}, turns{load, lie, finish}, false},
		"both":               {export.Selection{RequireUpdate: true}, turns{load, truth, lie, finish}, false},
		"a mistake":          {export.Selection{MaxFaulty: &none}, turns{mistake, load, finish}, true},
		"made twice":         {export.Selection{MaxFaulty: &none}, turns{mistake, mistake, finish}, false},
		"twice is allowed":   {export.Selection{MaxFaulty: &one}, turns{mistake, mistake, finish}, true},
		"thrice is not":      {export.Selection{MaxFaulty: &one}, turns{mistake, mistake, mistake, finish}, false},
		"malformed":          {export.Selection{MaxFaulty: &none}, turns{garbage, load, finish}, false},
		"no JSON":            {export.Selection{MaxFaulty: &none}, turns{noJSON, load, finish}, false},
		"malformed, no care": {export.Selection{}, turns{garbage, garbage, load, finish}, true},
	} {
		row := did(0, 0, "x")
		row.Turns = c.turns

		rows := synth.Sequence([]trajectories.Row{row})
		chosen := synth.Collect(t, c.selection.Select(rows, &export.SelectionReport{}))
		if len(chosen) == 1 != c.want {
			t.Errorf("%s: chosen %v", name, len(chosen) == 1)
		}
	}
}
