package judge_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/judge"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what was written with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()

	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if diff := cmp.Diff(string(read(t, path)), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// example is a report with all that a report can have, in numbers that are easy to follow: an agent
// of ours under two versions and a published one.
func example() *judge.Report {
	row := func(policy, api, group, exposure string, n, solved int) judge.Row {
		share := float64(solved) / float64(n)
		r := judge.Row{
			Cell: finetune.Cell{Policy: policy, API: api, Dataset: group, Difficulty: exposure},
			N:    n, SoPR: &judge.Rate{N: n, Mean: share, Low: 0.1, High: 0.9, Lost: solved},
		}

		if api != "" {
			r.Conduct = &judge.Conduct{
				Calls: 4 * n, Valid: n, ValidShare: 0.25, Met: n, Recovered: solved,
				RecoveredShare: share,
				Refusals:       []facts.RefusalCount{{Refusal: failure.RefusedName, Calls: 3 * n}},
			}
		}

		return r
	}

	r := &judge.Report{
		Judge: trajectories.Maker{Name: "test:judge"}, Passes: 3,
		Rows: []judge.Row{
			row("ours", "p_c", "G1_x", "all", 8, 4), row("ours", "p_c", "G1_x", "exposed", 5, 1),
			row("ours", "p_c", "G1_x", "unexposed", 3, 3), row("ours", "p_c", "G2_y", "all", 4, 1),
			row("ours", "p_s", "G1_x", "all", 8, 2), row("theirs", "", "G1_x", "all", 8, 6),
		},
		Means: []judge.Row{
			row("ours", "p_c", "mean", "all", 12, 5), row("ours", "p_c", "mean", "exposed", 5, 1),
			row("ours", "p_c", "mean", "unexposed", 3, 3), row("ours", "p_s", "mean", "all", 8, 2),
			row("theirs", "", "mean", "all", 8, 6),
		},
		Wins: []judge.WinRow{
			{Dataset: "G1_x", N: 8, Win: 4, Lose: 3, Tie: 1, Rate: 0.5, Low: 0.2, High: 0.8, LostRounds: 2},
			{Dataset: "mean", N: 8, Win: 4, Lose: 3, Tie: 1, Rate: 0.5, Low: 0.2, High: 0.8, LostRounds: 2},
			{Dataset: "mean"},
		},
	}
	for i := range r.Wins {
		r.Wins[i].Reference = finetune.Contender{Policy: "ours", API: []string{"p_c", "p_c", "p_s"}[i]}
		r.Wins[i].Candidate = finetune.Contender{Policy: "theirs"}
	}

	// Nothing was solved, nothing deviates, and nobody had to call anything.
	r.Rows[4].FAC = &judge.Rate{N: 8, Mean: 0.125, Low: 0.1, High: 0.2, Lost: 5}
	r.Rows[4].Conduct = &judge.Conduct{}
	r.Means[0].Missing, r.Means[0].Lost, r.Means[0].SoPR.Deviation = 1, 2, 0.015
	r.Means[0].SoPR.Passes = []float64{0.4, 0.4, 0.45}
	r.Means[3].FAC = r.Rows[4].FAC
	r.Means[4].SoPR = &judge.Rate{} // nothing could be read
	r.Rows[5].SoPR = nil            // nobody asked for it
	r.Rows[3].Conduct.Calls, r.Rows[3].Conduct.Met = 1, 1

	return r
}

// A report is the same figures as a table for a terminal, which has 80 columns, as Markdown, as
// LaTeX and as CSV.
func TestReport(t *testing.T) {
	t.Parallel()

	var text, markdown, latex, lines bytes.Buffer

	r := example()
	err := errors.Join(r.WriteTable(&text), r.WriteMarkdown(&markdown), r.WriteLaTeX(&latex),
		r.WriteCSV(&lines))
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("a line is too long: %q", line)
		}
	}

	golden(t, "report.txt", text.Bytes())
	golden(t, "report.md", markdown.Bytes())
	golden(t, "report.csv", lines.Bytes())

	tables := strings.Count(markdown.String(), "\n|---")
	rows := strings.Count(markdown.String(), "\n|") - tables
	got := strings.Count(latex.String(), `\\`) - strings.Count(latex.String(), `\emph`)

	if got != rows {
		t.Errorf("Markdown has %d lines, LaTeX %d", rows, got)
	}

	// What was not asked for has no table, and one line is enough for one.
	for want, small := range map[int]*judge.Report{
		0: {Rows: r.Rows[5:]}, 1: {Rows: r.Rows[:1]}, 2: {Rows: r.Rows[:1], Wins: r.Wins[:1]},
		4: {Rows: r.Rows[:1], Wins: r.Wins[:1], Means: r.Means[:1]},
	} {
		markdown.Reset()

		err = small.WriteMarkdown(&markdown)
		if tables := strings.Count(markdown.String(), "\n|---"); err != nil || tables != want {
			t.Errorf("%v: %d tables, want %d", err, tables, want)
		}
	}
}

