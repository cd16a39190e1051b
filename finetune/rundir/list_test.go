package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/account"
	"toolevo/mcts/estimate"
	"toolevo/mcts/store"
)

// named are the names of runs in their order, those of experiments behind spaces.
func named(all []Run) (names []string) {
	for _, r := range all {
		name := r.Name
		if r.Parent != "" {
			name = "  " + name
		}

		names = append(names, name)
	}
	return names
}

// some are an experiment of two evaluations, and two runs beside it.
func some() []Run {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }
	spent := func(tokens int64, cost float64) *account.Total {
		return &account.Total{Usage: account.Usage{Calls: 1, CompletionTokens: tokens, Cost: cost}}
	}
	return []Run{
		{Name: "old", ID: "1", Kind: "collect", State: Finished, Started: day(1), Spent: spent(500, 2),
			Settings: Settings{Policy: "openai:qwen", API: "p_s_in"}},
		{Name: "drift", Dir: "drift", Kind: "eval drift", State: Interrupted, Started: day(2), Spent: spent(90, 0.5)},
		{Name: "drift/a", ID: "2", Parent: "drift", Kind: "eval", State: Finished, Started: day(2),
			Spent: spent(30, 0), Accuracies: []Accuracy{{API: "p_c", N: 4, Official: 0.25}}},
		{Name: "drift/b", ID: "3", Parent: "drift", Kind: "eval", State: Interrupted, Started: day(3),
			Spent: spent(60, 0), Accuracies: []Accuracy{{API: "p_c", N: 4, Official: 0.5}}},
		{Name: "new", ID: "4", Kind: "collect", State: Running, Started: day(4), Spent: spent(100, 0.1),
			Progress: Progress{Done: 1, Total: 3}},
	}
}

