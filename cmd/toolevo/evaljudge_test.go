package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	toolbenchsuite "toolevo/cmd/internal/suites/toolbench"
	"toolevo/envs/kept"
	"toolevo/finetune"
	"toolevo/finetune/judge"
)

// judgeServer answers like a model that judges: what holds the marker is solved. It counts what it
// was asked.
func judgeServer(t *testing.T, marker string) (url string, asked *atomic.Int64) {
	t.Helper()

	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}

		var body struct {
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 {
			t.Errorf("%d messages, %v", len(body.Messages), err)
		}

		asked.Add(1)

		status, solved := "Unsolved", strings.Contains(body.Messages[1].Content, marker)
		if solved {
			status = "Solved"
		}

		reply := fmt.Sprintf(`{"index": 1, "answer_status": %q, "solved": %t}`, status, solved)
		if strings.Contains(body.Messages[0].Content, "is complete") {
			reply = status + "\nSo it is."
		}

		text, _ := json.Marshal(reply)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":` +
			`"assistant","content":` + string(text) + `},"finish_reason":"stop"}]}`))
	}))
	t.Cleanup(server.Close)

	return server.URL + "/v1", asked
}

// Where APIs drifted an agent that reads notices solves more than one that does not, and where they
// did not as much; no server is asked.
func TestEvalJudgeByRule(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	eval, out := filepath.Join(dir, "eval"), filepath.Join(dir, "judged")
	must(t, ofToolBench(t, "eval", "--policy", "scripted:stale,scripted:reader", "--out", eval)...)

	args := []string{"eval", "judge", eval, "--score", "sopr,fac,sowr", "--out", out, "--progress", "none"}
	got := document[toolbenchsuite.JudgedAnswers](t, must(t, append(args, "--json")...))

	solved, refused := map[string]float64{}, map[string]int{}

	for _, row := range got.Means {
		if row.Difficulty == "all" {
			solved[row.Policy+" "+row.API] = row.SoPR.Mean
			refused[row.Policy+" "+row.API] = row.Conduct.Calls - row.Conduct.Valid
		}

		if math.Abs(row.SoPR.Mean-row.FAC.Mean) > 1e-9 || row.SoPR.Deviation != 0 || row.Missing != 0 {
			t.Errorf("%s: %+v, %+v", row.Cell, row.SoPR, row.FAC)
		}
	}

	for _, api := range []string{"p_s_in", "p_s_ood"} {
		stale, reader := solved["scripted:stale "+api], solved["scripted:reader "+api]
		if stale != 0 || reader <= stale {
			t.Errorf("under %s the stale one solves %v and the reader %v", api, stale, reader)
		}

		if refused["scripted:stale "+api] == 0 {
			t.Errorf("under %s no call of the stale one is refused", api)
		}
	}

	if s := solved["scripted:stale p_c"]; s == 0 || s != solved["scripted:reader p_c"] {
		t.Errorf("where nothing has changed: %v", solved)
	}

	for _, win := range got.Wins {
		if win.Candidate.Policy != "scripted:reader" || win.Lose != 0 || (win.Win > 0) != (win.Reference.API != "p_c") {
			t.Errorf("%+v", win)
		}
	}

	if got.Judge.Kind != "judge" || got.Judge.Name != "rule" || len(got.Files) != 6*2*2+3*2 {
		t.Errorf("judged by %+v into %d files", got.Judge, len(got.Files))
	}

	for _, name := range []string{"report.json", "report.md", "report.csv", "report.tex"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}

	text := must(t, args...)
	says(t, "eval judge", text, "scripted:stale under p_s_in\n", "\n    exposed", "sopr",
		"\nscripted:reader under p_c against scripted:stale", "won")
	fits(t, text)

	says(t, "eval judge --format markdown", must(t, append(args, "--format", "markdown")...),
		"| agent | G1_instruction sopr |", "parameter-grounding", "judged by rule")

	errors := must(t, "eval", "errors", eval)
	says(t, "eval errors", errors, "scripted:stale under p_s_in", "Refused calls, by what was not taken")

	// What it ended with before is not all of it.
	extended(t, eval)
	fails(t, exitUsage, []string{"is unfinished", "eval --resume"}, args...)
}

