package main

import (
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/robustness"
)

// driftOf are the arguments of an experiment on a data folder.
func driftOf(data, out string, more ...string) []string {
	return append([]string{"eval", "drift", "--data", data, "--out", out, "--progress", "none"}, more...)
}

// smallDrift is a finished experiment on invented queries, with what it printed beside it.
var smallDrift = shared("drift", func(t testing.TB, dir string) {
	printed := made(t, driftOf(smallData(t), dir, "--split", "train", "--feedbacks", "deprecation,none",
		"--perturbations", "paraphrase,distractor", "--json")...)

	if err := os.WriteFile(dir+".json", []byte(printed), 0o644); err != nil {
		t.Fatal(err)
	}
})

// inOrder holds an experiment with the scripted policies to what they are: where nothing has
// changed all are alike; where APIs have moved on, the oracle is at least as good as the reader,
// who is better than the stale one if there are notices, and as good if there is no word. Nobody is
// better than the oracle anywhere.
func inOrder(t *testing.T, rows []robustness.Row) {
	t.Helper()

	type condition struct {
		feedback, setting, dataset, difficulty string
	}

	rates := map[condition]map[string]robustness.Row{}

	for _, row := range rows {
		c := condition{row.Feedback, row.Name, row.Dataset, row.Difficulty}
		if rates[c] == nil {
			rates[c] = map[string]robustness.Row{}
		}

		rates[c][row.Policy] = row
	}

	for c, of := range rates {
		oracle, reader, stale := of["scripted:oracle"], of["scripted:reader"], of["scripted:stale"]

		alike := oracle.PassRate == reader.PassRate && reader.PassRate == stale.PassRate
		whole := c.dataset == robustness.All && c.difficulty == robustness.All

		switch {
		case oracle.N != reader.N || reader.N != stale.N || whole && oracle.N == 0 || oracle.Lost > 0:
			t.Errorf("%+v: %d, %d and %d questions", c, oracle.N, reader.N, stale.N)
		case oracle.PassRate < reader.PassRate || reader.PassRate < stale.PassRate:
			t.Errorf("%+v: the oracle passes %v, the reader %v, the stale one %v", c, oracle.PassRate, reader.PassRate,
				stale.PassRate)
		case oracle.Kind != robustness.Versioning && !alike:
			t.Errorf("%+v: where no API has changed they are not alike", c)
		case oracle.Kind == robustness.Versioning && c.feedback == "none" && reader.PassRate != stale.PassRate:
			t.Errorf("%+v: without a word the reader is another one than the stale one", c)
		case oracle.Kind == robustness.Versioning && c.feedback == "deprecation" && whole &&
			reader.PassRate <= stale.PassRate:
			t.Errorf("%+v: the reader learns nothing", c)
		}
	}
}

func TestEvalDrift(t *testing.T) {
	t.Parallel()

	dir := smallDrift(t)
	printed := document[toolevo.Drifted](t, string(read(t, dir+".json")))

	inOrder(t, printed.Rows)

	for _, s := range printed.Statistics {
		informed := s.Policy == "scripted:oracle" || s.Kind != robustness.Versioning
		if informed && (s.Refused > 0 || s.Valid != 1) || !informed && s.Refused == 0 {
			t.Errorf("%+v: %d episodes had a tool refused, %v of the calls are valid", s.Condition, s.Refused, s.Valid)
		}

		learns := s.Policy == "scripted:reader" && s.Kind == robustness.Versioning && s.Feedback == "deprecation"
		if learns != (s.Recovered > 0) {
			t.Errorf("%+v: %d of %d episodes recovered", s.Condition, s.Recovered, s.Refused)
		}
	}

	for _, name := range []string{"drift.md", "drift.tex", "drift.csv", "drift.html", "figure-3-none.svg"} {
		if !slices.Contains(printed.Files, filepath.Join(dir, name)) {
			t.Errorf("%s is not among %v", name, printed.Files)
		}
	}

	says(t, "the page", string(read(t, filepath.Join(dir, toolevo.DriftPage))), "(Table I of DynamicToolBench)",
		"(its Table II)", "Run statistics", `class="panels"`, "feedback none, paraphrase")
	says(t, "check", must(t, "check", filepath.Join(dir, "deprecation", "paraphrase")), "0 problems")
}

