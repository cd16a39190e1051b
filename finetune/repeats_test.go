package finetune_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// attempted is an evaluation with repeats: of each question whether each of its episodes was right,
// as in answered.
func attempted(policy string, verdicts ...string) ([]finetune.Job, []trajectories.Episode) {
	cell := finetune.Cell{Policy: policy, API: "p_c", Dataset: "coffee", Difficulty: "easy"}
	job := finetune.Job{Cell: cell, Repeats: len(verdicts[0])}

	var episodes []trajectories.Episode

	for i, v := range verdicts {
		jobs, played := played([]answered{{cell: cell, verdicts: v}})
		task := jobs[0].Tasks[0]
		task.ID = string(rune('a' + i))
		job.Tasks = append(job.Tasks, task)

		for e := range played {
			e.Repeat, e.QuestionID = len(episodes)%job.Repeats, task.ID
			episodes = append(episodes, e)
		}
	}

	return []finetune.Job{job}, episodes
}

// Of three questions one was answered three times, one once, and one never: pass@2 is (1 + 2/3 +
// 0)/3, and the repeats have the accuracies 1/3, 2/3 and 1/3. The interval is that of three
// questions, not of nine.
func TestRepeats(t *testing.T) {
	jobs, episodes := attempted("p", "111", "010", "000")

	r, err := finetune.Summarise(jobs, all(episodes))
	if err != nil {
		t.Fatal(err)
	}

	row := r.Rows[0]
	want := &finetune.Repeats{
		Episodes: 3, Deviation: math.Sqrt(3. / 81),
		PassAt: []float64{4. / 9, 5. / 9, 2. / 3}, PassAll: []float64{4. / 9, 1. / 3, 1. / 3},
	}

	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, row.Repeats, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	r3 := tabulate.RateOf([]tabulate.Cluster{{Successes: 3, Trials: 3}, {Successes: 1, Trials: 3}, {Trials: 3}})
	low, high := r3.Low, r3.High
	if row.N != 3 || math.Abs(row.Official-4./9) > 1e-12 || row.OfficialLow != low || row.OfficialHigh != high ||
		r.Summaries[0].N != 3 || r.Summaries[0].Official != row.Official {
		t.Errorf("%+v\n%+v", row, r.Summaries)
	}
}

// One question has a deviation, too: of two repeats with the accuracies 1 and 0. CSV has what of
// all repeats is right, and of greedy episodes nothing.
func TestRepeatsOfOneQuestion(t *testing.T) {
	jobs, episodes := attempted("p", "10")

	r, err := finetune.Summarise(jobs, all(episodes))
	if err != nil {
		t.Fatal(err)
	}

	r.Rows = append(r.Rows, finetune.Row{Cell: finetune.Cell{Policy: "greedy"}})
	if got := r.Rows[0].Repeats.Deviation; math.Abs(got-math.Sqrt(0.5)) > 1e-12 {
		t.Errorf("deviation %v, want that of 1 and 0", got)
	}

	r.Rows[0].Repeats.Deviation = 0.75 // easier to print

	var text, b strings.Builder
	if err := errors.Join(r.WriteTable(&text), r.WriteCSV(&b)); err != nil {
		t.Fatal(err)
	}

	table := "policy  api  data         episodes  official    sd  pass@all  pass^all\n" +
		"p       p_c  coffee-easy         2      50.0  75.0     100.0       0.0\n"
	if !strings.Contains(text.String(), "\n"+table) {
		t.Errorf("the table has no\n%s:\n%s", table, text.String())
	}

	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{",repeats,deviation,pass_at,pass_all", ",2,0.75,1,0", ",,,,"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d is %q, want it to end with %q", i, lines[i], want)
		}
	}
}

// A lost episode is in no figure: of two questions with an episode less pass@3 is that of the
// third.
func TestRepeatsWithLosses(t *testing.T) {
	jobs, episodes := attempted("p", "11-", "0-0", "001")

	r, err := finetune.Summarise(jobs, all(episodes))
	if err != nil {
		t.Fatal(err)
	}

	row := r.Rows[0]
	if f := row.Repeats; row.N != 3 || row.Lost != 2 || row.Official != 3./7 || f.PassAt[2] != 1 || f.PassAll[2] != 0 {
		t.Errorf("%+v, %+v", row, row.Repeats)
	}
}

