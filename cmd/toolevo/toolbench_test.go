package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/toolbench"
	"toolevo/finetune"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories"
	"toolevo/trajectories/export"

	toolbenchsuite "toolevo/envs/toolbench/bench"
)

// ofToolBench are the arguments of a command about the invented queries.
func ofToolBench(t *testing.T, args ...string) []string {
	return append(args, "--data", smallData(t), "--set", "suite=toolbench", "--progress", "none", "--split", "train")
}

// ToolBench's queries are collected from, exported and measured like questions of any suite.
func TestToolBench(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	run, exported, eval := filepath.Join(dir, "run"), filepath.Join(dir, "export"), filepath.Join(dir, "eval")

	must(t, ofToolBench(t, "collect", "--policy", "scripted:noisy", "--out", run)...)
	says(t, "check", must(t, "check", run), "0 problems")
	says(t, "inspect", must(t, "inspect", run, "G1_instruction-11", "0"), "[deprecated] forecast_for_get_24h_weather")
	must(t, "export", "--allow-scripted", run, "--out", exported)
	says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")

	if m, err := export.ReadManifest(exported); err != nil || m.Questions == 0 {
		t.Errorf("samples of %d questions (%v)", m.Questions, err)
	}

	text := must(t, ofToolBench(t, "eval", "--policy", "scripted:reader,scripted:stale", "--out", eval, "--json")...)

	solved := map[string]float64{}
	for _, row := range document[finetune.Report](t, text).Rows {
		solved[row.Policy+" "+row.API] += row.Official * float64(row.N)
	}

	for _, api := range []string{"p_s_in", "p_s_ood"} {
		reader, stale := solved["scripted:reader "+api], solved["scripted:stale "+api]
		if stale != 0 || reader < 0.97*solved["scripted:reader p_c"] {
			t.Errorf("under %s the reader solves %v and the stale one %v", api, reader, stale)
		}
	}

	if solved["scripted:reader p_c"] != solved["scripted:stale p_c"] || solved["scripted:stale p_c"] == 0 {
		t.Errorf("where nothing has changed: %v", solved)
	}

	says(t, "check", must(t, "check", eval), "0 problems")

	converted := filepath.Join(dir, "converted")
	text = must(t, "toolbench", "convert", eval, "--out", converted, "--json")

	if got := document[toolbenchsuite.Converted](t, text).Files; len(got) != 12 || got[0].Answers != 5 {
		t.Errorf("converted %+v, want two groups of two policies under three versions", got)
	}

	file := string(read(t, filepath.Join(converted, "scripted_stale_p_s_in", "G1_instruction.json")))
	says(t, "the converted file", file, `"method": "scripted:stale"`, `{\"error\": \"Error: `, `"total_steps": `)
}

// An import that fails leaves the data folder as it was.
func TestToolBenchImport(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	data, broken := filepath.Join(dir, "data"), filepath.Join(dir, "queries")

	text := must(t, "toolbench", "import", inventedQueries, "--data", data, "--json")
	got := document[toolbenchsuite.Imported](t, text)
	want := toolbench.Statistics{
		Queries: 8, Entries: 21, APIs: 10, Tools: 6, Categories: 3,
		Required: 13, Optional: 10, Templates: 8, LongNames: 1,
	}

	groups := []string{"G1_instruction", "G2_category"}
	if got.Counts != want || got.Split != "test" || !slices.Equal(got.Groups, groups) {
		t.Errorf("imported %+v", got)
	}

	before := read(t, got.Path)

	for _, group := range groups {
		name := group + ".json"
		text := string(read(t, filepath.Join(inventedQueries, name)))
		write(t, filepath.Join(broken, name), strings.Replace(text, `"Demo"`, `5`, 1))
	}

	fails(t, exitUsage, []string{"G1_instruction.json: at /3/api_list/2/tool_name: got number"},
		"toolbench", "import", broken, "--data", data)
	fails(t, exitUsage, []string{"is a query of the split test already"},
		"toolbench", "import", inventedQueries, "--split", "train", "--data", data)
	fails(t, exitUsage, []string{"run `toolevo toolbench import`"},
		"eval", "--data", data, "--set", "suite=toolbench", "--split", "dev", "--out", filepath.Join(dir, "eval"))

	if string(before) != string(read(t, got.Path)) || len(files(t, filepath.Join(data, "toolbench"))) != 2 {
		t.Error("imports that failed changed the data folder")
	}
}

