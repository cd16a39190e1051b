package main

import (
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
)

// readerAlone is an evaluation of one of the policies of smallEvaluation, under another version.
var readerAlone = shared("reader-alone", func(t testing.TB, dir string) {
	must(t, "eval", "--data", smallData(t), "--split", "train", "--limit", "1", "--policy", "scripted:reader", "--api",
		"p_s_ood", "--out", dir, "--progress", "none")
})

// An evaluation of other versions adds to the report; one of the same cells is told apart by its
// name.
func TestEvalCompare(t *testing.T) {
	t.Parallel()

	c := document[toolevo.Compared](t, must(t, "eval", "compare", smallEvaluation(t), readerAlone(t), "--json"))
	if len(c.Runs) != 2 || len(c.Rows) != 8+2 || c.TaskSet == "" || c.TaskSet != c.Runs[1].TaskSet ||
		c.Runs[0].Dir != smallEvaluation(t) || c.Runs[0].RunID == "" {
		t.Errorf("%+v", c)
	}

	flipped := map[string]int{}
	for _, pair := range c.Comparisons {
		flipped[pair.First.String()+" and "+pair.Second.String()] = len(pair.Flipped)

		for _, f := range pair.Flipped {
			if f.Correct == "second" == strings.HasSuffix(pair.Second.String(), "stale under p_s_in") {
				t.Errorf("%s: %+v", pair.Second, f)
			}
		}
	}

	const stale, reader = "scripted:stale under ", "scripted:reader under "
	for pair, want := range map[string]int{
		stale + "p_c and " + reader + "p_c": 0, stale + "p_s_in and " + reader + "p_s_in": 2,
		stale + "p_c and " + stale + "p_s_in": 2, reader + "p_c and " + reader + "p_s_in": 0,
		reader + "p_c and " + reader + "p_s_ood": 0, reader + "p_s_in and " + reader + "p_s_ood": 0,
	} {
		if n, ok := flipped[pair]; !ok || n != want {
			t.Errorf("%s: %d flipped (compared: %v), want %d", pair, n, ok, want)
		}
	}

	text := must(t, "eval", "compare", smallEvaluation(t), "--flips", "1")
	says(t, "eval compare", text,
		"2 answered correctly by one side:\n  < scripted:stale under p_s_in\n  > scripted:reader under p_s_in\n    > ",
		"\n    and 1 more", "0            2  +100.0")
	fits(t, text)
}

func TestEvalCompareOfTheSameCells(t *testing.T) {
	t.Parallel()

	copied := copyOf(t, readerAlone(t))
	text := must(t, "eval", "compare", readerAlone(t), copied)
	first, second := "scripted:reader@"+filepath.Base(readerAlone(t)), "scripted:reader@"+filepath.Base(copied)
	says(t, "eval compare", text, first, second, "Paired comparisons")

	fails(t, exitUsage, []string{"have the name", "name it once"}, "eval", "compare", copied, copied)
	fails(t, exitUsage, []string{"--format", `"html"`, "markdown"}, "eval", "compare", copied, "--format", "html")
	fails(t, exitUsage, []string{"--block", "latex"}, "eval", "compare", copied, "--block", "a=b")
	fails(t, exitUsage, []string{"--flips -1"}, "eval", "compare", copied, "--flips", "-1")
	fails(t, exitUsage, []string{"toolevo collect"}, "eval", "compare", smallRun(t))
}

// The formats are those of the report; a block is named, and its policies are ones that were
// measured.
func TestEvalCompareFormats(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)

	for format, name := range map[string]string{"markdown": reportMarkdown, "csv": reportCSV, "latex": reportLaTeX} {
		want := string(read(t, filepath.Join(dir, name)))
		if got := must(t, "eval", "compare", dir, "--format", format); got != want {
			t.Errorf("--format %s prints\n%s, %s has\n%s", format, got, name, want)
		}
	}

	lines, err := csv.NewReader(strings.NewReader(must(t, "eval", "compare", dir, "--format", "csv"))).ReadAll()
	report := document[finetune.Report](t, string(read(t, filepath.Join(dir, reportJSON))))

	if err != nil || len(lines) != 1+len(report.Rows)+4 { // the means over easy and hard of each policy and version
		t.Errorf("%d lines of CSV, %v", len(lines), err)
	}

	says(t, "--block", must(t, "eval", "compare", dir, "--format", "latex", "--block", "Llama3=scripted:stale"),
		"\\emph{Llama3}", "scripted:stale & ", "booktabs")

	for _, block := range []string{"Llama3", "=scripted:stale", "Llama3=", "Llama3=scripted:nobody"} {
		fails(t, exitUsage, []string{"--block"}, "eval", "compare", dir, "--format", "latex", "--block", block)
	}
}
