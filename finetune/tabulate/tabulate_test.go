package tabulate

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const described = `
tables:
  scores:
    by: [policy, data]
    order: [policy, data]
    totals: [[data]]
    strata: [data]
    cluster: question
    needs: n
    columns:
      - {name: n, count: question}
      - {name: measured, sum: measured}
      - {name: lost, sum: lost, share: measured}
      - {name: right, rate: right, as: percent}
      - {name: turns, mean: turns, as: decimal}
      - {name: spread, deviation: right, over: try, population: true, as: percent}
      - {name: part, part: turns, over: policy, as: percent}
    pairs: {with: {policy: a}, of: right, on: [question], change: right, relative: true}
    csv: [policy, data, n, share=right, right_low]
views:
  - in: [shares]
    table: scores
    caption: Shares of {policy}.
    per: policy
    lines: [data]
    figures: [n, right]
    bare: [right]
  - in: [shares]
    table: scores
    caption: Shares.
    heading: [policy]
    lines: [policy]
    across: [data]
    figures: [right]
    bare: [right]
`

// played is a row of a source.
type played struct {
	Policy   string `json:"policy"`
	Data     string `json:"data"`
	Question string `json:"question"`
	Try      int    `json:"try"`
	Measured bool   `json:"measured"`
	Lost     bool   `json:"lost"`
	Right    bool   `json:"right"`
	Turns    int    `json:"turns"`
}

func scores() (*Tables, []Row) {
	all := MustRead([]byte(described), nil, []string{"shares"})
	return all, all.Tables["scores"].Rows(Of([]played{
		{"a", "x", "1", 0, true, false, true, 2},
		{"a", "x", "1", 1, true, false, true, 4},
		{"a", "x", "2", 0, true, false, false, 6},
		{"a", "y", "3", 0, true, false, true, 8},
		{"b", "x", "1", 0, true, false, false, 1},
		{"b", "y", "3", 0, false, true, false, 0},
	}))
}

// Groups are added up by hand: each kind of data weighs the same in a total, what was lost counts
// nowhere, and a policy is compared on the questions of both.
func TestRows(t *testing.T) {
	t.Parallel()

	_, rows := scores()

	var got []string
	for _, row := range rows {
		got = append(got, strings.Join(row.Texts([]string{"policy", "data"}), " "))
	}

	if diff := cmp.Diff([]string{"a x", "a y", "a all", "b x", "b y", "b all"}, got); diff != "" {
		t.Fatal(diff)
	}

	for i, want := range []Row{
		{"n": 2.0, "lost": 0.0, "right": 2. / 3, "turns": 4.0},
		{"n": 1.0, "right": 1.0, "turns": 8.0, "spread": 0.0},
		{"n": 3.0, "right": 5. / 6, "turns": 6.0},
		{
			"n": 1.0, "right": 0.0, "paired_n": 1.0, "only_first": 1.0, "p": 1.0,
			"difference": -2. / 3, "relative": -1.0,
			"paired_difference": -1.0, "paired_difference_low": -1.0, "paired_difference_high": 0.95,
		},
		{"n": 0.0, "lost": 1.0, "right_high": 1.0},
	} {
		for name, n := range want {
			if math.Abs(rows[i].Number(name)-n.(float64)) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", got[i], name, rows[i][name], n)
			}
		}
	}

	if rows[4].Has("right") || rows[4].Has("paired_n") || rows[0].Has("paired_n") {
		t.Errorf("figures of nothing: %v", rows)
	}
}

// A figure without data is empty in CSV, as a 0 could not be told from one that was measured.
func TestMissingFiguresInCSV(t *testing.T) {
	t.Parallel()

	all, rows := scores()
	table := all.Tables["scores"]
	table.CSV[3] = "right" // as it is called where it is read

	var text strings.Builder
	if err := table.WriteCSV(&text, rows); err != nil {
		t.Fatal(err)
	}

	if !strings.Contains(text.String(), "\nb,y,0,,\n") {
		t.Errorf("no questions in a line of\n%s", &text)
	}

	back, err := table.ReadCSV(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}

	for i, row := range back {
		if row.Has("right") != (rows[i].Number("n") > 0) {
			t.Errorf("%v is read as %v", rows[i], row)
		}
	}
}

