package robustness_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
)

var drawn = flag.String("drawn", "", "write the figures into a folder, to look at them")

// summary is one of ten questions, of which some were answered correctly.
func summary(policy, api, difficulty string, right int) finetune.Summary {
	share := float64(right) / 10
	return finetune.Summary{
		Contender: finetune.Contender{Policy: policy, API: api}, Difficulty: difficulty, Cells: 1, N: 10,
		Official: share, OfficialLow: share - 0.1, OfficialHigh: share + 0.05,
		Strict: share, StrictLow: share, StrictHigh: share, Turns: 3,
	}
}

// comparison is one of the original and a change, of which one answered only before questions and
// the other only after.
func comparison(policy, api string, before, after int, p float64) finetune.Comparison {
	return finetune.Comparison{
		Between: finetune.BetweenVersions, First: finetune.Contender{Policy: policy, API: "p_c"},
		Second: finetune.Contender{Policy: policy, API: api},
		Paired: tabulate.Paired{N: 20, OnlyFirst: before, OnlySecond: after, P: p, PHolm: 1},
	}
}

// report is of two policies, one of them with a name that has to be escaped, under two changes.
func report(policies ...string) *finetune.Report {
	r := &finetune.Report{}

	for i, difficulty := range []string{"easy", "hard", "all"} {
		for k, policy := range policies {
			r.Summaries = append(r.Summaries, summary(policy, "p_c", difficulty, 9-i),
				summary(policy, "names-text", difficulty, 7-i-k), summary(policy, "response", difficulty, 9-i))
		}
	}

	for _, policy := range policies {
		r.Comparisons = append(r.Comparisons, comparison(policy, "names-text", 5, 1, 0.01),
			comparison(policy, "response", 0, 0, 1))
	}
	return r
}