// Where no question has all episodes, nothing is known of all: the lists end before that, tables
// have a dash there and CSV nothing.
func TestRepeatsThatNoQuestionHas(t *testing.T) {
	jobs, episodes := attempted("p", "1-")

	r, err := finetune.Summarise(jobs, all(episodes))
	if err != nil {
		t.Fatal(err)
	}

	one := []float64{1}
	if f := r.Rows[0].Repeats; f.Episodes != 2 || !cmp.Equal(f.PassAt, one) ||
		!cmp.Equal(f.PassAll, one) {
		t.Errorf("%+v", f)
	}

	var text, b strings.Builder
	if err := errors.Join(r.WriteTable(&text), r.WriteCSV(&b)); err != nil {
		t.Fatal(err)
	}

	_, after, _ := strings.Cut(text.String(), "pass^all\n")
	if line := strings.Join(strings.Fields(after), " "); !strings.HasPrefix(line,
		"p p_c coffee-easy 2 100.0 0.0 – –") {
		t.Errorf("the table is\n%s", text.String())
	}

	if line := strings.Split(b.String(), "\n")[1]; !strings.HasSuffix(line, ",,") {
		t.Errorf("CSV has %q", line)
	}
}

// In a comparison a question counts for the side that is right in more of its episodes, and the
// difference is that of the accuracies.
func TestRepeatsAreComparedByShares(t *testing.T) {
	for name, test := range map[string]struct {
		a, b []string
		want tabulate.Paired
	}{
		"three": {[]string{"110", "111", "100"}, []string{"000", "011", "110"},
			tabulate.Paired{N: 3, OnlyFirst: 2, OnlySecond: 1, Difference: -2. / 9, P: 1}},
		"one of two": {[]string{"10", "10", "10", "00", "11"},
			[]string{"00", "00", "01", "00", "11"},
			tabulate.Paired{N: 5, Both: 2, OnlyFirst: 2, Difference: -0.2, P: 0.5}},
		"one": {[]string{"1", "1", "0", "0"}, []string{"1", "0", "1", "0"},
			tabulate.Paired{N: 4, Both: 1, OnlyFirst: 1, OnlySecond: 1, P: 1}},
	} {
		jobs, episodes := attempted("a", test.a...)
		others, theirs := attempted("b", test.b...)

		r, err := finetune.Summarise(append(jobs, others...), all(append(episodes, theirs...)))
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(test.want, r.Comparisons[0].Paired, cmpopts.EquateApprox(0, 1e-12),
			cmpopts.IgnoreFields(tabulate.Paired{}, "PHolm", "Chi2", "PCorrected")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// Repeats are sampled, each turn of each by a seed of its own, and told apart in the log; going on
// asks nothing again.
func TestRepeatsAreSampled(t *testing.T) {
	o, w := options(t), &walker{}
	j := job(w, tasks("a", "b"))
	j.Repeats, j.Seed = 3, 7

	r := evaluate(t, o, j)
	if row := r.Rows[0]; row.N != 2 || row.Official != 1 || row.Repeats.PassAll[2] != 1 || row.Turns != 4 {
		t.Errorf("%+v", row)
	}

	seeds := map[uint64]bool{}
	for _, request := range w.requests {
		seeds[request.Seed] = true

		if request.Greedy || request.Seed>>63 != 0 {
			t.Errorf("%s: greedy %v, seed %d", request.Node, request.Greedy, request.Seed)
		}
	}

	if len(w.requests) != 2*3*4 || len(seeds) != len(w.requests) {
		t.Errorf("%d requests of %d seeds, want %d", len(w.requests), len(seeds), 2*3*4)
	}

	if diff := cmp.Diff(r, evaluate(t, o, j)); diff != "" || len(w.requests) != 2*3*4 {
		t.Errorf("again: %d requests\n%s", len(w.requests), diff)
	}

	verification, err := finetune.Verify(t.Context(), []finetune.Job{j}, o)
	if err != nil || verification.Episodes != 6 || len(verification.Problems) > 0 {
		t.Errorf("%+v, %v", verification, err)
	}

	j.Tasks = append(j.Tasks, envs.Task{ID: "nowhere"})
	if row := evaluate(t, o, j).Rows[0]; row.N != 2 || row.Lost != 3 {
		t.Errorf("with a task that is lost: %+v", row)
	}
}

// all yields episodes as they are.
func all(episodes []trajectories.Episode) func(func(trajectories.Episode, error) bool) {
	return func(yield func(trajectories.Episode, error) bool) {
		for _, e := range episodes {
			if !yield(e, nil) {
				return
			}
		}
	}
}