// Which questions a version exposes is part of their names. Where versions other than the default
// are deployed, other wordings are still compared with the same questions as asked.
func TestEvalDriftComparesTheSameQuestions(t *testing.T) {
	t.Parallel()

	args := driftOf(smallData(t), filepath.Join(t.TempDir(), "drift"), "--split", "train",
		"--feedbacks", "deprecation", "--perturbations", "paraphrase", "--api", "p_s_ood",
		"--policy", "scripted:reader", "--json")
	rows := document[toolevo.Drifted](t, must(t, args...)).Rows

	asked, compared := map[[2]string]int{}, 0

	for _, r := range rows {
		part := [2]string{r.Dataset, r.Difficulty}

		switch {
		case r.Kind == robustness.Baseline:
			asked[part] = r.N
		case r.N != asked[part] || r.Change == nil || r.Change.N != r.N:
			t.Errorf("%v, %s: %d questions, compared %+v, want all %d", part, r.Name, r.N,
				r.Change, asked[part])
		default:
			compared++
		}
	}

	if compared != 2*len(asked) {
		t.Errorf("%d parts are compared, want those of two settings: %v", compared, asked)
	}
}

// Whatever is left of an experiment, the same command completes it, and its report is that of one
// that went through.
func TestEvalDriftGoesOn(t *testing.T) {
	t.Parallel()

	out := filepath.Join(t.TempDir(), "drift")
	args := driftOf(smallData(t), out, "--split", "train", "--feedbacks", "deprecation,none", "--perturbations",
		"paraphrase,distractor")

	// Killed in one evaluation, interrupted in another.
	p := start(t, args...)
	p.sees("Evaluation 2 of 6")

	_ = syscall.Kill(p.Process.Pid, syscall.SIGKILL)

	p.wait()

	p = start(t, args...)
	p.sees("Evaluation 4 of 6")
	p.interrupt(t)

	if code := p.wait(); code != exitInterrupted || !strings.Contains(p.err.String(), "run the same command again") {
		t.Errorf("exit %d:\n%s", code, p.err)
	}

	r := cli(t, args...)
	if r.code != exitDone {
		t.Fatalf("exit %d:\n%s", r.code, r.err)
	}

	says(t, "eval drift", r.out, "Pass rate of all questions in percent", "scripted:oracle\n  baseline  100.0")

	for _, name := range []string{"drift.json", "drift.csv", "drift-statistics.csv"} {
		if string(read(t, filepath.Join(out, name))) != string(read(t, filepath.Join(smallDrift(t), name))) {
			t.Errorf("%s is another one than that of an experiment that went through", name)
		}
	}

	fails(t, exitUsage, []string{"which differs", "seed: 2"}, append(args, "--seed", "2")...)
}

// The policies stand in the same order on ToolQA, whose questions they know by their words.
func TestEvalDriftOnToolQA(t *testing.T) {
	t.Parallel()

	out := filepath.Join(t.TempDir(), "drift")
	printed := must(t, driftOf(smallData(t), out, "--set", "suite=toolqa", "--engine", "unsafe", "--split", "train",
		"--limit", "2", "--api", "p_s_in,p_s_ood", "--perturbations", "none", "--json")...)

	rows := document[toolevo.Drifted](t, printed).Rows
	inOrder(t, rows)

	if len(rows) != 3*3*4*3 {
		t.Errorf("%d rows, want those of three settings and policies, four feedbacks, easy, hard and all", len(rows))
	}
}

// A model judges the answers of each evaluation beside the rule, three times each; the same command
// asks it nothing again, and what judges the same folder later finds what it said.
func TestEvalDriftByAModel(t *testing.T) {
	t.Parallel()

	url, asked := judgeServer(t, "") // it finds all solved
	out := filepath.Join(t.TempDir(), "drift")
	args := driftOf(smallData(t), out, "--split", "train", "--feedbacks", "deprecation,none", "--perturbations", "none",
		"--policy", "scripted:stale,scripted:reader", "--by", "openai:m", "--server", url, "--json")

	printed := must(t, args...)
	d := document[toolevo.Drifted](t, printed)

	for _, row := range d.Rows {
		switch {
		case row.SoPR == nil || row.SoPR.Lost > 0 || row.SoPR.Deviation != 0 || row.SoPR.N != row.N:
			t.Errorf("%+v: judged %+v", row, row.SoPR)
		case row.SoPR.Mean < row.PassRate:
			t.Errorf("%+v: who finds all solved that is answered finds %v", row, row.SoPR.Mean)
		}
	}

	calls := asked.Load()
	if again := must(t, args...); calls == 0 || again != printed || asked.Load() != calls {
		t.Errorf("%d judgements are asked for, and again %d; the report is\n%s", calls, asked.Load()-calls, again)
	}

	says(t, "drift.md", string(read(t, filepath.Join(out, "drift.md"))), "SoPR", " ± 0.0")
	says(t, "drift.csv", string(read(t, filepath.Join(out, "drift.csv"))), ",sopr,sopr_deviation")

	fails(t, exitUsage, []string{"--by", "writes no texts"}, driftOf(smallData(t), out, "--split", "train",
		"--feedbacks", "deprecation,none", "--perturbations", "none", "--policy", "scripted:stale,scripted:reader",
		"--by", "scripted:reader")...)
}