// What a model said of an evaluation's answers, and what people say, becomes data that a judge is
// trained on and tested with, and the judge is asked as it was trained.
func TestMirrorJudge(t *testing.T) {
	t.Parallel()

	s := &writing{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	url, dir := server.URL+"/v1", t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	must(t, ofToolBench(t, "eval", "--policy", "scripted:reader", "--api", "p_c", "--out", in("eval"))...)

	data := func(args ...string) []string {
		return append([]string{"mirror", "judge", in("eval"), "--out", in("fac"), "--json"}, args...)
	}

	fails(t, exitUsage, []string{"no model judged", "--score fac"}, data()...)
	must(t, "eval", "judge", in("eval"), "--score", "fac", "--progress", "none") // the rule labels nothing
	fails(t, exitUsage, []string{"no model judged"}, data()...)
	must(t, "eval", "judge", in("eval"), "--score", "fac", "--by", "openai:strict", "--server", url, "--out",
		in("judged"), "--progress", "none")

	made := document[toolbenchsuite.JudgeData](t, must(t, data()...))
	if made.Expert != "strict" || made.Cases == 0 || made.Cases != made.Labels ||
		len(made.Datasets) != 2 || made.Datasets[0].Samples+made.Datasets[1].Samples != made.Cases {
		t.Errorf("%+v", made)
	}

	says(t, "check", must(t, "check", in("fac")), "0 faulty, 0 problems")
	says(t, "finetune", must(t, "finetune", in("fac"), "--recipe", "fac-8b", "--gpus", "8", "--print", "--out",
		in("trained")), "dataset: train_fac\n", "template: llama3\n")

	// The judge gets one text, which the file has, so that its server is asked in one message.
	must(t, "eval", "judge", in("eval"), "--score", "fac", "--by", "openai:trained", "--server", url,
		"--fac-prompt", "published", "--prompts", in("fac"), "--out", in("again"), "--progress", "none")

	samples := string(read(t, in("fac/train_fac.jsonl"))) + string(read(t, in("fac/test_fac.jsonl")))

	text, err := json.Marshal(s.first.Load())
	if err != nil {
		t.Fatal(err)
	}

	if !strings.Contains(samples, `"instruction":`+string(text)) {
		t.Errorf("the judge is asked %s, which nobody trained it on", text)
	}

	write(t, in("people.csv"), "query,answer,label\nIs it late?,It is.,Solved\nIs it early?,No.,Solved\n")
	write(t, in("models.jsonl"), `{"query": "Is it late?", "answer": "It is.", "label": "Solved", "labeller": "large"}
{"query": "Is it early?", "answer": "No.", "label": 0, "labeller": "large"}
{"query": "Is it now?", "answer": "Yes.", "label": 1, "labeller": "large"}
`)
	out := must(t, "mirror", "judge", in("people.csv"), in("models.jsonl"), "--people", "people", "--reinforced",
		"--out", in("fac"))
	says(t, "mirror judge", out, "large     3       66.7      1", "people    2       100.0     a person",
		"large, people  2      50.0    0.00", "train_fac  1", "test_fac   2")
	says(t, "its sample", string(read(t, in("fac/train_ochat.jsonl"))), `"condition":"large"`)

	for flag, values := range map[string][]string{
		"held-out": {"100"}, "expert": {"none"}, "people": {"large,people"}, "prompts": {dir},
	} {
		fails(t, exitUsage, nil, append([]string{"mirror", "judge", in("people.csv"), in("models.jsonl"), "--out",
			in("fac2"), "--" + flag}, values...)...)
	}
}

// The functions that agents met are looked up in the data folder, and in no other one.
func TestEvalJudgeWantsTheData(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	data, eval := filepath.Join(dir, "data"), filepath.Join(dir, "eval")

	must(t, "toolbench", "import", inventedQueries, "--data", data)
	must(t, "eval", "--data", data, "--set", "suite=toolbench", "--policy", "scripted:stale", "--api", "p_c", "--out",
		eval, "--progress", "none")
	must(t, "eval", "judge", eval, "--progress", "none")

	const group = "G2_category.json"

	part := filepath.Join(dir, "part")
	write(t, filepath.Join(part, group), string(read(t, filepath.Join(inventedQueries, group))))
	must(t, "toolbench", "import", part, "--data", data)

	fails(t, exitUsage, []string{"split test", "put it back"}, "eval", "judge", eval, "--progress", "none")
	must(t, "eval", "errors", eval) // what the evaluation keeps is enough

	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"put it back"}, "eval", "judge", eval, "--progress", "none")
}