// The figure has the mean of the groups, a bar for each agent and environment: the name behind the
// @ that Join puts there, else the version.
func TestFigure(t *testing.T) {
	t.Parallel()

	r := example()
	r.Means[1].Policy = "ours@real" // of an exposure, which is not drawn
	r.Means[2].Policy, r.Means[2].Difficulty = "ours@real", "all"
	r.Means[3].Policy, r.Means[3].Difficulty = "a@b@mirror", "all"
	r.Means[4].SoPR = nil

	f, ok := r.Figure()
	want := []tabulate.Panel{{
		Title: "mean of the groups", Places: []string{"ours", "a@b"},
		Bars: []tabulate.Bar{
			{Place: 0, Series: 0, Share: 5.0 / 12, Low: 0.1, High: 0.9},
			{Place: 0, Series: 1, Share: 1, Low: 0.1, High: 0.9},
			{Place: 1, Series: 2, Share: 0.25, Low: 0.1, High: 0.9},
		},
	}}

	if diff := cmp.Diff(want, f.Panels); diff != "" || !ok {
		t.Errorf("drawn: %v, %s", ok, diff)
	}

	if diff := cmp.Diff([]string{"p_c", "real", "mirror"}, f.Series); diff != "" {
		t.Errorf("the legend: %s", diff)
	}

	// No more series than can be told apart, and nothing where there is no rate.
	for n := range tabulate.MostSeries + 2 {
		var many judge.Report
		for i := range n {
			row := r.Means[0]
			row.API = strings.Repeat("v", i+1)
			many.Means = append(many.Means, row)
		}

		if _, ok := many.Figure(); ok != (n > 0 && n <= tabulate.MostSeries) {
			t.Errorf("%d series are drawn: %v", n, ok)
		}
	}
}

// Statuses and votes are written as the published judges do: lost ones and queries without an
// answer are left out, an agent of ours is named with its version, and no file is written twice.
func TestWriteFiles(t *testing.T) {
	t.Parallel()

	all := []judge.Answer{
		answered("a", "1", "x"), answered("a", "2", "<x>"), answered("a", "3", "x"),
		answered("b", "1", "x"), answered("b", "2", "y"), answered("b", "3", "x"),
	}
	all[2].Given = nil

	for i := range all {
		if all[i].Agent.API = "p_c"; all[i].ID == "2" {
			all[i].Group, all[i].Given.Query = "G2_y", "Is it > 9 & < 12?"
		}
	}

	j := &told{
		status: map[string][]judge.Status{
			"a 1": {judge.Solved, judge.Lost, judge.Unsure},
			"a 2": {judge.Solved, judge.Solved, judge.Lost},
			"b 1": {judge.Solved, judge.Solved, judge.Unsolved},
			"b 2": {judge.Solved, judge.Unsolved, judge.Unsure},
			"b 3": {judge.Lost, judge.Lost, judge.Unsure},
		},
		prefer: map[string][]judge.Preference{"1": {judge.Second, 0, judge.First}, "2": {judge.First}},
	}

	judged, err := judge.Run(t.Context(), j, all, judge.Options{
		Scores: []judge.Score{judge.SoWR}, Passes: passes, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()

	paths, err := judged.WriteFiles(dir)
	if err != nil {
		t.Fatal(err)
	}

	var written bytes.Buffer

	for _, path := range paths {
		name, _ := filepath.Rel(dir, path)
		written.WriteString("== " + filepath.ToSlash(name) + "\n")
		written.Write(read(t, path))
	}

	golden(t, "files.txt", written.Bytes())

	// The second agent would overwrite the files of the first.
	all[3].Agent.Policy, all[3].ID = "a p_c", "9"
	all[3].Agent.API = ""

	if _, err := judged.WriteFiles(t.TempDir()); err == nil {
		t.Error("two agents have the same files")
	}

	// What is no list of functions was never shown to a model.
	all[3].Agent, all[3].ID = all[4].Agent, "1"
	all[3].Given.Functions = []byte(`{}`)

	if _, err := judged.WriteFiles(t.TempDir()); err == nil {
		t.Error("functions that are no list are written")
	}
}
