package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// lintsWell makes sure that an export has nothing wrong.
func lintsWell(t *testing.T, dir string) {
	t.Helper()

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("report %+v, error %v", report, err)
	}
}

// TestInstructions writes what trains simulators, by hand: what stands in each file, what is
// counted, and that it takes the place of another export.
func TestInstructions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, synth.Rows(1, 3, 1), export.Options{})

	one := export.Instruction{System: "s", Instruction: "<é>", Output: "ok"}
	long := export.Instruction{Instruction: "four", Output: "five!"}

	m, err := export.WriteInstructions(dir, []export.InstructionSet{
		{Name: "train_a", Samples: []export.Instruction{one, long}},
		{Name: "train_none"},
		{Name: "test_a", Samples: []export.Instruction{long}},
		{Name: "train_b", Samples: []export.Instruction{one}},
	}, map[string]int{"calls": 4}, "v1")
	if err != nil {
		t.Fatal(err)
	}

	sets := []export.ManifestSet{
		{Name: "train_a", Rows: 2}, {Name: "test_a", Rows: 1}, {Name: "train_b", Rows: 1},
	}
	if m.Rows != 3 || m.DevRows != 1 || !slices.Equal(m.Sets, sets) ||
		m.Dataset() != "train_a,train_b" || m.Lengths.TotalChars != 6+9+6 ||
		m.Lengths.MaxChars != 9 || m.Software != "v1" {
		t.Errorf("%+v", m)
	}

	got := map[string]string{}

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	for _, e := range entries {
		got[e.Name()] = string(contents(t, filepath.Join(dir, e.Name())))
	}

	delete(got, export.ManifestFile)

	entry := func(name string) string {
		return `  "` + name + `": {
    "file_name": "` + name + `.jsonl",
    "formatting": "alpaca",
    "columns": {
      "prompt": "instruction",
      "response": "output",
      "system": "system"
    }
  }`
	}
	first := `{"system":"s","instruction":"<é>","output":"ok"}` + "\n"
	second := `{"system":"","instruction":"four","output":"five!"}` + "\n"
	want := map[string]string{
		"train_a.jsonl": first + second, "train_b.jsonl": first, "test_a.jsonl": second,
		"report.json": "{\n  \"calls\": 4\n}\n",
		export.DatasetInfoFile: "{\n" + entry("test_a") + ",\n" + entry("train_a") + ",\n" +
			entry("train_b") + "\n}\n",
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	report, err := export.Proved(dir, newLinter(t), nil)
	if err != nil || !report.OK() || report.Rows != 4 {
		t.Errorf("report %+v, error %v", report, err)
	}

	err = synth.FirstError(export.Read(dir, false))
	if err == nil || !strings.Contains(err.Error(), "simulator") {
		t.Errorf("samples of trajectories: %v", err)
	}

	// Another export takes its place, and a file that is none of an export stays.
	wrote(t, dir, synth.Rows(1, 3, 1), export.Options{})
	lintsWell(t, dir)

	for _, name := range []string{"other.jsonl", "train_a.txt", "train_a.jsonl", "report.json"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}

		_, err := export.WriteInstructions(dir, nil, nil, "")
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("beside %s: %v", name, err)
		}

		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFoldersOfUsers holds that nothing is taken for an earlier export because of names that a user
// may choose; what an installation left that was killed is replaced.
func TestFoldersOfUsers(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		files map[string]string
		taken bool
	}{
		"samples": {map[string]string{"train_a.jsonl": "", "test_a.jsonl": "", "README.md": "",
			export.DatasetInfoFile: "{}"}, false},
		"a card":             {map[string]string{"README.md": ""}, false},
		"another's manifest": {map[string]string{export.ManifestFile: `{"name": "app"}`}, false},
		"no manifest": {map[string]string{export.LineageFile: "", "README.md": "",
			export.DatasetInfoFile: "{}"}, true},
		"and others": {map[string]string{export.LineageFile: "", "notes.md": ""}, false},
	} {
		dir := t.TempDir()
		for file, text := range test.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		_, err := export.Write(t.Context(), dir, synth.Sequence(synth.Rows(1, 3, 1)),
			export.Options{Shown: synth.Shown})
		if (err == nil) != test.taken {
			t.Errorf("%s: %v", name, err)
		}

		if err == nil {
			lintsWell(t, dir)
			continue
		}

		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(test.files) {
			t.Errorf("%s: there are %v, %v", name, entries, err)
		}
	}
}

// TestLogs writes logs of another package's making: what it says is counted, and where it fails the
// export of before stays.
func TestLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")

	opt := export.Options{Format: export.Inspect, Software: "v1"}

	m, err := export.WriteDocuments(t.Context(), dir, export.Documents{
		Logs: func(work string) (int, int, error) {
			return 7, 2, os.WriteFile(filepath.Join(work, "a.eval"), []byte("log"), 0o600)
		},
	}, opt)
	if err != nil || m.Rows != 7 || m.Lost != 2 || m.Software != "v1" || len(m.Files) != 1 ||
		m.Files[0].Bytes != 3 {
		t.Errorf("%+v (%v)", m, err)
	}

	lintsWell(t, dir)

	broken := errors.New("broken")
	if m, err := export.WriteDocuments(t.Context(), dir, export.Documents{
		Logs: func(string) (int, int, error) { return 0, 0, broken },
	}, opt); m != nil || !errors.Is(err, broken) {
		t.Errorf("%+v (%v)", m, err)
	}

	lintsWell(t, dir)
}

