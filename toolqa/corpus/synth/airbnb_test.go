package synth

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func airbnbColumn(t testing.TB, table *corpus.Table, name string) *corpus.Vector {
	t.Helper()

	v, err := table.Column(name)
	if err != nil || v == nil {
		t.Fatal(name, err)
	}
	return v
}

// airbnbShare returns the share of the rows whose cell keep holds for.
func airbnbShare(v *corpus.Vector, keep func(string) bool) float64 {
	return float64(v.MatchSet(make([]uint64, (v.Len()+63)/64), v.Filter(keep))) / float64(v.Len())
}

func isNan(s string) bool { return s == "nan" }

func TestSyntheticAirbnbHasThePublishedOddities(t *testing.T) {
	const n = 20_000

	table := syntheticTable(t, toolqa.Airbnb, 1, n)
	for _, tt := range []struct {
		column   string
		what     string
		keep     func(string) bool
		from, to float64
	}{
		{"price", "a blank behind", func(s string) bool {
			return strings.HasPrefix(s, "$") &&
				strings.HasSuffix(s, " ")
		}, 0.99, 0.9999},
		{"price", "thousands", func(s string) bool { return strings.HasPrefix(s, "$1,") }, 0.12, 0.23},
		{"NAME", "missing", isNan, 0.0005, 0.005},
		{"NAME", "comma", func(s string) bool { return strings.Contains(s, ", ") }, 0.05, 0.4},
		{"NAME", "in", func(s string) bool { return strings.Contains(s, " in ") }, 0.15, 0.5},
		{"NAME", "id", func(s string) bool { return strings.Contains(s, "(id:") }, 0.00005, 0.002},
		{"NAME", "operator", func(s string) bool { return strings.ContainsAny(s, "<>=") }, 0.0005, 0.01},
		{"NAME", "emoji", func(s string) bool { return strings.ContainsAny(s, "✨❤⚡🗽🌿⭐🏙") }, 0.005, 0.06},
		{"NAME", "line break", func(s string) bool { return strings.Contains(s, "\n") }, 0.0005, 0.01},
		{"NAME", "blank at the end", func(s string) bool { return strings.TrimSpace(s) != s }, 0.0001, 0.02},
		{"house_rules", "missing", isNan, 0.48, 0.54},
		{"house_rules", "comma", func(s string) bool { return strings.Contains(s, ", ") }, 0.1, 0.5},
		{"house_rules", "spreadsheet", func(s string) bool { return s == "#NAME?" }, 0.01, 0.04},
		{"neighbourhood group", "misspelt", func(s string) bool { return s == "brookln" || s == "manhatan" }, 0.0001,
			0.002},
		{"neighbourhood", "comma", func(s string) bool { return strings.Contains(s, ", ") }, 0.0005, 0.01},
		{"last review", "missing", isNan, 0.13, 0.2},
		{"reviews per month", "missing", isNan, 0.13, 0.2},
		{"minimum nights", "negative", func(s string) bool { return strings.HasPrefix(s, "-") }, 0.0001, 0.01},
		{"availability 365", "too many", func(s string) bool { return s > "366.0" && len(s) == 5 }, 0.01, 0.06},
		{"room type", "hotel", func(s string) bool { return s == "Hotel room" }, 0.0005, 0.003},
		{"room type", "shared", func(s string) bool { return s == "Shared room" }, 0.015, 0.03},
		{"instant_bookable", "True", func(s string) bool { return s == "True" }, 0.4, 0.6},
		{"Construction year", "a float", func(s string) bool { return strings.HasSuffix(s, ".0") }, 0.99, 0.9999},
		{"license", "missing", isNan, 0.999, 1},
	} {
		if got := airbnbShare(airbnbColumn(t, table, tt.column), tt.keep); got < tt.from || got > tt.to {
			t.Errorf("%s, %s: %.5f of the rows, want %v to %v", tt.column, tt.what, got, tt.from, tt.to)
		}
	}

	names := airbnbColumn(t, table, "NAME")
	repeated := 0

	for code := range names.Words() {
		if len(names.RowsOf(code)) > 1 {
			repeated++
		}
	}

	if repeated < 100 {
		t.Errorf("%d names occur more than once", repeated)
	}

	if got := airbnbColumn(t, table, "neighbourhood").Words(); got != 225 { // and nan
		t.Errorf("%d neighbourhoods", got)
	}
}