// A view picks rows and figures; the forms say the same.
func TestViews(t *testing.T) {
	t.Parallel()

	all, rows := scores()
	by := map[string][]Row{"scores": rows}

	var text, latex, lines strings.Builder

	grids := all.Grids("shares", by)
	for _, err := range []error{
		WriteText(&text, grids, 80), WriteLaTeX(&latex, grids), all.Tables["scores"].WriteCSV(&lines, rows[:1]),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}

	want := `Shares of a.
data  n  right
x     2   66.7
y     1  100.0
all   3   83.3

Shares of b.
data  n  right
x     1    0.0
y     0      –
all   1    0.0

Shares.
  policy     x      y   all
a
  a       66.7  100.0  83.3
b
  b        0.0      –   0.0
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}

	if !strings.Contains(latex.String(), "\\caption{Shares of a.}") || !strings.Contains(latex.String(), `y & 0 & -- \\`) {
		t.Error(latex.String())
	}

	if got := lines.String(); !strings.HasPrefix(got, "policy,data,n,share,right_low\na,x,2,0.666666") {
		t.Error(got)
	}
}

// A count that is shown as a share is one only where it is not 0, and stands below the others.
func TestShares(t *testing.T) {
	t.Parallel()

	text := strings.Replace(described, "figures: [n, right]", "figures: [n, lost]", 1)
	all := MustRead([]byte(text), nil, []string{"shares"})

	row := func(data string, measured, lost float64) Row {
		return Row{"policy": "a", "data": data, "n": measured, "measured": measured, "lost": lost, "right": 1.0}
	}
	rows := []Row{row("x", 4, 0), row("y", 3, 1), row("z", 0, 1), row("u", 1000, 2)}

	var got strings.Builder
	if err := WriteText(&got, all.Grids("shares", map[string][]Row{"scores": rows})[:1], 80); err != nil {
		t.Fatal(err)
	}

	want := `Shares of a.
data     n  lost
x        4     0
y        3   25%
z        0  100%
u     1000   <1%
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// What nothing would show, or nothing would feed, is noticed when a description is read, and at the
// latest when its report is shown.
func TestMistakesOfDescriptions(t *testing.T) {
	t.Parallel()

	panics := func(do func()) (said string) {
		defer func() { said, _ = recover().(string) }()
		do()
		return ""
	}

	for _, tt := range []struct{ instead, of, want string }{
		{"in: [share]", "in: [shares]", `is in ["share"]: want some of ["shares"]`},
		{"in: []", "in: [shares]", `is in []: want some of ["shares"]`},
		{"table: score\n", "table: scores\n", `"score", which a view is of, is not a table`},
		{"figures: [n, rigth]", "figures: [n, right]", `the table scores has no column "rigth"`},
		{"over: fact\n    by:", "by:", `the table scores is over "fact": want one of []`},
	} {
		text := strings.Replace(described, tt.of, tt.instead, 1)
		if got := panics(func() { MustRead([]byte(text), nil, []string{"shares"}) }); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.instead, got, tt.want)
		}
	}

	other := func() { MustRead([]byte(described), nil, []string{"shares", "other"}) }
	if got := panics(other); !strings.Contains(got, "the report other has no view") {
		t.Errorf("a report without views: %q", got)
	}

	all, rows := scores()

	if got := panics(func() { all.Grids("share", nil) }); !strings.Contains(got, `no report "share"`) {
		t.Errorf("an unknown report: %q", got)
	}

	got := panics(func() { all.Grids("shares", nil) })
	if !strings.Contains(got, "scores of the report shares has no rows") {
		t.Errorf("a table that nobody feeds: %q", got)
	}

	if got := all.Grids("shares", map[string][]Row{"scores": rows[:0]}); len(got) != 0 {
		t.Errorf("%d tables without rows", len(got))
	}
}

// A table that is wider than a terminal goes on below.
func TestWideTables(t *testing.T) {
	t.Parallel()

	g := Grid{Words: 1, Heads: []string{"policy", "first", "second"}, Lines: [][]string{{"a", "1", "2"}}}

	var b strings.Builder
	if err := WriteText(&b, []Grid{g}, 16); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff("policy  first\na           1\npolicy  second\na            2\n", b.String()); diff != "" {
		t.Error(diff)
	}
}