// TestDatasetInfo says for each format what LLaMA-Factory is told of its files.
func TestDatasetInfo(t *testing.T) {
	const (
		conversations = `"columns":{"messages":"conversations","system":"system"}`
		pairs         = `"ranking":true,"columns":{"chosen":"chosen","messages":"conversations",` +
			`"rejected":"rejected","system":"system"}`
	)

	for format, want := range map[export.Format]string{
		export.SFTTrajectory: conversations,
		export.SFTStep:       conversations,
		export.DPO:           pairs,
		export.Reward:        pairs,
		export.KTO:           `"columns":{"kto_tag":"kto_tag","messages":"conversations","system":"system"}`,
		export.OpenAI: `"columns":{"messages":"messages"},"tags":{"assistant_tag":"assistant",` +
			`"content_tag":"content","function_tag":"function_call","observation_tag":"tool","role_tag":"role",` +
			`"system_tag":"system","user_tag":"user"}`,
	} {
		dir := filepath.Join(t.TempDir(), "export")
		rows := manyRows(6, format.NeedsFailures(), act)
		wrote(t, dir, rows, export.Options{Format: format, Selection: export.Selection{Dev: 0.4}})

		var info map[string]json.RawMessage

		err := json.Unmarshal(contents(t, filepath.Join(dir, export.DatasetInfoFile)), &info)
		if err != nil {
			t.Fatal(err)
		}

		oneLine := strings.NewReplacer("\n", "", "  ", "", ": ", ":")

		for _, suffix := range [][3]string{
			{"", "", ".parquet"}, {"", "_jsonl", ".jsonl"},
			{"_dev", "", ".parquet"}, {"_dev", "_jsonl", ".jsonl"},
		} {
			name := format.Dataset() + suffix[0]
			text := `{"file_name":"` + name + suffix[2] + `","formatting":"sharegpt",` + want + `}`

			if got := oneLine.Replace(string(info[name+suffix[1]])); got != text {
				t.Errorf("%s: %s, want %s", name+suffix[1], got, text)
			}
		}

		if len(info) != 4 {
			t.Errorf("%s: %d entries", format, len(info))
		}

		// The card names the files of both sets.
		card := string(contents(t, filepath.Join(dir, "README.md")))
		for _, part := range []string{"", "_dev"} {
			if name := format.Dataset() + part + ".parquet"; !strings.Contains(card, name) {
				t.Errorf("the card does not name the file %s:\n%s", name, card)
			}
		}
	}
}

// solved is a trajectory that recovered, told the truth about it, and is right.
func solved(question, node int, change func(*trajectories.Row)) trajectories.Row {
	r := did(question, node, "x")
	r.Question, r.NodePath = fmt.Sprint("How much ", question), fmt.Sprint("0.", node)
	r.DeployedAPI = "p_s_in"
	r.Turns = []trajectories.Turn{
		{Tool: "Load", API: "Load", Outcome: envs.Deprecated},
		{Tool: "Load", API: "Open", Outcome: envs.OK},
		{Tool: envs.UpdateTool, API: envs.UpdateTool, Outcome: envs.OK},
		{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Correct},
	}

	for i := range r.Turns {
		t := &r.Turns[i]
		t.Key, t.Observation = fmt.Sprint(t.API, node, i), "seen"
	}

	r.Turns[2].Key = `UpdateTool{"newtool_desc": "Open[name]` + fmt.Sprint(node) + `"}`
	change(&r)

	for i := range r.Turns {
		r.Turns[i].Action = "act " + r.Turns[i].Key
	}

	r.Deprecations, r.Recovered = 0, 0
	r.Sum()
	return r
}