func TestSyntheticAirbnbHoldsTogether(t *testing.T) {
	const n = 5_000
	table := syntheticTable(t, toolqa.Airbnb, 2, n)
	ids, reviews, last, month := airbnbColumn(t, table, "id"), airbnbColumn(t, table, "number of reviews"),
		airbnbColumn(t, table, "last review"), airbnbColumn(t, table, "reviews per month")
	price, fee := airbnbColumn(t, table, "price"), airbnbColumn(t, table, "service fee")
	lat, long := airbnbColumn(t, table, "lat"), airbnbColumn(t, table, "long")
	dollarsOf := func(s string) float64 {
		f, err := strconv.ParseFloat(strings.NewReplacer("$", "", ",", "", " ", "").Replace(s), 64)
		if err != nil {
			t.Fatalf("%q is no price", s)
		}
		return f
	}
	repeats := 0

	for row := range n {
		if same := ids.RowsOf(ids.Code(row)); len(same) > 1 {
			repeats++

			for _, name := range table.Columns() {
				if v := airbnbColumn(t, table, name); v.Text(int(same[0])) != v.Text(int(same[1])) {
					t.Errorf("id %s: %s %q and %q", ids.Text(row), name, v.Text(int(same[0])), v.Text(int(same[1])))
				}
			}
		}

		if reviews.Text(row) == "0.0" && (last.Text(row) != "nan" || month.Text(row) != "nan") {
			t.Errorf("row %d has no review, and the last one on %s", row, last.Text(row))
		}

		if s := last.Text(row); s != "nan" {
			if day, err := time.Parse("1/2/2006", s); err != nil || day.Format("1/2/2006") != s {
				t.Errorf("last review %q", s)
			}
		}

		if p, f := price.Text(row), fee.Text(row); p != "nan" && f != "nan" {
			if d := dollarsOf(p); d < 50 || d > 1200 || dollarsOf(f) < d/5-0.5 ||
				dollarsOf(f) > d/5+0.5 {
				t.Errorf("price %q and fee %q", p, f)
			}
		}

		if y, ok := lat.Number(row); ok && (y < 40.48 || y > 40.94) {
			t.Errorf("latitude %v", y)
		}

		if x, ok := long.Number(row); ok && (x < -74.28 || x > -73.68) {
			t.Errorf("longitude %v", x)
		}
	}

	if repeats != 52 { // 26 pairs
		t.Errorf("%d rows belong to a pair", repeats)
	}
}

func TestSyntheticAirbnbIsRepeatable(t *testing.T) {
	a, b, c := syntheticTable(t, toolqa.Airbnb, 3, 300), syntheticTable(t, toolqa.Airbnb, 3, 300),
		syntheticTable(t, toolqa.Airbnb, 4, 300)
	differs := false

	for _, name := range a.Columns() {
		x, y, z := airbnbColumn(t, a, name), airbnbColumn(t, b, name), airbnbColumn(t, c, name)
		for row := range 300 {
			if x.Text(row) != y.Text(row) {
				t.Fatalf("row %d: %s %q and %q", row, name, x.Text(row), y.Text(row))
			}

			differs = differs || x.Text(row) != z.Text(row)
		}
	}

	if !differs {
		t.Error("another seed makes the same rows")
	}

	if one := syntheticTable(t, toolqa.Airbnb, 3, 1); one.Rows() != 1 {
		t.Errorf("%d rows", one.Rows())
	}
}

func BenchmarkSyntheticAirbnb(b *testing.B) {
	next := tableRows(toolqa.Airbnb, rand.New(rand.NewPCG(1, 1)), 1<<40)

	b.ReportAllocs()

	for b.Loop() {
		if _, err := next(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSyntheticAirbnbCorpusVerifies(t *testing.T) {
	dir := t.TempDir()

	built, err := Build(t.Context(), dir, toolqa.Airbnb, Options{Seed: 7, Rows: 2_000, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Airbnb)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	if built.Rows != 2_000 || c.Table().Rows() != 2_000 {
		t.Errorf("%d rows, and %d in the table", built.Rows, c.Table().Rows())
	}
}