// Agents that meet recorded answers alone are judged beside those that meet simulated ones.
func TestEvalJudgeOfRecordedAnswers(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	must(t, "toolbench", "import", inventedQueries, "--data", in("data"))
	write(t, in("calls.jsonl"), `{"category": "Weather", "tool_name": "24h Weather", "api_name": "Health", `+
		`"tool_input": {}, "error": "", "response": {"status": "up"}}`+"\n")

	kept := must(t, "toolbench", "cache", in("calls.jsonl"), "--cache", in("real.db"))
	says(t, "toolbench cache", kept, "1 answers of 1 files")

	eval := []string{"eval", "--data", in("data"), "--set", "suite=toolbench", "--policy", "scripted:reader", "--api",
		"p_c", "--progress", "none"}
	recordedIn := func(cache, out string) []string {
		return append(slices.Clone(eval), "--set", "toolbench.simulator=none", "--set", "toolbench.cache="+in(cache),
			"--out", in(out))
	}

	// What the first query of each group takes is recorded, too. These are solved, the others lost,
	// and none is wrong.
	must(t, append(slices.Clone(eval), "--limit", "1", "--set", "toolbench.cache="+in("real.db"), "--out",
		in("few"))...)

	r := cli(t, recordedIn("real.db", "real")...)
	says(t, "eval", r.err, "no answer to a call was recorded", "lost")

	var report finetune.Report
	if err := json.Unmarshal(read(t, in("real/report.json")), &report); err != nil {
		t.Fatal(err)
	}

	all := report.Summaries[len(report.Summaries)-1]
	if all.Measured == 0 || all.Lost == 0 || all.Official != 1 {
		t.Errorf("%d measured, %d lost, of which %.2f are right", all.Measured, all.Lost, all.Official)
	}

	must(t, append(eval, "--out", in("script"))...)
	must(t, "eval", "judge", in("real"), in("script"), "--out", in("judged"), "--progress", "none")

	figure := string(read(t, in("judged/pass_rate.svg")))
	says(t, "the figure", figure, ">real<", ">script<", ">scripted:reader<")

	fails(t, exitUsage, []string{"toolbench.cache"}, append(eval, "--set", "toolbench.simulator=none", "--out",
		in("none"))...)

	// A file that is misspelt is not made.
	fails(t, exitUsage, []string{"no recorded answers in"}, recordedIn("rael.db", "misspelt")...)

	if _, err := os.Stat(in("rael.db")); err == nil {
		t.Error("a cache that was not there is there")
	}
}

// A model is asked once for each judgement, however often the command runs.
func TestEvalJudgeByModel(t *testing.T) {
	t.Parallel()

	url, asked := judgeServer(t, "9 degrees")
	dir := t.TempDir()

	answer := func(final string) string {
		call := `{"name": "Finish", "arguments": ` + final + `, "response": ""}`
		return `{"query": "How warm is it?", "available_tools": [{"name": "Finish"}], "answer": {"method": "CoT@1",
			"total_steps": 1, "final_answer": ` + final + `, "answer_details": [
				{"role": "tool", "message": ` + call + `, "next": []}]}}`
	}

	right := `"{\"return_type\": \"give_answer\", \"final_answer\": \"9 degrees\"}"`
	wrong := `"{\"return_type\": \"give_answer\", \"final_answer\": \"cold\"}"`
	none := `"{\"return_type\": \"give_up_and_restart\"}"`

	write(t, filepath.Join(dir, "cot", "G1_x.json"), `{"7": `+answer(wrong)+`, "8": `+answer(none)+`}`)
	write(t, filepath.Join(dir, "dfs", "G1_x.json"), `{"7": `+answer(right)+`, "8": `+answer(right)+`, "9": `+
		answer(right)+`}`)
	write(t, filepath.Join(dir, "ids", "G1_x.json"), `{"7": 0, "8": 0, "10": 0}`)

	out := filepath.Join(dir, "judged")
	args := []string{"eval", "judge", filepath.Join(dir, "cot", "G1_x.json"), filepath.Join(dir, "dfs"), "--by",
		"openai:m", "--server", url, "--score", "sopr,fac,sowr", "--ids", filepath.Join(dir, "ids"), "--out", out,
		"--progress", "none", "--json"}

	r := cli(t, args...)
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "eval judge", r.err, "1 answers are left out")

	first := document[toolbenchsuite.JudgedAnswers](t, r.out)
	cot, dfs := first.Rows[0], first.Rows[1]

	if cot.SoPR.Mean != 0 || cot.Missing != 1 || cot.N != 3 || dfs.SoPR.Mean != 2.0/3 || dfs.FAC.Mean != 2.0/3 {
		t.Errorf("%+v %+v, %+v %+v", cot, cot.SoPR, dfs, dfs.SoPR)
	}

	if w := first.Wins[0]; w.Win != 2 || w.Lose != 0 || w.Tie != 1 {
		t.Errorf("%+v", w)
	}

	if first.Judge.Name != "openai:m" || !strings.Contains(first.Judge.Version, judge.PromptHash(kept.Prompts{})) {
		t.Errorf("judged by %+v", first.Judge)
	}

	// Three answers take a judge, in three passes and once for FAC; what is solved by one side
	// alone takes none.
	if n := asked.Load(); n != 3*3+3 {
		t.Errorf("%d judgements were asked for", n)
	}

	if again := must(t, args...); again != r.out || asked.Load() != 3*3+3 {
		t.Errorf("again %d judgements are asked for, and the report is\n%s", asked.Load()-12, again)
	}
}

