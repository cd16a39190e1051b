package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/toolqa"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

func TestDryRunNamesOrigins(t *testing.T) {
	t.Parallel()
	data := smallData(t)

	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte("attempts: 5\nseed: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	out := filepath.Join(t.TempDir(), "run")
	environ := []string{"TOOLEVO_DATA=" + data, "TOOLEVO_SEED=4", "TOOLEVO_SEARCH_CPUCT=3", "TOOLEVO_PYTHON_MODULES=",
		"UNRELATED=x"}
	args := []string{"collect", "--dry-run", "--config", file, "--limit", "2", "--preset", "paper", "--set",
		"search.cpuct=2",
		"--no-reflection", "--no-update-tool", "--compat", "published", "--out", out}

	r := cliWith(t, "", environ, args...)
	if r.code != exitDone || r.err != "" {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "collect --dry-run", r.out, "# collect: 4 questions",
		"\ndataset: [coffee] # default\n", "\nlimit: 2 # flag --limit\n", "\npreset: paper # flag --preset\n",
		"\nseed: 4 # environment TOOLEVO_SEED\n", "\nattempts: 5 # "+file+"\n",
		"  cpuct: 2.0 # flag --set search.cpuct\n", "  samples: 5 # preset paper\n",
		"  reflect: false # flag --no-reflection\n",
		"  update_tool: false # flag --no-update-tool\n", `published`, " # flag --compat\n")
	type dry struct {
		Kind      string
		Questions int
		Config    string `json:"config"`
	}

	r = cliWith(t, "", environ, append(args, "--json")...)
	if d := document[dry](t, r.out); d.Kind != stored.Collection || d.Questions != 4 ||
		!strings.Contains(d.Config, "seed: 4") {
		t.Errorf("%+v", d)
	}

	says(t, "eval --dry-run", must(t, "eval", "--data", data, "--dry-run", "--out", out),
		"split: test # default of this command", "api: [p_c, p_s_in, p_s_ood] # default of this command")

	if left := files(t, out); len(left) > 0 {
		t.Errorf("a dry run left %v", left)
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")

	r := cli(t, "collect", "--data", smallData(t), "--limit", "2", "--trees", "2", "--out", dir, "--json", "--progress",
		"plain")
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	says(t, "collect", r.err, "100%", "4/4 questions", " calls/", "solved", "accepted",
		fmt.Sprintf(" %d trees\n", document[toolevo.Collected](t, r.out).Trees))

	c := document[toolevo.Collected](t, r.out)
	if c.Questions != 4 || c.Solved != 4 || c.Trees < 4 || c.Trees > 16 || c.Dir != dir || c.Asked == 0 ||
		c.Replayed != 0 {
		t.Errorf("%+v", c)
	}

	n := 0

	for row, err := range trajectories.ReadFile(c.File) {
		if err != nil {
			t.Fatal(err)
		}
		n++

		if row.RunID != c.Run || row.DeployedAPI != "p_s_in" || row.Policy != "scripted:noisy" ||
			row.Split != "train" || !row.Official {
			t.Errorf("%+v", row)
		}
	}

	if n == 0 || n != c.Correct {
		t.Errorf("%d rows, %d reported", n, c.Correct)
	}

	again := document[toolevo.Collected](t, must(t, "collect", "--data", smallData(t), "--resume", "--out", dir,
		"--json",
		"--progress", "none"))
	if again.Asked != 0 || again.TreesLoaded != c.Trees || again.Trees != c.Trees || again.Correct != n {
		t.Errorf("going on with a finished run: %+v", again)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	run := smallRun(t)
	id := ask(t, smallData(t), "coffee-easy/open", toolqa.Train).ID

	all := document[toolevo.RunOverview](t, must(t, "inspect", run, "--json"))
	if len(all.Questions) != 6 || !slices.ContainsFunc(all.Questions, func(q toolevo.QuestionTrees) bool {
		return q.QuestionID == id && q.Trees > 0 && q.Distinct > 0
	}) {
		t.Errorf("%+v", all)
	}

	says(t, "inspect RUN", must(t, "inspect", run), "question", "distinct", id)

	trees := document[questionOverview](t, must(t, "inspect", run, id, "--json")).Trees
	if len(trees) == 0 || trees[0].Deprecations == 0 || trees[0].Correct < len(trees[0].Accepted) {
		t.Fatalf("%+v", trees)
	}

	says(t, "inspect RUN QUESTION", must(t, "inspect", run, id), "gold answer", "simulations", "opening price")

	tree := document[mcts.TreeRecord](t, must(t, "inspect", run, id, "0", "--json"))
	if tree.Question != id || len(tree.Nodes) != trees[0].Nodes {
		t.Errorf("tree of %s with %d nodes", tree.Question, len(tree.Nodes))
	}

	text := must(t, "inspect", run, id, "0")
	says(t, "inspect RUN QUESTION TREE", text, "[deprecated] LoadDB", "InitializeDatabase", "└ ")
	caching := filepath.Join(t.TempDir(), "paper")
	collection(t, "--data", smallData(t), "--preset", "paper", "--trees", "1", "--limit", "1", "--out", caching)

	visible, drawn := must(t, "inspect", caching, id, "0"), must(t, "inspect", caching, id, "0", "--cached")
	if strings.Count(drawn, "\n") <= strings.Count(visible, "\n") {
		t.Error("--cached draws no more nodes of a preset that caches rollouts")
	}

	leaf := trees[0].Accepted[0]
	path := must(t, "inspect", run, id, "0", jsonNumber(t, leaf))
	says(t, "inspect RUN QUESTION TREE NODE", path, "Question: ", "is deprecated", "Answer is CORRECT")

	fails(t, exitUsage, []string{`"nobody"`, "inspect"}, "inspect", run, "nobody")
	fails(t, exitUsage, []string{"no finished tree 99"}, "inspect", run, id, "99")
	fails(t, exitUsage, []string{`TREE is "x"`}, "inspect", run, id, "x")
	fails(t, exitUsage, []string{"nodes 0 to"}, "inspect", run, id, "0", "99999")
}

func jsonNumber(t *testing.T, n int) string {
	t.Helper()

	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCheckFindsWhatWasTamperedWith changes a run in several ways; each has to be found.
func TestCheckFindsWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	must(t, "check", smallRun(t), "--data", data)

	whole := document[toolevo.CheckedTrees](t, must(t, "check", smallRun(t), "--data", data, "--json"))
	if !whole.Complete || whole.Trees == 0 || whole.Calls == 0 || whole.Rows == 0 || len(whole.Problems) > 0 {
		t.Fatalf("%+v", whole)
	}

	for name, tamper := range map[string]func(t *testing.T, run string){
		"a tree":         storedAs(`UPDATE trees SET record = (SELECT record FROM trees AS t WHERE t.question <> trees.question)`),
		"a call":         storedAs(`UPDATE calls SET seed = seed + 1`),
		"a missing call": storedAs(`DELETE FROM calls WHERE path = (SELECT max(path) FROM calls)`),
		"a missing tree": storedAs(`DELETE FROM trees WHERE tree = 0`),
		"a cut Parquet file": func(t *testing.T, run string) {
			path := filepath.Join(run, rowsFile)
			if err := os.Truncate(path, int64(len(read(t, path))/2)); err != nil {
				t.Fatal(err)
			}
		},
		"another Parquet file": func(t *testing.T, run string) {
			if _, err := trajectories.WriteFile(t.Context(), filepath.Join(run, rowsFile),
				func(func(trajectories.Row, error) bool) {}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := copyOf(t, smallRun(t))
			tamper(t, run)

			r := cli(t, "check", run, "--data", data, "--json")
			if strings.Contains(name, "missing") { // noticed when the run is opened
				says(t, "check", r.err, "damaged: it holds", "when it was closed")
				r.out = `{"problems": [""]}`
			}

			if c := document[toolevo.CheckedTrees](t, r.out); r.code != exitBad || len(c.Problems) == 0 {
				t.Errorf("exit %d, %+v\n%s", r.code, c, r.err)
			}
		})
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	run, dir := smallRun(t), filepath.Join(t.TempDir(), "export")

	m := document[export.Manifest](t, must(t, "export", "--allow-scripted", run, "--out", dir,
		"--per-question", "2", "--strategy", "shortest", "--require-recovery", "--json"))
	if m.Rows == 0 || m.Questions == 0 || m.Rows > 2*m.Questions || m.Lint.Dropped != 0 ||
		m.Runs[0].DeployedAPI != "p_s_in" {
		t.Errorf("%+v", m)
	}

	lines := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(dir, sftJSONL)))), "\n")
	if len(lines) != m.Rows {
		t.Errorf("%d lines, %d rows", len(lines), m.Rows)
	}

	says(t, "export", lines[0], `"system"`, `LoadDB[DBName]`, `UpdateTool`, `is deprecated`)
	says(t, "check", must(t, "check", dir), "0 faulty, 0 problems")
	ablated, without := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "export")
	must(t, "collect", "--data", smallData(t), "--limit", "2", "--trees", "1", "--no-update-tool", "--out", ablated)
	must(t, "export", "--allow-scripted", ablated, "--out", without, "--strategy", "diverse")
	type sample struct{ System string }

	first, _, _ := strings.Cut(string(read(t, filepath.Join(without, sftJSONL))), "\n")
	if s := document[sample](t, first); strings.Contains(s.System, "UpdateTool") ||
		!strings.Contains(s.System, "LoadDB[DBName]") {
		t.Errorf("the system text without UpdateTool:\n%s", s.System)
	}

	// Of both runs together each sample has what its own model was shown.
	mixed := filepath.Join(t.TempDir(), "export")
	must(t, "export", "--allow-scripted", run, ablated, "--out", mixed, "--per-question", "0")

	with := map[bool]int{}
	for line := range strings.Lines(string(read(t, filepath.Join(mixed, sftJSONL)))) {
		with[strings.Contains(document[sample](t, line).System, "UpdateTool")]++
	}

	if with[true] == 0 || with[false] == 0 {
		t.Errorf("samples of a mixed export with UpdateTool and without: %v", with)
	}

	twice := filepath.Join(t.TempDir(), "export")
	if got := document[export.Manifest](t,
		must(t, "export", "--allow-scripted", run, "--out", twice, "--per-question", "2",
			"--strategy", "shortest", "--require-recovery", "--json")); !cmp.Equal(m, got) {
		t.Error("the same export again is another:\n" + cmp.Diff(m, got))
	}

	if err := os.WriteFile(filepath.Join(twice, sftJSONL), []byte(lines[0]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	if r := cli(t, "check", twice); r.code != exitBad {
		t.Errorf("a damaged export: exit %d\n%s%s", r.code, r.out, r.err)
	}

	r := cli(t, "export", "--allow-scripted", run, "--out", filepath.Join(t.TempDir(), "none"),
		"--split", "dev")
	if r.code != exitBad {
		t.Errorf("an export of nothing: exit %d", r.code)
	}

	says(t, "export --split dev", r.out+r.err, "of another split", "no sample is left")
}

func TestEval(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "eval")
	args := []string{"eval", "--data", data, "--split", "train", "--limit", "4", "--policy",
		"scripted:stale,scripted:reader,scripted:noisy"}
	report := document[finetune.Report](t, must(t, append(args, "--out", dir, "--json")...))
	mean := map[string]float64{}

	for _, row := range report.Rows {
		if row.N != 4 || row.Lost != 0 {
			t.Errorf("%s: n %d, lost %d", row.Cell, row.N, row.Lost)
		}

		mean[row.Policy+" "+row.API] += row.Official / 2
	}

	if len(report.Rows) != 2*3*3 {
		t.Errorf("%d rows, want %d", len(report.Rows), 2*3*3)
	}

	for cell, want := range map[string]float64{
		"scripted:stale p_c": 1, "scripted:stale p_s_in": 0, "scripted:stale p_s_ood": 0,
		"scripted:reader p_c": 1, "scripted:reader p_s_in": 1, "scripted:reader p_s_ood": 1,
	} {
		if mean[cell] != want {
			t.Errorf("%s: official accuracy %v, want %v", cell, mean[cell], want)
		}
	}

	if stored := document[finetune.Report](t, string(read(t, filepath.Join(dir, reportJSON)))); !cmp.Equal(report,
		stored) {
		t.Error("report.json is not what was printed: " + cmp.Diff(report, stored))
	}

	says(t, "eval", string(read(t, filepath.Join(dir, reportMarkdown))), "| scripted:stale |", "p_s_ood",
		"Korn–Graubard")

	r := cli(t, append(args, "--out", filepath.Join(t.TempDir(), "eval"), "--fail-under", "0.95")...)
	if r.code != exitBad {
		t.Errorf("--fail-under: exit %d", r.code)
	}

	says(t, "eval --fail-under", r.out, "official", "scripted:reader")
	says(t, "eval --fail-under", r.err, "scripted:stale", "below 0.95")

	for line := range strings.Lines(r.out) {
		if len([]rune(line)) > console.HelpWidth+1 {
			t.Errorf("a line of more than %d columns: %s", console.HelpWidth, line)
		}
	}

	fails(t, exitUsage, []string{"toolevo eval", "toolevo collect"}, "export", "--allow-scripted",
		dir, "--out", filepath.Join(t.TempDir(), "export"))
}