// TestEveryReasonAddsUp leaves a trajectory out for each reason there is: the counts add up, the
// linter finds nothing in the export, and the manifest names each.
func TestEveryReasonAddsUp(t *testing.T) {
	none := 0
	good := func(*trajectories.Row) {}
	rows := []trajectories.Row{
		solved(0, 0, good),
		solved(0, 1, good), // more than one of the question
		solved(0, 2, func(r *trajectories.Row) { r.Strict = false }),
		solved(0, 3, func(r *trajectories.Row) { r.Turns[1].Tool = "Other" }), // nothing recovers
		solved(0, 4, func(r *trajectories.Row) { r.Turns[1].API = "Use" }),    // there is no "Open"
		solved(0, 5, func(r *trajectories.Row) {
			r.Turns = slices.Insert(r.Turns, 1, r.Turns[0]) // the mistake again
		}),
		solved(0, 6, func(r *trajectories.Row) { r.Turns[2].Outcome = envs.ToolError }),
		solved(0, 7, func(r *trajectories.Row) { r.Turns[0].Observation = " " }), // the linter's
		solved(0, 8, func(r *trajectories.Row) { r.Split = "dev" }),
		solved(0, 10, good), // nothing in it tells what changed
		solved(0, 11, good), // nobody is misled
		solved(1, 0, good),  // asked elsewhere
		solved(2, 0, func(r *trajectories.Row) { r.DeployedAPI = "p_c" }),
		solved(3, 0, good), // the weights want one of each API
	}
	again := rows[0]
	again.Node, again.NodePath = 9, "0.9"
	rows = append(rows, again)

	elsewhere := &export.Elsewhere{}
	elsewhere.Add("how much 1", "test: q7")

	weights := map[string]float64{"p_c": 1, "p_s_in": 1}
	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, slices.Collect(values(synth.Sorted(rows))), export.Options{
		Selection: export.Selection{
			PerQuestion: 1, Strategy: export.Shortest, MaxFaulty: &none,
			RequireRecovery: true, RequireUpdate: true, RequireDetection: true,
			Blind:  func(r *trajectories.Row) bool { return r.Node == 10 },
			Misled: func(r *trajectories.Row) bool { return r.Node != 11 },
			Mix:    export.Mix{By: export.ByAPI, Weights: weights}, Elsewhere: elsewhere,
		},
	})

	want := export.Dropped{
		Split: 1, Elsewhere: 1, Score: 1, NoRecovery: 1, NoUpdate: 2, Blind: 1, NoDetection: 1, Faulty: 1,
		Duplicate: 1, Surplus: 1, Weight: 1,
	}

	diff := cmp.Diff(want, m.Selected.Dropped)
	if diff != "" || m.Rows != 2 || m.Lint.Dropped != 1 {
		t.Errorf("%+v: -want +got:\n%s", m, diff)
	}

	var reasons []string
	for _, l := range m.LeftOut() {
		reasons = append(reasons, fmt.Sprint(l.N, " ", l.Why))
	}

	if diff := cmp.Diff([]string{
		"1 rejected by the linter (empty-turn 1)", "1 of another split than train",
		"1 their questions are asked in another split, too",
		"1 the strict matcher does not accept them", "1 no recovery from a deprecation",
		"2 no truthful call of UpdateTool",
		"1 nothing in them reveals that a call meant something else than before",
		"1 trusting every answer is right there, too", "1 more faulty turns than wanted", "1 duplicates",
		"1 more than wanted of a question", "1 more than the weights allow",
	}, reasons); diff != "" {
		t.Errorf("reasons, -want +got:\n%s", diff)
	}

	lintsWell(t, dir)
}

// TestShortestCountsBytes holds that of trajectories of equally many turns the one that writes
// least is the shortest.
func TestShortestCountsBytes(t *testing.T) {
	var rows []trajectories.Row

	for node, action := range []string{"some words", "w", "words"} {
		r := did(0, node, "ab")
		r.Turns[0].Key, r.Turns[0].Action = action, action
		r.Key = trajectories.Key(r.Turns)
		rows = append(rows, r)
	}

	s := export.Selection{PerQuestion: 2, Strategy: export.Shortest}

	got := words(synth.Collect(t, s.Select(synth.Sequence(rows), &export.SelectionReport{})))
	if !slices.Equal(got, []string{"wb", "wordsb"}) {
		t.Errorf("%q", got)
	}
}

// TestEachQuestionIsDrawnByItself holds that chance decides of each question anew, by all that
// tells it from others, and by the seed which questions are held out.
func TestEachQuestionIsDrawnByItself(t *testing.T) {
	var rows []trajectories.Row

	for q := range 24 {
		for node := range 6 {
			r := did(q/4, node, fmt.Sprint(node))
			r.Question = fmt.Sprint("How much ", q%4)
			r.Turns[0].API = r.Turns[0].Key // no two call the same tools
			rows = append(rows, r)
		}
	}

	var drawn []int

	one := export.Selection{PerQuestion: 1}
	chosen := one.Select(synth.Sorted(rows), &export.SelectionReport{})

	for _, r := range synth.Collect(t, chosen) {
		drawn = append(drawn, r.Node)
	}

	for q := range 6 { // of four questions of one ID, not all draw alike
		four := drawn[4*q : 4*q+4]
		if slices.Min(four) == slices.Max(four) {
			t.Errorf("question %d draws %v", q, four)
		}
	}

	held := func(seed uint64) (all []string) {
		dir := filepath.Join(t.TempDir(), "export")
		some := export.Selection{Dev: 0.3, Seed: seed}
		wrote(t, dir, synth.Rows(1, 40, 1), export.Options{Selection: some})

		for _, s := range synth.Collect(t, export.Read(dir, true)) {
			all = append(all, s.Conversations[0].Value)
		}
		return all
	}

	if slices.Equal(held(1), held(2)) {
		t.Error("two seeds hold out the same questions")
	}
}

// TestRewardTakesTheNearest holds that of the failed trajectories of a run the one is rejected that
// goes along with the chosen one longest, wherever it stands.
func TestRewardTakesTheNearest(t *testing.T) {
	tree := record([]step{
		{"0.1", envs.OK, "", 1, -1}, {"0.1.0", envs.OK, "", 1, -1},
		{"0.1.0.0", envs.Incorrect, "", 1, -1}, {"0.0", envs.OK, "", 6, 0},
		{"0.0.1", envs.Incorrect, "", 1, -1}, {"0.0.0", envs.OK, "", 4, 0},
		{"0.0.0.1", envs.Incorrect, "", 1, -1}, {"0.0.0.2", envs.Incorrect, "", 2, -1},
		{"0.0.0.0", envs.Correct, "", 1, 1},
	}, act)
	rows := trajectories.Ended(trajectories.Meta{
		Run:      trajectories.Run{ID: "run", PromptAPI: "p_c"},
		Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
	}, tree)

	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, rows, export.Options{Format: export.Reward})

	// Two go along equally long, and the first of them is taken.
	all := lineage(t, dir)
	if len(all) != 1 || all[0].NodePath != "0.0.0.0" || all[0].RejectedPath != "0.0.0.1" {
		t.Errorf("%+v", all)
	}

	lintsWell(t, dir)

	// Of another prompt version none is taken.
	for i := range rows {
		if !rows[i].IsCorrect() {
			rows[i].PromptAPI = "p_s_in"
		}
	}

	if m := wrote(t, dir, rows, export.Options{Format: export.Reward}); m.Rows != 0 {
		t.Errorf("%d pairs of two prompt versions", m.Rows)
	}
}

