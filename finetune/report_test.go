package finetune_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune"
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

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// measured is the report of an evaluation with names as they are in practice: two policies, three
// versions, one of which one policy was not measured on, questions that are lost, and a cell of
// which all are.
func measured(t *testing.T) *finetune.Report {
	t.Helper()
	var jobs []finetune.Job

	for _, difficulty := range []string{"easy", "hard"} {
		for _, policy := range []string{"scripted:stale", "scripted:reader"} {
			for _, api := range []string{"p_c", "p_s_in", "p_s_ood"} {
				if policy == "scripted:stale" && api == "p_s_ood" {
					continue
				}

				j := job(&walker{}, numbered(20))

				j.Cell = finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: difficulty}
				switch {
				case policy == "scripted:stale" && api != "p_c":
					j.Policy = &walker{words: everybody(endless)}
				case policy == "scripted:stale" && difficulty == "hard":
					j.Tasks = tasks("nowhere")
				case difficulty == "hard":
					j.Tasks = append(numbered(99), tasks("wrong", "detour", "nowhere")...)
					j.Policy, _ = mixed()
				}

				jobs = append(jobs, j)
			}
		}
	}
	return evaluate(t, options(t), jobs...)
}

func everybody(words []string) map[string][]string {
	all := map[string][]string{}
	for _, task := range numbered(20) {
		all[task.ID] = words
	}
	return all
}

func TestWriteTable(t *testing.T) {
	var b bytes.Buffer
	if err := measured(t).WriteTable(&b); err != nil {
		t.Fatal(err)
	}

	golden(t, "report.txt", b.Bytes())
	fits(t, b.String())
}

// The widest figures of a split's size beside the longest names in practice.
func TestTheWidestTableFits(t *testing.T) {
	filled := finetune.Row{
		Cell: finetune.Cell{Policy: "scripted:reader", API: "p_s_ood", Dataset: "coffee", Difficulty: "easy"},
		N:    700, Measured: 700, Lost: 1000, Turns: 20,
		Official: 1, OfficialLow: 0.9945, OfficialHigh: 1, Strict: 1, StrictHigh: 1,
	}
	empty := filled
	empty.N, empty.Measured = 0, 0

	var b bytes.Buffer
	if err := (&finetune.Report{Rows: []finetune.Row{filled, empty}}).WriteTable(&b); err != nil {
		t.Fatal(err)
	}

	want := "" +
		"policy           api      data           n  lost         official  strict  turns\n" +
		"scripted:reader  p_s_ood  coffee-easy  700   59%  100.0 [99, 100]   100.0   20.0\n" +
		"scripted:reader  p_s_ood  coffee-easy    0  100%                –       –      –\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got\n%s, want the end\n%s", b.String(), want)
	}

	fits(t, b.String())
}

// Accuracies by template, by hand: of template a both questions are right under p_c, of b one is
// wrong and one lost, and the policy q knows only a. A version of which nothing was measured has no
// figure.
func TestTemplates(t *testing.T) {
	cell := func(policy, api string) finetune.Cell {
		return finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: "easy"}
	}
	r := reported(t,
		answered{cell("p", "p_c"), "10-1", "abba"}, answered{cell("p", "p_s_in"), "01-0", "abba"},
		answered{cell("q", "p_c"), "1--1", "abba"},
	)

	var b, markdown bytes.Buffer
	if err := errors.Join(r.WriteTemplates(&b), r.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		"template  policy              p_c          p_s_in\n",
		"a         p       100.0 [16, 100]     0.0 [0, 84]\n",
		"b         q                     –               –\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}

	if !strings.Contains(markdown.String(), "| a | p | 100.0 [16, 100] | 0.0 [0, 84] |") {
		t.Errorf("Markdown has no templates:\n%s", markdown.String())
	}
}

func fits(t *testing.T, table string) {
	t.Helper()

	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := measured(t).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}

	golden(t, "report.md", b.Bytes())
	// Lines of one table have the same number of fields.
	fields := 0

	for line := range strings.Lines(b.String()) {
		n := strings.Count(line, "|")
		if n > 0 && fields > 0 && n != fields {
			t.Errorf("%d fields, want %d: %s", n-1, fields-1, line)
		}

		fields = n
	}
}

