package finetune_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
)

// published is a report like the paper's: two datasets, easy and hard, two policies made from one
// base model, one from another, and one that was measured on the unseen APIs for proprietary
// models.
func published(t *testing.T) *finetune.Report {
	t.Helper()
	var cells []answered

	for k, d := range []struct{ dataset, difficulty string }{
		{"coffee", "easy"}, {"yelp", "easy"}, {"coffee", "hard"}, {"yelp", "hard"},
	} {
		for i, policy := range []string{"openai:gpt-4", "openai:llama3", "openai:llama3_sft", "openai:qwen2"} {
			for m, api := range []string{"p_c", "p_s_ood", "p_s_ood_proprietary"} {
				if api != "p_c" && (api == "p_s_ood_proprietary") != (policy == "openai:gpt-4") {
					continue
				}

				cell := finetune.Cell{Policy: policy, API: api, Dataset: d.dataset, Difficulty: d.difficulty}
				cells = append(cells, answered{cell: cell, verdicts: correct((20*i + 7*k*i + 3*m) % 101)})
			}
		}
	}

	return reported(t, cells...)
}

func TestWriteCSVAndLaTeX(t *testing.T) {
	var lines, tables bytes.Buffer

	r := published(t)
	blocks := []finetune.Block{{Name: "Llama3", Policies: []string{"openai:llama3", "openai:llama3_sft"}}}

	if err := errors.Join(r.WriteCSV(&lines), r.WriteBlocks(&tables, blocks)); err != nil {
		t.Fatal(err)
	}

	golden(t, "report.csv", lines.Bytes())
	golden(t, "report.tex", tables.Bytes())
}

// A policy that was measured under both versions stands in no other's place: each version has its
// own table.
func TestStandInsAreMeasuredUnderNothingElse(t *testing.T) {
	cell := func(api string) finetune.Cell {
		return finetune.Cell{Policy: "p", API: api, Dataset: "coffee", Difficulty: "easy"}
	}
	r := reported(t, answered{cell: cell("ood"), verdicts: "1"}, answered{cell: cell("ood_proprietary"), verdicts: "0"})

	var b bytes.Buffer

	// One that was measured under the other alone stands in the place of the first.
	alone := reported(t, answered{cell: cell("ood_proprietary"), verdicts: "1"})
	if err := alone.WriteLaTeX(&b); err != nil || strings.Count(b.String(), "with ood on") != 1 ||
		strings.Contains(b.String(), "proprietary on") {
		t.Errorf("%v: the table of ood is\n%s", err, b.String())
	}

	b.Reset()

	if err := r.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}

	for _, text := range []string{"with ood on", "with ood\\_proprietary on", "p & 100.0 & 100.0 ", "p & 0.0 & 0.0 "} {
		if strings.Count(b.String(), text) != 1 {
			t.Errorf("it does not say %q once:\n%s", text, b.String())
		}
	}
}