// TestCountsOfSamples holds that a sample is counted once for each time that the trees have it, and
// not for each sibling that it was compared with; that what repeats is counted; and that an action
// that the linter faults is, too.
func TestCountsOfSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, smallRows(true), export.Options{Format: export.KTO})

	for _, l := range lineage(t, dir) {
		if l.Count != 1 {
			t.Errorf("%+v is there once", l)
		}
	}

	if m.Selected.Repeated != 0 {
		t.Errorf("%d samples repeat", m.Selected.Repeated)
	}

	// Another tree that is the same, but for its number.
	rows := smallRows(false)
	for _, r := range smallRows(false) {
		r.Tree, r.Key = 1, r.Key+" again"
		rows = append(rows, r)
	}

	m = wrote(t, dir, rows, export.Options{Format: export.SFTStep})
	if m.Selected.Repeated != 5 || m.Rows != 5 {
		t.Errorf("%d samples, %d repeat", m.Rows, m.Selected.Repeated)
	}

	for _, l := range lineage(t, dir) {
		if l.Count != 2 {
			t.Errorf("%+v is there twice", l)
		}
	}

	lintsWell(t, dir)

	skip := export.Options{Format: export.SFTStep}
	skip.Selection.SkipFaulty = true

	if m := wrote(t, dir, smallRows(false), skip); m.Selected.SkippedSteps != 1 || m.Rows != 4 {
		t.Errorf("%d samples, %d steps are skipped", m.Rows, m.Selected.SkippedSteps)
	}

	// The last steps of the longer trajectory do not fit.
	var told []string

	opt := export.Options{
		Format: export.SFTStep, Tokenizer: loadTokenizer(t, "llama3"), Template: "llama3",
		Found: func(name string, found []export.Finding) {
			told = append(told, name+" "+string(found[0].Rule))
		},
	}
	opt.Cutoff = wrote(t, dir, smallRows(false), opt).Lengths.MaxTokens - 1

	m = wrote(t, dir, smallRows(false), opt)
	if m.Rows != 4 || m.Lint.Samples != 1 || m.Lint.SamplesByRule[export.TooLong] != 1 ||
		m.Lint.Dropped != 0 ||
		!slices.Equal(told, []string{"run: q/0/0.0.2.0.0, action 4 too-long"}) {
		t.Errorf("%+v, %q", m.Lint, told)
	}

	lintsWell(t, dir)
}

// TestLeftOutOfARun counts under the first reason why training takes none of a trajectory, question
// by question.
func TestLeftOutOfARun(t *testing.T) {
	var rows []trajectories.Row

	for q := range 2 {
		wrong, empty := did(q, 0, "ab"), did(q, 1, "cd")
		first, same := did(q, 2, "ef"), did(q, 3, "ef")
		wrong.Strict = false
		empty.Turns[0].Action = " "
		rows = append(rows, wrong, empty, first, same)
	}

	for i := range rows {
		rows[i].Question = "How much?"
		rows[i].Turns[0].Observation = "seen"
	}

	a := export.NewAcceptance(newLinter(t), "", toldOf("tools"), unnamed, 0)

	got, err := a.LeftOut(synth.Sequence(rows))
	want := []export.LeftOut{
		{N: 2, Why: "wrong by the strict matcher"},
		{N: 2, Why: "rejected by the linter (empty-turn 2)"},
		{N: 2, Why: "the same as another of the question"},
	}

	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("(%v) -want +got:\n%s", err, diff)
	}

	if got, err := a.LeftOut(synth.Sequence(rows[2:3])); err != nil || len(got) != 0 {
		t.Errorf("of one that is good: %v (%v)", got, err)
	}

	broken := errors.New("broken")
	failing := func(yield func(trajectories.Row, error) bool) { yield(trajectories.Row{}, broken) }

	if _, err := a.LeftOut(failing); !errors.Is(err, broken) {
		t.Errorf("an error of the rows: %v", err)
	}

	for _, dev := range []float64{0, 0.5} {
		dir := filepath.Join(t.TempDir(), "export")

		_, err := export.Write(t.Context(), dir, failing, export.Options{
			Shown: synth.Shown, Selection: export.Selection{Dev: dev},
		})
		if !errors.Is(err, broken) {
			t.Errorf("an error of the rows, %v held out: %v", dev, err)
		}
	}
}