// Published answer files become one file for each group, none where one of them is broken.
func TestToolBenchConvert(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	published, out := filepath.Join(dir, "answers"), filepath.Join(dir, "converted")

	const answer = `{"trys": [{"chain": [{"node_type": "Thought", "description": "no idea"}]}], "answer_generation":
		{"query": "q", "function": [], "final_answer": "", "valid_data": false}}`

	for _, name := range []string{"G1_x/7_CoT@1.json", "G1_x/8_CoT@1.json", "G2_x/7_CoT@1.json", "G2_x/notes.txt"} {
		write(t, filepath.Join(published, name), answer)
	}

	must(t, "toolbench", "convert", published, "--out", out)

	if got := files(t, out); len(got) != 2 {
		t.Errorf("converted to %v", got)
	}

	says(t, "the converted file", string(read(t, filepath.Join(out, "G1_x.json"))), `"7": {`, `"8": {`, `no idea`)

	write(t, filepath.Join(published, "G2_x/8_CoT@1.json"), "{}")
	fails(t, exitUsage, []string{"8_CoT@1.json", `no "answer_generation"`},
		"toolbench", "convert", published, "--out", filepath.Join(dir, "again"))
	fails(t, exitUsage, []string{"no answers in", "episodes.jsonl"},
		"toolbench", "convert", filepath.Join(published, "G1_x"), "--out", out)
	fails(t, exitUsage, []string{"--out: it is missing"}, "toolbench", "convert", published)

	if len(files(t, dir)) != 5+2 {
		t.Errorf("an answer that is broken leaves %v", files(t, dir))
	}
}

// Versions of ToolBench's functions are made, shown, deployed and factored as those of any suite.
func TestToolBenchMadeVersions(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	made, run, data := filepath.Join(dir, "made"), filepath.Join(dir, "run"), smallData(t)
	about := func(args ...string) []string { return append(args, "--set", "suite=toolbench", "--data", data) }

	text := must(t, about("versions", "make", "--count", "3", "--out", made, "--json")...)
	first := document[toolevo.MadeVersions](t, text).Made[0]

	must(t, about("versions", "validate", filepath.Join(made, "*.yaml"))...)
	says(t, "list", must(t, about("versions", "list", made)...), "p_s_ood", first.Version)
	says(t, "show", must(t, about("versions", "show", first.Path)...), "forecast_for_get_24h_weather: ")
	says(t, "diff", must(t, about("versions", "diff", "p_c", first.Path)...),
		"10 tools are called in another way, 2 as before", "- forecast_for_get_24h")

	must(t, ofToolBench(t, "collect", "--policy", "scripted:noisy", "--api", "file:"+made+"/*.yaml", "--out", run)...)
	says(t, "check", must(t, "check", run), "0 problems")
	must(t, "export", "--allow-scripted", run, "--out", filepath.Join(dir, "export"))
	must(t, "view", run, "--out", filepath.Join(dir, "run.html"))
	says(t, "play", must(t, about("play", "--split", "train", "--api", "file:"+first.Path)...), "Will it rain in")

	text = must(t, ofToolBench(t, "eval", "--policy", "scripted:reader,scripted:stale", "--api",
		"factor:names-text,factor:response,file:"+made+"/*.yaml", "--out", filepath.Join(dir, "eval"), "--json")...)
	solved := map[string]float64{}

	for _, row := range document[finetune.Report](t, text).Rows {
		solved[row.Policy+" "+row.API] += row.Official * float64(row.N)
	}

	for _, api := range []string{"names-text", "made"} {
		if solved["scripted:stale "+api] != 0 || solved["scripted:reader "+api] == 0 {
			t.Errorf("under %s: %v", api, solved)
		}
	}

	if solved["scripted:stale response"] == 0 {
		t.Errorf("answers that became objects are lost on those who call as before: %v", solved)
	}

	fails(t, exitUsage, []string{"run `toolevo toolbench import`"},
		"versions", "make", "--suite", "toolbench", "--data", dir, "--out", made)
}