func rowsOf(t *testing.T, r *finetune.Report) []robustness.Factor {
	t.Helper()

	rows, err := robustness.Factors(r, "p_c")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Rows are by policy, with the difference to the original and, over all questions, the paired test.
// Its p is adjusted among the four changes: 0.01 · 4 and 0.01 · 3, which may not be less than the
// former.
func TestFactors(t *testing.T) {
	t.Parallel()

	rows := rowsOf(t, report("a", "b"))

	var got []string

	for _, r := range rows {
		line := strings.Join([]string{r.Policy, r.Difficulty, r.API}, " ")
		if (r.Change == nil) != (r.API == "p_c") || (r.Paired == nil) != (r.API == "p_c" || r.Difficulty != "all") {
			t.Errorf("%s has the change %v and the test %v", line, r.Change, r.Paired)
		}

		if r.Paired != nil && r.Paired.PHolm != map[string]float64{"names-text": 0.04, "response": 1}[r.API] {
			t.Errorf("%s: p is %v", line, r.Paired.PHolm)
		}

		got = append(got, line)
	}

	want := []string{
		"a easy p_c", "a easy names-text", "a easy response", "a hard p_c", "a hard names-text", "a hard response",
		"a all p_c", "a all names-text", "a all response", "b easy p_c", "b easy names-text", "b easy response",
		"b hard p_c", "b hard names-text", "b hard response", "b all p_c", "b all names-text", "b all response",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	r := report("a")
	r.Summaries = r.Summaries[1:]

	_, err := robustness.Factors(r, "p_c")
	if err == nil || !strings.Contains(err.Error(), "a was not measured under p_c") {
		t.Errorf("without the original: %v", err)
	}
}

func TestWriteFactors(t *testing.T) {
	t.Parallel()

	r := report("a")
	r.Summaries[1].N, r.Summaries[1].Lost = 0, 10
	rows := rowsOf(t, r)

	var b strings.Builder
	if err := robustness.WriteFactors(&b, rows); err != nil {
		t.Fatal(err)
	}

	want := `Accuracy in percent by the benchmark's matcher, its change in percentage points,
and McNemar's p by Holm. Intervals: 95 % Korn–Graubard, by question template.
  difficulty  api          n       official  change  Holm p  turns
a
  easy        p_c         10  90.0 [80, 95]       –       –    3.0
  easy        names-text   0              –       –       –      –
  easy        response    10  90.0 [80, 95]    +0.0       –    3.0
  hard        p_c         10  80.0 [70, 85]       –       –    3.0
  hard        names-text  10  60.0 [50, 65]   -20.0       –    3.0
  hard        response    10  80.0 [70, 85]    +0.0       –    3.0
  all         p_c         10  70.0 [60, 75]       –       –    3.0
  all         names-text  10  50.0 [40, 55]   -20.0   0.020    3.0
  all         response    10  70.0 [60, 75]    +0.0   1.000    3.0
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// The widest figures fit 80 columns.
func TestFactorTableFits(t *testing.T) {
	t.Parallel()

	change := -1.0
	row := robustness.Factor{
		Summary: finetune.Summary{
			Contender: finetune.Contender{Policy: "scripted:noisy", API: "parameters-character"}, Difficulty: "hard",
			N: 99_999, Official: 1, OfficialLow: 1, OfficialHigh: 1, Turns: 20,
		},
		Change: &change, Paired: &finetune.Comparison{},
	}

	var b strings.Builder
	if err := robustness.WriteFactors(&b, []robustness.Factor{row}); err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestWriteFactorsCSV(t *testing.T) {
	t.Parallel()

	var b bytes.Buffer
	if err := robustness.WriteFactorsCSV(&b, rowsOf(t, report(`a,"b"`))); err != nil {
		t.Fatal(err)
	}

	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	want := [][]string{
		{
			"policy", "difficulty", "api", "n", "lost", "official", "official_low", "official_high", "strict",
			"strict_low", "strict_high", "turns", "change", "paired_n", "only_original", "only_change", "p", "p_holm",
		},
		{
			`a,"b"`, "easy", "p_c", "10", "0", "0.9", "0.8", "0.9500000000000001", "0.9", "0.9", "0.9", "3", "", "", "", "",
			"", "",
		},
		{
			`a,"b"`, "all", "names-text", "10", "0", "0.5", "0.4", "0.55", "0.5", "0.5", "0.5", "3", "-0.19999999999999996",
			"20", "5", "1", "0.01", "0.02",
		},
	}
	if diff := cmp.Diff(want, [][]string{lines[0], lines[1], lines[8]}); diff != "" || len(lines) != 10 {
		t.Errorf("%d lines; %s", len(lines), diff)
	}
}

// There is a figure for each kind of factor that was measured. It names policies and versions, is
// whole as SVG and as PNG, and is the same whenever it is drawn: also with long names, with names
// that XML has to escape, and with versions under which no question was measured.
func TestFactorFigures(t *testing.T) {
	t.Parallel()

	many := report("openai:meta-llama/Llama-3-8B-Instruct", "scripted:<b>&amp;", "c")
	for i := range many.Summaries {
		if many.Summaries[i].Policy == "c" && i%2 == 0 {
			many.Summaries[i].N = 0
		}
	}

	for name, r := range map[string]*finetune.Report{"one": report("scripted:noisy"), "many": many} {
		rows := rowsOf(t, r)

		figures := robustness.FactorFigures(rows, "p_c")
		if len(figures) != 2 || figures[0].Name != "figure-names" || figures[1].Name != "figure-response" {
			t.Fatalf("figures are %+v", figures)
		}

		svg, image := written(t, figures[0].WriteSVG), written(t, figures[0].WritePNG)
		if !bytes.Equal(svg, written(t, figures[0].WriteSVG)) || !bytes.Equal(image, written(t, figures[0].WritePNG)) {
			t.Errorf("%s: drawn again, it is another one", name)
		}

		texts := textsOf(t, svg)
		for _, want := range []string{"easy", "hard", "p_c, the original", "names-text", map[string]string{
			"one": "scripted:noisy", "many": "openai:meta-\nllama/Llama-3-\n8B-Instruct",
		}[name]} {
			if !strings.Contains(texts, "\n"+want+"\n") {
				t.Errorf("%s: %q is not written in the figure, but\n%s", name, want, texts)
			}
		}

		if strings.Contains(texts, "\nall\n") || strings.Contains(texts, "\nresponse\n") {
			t.Errorf("%s: more is written than is shown:\n%s", name, texts)
		}

		if _, err := png.Decode(bytes.NewReader(image)); err != nil {
			t.Errorf("%s: %v", name, err)
		}

		if *drawn != "" {
			if err := os.WriteFile(filepath.Join(*drawn, name+".png"), image, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// textsOf are the texts of an SVG, a line each.
func textsOf(t *testing.T, svg []byte) string {
	t.Helper()

	texts := "\n"

	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}

		if err != nil {
			t.Fatal(err)
		}

		if text, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(text)) > 0 {
			texts += string(bytes.TrimSpace(text)) + "\n"
		}
	}
}