// TestManifestsOfOtherVersions holds that a manifest of a version, format or trainer that this
// program does not know, or with a key that it does not know, is not read.
func TestManifestsOfOtherVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, synth.Rows(1, 3, 1), export.Options{Software: "v0"})

	path := filepath.Join(dir, export.ManifestFile)
	text := string(contents(t, path))

	for _, test := range []struct{ old, new, want string }{
		{`"manifest_version": 6`, `"manifest_version": 5, "python": {}`, "by toolevo v0 in format 5; this version reads format 6"},
		{`"manifest_version": 6`, `"manifest_version": 7`, "by toolevo v0 in format 7; this version reads format 6"},
		{`"format": "sft-trajectory"`, `"format": "sft"`, "sft-step"},
		{`"trainer": "llamafactory"`, `"trainer": "axolotl"`, "trl"},
		{`"rows"`, `"samples"`, "unknown field"},
	} {
		changed := strings.Replace(text, test.old, test.new, 1)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil || changed == text {
			t.Fatal(test.old, err)
		}

		_, err := export.ReadManifest(dir)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.new, err, test.want)
		}

		if err := synth.FirstError(export.Read(dir, false)); err == nil {
			t.Errorf("%s: samples are read", test.new)
		}

		report, err := export.Proved(dir, newLinter(t), nil)
		if err != nil || report.OK() {
			t.Errorf("%s: nothing is wrong (%v)", test.new, err)
		}
	}
}

// TestMissingPartsAreFound takes parts of an export away: each is named.
func TestMissingPartsAreFound(t *testing.T) {
	for _, name := range []string{
		"README.md", export.DatasetInfoFile, jsonlFile, export.LineageFile, "toolevo_sft_dev.jsonl",
		"toolevo_sft_dev.parquet", "lineage_dev.jsonl",
	} {
		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, synth.Rows(1, 8, 1), export.Options{Selection: export.Selection{Dev: 0.3}})

		path := filepath.Join(dir, name)
		for _, change := range []func() error{
			func() error { return os.WriteFile(path, []byte("}\n"), 0o600) },
			func() error { return os.Remove(path) },
		} {
			if err := change(); err != nil {
				t.Fatal(err)
			}

			report, err := export.Proved(dir, newLinter(t), nil)
			if err != nil {
				t.Fatal(err)
			}

			// The checksum says so, and of what trainers are told what reads it, too.
			named := strings.Count(strings.Join(report.Problems, "\n"), name)
			if named == 0 || named == 1 && name == export.DatasetInfoFile {
				t.Errorf("%s: %q", name, report.Problems)
			}
		}
	}
}

// TestQuestionsOfOthers holds that a question of others is shown as they asked it, whether the
// marker of our prompts stands before it or not.
func TestQuestionsOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "others.jsonl")
	text := fmt.Sprintf(strings.ReplaceAll(foreign, "\n", " "), 1, 1, "done")

	for _, asked := range []string{"Say 1.", "Question: Say 1."} {
		text := strings.Replace(text, "Say 1.", asked, 1)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}

		dir, _ := imported(t, path, export.Options{Selection: export.Selection{Score: export.Any}})

		for _, s := range synth.Collect(t, export.Read(dir, false)) {
			if got := said(s.Conversations...); got != asked+" / done" {
				t.Errorf("%q, want %q", got, asked)
			}
		}
	}

	all, err := export.Import([]string{path})
	if err != nil {
		t.Fatal(err)
	}

	if !all.Has("s1") || all.Has("s2") {
		t.Error("the run is s1")
	}

	if _, ok := all.Shown(&trajectories.Row{RunID: "s2"}); ok {
		t.Error("a row that was not imported was shown something")
	}

	for _, name := range []string{path, path + ".json"} { // the second in a file of one document
		if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}

		_, err := export.Import([]string{name})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("no document: %v", err)
		}
	}

	_, err = export.Import([]string{filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no document: %v", err)
	}
}

// TestNoWeightsForOthers holds that nothing is said of the weights of a trainer that nobody knows.
func TestNoWeightsForOthers(t *testing.T) {
	if got := (export.Labels{Desirable: 3, Undesirable: 1}).Weights("another"); got != nil {
		t.Errorf("%v", got)
	}
}

// TestFailuresOfOursAreNotBad holds for each way in which a trajectory can end that an action is
// rejected only where the agent failed.
func TestFailuresOfOursAreNotBad(t *testing.T) {
	for limit, bad := range map[mcts.Limit]bool{
		mcts.LimitDepth: true, mcts.LimitRepeat: true, mcts.LimitReflection: true,
		mcts.LimitEnvironment: true, mcts.LimitContext: false, mcts.LimitSilence: false,
	} {
		tree := record([]step{
			{"0.0", envs.Correct, "", 1, 1}, {"0.1", envs.OK, limit, 1, 0},
		}, act)
		rows := trajectories.Ended(trajectories.Meta{
			Run:      trajectories.Run{ID: "run", PromptAPI: "p_c"},
			Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
		}, tree)

		dir := filepath.Join(t.TempDir(), "export")
		m := wrote(t, dir, rows, export.Options{Format: export.DPO})
		if m.Rows == 1 != bad {
			t.Errorf("%s: %d pairs", limit, m.Rows)
		}
	}
}

// TestOneQuestionAtATime holds that the rows of a question are asked for only when those before it
// are written: memory holds one question.
func TestOneQuestionAtATime(t *testing.T) {
	all := synth.Rows(1, 6, 1)
	asked := 0

	var rows iter.Seq2[trajectories.Row, error] = func(yield func(trajectories.Row, error) bool) {
		for _, r := range all {
			asked++

			if !yield(r, nil) {
				return
			}
		}
	}

	chosen := export.Selection{Score: export.Official}.Select(rows, &export.SelectionReport{})
	for r, err := range chosen {
		if err != nil {
			t.Fatal(err)
		}

		next := slices.IndexFunc(all, func(other trajectories.Row) bool {
			return other.QuestionIndex > r.QuestionIndex
		})
		if next >= 0 && asked > next+1 {
			t.Errorf("%d rows were read by question %d, want %d", asked, r.QuestionIndex, next)
		}
	}
}