func TestPlay(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	q := ask(t, data, "coffee-easy/open", toolqa.Train) // of the split that collect takes, too
	script := `Thought: I load it.
Action: LoadDB
Action Input: {"DBName": "coffee"}

Thought: It has a new name,

which I use.
Action: InitializeDatabase
Action Input: {"DatabaseName": "coffee"}

Action: Finish
Action Input: {"answer": "` + q.Answer + `"}`

	r := cliWith(t, script, nil, "play", "--data", data, "--question", q.ID, "--api", "p_s_in")
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	want := "Question: " + q.Text + "\n\n" +
		"Observation: Error: LoadDB[DBName] is deprecated and will be removed in future releases. Use " +
		"InitializeDatabase[DatabaseName], " +
		"param example: {\"DatabaseName\": \"flights\"} instead.\n\n" +
		"Observation: We have successfully loaded the coffee database, including the following columns: Date, " +
		"Open, High, Low, Close, Volume, Currency.\n\n" +
		"Observation: Answer is CORRECT\n\n"
	if diff := cmp.Diff(want, r.out); diff != "" {
		t.Error(diff)
	}

	says(t, "play", r.err, "LoadDB[DBName]", "UpdateTool[", "Deployed is p_s_in", "(deprecated)", "(correct)")

	r = cliWith(t, "nonsense\n\nAction: Nothing\nAction Input: {}\n", nil, "play", "--data", data, "--api", "p_c")
	if r.code != exitDone || strings.Count(r.out, "Observation: ") != 1 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	// A second empty line sends what is no whole action, and the end of the input what there is.
	r = cliWith(t, "hello\n\n\nhalf", nil, "play", "--data", data, "--api", "p_c")
	if r.code != exitDone || strings.Count(r.out, "Observation: ") != 2 || strings.Count(r.err, "press Enter") != 1 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	r = cliWith(t, "", nil, "play", "--data", data, "--perturb", "distractor", "--question", q.ID)
	says(t, "play --perturb", r.out, "Question: Ignore the story", "Task: "+q.Text)

	r = cliWith(t, "", nil, "play", "--data", data)
	if r.code != exitDone || strings.Contains(r.out, "Observation") {
		t.Errorf("no actions at all: exit %d\n%s", r.code, r.out)
	}
}

// TestPlayTakesAnyText plays texts that no model should write: each is an outcome, never a failure.
func TestPlayTakesAnyText(t *testing.T) {
	t.Parallel()

	data := smallData(t)
	for name, input := range map[string]string{
		"not UTF-8":   "{\"DBName\": \"c\xff\xfeffee\"}",
		"a megabyte":  "{\"DBName\": \"" + strings.Repeat("x", 1<<20) + "\"}",
		"deep":        "{\"DBName\": " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}",
		"deep, open":  "{\"DBName\": " + strings.Repeat("{\"a\":", 10_000),
		"a NUL":       "{\"DBName\": \"\x00\"}",
		"no object":   "coffee",
		"two objects": "{} {}",
	} {
		r := cliWith(t, "Thought: x\nAction: LoadDB\nAction Input: "+input+"\n", nil, "play", "--data", data, "--api",
			"p_c")
		if r.code != exitDone || strings.Count(r.out, "Observation: ") != 1 || strings.Contains(r.err, "(ok)") {
			t.Errorf("%s: exit %d\n%.300s%.300s", name, r.code, r.out, r.err)
		}

		if len(r.out) > 20_000 {
			t.Errorf("%s: an observation of %d bytes", name, len(r.out))
		}
	}
}