// A policy with a baseline is a policy of its own in every table, in eval and in the experiment,
// and is measured on the same questions; no training data comes from it.
func TestBaselinesInTables(t *testing.T) {
	t.Parallel()

	data, out := smallData(t), t.TempDir()
	common := []string{
		"--policy", "scripted:reader", "--baseline", "retry", "--engine", "unsafe", "--split", "train", "--limit", "2",
		"--api", "p_s_in",
	}

	drift := driftOf(data, filepath.Join(out, "drift"), append(common, "--set", "suite=toolqa", "--perturbations",
		"none", "--feedbacks", "deprecation", "--json")...)
	d := document[toolevo.Drifted](t, must(t, drift...))
	turns := map[string]float64{}

	for _, s := range d.Statistics {
		turns[s.Policy+" "+s.Name] = s.Turns
	}

	// Nothing fails where nothing has changed, and in vain every failure is repeated where it
	// lasts.
	if turns["scripted:reader+retry baseline"] != turns["scripted:reader baseline"] ||
		turns["scripted:reader+retry p_s_in"] <= turns["scripted:reader p_s_in"] {
		t.Errorf("turns of the experiment: %v", turns)
	}

	for _, name := range []string{"drift.md", "drift.csv", "drift-statistics.csv", "drift.tex", toolevo.DriftPage} {
		text := html.UnescapeString(string(read(t, filepath.Join(out, "drift", name))))
		says(t, name, text, "reader+retry")
	}

	run := filepath.Join(out, "run")
	evaluate := append([]string{"eval", "--data", data, "--out", run, "--progress", "none"}, common...)
	says(t, "eval", must(t, evaluate...), "scripted:reader+retry")
	says(t, "eval --resume", must(t, append(evaluate, "--resume")...), "scripted:reader+retry")
	says(t, "check", must(t, "check", run), "0 problems")

	fails(t, exitUsage, []string{"a baseline shows or does what training data should not"}, "collect", "--data", data,
		"--policy", "scripted:reader+retry", "--out", filepath.Join(out, "collected"))
	fails(t, exitUsage, []string{`unknown baseline "docs"`, "documents, retry, rules"}, "eval", "--data", data,
		"--baseline", "docs", "--out", filepath.Join(out, "unknown"))
}

// The experiment on the published queries, as far as they are here: the first of each group.
func TestEvalDriftOnPublishedQueries(t *testing.T) {
	t.Parallel()

	queries := filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "stabletoolbench")
	if _, err := os.Stat(filepath.Join(queries, "G1_instruction.json")); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}

	dir := t.TempDir()
	data, out := filepath.Join(dir, "data"), filepath.Join(dir, "drift")
	must(t, "toolbench", "import", queries, "--data", data)

	// The program itself, which is several times as fast as this process.
	p := start(t, driftOf(data, out, "--limit", "6", "--feedbacks", "deprecation,none", "--json")...)
	if code := p.wait(); code != exitDone {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	printed := document[toolevo.Drifted](t, p.out.String())
	inOrder(t, printed.Rows)

	for _, row := range printed.Rows {
		whole := row.Dataset == robustness.All && row.Difficulty == robustness.All
		if whole && row.N != 3*2*6 {
			t.Errorf("%+v: %d queries, want 6 of each kind of three groups", row.Condition, row.N)
		}
	}
}

func TestEvalDriftMistakes(t *testing.T) {
	t.Parallel()

	out := filepath.Join(t.TempDir(), "drift")

	for want, args := range map[string][]string{
		"needs --out DIR":                {"eval", "drift"},
		`unknown feedback "nothing"`:     driftOf("d", out, "--feedbacks", "nothing"),
		"names none twice":               driftOf("d", out, "--feedbacks", "none,none"),
		`unknown perturbation "typos"`:   driftOf("d", out, "--perturbations", "typos"),
		"--feedbacks is empty":           driftOf("d", out, "--feedbacks", ""),
		"run `toolevo toolbench import`": driftOf(filepath.Join(out, "none"), out),
	} {
		fails(t, exitUsage, []string{want}, args...)
	}

	if exists(out) {
		t.Error("a mistake leaves a folder")
	}
}

// What the oracle does is no training data, and no server can be it.
func TestOracleTeachesNobody(t *testing.T) {
	t.Parallel()

	data, oracle := smallData(t), "scripted:oracle"
	out := filepath.Join(t.TempDir(), "run")

	fails(t, exitUsage, []string{"its trajectories teach nothing"}, "collect", "--data", data, "--policy", oracle,
		"--out", out)
	fails(t, exitUsage, []string{"a server is not told"}, "bench", "serve", "--policy", oracle)
	says(t, "play", must(t, "play", "--data", data, "--policy", oracle, "--set", "python.engine=unsafe",
		"--api", "p_s_in", "--split", "train", "--transcript"), "Answer is CORRECT")

	if exists(out) {
		t.Error("a run was begun")
	}
}