// TestNoMatcherTakesAFailure holds that an action is bad only if no matcher takes the answer of a
// trajectory with it.
func TestNoMatcherTakesAFailure(t *testing.T) {
	for _, test := range []struct {
		official, strict, bad bool
	}{{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}} {
		rows := smallRows(true)

		for i := range rows {
			if !rows[i].IsCorrect() {
				rows[i].Official, rows[i].Strict = test.official, test.strict
			}
		}

		dir := filepath.Join(t.TempDir(), "export")

		m := wrote(t, dir, rows, export.Options{Format: export.KTO})
		if bad := m.Labels.Undesirable > 0; bad != test.bad {
			t.Errorf("%+v: %+v", test, m.Labels)
		}
	}
}

// TestWhatIsShownCanFail holds that an export fails where nobody knows what the model of a rejected
// action was shown.
func TestWhatIsShownCanFail(t *testing.T) {
	unknown := errors.New("unknown")
	rows := smallRows(true)

	for i := range rows {
		if !rows[i].IsCorrect() {
			rows[i].PromptAPI = "p_x"
		}
	}

	shown := func(r *trajectories.Row) (trajectories.Shown, error) {
		if r.PromptAPI == "p_x" {
			return trajectories.Shown{}, unknown
		}
		return synth.Shown(r)
	}

	for _, format := range []export.Format{export.DPO, export.KTO} {
		dir := filepath.Join(t.TempDir(), "export")

		_, err := export.Write(t.Context(), dir, synth.Sequence(rows),
			export.Options{Format: format, Shown: shown})
		if !errors.Is(err, unknown) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestAcceptanceOfSteps holds that a trajectory whose reasoning later prompts did not show is
// accepted if each of its steps is, under the system text of its dataset, to the last character.
func TestAcceptanceOfSteps(t *testing.T) {
	row := manyRows(1, false, reasoned)[0]
	row.Labels = map[string]string{"dataset": "coffee"}
	texts := map[string]string{"coffee": "tools"}

	accept := func(mode action.Reasoning, characters int, row trajectories.Row) bool {
		shown := func(t envs.Task) trajectories.Shown {
			return trajectories.Shown{System: texts[t.Labels[envs.LabelDataset]]}
		}
		a := export.NewAcceptance(newLinter(t), mode, shown, unnamed, characters)

		h := envs.NewHistory(envs.Task{Question: row.Question, Labels: row.Labels})
		for _, turn := range row.Turns {
			h = h.Append(envs.Turn{Action: envs.Action(turn.Action), Observation: turn.Observation})
		}
		return a.Accept(h)
	}

	for _, mode := range []action.Reasoning{action.Show, action.Once} {
		// The longest text that there is: of a step the earlier reasoning is not shown.
		least := 1
		for !accept(mode, least, row) {
			least++
		}

		sample, _ := export.NewSample(trajectories.Shown{System: "tools"}, &row, newLinter(t).Sanitizer())

		want, _ := newLinter(t).Length(export.SFTTrajectory, &sample)
		if mode == action.Once {
			want -= len("<think>\nAbout 0.0\n</think>\n\n")
		}

		if least != want || !accept(mode, 0, row) {
			t.Errorf("%s: accepted from %d characters on, want %d", mode, least, want)
		}

		for i := range row.Turns {
			spoilt := row
			spoilt.Turns = slices.Clone(row.Turns)
			spoilt.Turns[i].Action += " <|eot_id|>"

			if accept(mode, 0, spoilt) {
				t.Errorf("%s: a control token in turn %d is accepted", mode, i)
			}
		}
	}
}

// TestFindingsAreToldOnce holds that what the linter leaves out is told once, though the
// trajectories are gone through twice, and that all questions cannot be held out.
func TestFindingsAreToldOnce(t *testing.T) {
	rows := synth.Rows(1, 6, 1)
	rows[2].Turns[0].Observation = " "

	var told []string

	wrote(t, filepath.Join(t.TempDir(), "export"), rows, export.Options{
		Selection: export.Selection{Dev: 0.3},
		Found:     func(name string, _ []export.Finding) { told = append(told, name) },
	})

	if !slices.Equal(told, []string{rows[2].Name()}) {
		t.Errorf("told: %q", told)
	}

	for dev, bad := range map[float64]bool{-0.1: true, 0: false, 0.99: false, 1: true} {
		dir := filepath.Join(t.TempDir(), "export")

		_, err := export.Write(t.Context(), dir, synth.Sequence(rows),
			export.Options{Shown: synth.Shown, Selection: export.Selection{Dev: dev}})
		if (err != nil) != bad {
			t.Errorf("a share of %v: %v", dev, err)
		}
	}
}

// naiveDistance is what the comment of Distance says, of words: the mean of the share of letters
// that the two do not have in common, and of the edits between them over the longer length.
func naiveDistance(a, b string) float64 {
	letters, common := map[rune]bool{}, map[rune]bool{}
	for _, c := range a + b {
		letters[c] = true
		common[c] = strings.ContainsRune(a, c) && strings.ContainsRune(b, c)
	}

	shared := 0
	for _, both := range common {
		if both {
			shared++
		}
	}

	var edits func(a, b string) int

	edits = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return edits(a[1:], b[1:])
		}

		return 1 + min(edits(a[1:], b), edits(a, b[1:]), edits(a[1:], b[1:]))
	}
	return (1 - float64(shared)/float64(len(letters)) +
		float64(edits(a, b))/float64(max(len(a), len(b)))) / 2
}

