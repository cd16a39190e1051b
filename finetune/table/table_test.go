package table_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/table"
)

// Lines and names are added as figures come.
func TestSet(t *testing.T) {
	t.Parallel()

	figures := table.Table{Heads: []string{"policy"}}
	figures.Set([]string{"a"}, "p_c", "1")
	figures.Set([]string{"b"}, "p_s_in", "2")
	figures.Set([]string{"a"}, "p_s_in", "3")

	want := [][]string{{"a", "1", "3"}, {"b", table.None, "2"}}
	if diff := cmp.Diff(want, figures.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()

	share := 0.25
	got := table.Fields("a", 1, 1e6, &share, (*float64)(nil))

	if diff := cmp.Diff([]string{"a", "1", "1e+06", "0.25", ""}, got); diff != "" {
		t.Error(diff)
	}
}

// All three forms say the same, each in its own way.
func TestTable(t *testing.T) {
	t.Parallel()

	figures := table.Table{
		Title: "Shares in percent,\nby group.", Heads: []string{"policy"}, Names: []string{"G1_x", "p_c"}, Words: 1,
		Lines: [][]string{{"a_b", "66.7 ± 0.0 [20–94]", "–"}},
	}

	var text, markdown, latex strings.Builder
	if err := figures.Write(&text); err != nil {
		t.Fatal(err)
	}

	tables := []table.Table{figures}
	if err := errors.Join(table.WriteMarkdown(&markdown, tables), table.WriteLaTeX(&latex, tables)); err != nil {
		t.Fatal(err)
	}

	for form, test := range map[string]struct{ got, want string }{
		"text": {text.String(), "POLICY  G1_x                p_c\n" + "a_b     66.7 ± 0.0 [20–94]  –\n"},
		"Markdown": {markdown.String(), "Shares in percent,\nby group.\n\n| policy | G1_x | p_c |\n|---|---:|---:|\n" +
			"| a_b | 66.7 ± 0.0 [20–94] | – |\n"},
		"LaTeX": {latex.String(), `\begin{table}
\centering
\scriptsize
\setlength{\tabcolsep}{3pt}
\caption{Shares in percent, by group.}
\begin{tabular}{lrr}
\toprule
policy & G1\_x & p\_c \\
\midrule
a\_b & 66.7 $\pm$ 0.0 [20--94] & -- \\
\bottomrule
\end{tabular}
\end{table}
`},
	} {
		if test.got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", form, test.got, test.want)
		}
	}
}
