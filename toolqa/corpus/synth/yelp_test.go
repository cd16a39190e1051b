package synth

import (
	"context"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// yelpShareOf returns the share of the rows whose cell holds for keep.
func yelpShareOf(t testing.TB, table *corpus.Table, column string, keep func(string) bool) float64 {
	t.Helper()

	v, err := table.Column(column)
	if err != nil || v == nil {
		t.Fatalf("column %s: %v", column, err)
	}

	n := 0

	for code := range v.Words() {
		if keep(v.Word(code)) {
			n += len(v.RowsOf(code))
		}
	}

	return float64(n) / float64(v.Len())
}

func TestYelp(t *testing.T) {
	t.Parallel()
	table := syntheticTable(t, toolqa.Yelp, 1, 20_000)
	t.Run("forms", func(t *testing.T) { checkYelpForms(t, table) })
	t.Run("shares", func(t *testing.T) { checkYelpShares(t, table) })
	t.Run("names", func(t *testing.T) { checkYelpNames(t, table) })
	t.Run("clusters", func(t *testing.T) { checkYelpClusters(t, table) })
}

// Every cell has the form that the published file gives it.
func checkYelpForms(t *testing.T, table *corpus.Table) {
	for column, form := range map[string]string{
		"business_id":  `^[\w-]{22}$`,
		"name":         `^\S.*\S$`,
		"city":         `^[A-Z][A-Za-z' .]+$`,
		"state":        `^[A-Z]{2}$`,
		"postal_code":  `^(\d{5}|T\d[A-Z] \d[A-Z]\d|)$`,
		"latitude":     `^(2[6-9]|3\d|4[0-5]|5[2-4])\.\d{1,10}$`,
		"longitude":    `^-(7[3-9]|8\d|9[0-2]|11\d|12[01])\.\d{1,10}$`,
		"stars":        `^([1-4]\.[05]|5\.0)$`,
		"review_count": `^\d+$`,
		"is_open":      `^[01]$`,
		"attributes":   `^(None|\{'.*\})$`,
		"categories":   `^[A-Z&-][^,]*(, [A-Z][^,]*)*$`,
		"hours":        `^(None|\{('\w+day': '\d+:\d+-\d+:\d+'(, )?)*\})$`,
	} {
		re := regexp.MustCompile(form)
		if got := yelpShareOf(t, table, column, re.MatchString); got != 1 {
			v, _ := table.Column(column)

			i := 0
			for re.MatchString(v.Text(i)) {
				i++
			}

			t.Errorf("%s: %q does not have the form %s", column, v.Text(i), form)
		}
	}
}

// The shares are those of the published file, and its oddities occur.
func checkYelpShares(t *testing.T, table *corpus.Table) {
	has := func(s string) func(string) bool { return func(cell string) bool { return strings.Contains(cell, s) } }

	is := func(s string) func(string) bool { return func(cell string) bool { return cell == s } }
	for _, tt := range []struct {
		column     string
		keep       func(string) bool
		least, top float64
	}{
		{"is_open", is("1"), 0.77, 0.82},
		{"stars", is("4.0"), 0.19, 0.23},
		{"address", is(""), 0.02, 0.05},
		{"postal_code", is(""), 0.0001, 0.002},
		{"postal_code", func(s string) bool { return strings.HasPrefix(s, "T") }, 0.02, 0.08},
		{"state", is("PA"), 0.15, 0.28},
		{"attributes", is("None"), 0.07, 0.11},
		{"categories", is("None"), 0.0001, 0.003},
		{"hours", is("None"), 0.13, 0.18},
		{"hours", has("'Monday': '0:0-0:0'"), 0.03, 0.2},
		{"attributes", has("'ByAppointmentOnly': 'True'"), 0.05, 0.3},
		{"attributes", has(`"u'free'"`), 0.01, 0.3},
		{"attributes", has(`"{'garage': `), 0.05, 0.4},
		{"categories", has("Restaurants"), 0.2, 0.45},
		{"name", has(", "), 0.005, 0.06},
		{"name", has(" in "), 0.001, 0.02},
		{"name", has(" located in "), 0.0002, 0.01},
		{"name", is("Starbucks"), 0.005, 0.05},
		{"address", has(", Ste "), 0.03, 0.25},
		{"review_count", func(s string) bool { return len(s) >= 4 }, 0.001, 0.02},
	} {
		if got := yelpShareOf(t, table, tt.column, tt.keep); got < tt.least || got > tt.top {
			t.Errorf("%s: a share of %.4f, want %.4f to %.4f", tt.column, got, tt.least, tt.top)
		}
	}
}

// Names repeat as chains do, and towns of the same name are in several states; most names are of
// one business.
func checkYelpNames(t *testing.T, table *corpus.Table) {
	names, err := table.Column("name")
	if err != nil {
		t.Fatal(err)
	}

	once, most := 0, 0

	for code := range names.Words() {
		n := len(names.RowsOf(code))

		most = max(most, n)
		if n == 1 {
			once++
		}
	}

	if once < 12_000 || most < 150 {
		t.Errorf("%d names occur once, the most frequent one %d times", once, most)
	}

	for _, state := range []string{"TN", "MO"} {
		rows := rowsWith(t, table, map[string]string{"city": "Brentwood", "state": state})
		if len(rows) == 0 {
			t.Errorf("no business in Brentwood, %s", state)
		}
	}

	cities, err := table.Column("city")
	if err != nil {
		t.Fatal(err)
	}

	if cities.Words() < 400 {
		t.Errorf("%d towns", cities.Words())
	}
}

// rowsWith returns the rows that hold the given values.
func rowsWith(t *testing.T, table *corpus.Table, want map[string]string) (rows []int) {
	t.Helper()

	for row := range table.Rows() {
		same := true

		for name, value := range want {
			column, err := table.Column(name)
			if err != nil {
				t.Fatal(err)
			}

			same = same && column.Text(row) == value
		}

		if same {
			rows = append(rows, row)
		}
	}
	return rows
}

// The businesses of a postal code are near each other.
func checkYelpClusters(t *testing.T, table *corpus.Table) {
	rows := rowsWith(t, table, map[string]string{"postal_code": "19103"})
	if len(rows) < 10 {
		t.Fatalf("%d businesses in 19103", len(rows))
	}

	for _, column := range []string{"latitude", "longitude"} {
		v, err := table.Column(column)
		if err != nil {
			t.Fatal(err)
		}

		least, most := math.Inf(1), math.Inf(-1)

		for _, row := range rows {
			x, _ := v.Number(row)
			least, most = min(least, x), max(most, x)
		}

		if most-least > 0.1 || most == least {
			t.Errorf("%s from %v to %v", column, least, most)
		}
	}
}

func TestYelpSeeds(t *testing.T) {
	cells := func(seed uint64) []string {
		v, err := syntheticTable(t, toolqa.Yelp, seed, 300).Column("business_id")
		if err != nil {
			t.Fatal(err)
		}

		var ids []string
		for row := range v.Len() {
			ids = append(ids, v.Text(row))
		}
		return ids
	}

	one := cells(1)
	if !slices.Equal(one, cells(1)) {
		t.Error("the same seed makes other businesses")
	}

	if slices.Equal(one, cells(2)) {
		t.Error("another seed makes the same businesses")
	}
}

// What is built is accepted by all checks of the file.
func TestYelpBuild(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()

	info, err := Build(ctx, dir, toolqa.Yelp, Options{Rows: 700, Seed: 5})
	if err != nil || info.Rows != 700 {
		t.Fatalf("Build: %+v, %v", info, err)
	}

	c, err := corpus.Open(ctx, dir, toolqa.Yelp)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
}

func BenchmarkYelpRows(b *testing.B) {
	b.ReportAllocs()

	rng := rand.New(rand.NewPCG(1, generators[toolqa.Yelp].stream))
	next := tableRows(toolqa.Yelp, rng, generators[toolqa.Yelp].full*100)
	for b.Loop() {
		if _, err := next(); err != nil {
			b.Fatal(err)
		}
	}
}