// TestDiverseNaively chooses among words as the comment of Diverse says: the shortest, then again
// and again the one least like those chosen, of equals the earlier.
func TestDiverseNaively(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-d]{1,5}`), 1, 8, rapid.ID).Draw(t, "words")
		n := rapid.IntRange(1, 8).Draw(t, "n")

		var rows []trajectories.Row
		for i, word := range all {
			rows = append(rows, did(0, i, word))
		}

		rest := slices.Clone(all)
		slices.SortStableFunc(rest, func(a, b string) int { return len(a) - len(b) })

		want := []string{rest[0]}
		for rest = rest[1:]; len(want) < n && len(rest) > 0; {
			at, farthest := 0, -1.0

			for i, word := range rest {
				nearest := 2.0
				for _, other := range want {
					nearest = min(nearest, naiveDistance(word, other))
				}

				if nearest > farthest {
					at, farthest = i, nearest
				}
			}

			want, rest = append(want, rest[at]), slices.Delete(rest, at, at+1)
		}

		// What is chosen comes in the order of the rows.
		slices.SortFunc(want, func(a, b string) int {
			return slices.Index(all, a) - slices.Index(all, b)
		})

		s := export.Selection{PerQuestion: n, Strategy: export.Diverse}

		var got []trajectories.Row

		for r, err := range s.Select(synth.Sequence(rows), &export.SelectionReport{}) {
			if err != nil {
				t.Fatal(err)
			}

			got = append(got, r)
		}

		if !slices.Equal(words(got), want) {
			t.Fatalf("%d of %q: %q, want %q", n, all, words(got), want)
		}
	})
}

// TestDocumentsThatFail holds that an export of documents fails with the first error of what it is
// made of, that episodes that were lost are counted wherever they come, and that nothing known of
// other splits is said.
func TestDocumentsThatFail(t *testing.T) {
	row := synth.Rows(5, 3, 1)[0]
	broken := errors.New("broken")
	episodes := func(err error) iter.Seq2[trajectories.Episode, error] {
		return func(yield func(trajectories.Episode, error) bool) {
			lost := trajectories.Episode{Row: row, Lost: "the server was down"}
			ended := trajectories.Episode{Row: row, Status: "terminated"}

			if yield(lost, nil) && yield(ended, nil) && err != nil {
				yield(trajectories.Episode{}, err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	unknown := func(*trajectories.Row) (trajectories.Shown, error) {
		return trajectories.Shown{}, broken
	}

	for name, test := range map[string]struct {
		ctx   context.Context
		err   error
		shown func(*trajectories.Row) (trajectories.Shown, error)
		want  error
	}{
		"good":            {t.Context(), nil, synth.Shown, nil},
		"an error":        {t.Context(), broken, synth.Shown, broken},
		"cancelled":       {cancelled, nil, synth.Shown, context.Canceled},
		"nothing is said": {t.Context(), nil, unknown, broken},
	} {
		for _, format := range []export.Format{export.ATIF, export.ATIFFiles} {
			opt := export.Options{Format: format, Shown: test.shown}
			opt.Selection.Elsewhere = &export.Elsewhere{}
			opt.Selection.Elsewhere.Skip()

			dir := filepath.Join(t.TempDir(), "documents")
			m, err := export.WriteDocuments(test.ctx, dir, export.Documents{
				Rows: synth.Sequence(nil), Episodes: episodes(test.err),
			}, opt)
			if !errors.Is(err, test.want) || (m == nil) != (err != nil) {
				t.Errorf("%s, %s: %+v (%v)", name, format, m, err)
			}

			if m != nil && (m.Rows != 1 || m.Lost != 1 || !m.Selected.Elsewhere.Skipped) {
				t.Errorf("%s, %s: %+v", name, format, m)
			}
		}
	}
}

// TestCallsAndTexts holds that an export has function calls if any of its replies is one.
func TestCallsAndTexts(t *testing.T) {
	rows := manyRows(2, false, call)
	for i := range rows {
		for k := range rows[i].Turns {
			if rows[i].QuestionIndex == 1 {
				rows[i].Turns[k].Action = act("x")
			}
		}
	}

	dir := filepath.Join(t.TempDir(), "export")
	calls := func(row *trajectories.Row) (trajectories.Shown, error) {
		shown, err := synth.Shown(row)
		shown.Codec = action.FunctionCall{}
		return shown, err
	}

	m := wrote(t, dir, rows, export.Options{Shown: calls})

	if !m.Calls || m.Questions != 2 {
		t.Errorf("%+v", m)
	}

	lintsWell(t, dir)
}

// TestFindingsInWords names the place of a finding, the rule, and what was found.
func TestFindingsInWords(t *testing.T) {
	for want, f := range map[string]export.Finding{
		"sample: parity: 3 messages":    {Rule: export.Parity, Message: -1, Detail: "3 messages"},
		"message 0: leak: in test":      {Rule: export.Leak, Message: 0, Detail: "in test"},
		"message 2: too-long: 4 tokens": {Rule: export.TooLong, Message: 2, Detail: "4 tokens"},
	} {
		if got := f.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOptionsThatDoNotFit holds that an export is refused for each option that it does not know, or
// that its format cannot do.
func TestOptionsThatDoNotFit(t *testing.T) {
	odd := export.Mix{By: "model", Weights: map[string]float64{"p_s_in": 1}}

	for want, opt := range map[string]export.Options{
		"sft-step":         {Format: "sft"},
		"llamafactory":     {Trainer: "axolotl"},
		"shortest":         {Selection: export.Selection{Strategy: "best"}},
		"faulty turns":     {Format: export.DPO, Selection: export.Selection{SkipFaulty: true}},
		"suite":            {Selection: export.Selection{Mix: odd}},
		"a tokenizer file": {Cutoff: 7},
		"below 0":          {Cutoff: -1},
		"template":         {Tokenizer: loadTokenizer(t, "llama3"), Template: "none"},
	} {
		opt.Shown = synth.Shown

		_, err := export.Write(t.Context(), t.TempDir(), synth.Sequence(nil), opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTheWorstIsRejected holds that of bad siblings the one with the most visits is rejected, of
// those the one of the lowest value; that a sample which the linter faults keeps no other one out;
// and that a trajectory without a turn is no trouble.
func TestTheWorstIsRejected(t *testing.T) {
	meta := trajectories.Meta{
		Run:      trajectories.Run{ID: "run", PromptAPI: "p_c"},
		Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
	}
	rows := trajectories.Ended(meta, record([]step{
		{"0.0", envs.Correct, "", 9, 1}, {"0.1", envs.Incorrect, "", 2, -1},
		{"0.2", envs.Incorrect, "", 3, -0.5}, {"0.3", envs.Incorrect, "", 3, -1},
		{"0.4", envs.Incorrect, "", 3, -0.7},
	}, act))

	empty := rows[1]
	empty.Node, empty.NodePath, empty.Turns = 0, "0", nil
	rows = append([]trajectories.Row{empty}, rows...)

	rejected := func(format export.Format) string {
		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, rows, export.Options{Format: format})
		lintsWell(t, dir)
		return lineage(t, dir)[0].RejectedPath
	}

	dpo, reward := rejected(export.DPO), rejected(export.Reward)
	if dpo != "0.3" || reward != "0.1" {
		t.Errorf("%s is rejected, and the transcript %s", dpo, reward)
	}

	rows[2].Turns[0].Action += " <|eot_id|>"
	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, rows, export.Options{Format: export.KTO})

	if m.Lint.Samples != 1 || m.Labels.Undesirable != 3 || m.Labels.Desirable != 1 {
		t.Errorf("%+v, %+v", m.Lint, m.Labels)
	}

	lintsWell(t, dir)
}

// TestOneQuestionUnderOtherLabels holds that runs which label a question differently, as with
// another feedback, tell about the same states: no action is good by one and bad by the other.
func TestOneQuestionUnderOtherLabels(t *testing.T) {
	var rows []trajectories.Row

	for run, tree := range map[string][]step{
		"one": {{"0.0", envs.Correct, "", 1, 1}},
		"two": {{"0.0", envs.Incorrect, "", 1, -1}, {"0.1", envs.Correct, "", 1, 1}},
	} {
		meta := trajectories.Meta{
			Run:      trajectories.Run{ID: run, Hash: run, PromptAPI: "p_c"},
			Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
		}
		if run == "two" {
			meta.Question.Labels = map[string]string{envs.LabelFeedback: "none"}
		}

		rows = append(rows, trajectories.Ended(meta, record(tree, act))...)
	}

	slices.SortFunc(rows, func(a, b trajectories.Row) int { return trajectories.Compare(&a, &b) })

	for format, want := range map[export.Format]int{export.KTO: 2, export.DPO: 0,
		export.Reward: 0} {
		dir := filepath.Join(t.TempDir(), "export")
		if m := wrote(t, dir, rows, export.Options{Format: format}); m.Rows != want ||
			m.Labels.Undesirable > 0 {
			t.Errorf("%s: %d samples, %+v", format, m.Rows, m.Labels)
		}
	}

	m := wrote(t, filepath.Join(t.TempDir(), "export"), rows,
		export.Options{Selection: export.Selection{PerQuestion: 1, Score: export.Any}})
	if m.Questions != 1 || m.Rows != 1 {
		t.Errorf("%d samples of %d questions, want 1", m.Rows, m.Questions)
	}
}

// TestBothRepliesAreChecked holds that the linter looks at each reply of a pair.
func TestBothRepliesAreChecked(t *testing.T) {
	good := export.Message{From: export.GPT, Value: "a"}
	bad := export.Message{From: export.GPT, Value: "b <|eot_id|>"}

	for _, pair := range [][2]export.Message{{good, bad}, {bad, good}} {
		s := conversation("human:q")
		s.Chosen, s.Rejected = pair[0], pair[1]

		found := newLinter(t).Lint(export.DPO, s)
		if len(found) != 1 || found[0].Rule != export.ControlToken || found[0].Message != 1 {
			t.Errorf("%+v: %v", pair, found)
		}
	}
}
