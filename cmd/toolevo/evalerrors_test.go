package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// The scripted policy that does not read notices fails by them under p_s_in, and nobody else fails.
func TestEvalErrors(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)

	type found struct {
		policy, api string
		n, failed   int
		repeated    int
	}

	var got []found

	for _, row := range document[toolevo.EvaluationErrors](t, must(t, "eval", "errors", dir, "--json")).Rows {
		f := found{row.Policy, row.API, row.N, row.Failed, 0}

		for _, c := range row.Classes {
			if c.Class == failure.RepeatedDeprecated {
				f.repeated = c.Episodes
			}
		}

		got = append(got, f)
	}

	want := []found{
		{"scripted:stale", "p_c", 2, 0, 0},
		{"scripted:stale", "p_s_in", 2, 2, 2},
		{"scripted:reader", "p_c", 2, 0, 0},
		{"scripted:reader", "p_s_in", 2, 0, 0},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(found{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}

	text := must(t, "eval", "errors", dir, "--sample", "1")
	says(t, "eval errors --sample 1", text, "scripted:stale under p_s_in\n",
		"scripted:stale   p_s_in  2     0       2\n",
		"invocation error in new tools", "=== 1 of 1: repeated-deprecated", "by the rule ignored-notices",
		">> 2. deprecated", "the gold answer is")
	fits(t, must(t, "eval", "errors", dir))
}

// Two evaluations of one policy are two rows, each with its own questions.
func TestEvaluationsStayApart(t *testing.T) {
	t.Parallel()

	dir := smallEvaluation(t)
	copied := filepath.Join(t.TempDir(), "run") // two copies may have one name

	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}

	tuned := filepath.Join(t.TempDir(), "tuned", "run")
	if err := os.CopyFS(tuned, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}

	failing := map[string]int{}
	for _, row := range document[toolevo.EvaluationErrors](t,
		must(t, "eval", "errors", copied, tuned, "--json")).Rows {
		if row.API == "p_s_in" && row.N == 2 {
			failing[row.Policy] = row.Failed
		}
	}

	want := map[string]int{
		"scripted:stale@" + copied: 2, "scripted:stale@" + tuned: 2,
		"scripted:reader@" + copied: 0, "scripted:reader@" + tuned: 0,
	}
	if diff := cmp.Diff(want, failing); diff != "" {
		t.Errorf("failed under p_s_in (-want +got):\n%s", diff)
	}

	rows := map[string]int{}
	for _, row := range document[facts.Adaptation](t,
		must(t, "eval", "adaptation", dir, copied, "--json")).Rows {
		if row.API == "p_s_in" {
			rows[row.Policy] = row.Met
		}
	}

	if len(rows) != 4 || rows["scripted:reader@run"] != 2 ||
		rows["scripted:reader@"+filepath.Base(dir)] != 2 {
		t.Errorf("tools met under p_s_in: %v", rows)
	}
}

// A sample is what the seed draws, and twice the same evaluation has twice the episodes.
func TestSampleOfErrors(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)

	type drawn struct {
		failure.Verdict
		Episode struct {
			QuestionID string `json:"question_id"`
			Policy     string
		}
	}

	draw := func(seed, size string) []drawn {
		text := must(t, "eval", "errors", dir, dir, "--json", "--sample", size, "--seed", seed)
		return document[struct{ Sample []drawn }](t, text).Sample
	}

	all := draw("1", "50")
	if len(all) != 4 || all[0] != all[2] || all[0].Episode.Policy != "scripted:stale" || all[0].Turn != 2 {
		t.Errorf("of two times two failed episodes: %+v", all)
	}

	if diff := cmp.Diff(draw("7", "2"), draw("7", "2")); diff != "" {
		t.Errorf("the same seed draws others:\n%s", diff)
	}

	fails(t, exitUsage, []string{"--sample -1", "0 episodes or more"}, "eval", "errors", dir, "--sample", "-1")
}

// Reading an evaluation in which the policy reads the notices, by what is known of it.
func TestEvalAdaptation(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)

	rows := map[string]facts.AdaptationRow{}
	for _, row := range document[facts.Adaptation](t, must(t, "eval", "adaptation", dir, "--json")).Rows {
		rows[row.Policy+" "+row.API] = row
	}

	stale, reader := rows["scripted:stale p_s_in"], rows["scripted:reader p_s_in"]
	if stale.Met != 2 || stale.Adapted != 0 || stale.RepeatedTurns == 0 || stale.Updates.Calls != 0 {
		t.Errorf("stale: %+v", stale)
	}

	if reader.Met != 2 || reader.Adapted != 2 || reader.RepeatedTurns != 0 || reader.RecoveryTurns != 1 ||
		reader.Updates.Calls != reader.ToolsMet || reader.Updates.True != reader.Updates.Calls {
		t.Errorf("reader: %+v", reader)
	}

	// Each tool costs the reader its notice and its description.
	if c := reader.Cost; c == nil || c.N != 2 || c.Turns != float64(2*reader.ToolsMet)/2 {
		t.Errorf("cost of drift: %+v of %d tools", c, reader.ToolsMet)
	}

	if plain := rows["scripted:reader p_c"]; plain.Met != 0 || plain.Cost != nil || len(plain.NewTools) != 0 {
		t.Errorf("without drift: %+v", plain)
	}

	fits(t, must(t, "eval", "adaptation", dir))
}

// An evaluation that was interrupted has episodes, and not yet the files.
func TestEvalErrorsOfAnUnfinishedEvaluation(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, smallEvaluation(t))

	if err := os.Remove(filepath.Join(dir, trajectories.EpisodesParquet)); err != nil {
		t.Fatal(err)
	}

	for _, command := range []string{"errors", "adaptation"} {
		r := cli(t, "eval", command, dir)
		says(t, "eval "+command, r.err, "is unfinished", "toolevo eval --resume --out "+dir)

		if want := must(t, "eval", command, smallEvaluation(t)); r.code != exitDone || r.out != want {
			t.Errorf("eval %s: exit %d\n%s\nwant\n%s", command, r.code, r.out, want)
		}
	}
}

func TestEvalErrorsWantEvaluations(t *testing.T) {
	t.Parallel()

	for _, command := range []string{"errors", "adaptation"} {
		fails(t, exitUsage, []string{"toolevo collect", "toolevo eval"}, "eval", command, smallRun(t))
		fails(t, exitUsage, []string{"none"}, "eval", command, filepath.Join(t.TempDir(), "none"))
	}
}