// A simulated server knows ToolBench's questions from the data folder.
func TestToolBenchIsServed(t *testing.T) {
	t.Parallel()

	plans, err := readPlans(t.Context(), "toolbench", smallData(t))
	if err != nil {
		t.Fatal(err)
	}

	s := servePlans(t, plans, simserver.Options{})
	run := filepath.Join(t.TempDir(), "run")

	must(t, onServer(s, ofToolBench(t, "collect", "--api", "p_s_in", "--trees", "2", "--out", run)...)...)
	says(t, "check", must(t, "check", run), "0 problems")
	says(t, "inspect", must(t, "inspect", run), "G1_instruction-11")

	_, err = readPlans(t.Context(), "toolbench", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "name the data folder with --data") {
		t.Errorf("without questions: %v", err)
	}
}

// What is collected under twenty made versions, by a search over tasks of either suite, has one
// schema, holds when it is checked, and is exported without a row that the linter drops.
func TestCollectingUnderMadeVersions(t *testing.T) {
	t.Parallel()

	invented := func(t *testing.T) string { return smallData(t) }
	published := func(t *testing.T) string {
		const group = "G1_category.json"

		text, err := os.ReadFile(filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "stabletoolbench", group))
		if err != nil {
			t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
		}

		var queries []json.RawMessage
		if err := json.Unmarshal(text, &queries); err != nil {
			t.Fatal(err)
		}

		few, err := json.Marshal(queries[:10])
		if err != nil {
			t.Fatal(err)
		}

		dir, data := t.TempDir(), t.TempDir()
		write(t, filepath.Join(dir, group), string(few))
		must(t, "toolbench", "import", dir, "--split", "train", "--data", data)
		return data
	}

	schemas := map[string]string{} // by test

	t.Run("suites", func(t *testing.T) {
		for name, test := range map[string]struct {
			suite string
			data  func(*testing.T) string
		}{
			"ToolQA":                {"toolqa", invented},
			"ToolBench":             {"toolbench", invented},
			"ToolBench (published)": {"toolbench", published},
		} {
			t.Run(name, func(t *testing.T) {
				dir, data := t.TempDir(), test.data(t)
				family, run := filepath.Join(dir, "family"), filepath.Join(dir, "run")
				exported := filepath.Join(dir, "export")
				about := []string{"--data", data, "--set", "suite=" + test.suite}

				must(t, slices.Concat([]string{"versions", "make", "--count", "20", "--out", family}, about)...)
				must(t, slices.Concat([]string{"collect", "--api", "file:" + family + "/*.yaml", "--policy",
					"scripted:noisy", "--limit", "6", "--trees", "4", "--out", run, "--progress", "none"}, about)...)
				says(t, "check", must(t, "check", run), "0 problems")

				must(t, "export", "--allow-scripted", run, "--for", "llamafactory",
					"--out", exported)
				says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")

				m, err := export.ReadManifest(exported)
				if err != nil || m.Rows == 0 || m.Lint.Dropped+m.Lint.Samples > 0 {
					t.Fatalf("%d samples; of %d trajectories %d dropped (%v)", m.Rows, m.Lint.Checked,
						m.Lint.Dropped, err)
				}

				if met := deployedIn(t, run); met < 2 {
					t.Errorf("the questions met %d versions", met)
				}

				schemas[name] = schemaOf(t, filepath.Join(run, rowsFile))
			})
		}
	})

	for name, schema := range schemas {
		if schema != schemas["ToolQA"] {
			t.Errorf("%s has other columns:\n%s\nToolQA:\n%s", name, schema, schemas["ToolQA"])
		}
	}
}

// deployedIn counts the versions that the rows of a run met.
func deployedIn(t *testing.T, run string) int {
	t.Helper()

	met := map[string]bool{}

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		met[row.DeployedAPI] = true
	}
	return len(met)
}

// schemaOf is the schema of a Parquet file.
func schemaOf(t *testing.T, path string) string {
	t.Helper()

	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()

	return r.MetaData().Schema.String()
}