// What is best is bold and what is second-best underlined, of each block; what is equal, equally.
func TestLaTeXMarks(t *testing.T) {
	var cells []answered

	names := "abcdefg"
	for i, n := range []int{50, 70, 70, 30, 0, 10, 0} {
		cell := finetune.Cell{Policy: names[i : i+1], API: "p_c", Dataset: "coffee", Difficulty: "easy"}
		cells = append(cells, answered{cell: cell, verdicts: correct(n)})
	}

	var b bytes.Buffer

	r := reported(t, cells...)

	blocks := []finetune.Block{{Name: "first", Policies: []string{"e", "f"}}, {Name: "second", Policies: []string{"g"}}}
	if err := r.WriteBlocks(&b, blocks); err != nil {
		t.Fatal(err)
	}

	var got []string

	for line := range strings.Lines(b.String()) {
		if fields := strings.Split(line, " & "); len(fields) == 3 && len(fields[0]) == 1 {
			got = append(got, fields[0]+" "+fields[1])
		}
	}

	want := []string{
		"e 0.0", `f \textbf{10.0}`, "g 0.0", `a \underline{50.0}`, `b \textbf{70.0}`, `c \textbf{70.0}`, "d 30.0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Questions without a difficulty have one column a dataset, and their mean one. Blocks that name
// every policy are all that there is.
func TestLaTeXOfAnotherSuite(t *testing.T) {
	cell := func(policy, dataset string) finetune.Cell {
		return finetune.Cell{Policy: policy, API: "p_c", Dataset: dataset}
	}
	r := reported(t,
		answered{cell: cell("p", "shop"), verdicts: "11"},
		answered{cell: cell("p", "bank"), verdicts: "10"},
		answered{cell: cell("q", "shop"), verdicts: "00"},
		answered{cell: cell("q", "bank"), verdicts: "10"},
	)

	var b bytes.Buffer
	if err := r.WriteBlocks(&b, []finetune.Block{{Name: "mine", Policies: []string{"q", "p"}}}); err != nil {
		t.Fatal(err)
	}

	var text bytes.Buffer
	err := r.WriteTable(&text)
	if err != nil || !strings.Contains(text.String(), " p_c  shop      2 ") {
		t.Errorf("%v: no line of the data shop in\n%s", err, text.String())
	}

	_, got, _ := strings.Cut(b.String(), "\\toprule\n")
	want := ` & \multicolumn{1}{c}{Shop} & \multicolumn{1}{c}{Bank} & \multicolumn{1}{c}{Average} \\
\cmidrule(lr){2-2}\cmidrule(lr){3-3}\cmidrule(lr){4-4}
policy &  &  &  \\
\midrule
\multicolumn{4}{l}{\emph{mine}} \\
q & 0.0 & \textbf{50.0} & \underline{25.0} \\
p & \textbf{100.0} & \textbf{50.0} & \textbf{75.0} \\
\bottomrule
\end{tabular}
\end{table}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The terminal's table, Markdown, CSV, LaTeX and JSON say the same numbers.
func TestFormatsAgree(t *testing.T) {
	for name, r := range map[string]*finetune.Report{"published": published(t), "measured": measured(t)} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}

			var fromJSON finetune.Report
			if err := json.Unmarshal(text, &fromJSON); err != nil {
				t.Fatal(err)
			}

			want := map[string]string{}
			for _, row := range fromJSON.Rows {
				want[row.Policy+" "+row.API+" "+row.Dataset+"-"+row.Difficulty] = percent(row.Official, row.N)
			}

			for _, s := range fromJSON.Summaries {
				if s.Cells > 1 {
					want[s.Policy+" "+s.API+" mean-"+s.Difficulty] = percent(s.Official, s.N)
				}
			}

			for format, read := range map[string]func(*testing.T, *finetune.Report) map[string]string{
				"terminal": fromTerminal, "Markdown": fromMarkdown, "CSV": fromCSV,
			} {
				got := read(t, r)
				for _, figures := range []map[string]string{want, got} {
					maps.DeleteFunc(figures, func(_, figure string) bool { return figure == "–" })
				}

				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-JSON +%s):\n%s", format, format, diff)
				}
			}

			for key, have := range fromLaTeX(t, r) {
				policy, rest, _ := strings.Cut(key, " ")
				api, data, _ := strings.Cut(rest, " ")
				accuracy, ok := want[key]
				if !ok { // another version stands in, or none was measured
					accuracy, ok = want[policy+" "+api+"_proprietary "+data]
				}

				if ok && accuracy != have || !ok && have != "--" {
					t.Errorf("LaTeX has %s for %s, JSON has %q", have, key, accuracy)
				}
			}
		})
	}
}

func percent(p float64, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*p)
}

func fromTerminal(t *testing.T, r *finetune.Report) map[string]string {
	t.Helper()

	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}
	table, _, _ := strings.Cut(b.String(), "\n\n")
	table = table[strings.Index(table, "\npolicy")+1:]
	table, _, _ = strings.Cut(table, "\npolicy") // columns that had no room beside

	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		f := strings.Fields(line)
		got[f[0]+" "+f[1]+" "+f[2]] = f[5]
	}
	return got
}

func fromMarkdown(t *testing.T, r *finetune.Report) map[string]string {
	t.Helper()

	var b bytes.Buffer
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}
	_, table, _ := strings.Cut(b.String(), "\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	heads := strings.Split(lines[0], " | ")

	for _, line := range lines[2:] {
		f := strings.Split(strings.Trim(line, "| "), " | ")
		for i := 2; i < len(f); i++ {
			if f[i] != "–" {
				accuracy, _, _ := strings.Cut(f[i], " ")
				got[f[0]+" "+strings.Trim(heads[i], "| ")+" "+f[1]] = accuracy
			}
		}
	}

	return got
}

func fromCSV(t *testing.T, r *finetune.Report) map[string]string {
	t.Helper()

	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}

	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}

	for _, f := range lines[1:] {
		n, err := strconv.Atoi(f[4])
		official := 0.0

		// A figure is missing where nothing was measured, and is not 0.
		if n > 0 {
			official, err = strconv.ParseFloat(f[6], 64)
		} else if f[6] != "" {
			t.Errorf("of no questions %s are right", f[6])
		}

		if err != nil {
			t.Fatal(err)
		}

		got[f[0]+" "+f[1]+" "+f[2]+"-"+f[3]] = percent(official, n)
	}
	return got
}

var marks = regexp.MustCompile(`\\(?:textbf|underline)\{([^}]*)\}`)

func fromLaTeX(t *testing.T, r *finetune.Report) map[string]string {
	t.Helper()

	var b bytes.Buffer
	if err := r.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}

	for _, table := range strings.Split(strings.ReplaceAll(b.String(), `\_`, "_"), `\begin{table}`)[1:] {
		_, api, _ := strings.Cut(table, "percent with ")
		api, _, _ = strings.Cut(api, " on the server")

		var columns []string
		for _, m := range regexp.MustCompile(`multicolumn\{2\}\{c\}\{(\w+)\}`).FindAllStringSubmatch(table, -1) {
			name := strings.Replace(strings.ToLower(m[1]), "average", "mean", 1)
			columns = append(columns, name+"-easy", name+"-hard")
		}

		for line := range strings.Lines(table) {
			f := strings.Split(strings.TrimSuffix(line, " \\\\\n"), " & ")
			if !strings.Contains(f[0], ":") {
				continue
			}

			for i, text := range f[1:] {
				text = marks.ReplaceAllString(text, "$1")
				if !strings.HasPrefix(columns[i], "mean") || strings.Contains(table, "Yelp") {
					got[f[0]+" "+api+" "+columns[i]] = text
				}
			}
		}
	}

	if len(got) == 0 {
		t.Error("no figures in LaTeX: the test shows nothing")
	}
	return got
}
