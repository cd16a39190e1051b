package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/finetune"
	"toolevo/toolqa"
)

// TestReaderAnswersEverywhere evaluates the two scripted policies that tell whether the benchmark
// works on the test splits: one that reads notices answers every dataset and difficulty in every
// API version, one that does not fails as soon as the APIs have moved on.
func TestReaderAnswersEverywhere(t *testing.T) {
	t.Parallel()

	var datasets []string
	for _, ds := range toolqa.Datasets() {
		datasets = append(datasets, string(ds))
	}
	const perCell = 13 // files go around their templates, and none has more: each is asked
	// The program itself, which is several times as fast as this process.
	p := start(t, "eval", "--data", defaultData(t), "--dataset", strings.Join(datasets, ","),
		"--policy", "scripted:reader,scripted:stale", "--api", "p_c,p_s_in,p_s_ood", "--limit", fmt.Sprint(perCell),
		"--out", filepath.Join(t.TempDir(), "eval"), "--json", "--progress", "none")
	if code := p.wait(); code != exitDone {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	report := document[finetune.Report](t, p.out.String())
	if want := len(datasets) * 2 * 2 * 3; len(report.Rows) != want {
		t.Errorf("%d rows, want %d", len(report.Rows), want)
	}

	for _, row := range report.Rows {
		if row.N != perCell || row.Lost > 0 {
			t.Errorf("%s: %d questions, want %d; %d lost, %s", row.Cell, row.N, perCell, row.Lost, row.FirstLoss)
		}

		answers := row.Policy == "scripted:reader" || row.API == "p_c"
		if answers && row.Strict < 0.95 || !answers && max(row.Strict, row.Official) > 0.05 {
			t.Errorf("%s: strict accuracy %.3f, official %.3f", row.Cell, row.Strict, row.Official)
		}
	}
}