func TestEnginesAndWarningsAreReported(t *testing.T) {
	r := measured(t)
	r.Engines, r.Warnings = []string{"forkserver python 3.11.2", "unsafe python 3.12.1"},
		[]string{"No walls around model-written programs."}
	r.TaskSet, r.Feedback = "0123", "notices"

	var table, markdown bytes.Buffer
	if err := errors.Join(r.WriteTable(&table), r.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}

	if !strings.HasSuffix(table.String(), "\nNo walls around model-written programs.\n") {
		t.Errorf("the table does not end with the warning:\n%s", table.String())
	}

	want := "\nTask set: `0123`.\n\nFeedback: notices.\n" +
		"\nPrograms ran in forkserver python 3.11.2; then in unsafe python 3.12.1.\n\n**No walls around " +
		"model-written programs.**\n"
	if !strings.HasSuffix(markdown.String(), want) {
		t.Errorf("the report does not end with %q:\n%s", want, markdown.String())
	}

	text, err := json.Marshal(r)
	if err != nil || !strings.HasSuffix(string(text),
		`"task_set":"0123","feedback":"notices",`+
			`"engines":["forkserver python 3.11.2","unsafe python 3.12.1"],"warnings":["No walls around model-written programs."]}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// The names are what scripts rely on.
func TestJSON(t *testing.T) {
	report := &finetune.Report{Rows: []finetune.Row{
		{
			Cell: finetune.Cell{
				Policy:     "scripted:reader",
				API:        "p_s_in",
				Dataset:    "coffee",
				Difficulty: "easy",
			},
			N:            8,
			Measured:     8,
			Lost:         2,
			Official:     0.75,
			OfficialLow:  0.5,
			OfficialHigh: 0.875,
			Strict:       0.5,
			StrictLow:    0.25,
			StrictHigh:   0.625,
			Unanswered:   1,
			Turns:        4.5,
			Outcomes:     map[string]int{"ok": 21, "deprecated": 7, "correct": 6, "incorrect": 1},

			RepeatedTurns: 7,
			RepeatedShare: 0.2,
			FirstLoss:     "policy: gone",
		},
		{Outcomes: map[string]int{}},
	}}

	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}

	want := `{"rows":[` +
		`{"policy":"scripted:reader","api":"p_s_in","dataset":"coffee","difficulty":"easy","n":8,"measured":8,"lost":2,` +
		`"official":0.75,"official_low":0.5,"official_high":0.875,"strict":0.5,"strict_low":0.25,"strict_high":0.625,` +
		`"unanswered":1,"too_long":0,"silent":0,"turns":4.5,` +
		`"outcomes":{"correct":6,"deprecated":7,"incorrect":1,"ok":21},"repeated_turns":7,"repeated_share":0.2,` +
		`"first_loss":"policy: gone"},` +
		`{"policy":"","api":"","dataset":"","difficulty":"","n":0,"measured":0,"lost":0,` +
		`"official":0,"official_low":0,"official_high":0,"strict":0,"strict_low":0,"strict_high":0,` +
		`"unanswered":0,"too_long":0,"silent":0,"turns":0,"outcomes":{},"repeated_turns":0,"repeated_share":0}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	var back finetune.Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(report, &back); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// small is a disk with room for some bytes.
type small struct{ room int }

func (s *small) Write(text []byte) (int, error) {
	if s.room -= len(text); s.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(text), nil
}

// Wherever the disk is full the table is not written.
func TestWritingFailsInTheMiddle(t *testing.T) {
	row := finetune.Row{N: 2, Repeats: &finetune.Repeats{
		Episodes: 1, PassAt: []float64{1}, PassAll: []float64{1},
	}}
	r := &finetune.Report{
		Rows: slices.Repeat([]finetune.Row{row}, 9), Comparisons: make([]finetune.Comparison, 9),
		Warnings: []string{"No walls."},
	}

	var whole bytes.Buffer
	if err := r.WriteTable(&whole); err != nil {
		t.Fatal(err)
	}

	for room := 0; room < whole.Len(); room += 97 {
		if err := r.WriteTable(&small{room}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("with room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
}

func TestWritingFails(t *testing.T) {
	r := &finetune.Report{}
	for name, err := range map[string]error{
		"table": r.WriteTable(full{}), "Markdown": r.WriteMarkdown(full{}), "CSV": r.WriteCSV(full{}),
		"LaTeX": r.WriteLaTeX(full{}),
	} {
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// Every outcome has a column: what is counted is shown.
func TestMarkdownHasEveryOutcome(t *testing.T) {
	row := finetune.Row{N: 1, Turns: 3, Tokens: 0.5, RepeatedShare: 0.5, Outcomes: map[string]int{}}
	for i, o := range envs.Outcomes() {
		row.Outcomes[o.String()] = 1000 + i
	}

	var b bytes.Buffer
	if err := (&finetune.Report{Rows: []finetune.Row{row}}).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}

	want := "| 3.0 | 0.5 | 50.0 | 1000 | 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 |"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s\nhas no %q", b.String(), want)
	}
}