// The newest run stands first, and those of an experiment below it whatever the list is sorted by;
// where the experiment is not shown they stand by themselves.
func TestListing(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		listing Listing
		want    []string
	}{
		"by default": {Listing{}, []string{"new", "drift", "  drift/b", "  drift/a", "old"}},
		"by name":    {Listing{Sort: "run"}, []string{"drift", "  drift/a", "  drift/b", "new", "old"}},
		"by cost":    {Listing{Sort: "cost"}, []string{"old", "drift", "  drift/a", "  drift/b", "new"}},
		"by tokens":  {Listing{Sort: "tokens"}, []string{"old", "new", "drift", "  drift/b", "  drift/a"}},
		"by result, of some": {
			Listing{Where: []string{"kind=eval", "result=p_c"}, Sort: "result"}, []string{"drift/b", "drift/a"},
		},
		"of a policy":     {Listing{Where: []string{"policy=QWEN"}}, []string{"old"}},
		"of any column":   {Listing{Where: []string{"33%"}}, []string{"new"}}, // 1 of 3
		"of the unwanted": {Listing{Where: []string{"kind=none"}}, nil},
	} {
		shown, err := test.listing.Of(some())
		if diff := cmp.Diff(test.want, named(shown)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}

	for _, l := range []Listing{{Sort: "colour"}, {Where: []string{"colour=red"}}} {
		if _, err := l.Of(some()); err == nil || !strings.Contains(err.Error(), "colour") {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()

	r := Run{
		ID: "1", Kind: "collect", State: Interrupted,
		Progress: Progress{
			Done: 5, Total: 8, Questions: 4, Finished: 2, Solved: count(1), Correct: count(7), Accepted: count(6),
		},
		Spent: &account.Total{
			Usage:   account.Usage{Calls: 9, PromptTokens: 11_000, CompletionTokens: 1400, Cost: 0.1234, Unpriced: 1},
			Seconds: 125,
		},
		Estimate: &estimate.Estimate{
			PromptTokens: estimate.Total{Value: 2000}, CompletionTokens: estimate.Total{Value: 100},
			Cost: &estimate.Total{Value: 4.5},
		},
	}
	texts := map[string]string{}
	for _, c := range Columns() {
		texts[c.Name] = c.Text(&r)
	}

	want := map[string]string{
		"run": "", "state": "interrupted 62%", "kind": "collect", "started": "", "took": "2m", "tokens": "12k",
		"cost": ">0.123", "expected": "2100 tokens, 4.50", "policy": "",
		"api": "", "preset": "", "questions": "2/4", "solved": "1/4", "lost": "",
		"size": "0 kB", "result": "6 accepted",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}

	// Of two policies under a version they are from the lower to the higher one; what was lost
	// whole has none.
	r = Run{Kind: "eval", Accuracies: []Accuracy{
		{"a", "p_c", 3, 0, 1, 1}, {"a", "p_s", 3, 0, 0, 0}, {"b", "p_c", 3, 0, 1, 1}, {"b", "p_s", 3, 0, 2.0 / 3, 0},
		{"a", "gone", 0, 3, 0, 0},
	}}
	if got, want := r.result(), "p_c 100%, p_s 0–66.7%, gone –"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// An experiment is running while the command works, interrupted until it has noted that all is
// done, and has the account of all; its runs know it, and it has the settings that they share.
func TestExperiment(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	dir := filepath.Join(folder, "drift")
	a := account.New("v1")

	finish, err := Begin(dir, "eval drift", 2, a)
	if err != nil {
		t.Fatal(err)
	}

	for _, kind := range []string{"none", "generic"} {
		run := begin(t, filepath.Join(dir, kind, "as-asked"), "eval")
		closed(t, run)
	}

	a.Add(100, 0, 20)

	list := func() []Run {
		t.Helper()

		all, err := List(t.Context(), []string{folder})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}

	all := list()
	if len(all) != 3 || all[0].State != Running || all[0].Kind != "eval drift" || all[0].Progress.Total != 2 ||
		all[1].Parent != dir || all[2].Parent != dir || all[0].Software != "v1" {
		t.Errorf("%+v", all)
	}

	if _, err := Begin(dir, "ablate", 1, a); err == nil {
		t.Error("two commands work in one folder")
	}

	if err := finish(false); err != nil {
		t.Fatal(err)
	}

	if e := list()[0]; e.State != Interrupted || e.Spent.Tokens() != 120 {
		t.Errorf("%+v", e)
	}

	again := account.New("v1")
	if finish, err = Begin(dir, "eval drift", 2, again); err != nil {
		t.Fatal(err)
	}

	again.Add(1, 0, 2)

	if err := finish(true); err != nil {
		t.Fatal(err)
	}

	if e := list()[0]; e.State != Finished || e.Spent.Tokens() != 123 {
		t.Errorf("%+v", e)
	}
}

// What failed before its first run leaves nothing, unless models were paid for it.
func TestExperimentWithoutRuns(t *testing.T) {
	t.Parallel()

	for _, calls := range []int{0, 1} {
		dir := filepath.Join(t.TempDir(), "drift")
		a := account.New("v1")

		finish, err := Begin(dir, "eval drift", 2, a)
		if err != nil {
			t.Fatal(err)
		}

		for range calls {
			a.Add(100, 0, 20)
		}

		if err := finish(false); err != nil {
			t.Fatal(err)
		}

		if passes, _ := account.Read(dir); len(passes) != calls || exists(dir) != (calls > 0) {
			t.Errorf("after %d calls there are %d passes, and the folder: %t", calls, len(passes), exists(dir))
		}
	}
}

// A word means the folder that it is, else a run in the usual folder, also by how only one name
// begins that was made of an ID.
func TestNamed(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	id := func(last string) string { return "01a22677-1031-7a01-92eb-e2d8d97f949" + last }

	for _, name := range []string{"first", "firm", "collect-" + id("0"), "eval-" + id("1"), "eval-" + id("2"),
		"old/eval-" + id("3")} {
		closed(t, begin(t, filepath.Join(folder, name), "collect"))
	}

	for word, want := range map[string]string{
		folder: folder, "first": filepath.Join(folder, "first"), "fir": "fir", "none": "none", "": "",
		"collect-01a2":    filepath.Join(folder, "collect-"+id("0")),
		"eval-" + id("2"): filepath.Join(folder, "eval-"+id("2")),
		"eval-01a2":       "", // which one?
		"old/eval-01a2":   filepath.Join(folder, "old", "eval-"+id("3")),
	} {
		dir, err := Named(folder, word)
		if dir != want || (err != nil) != (word == "eval-01a2") {
			t.Errorf("%q: %q, %v, want %q", word, dir, err, want)
		}
	}

	want := []string{"eval-01a22677", "eval-01a22677-1031", "eval-" + id("1")}
	if diff := cmp.Diff(want, Shorts("eval-"+id("1"))); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff([]string{"eval-1"}, Shorts("eval-1")); diff != "" {
		t.Error(diff)
	}
}

// What a run was made with is read from its configuration, whatever else that has; and the time
// from its first pass where its ID does not tell.
func TestSettings(t *testing.T) {
	t.Parallel()

	dir, start := filepath.Join(t.TempDir(), "run"), "2026-01-02T03:04:05Z"
	config := "suite: toolqa\npolicy: [a, b]\napi: [p_c]\nprompt: p_c\npreset: paper\nforeign: 1\n"

	run, err := store.StartRun(t.Context(), dir, store.Manifest{ID: "mine", Kind: "collect"}, config)
	if err != nil {
		t.Fatal(err)
	}

	closed(t, run)

	passes := `[{"started": "` + start + `", "ended": "2026-01-02T03:05:05Z", "calls": 2}]`
	if err := os.WriteFile(filepath.Join(dir, account.File), []byte(passes), 0o644); err != nil {
		t.Fatal(err)
	}

	r := read(t, dir)
	if diff := cmp.Diff(Settings{"toolqa", "a,b", "p_c", "p_c", "paper"}, r.Settings); diff != "" {
		t.Error(diff)
	}

	if r.Started.Format(time.RFC3339) != start || r.Spent.Seconds != 60 || r.Spent.Calls != 2 {
		t.Errorf("%+v", r)
	}
}