// A judge's verdict is that of the line that it is asked for, without its thoughts. One that cannot
// be read is asked for again, and is then no verdict.
func TestEvalJudgeReadsTheVerdict(t *testing.T) {
	t.Parallel()

	const final = `"{\"return_type\": \"give_answer\", \"final_answer\": \"9 degrees\"}"`

	dir := t.TempDir()
	write(t, filepath.Join(dir, "cot", "G1_x.json"), `{"7": {"query": "How warm is it?", "available_tools": [`+
		`{"name": "Finish"}], "answer": {"method": "CoT@1", "total_steps": 1, "final_answer": `+final+`, `+
		`"answer_details": [{"role": "tool", "message": {"name": "Finish", "arguments": `+final+`, "response": ""}, `+
		`"next": []}]}}}`)

	for name, test := range map[string]struct {
		reply string
		mean  float64
		lost  int
		asked int64
	}{
		"plain":      {"Solved\nBoth parts are taken up.", 1, 0, 1},
		"not":        {"Unsolved\nThe chart is missing.", 0, 0, 1},
		"thinks":     {"<think>\nSolved or Unsolved? It is not unsolved.\n</think>\nSolved\nBoth are there.", 1, 0, 1},
		"in words":   {"Not solved\nThe chart is missing.", 0, 0, 1},
		"of another": {"Solved\nNothing was left unsolved.", 1, 0, 1},
		"unclear":    {"It could be called solved, or unsolved.", 0, 1, 3},
		"no end":     {"<think>\nIs it solved?", 0, 1, 3},
	} {
		url, asked := rewriter(t, func(string) string { return test.reply })

		got := document[toolbenchsuite.JudgedAnswers](t, must(t, "eval", "judge",
			filepath.Join(dir, "cot"), "--by", "openai:m",
			"--score", "fac", "--server", url, "--out", filepath.Join(dir, name), "--progress", "none", "--json"))
		if fac := got.Rows[0].FAC; fac.Mean != test.mean || fac.Lost != test.lost || asked.Load() != test.asked {
			t.Errorf("%s: %+v after %d requests, want %v and %d lost", name, fac, asked.Load(), test.mean, test.lost)
		}
	}
}

// What cannot be judged is told before anybody is asked.
func TestEvalJudgeErrors(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	file := filepath.Join(dir, "cot", "G1_x.json")
	write(t, file, `{}`)
	write(t, filepath.Join(dir, "list", "G1_x.json"), `[]`)

	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{file}, []string{"judge by a model", "the rule knows only"}},
		{[]string{file, "--by", "openai:m"}, []string{"--out: it is missing"}},
		{[]string{file, "--by", "scripted:reader", "--out", dir}, []string{"--by", "writes no texts"}},
		{[]string{file, "--score", "sopr,bleu"}, []string{"--score", `"bleu"`, "sopr, fac, sowr"}},
		{[]string{file, "--format", "html"}, []string{"--format", "latex"}},
		{[]string{file, "--passes", "0"}, []string{"--passes: it is 0"}},
		{[]string{file, "--workers", "0"}, []string{"--workers: it is 0"}},
		{[]string{file, "--reference", "cot"}, []string{"the score sowr"}},
		{[]string{file, "--ids", filepath.Join(dir, "list")}, []string{"--ids", "no ID file"}},
		{[]string{file, "--ids", filepath.Join(dir, "none")}, []string{"--ids", "none"}},
		{[]string{filepath.Join(dir, "list")}, []string{"not a converted file", "toolbench convert"}},
		{[]string{filepath.Join(dir, "none")}, []string{"none"}},
		{[]string{smallEvaluation(t)}, []string{"not of the suite toolbench"}},
		{[]string{smallRun(t)}, []string{"toolevo collect", "toolevo eval"}},
	} {
		fails(t, exitUsage, test.want, append([]string{"eval", "judge", "--progress", "none"}, test.args...)...)
	}
}
