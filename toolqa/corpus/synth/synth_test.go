package synth

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

func TestBuildCoffee(t *testing.T) {
	dir := t.TempDir()
	info := mustBuild(t, dir, toolqa.Coffee, Options{Seed: 7, Tool: "test"})

	c := mustOpen(t, dir, toolqa.Coffee)
	if diff := cmp.Diff(info, c.Info()); diff != "" {
		t.Errorf("(-built +opened):\n%s", diff)
	}

	if info.Rows != 5741 || info.Source != layout.Synthetic || info.Seed != 7 || info.Tool != "test" ||
		info.SourceSHA256 != info.ContentSHA256 {
		t.Errorf("Build = %+v", info)
	}

	whole := 0

	for _, row := range printed(t, c) {
		day, err := time.Parse(time.DateOnly, row[0])
		if wd := day.Weekday(); err != nil || wd == time.Saturday || wd == time.Sunday {
			t.Fatalf("%s is a %v (%v)", row[0], wd, err)
		}

		var prices [5]float64
		for i := range prices {
			if prices[i], err = strconv.ParseFloat(row[1+i], 64); err != nil {
				t.Fatal(err)
			}
		}

		opening, high, low, closing := prices[0], prices[1], prices[2], prices[3]
		if low > min(opening, closing) || high < max(opening, closing) || low < 5 || high > 2000 || prices[4] < 0 ||
			row[6] != "USD" {
			t.Fatalf("implausible day %v", row)
		}

		if strings.HasSuffix(row[1], ".0") {
			whole++
		}
	}

	if whole == 0 {
		t.Error(`no price ends in ".0"`)
	}
}

// TestBuildIsDeterministic is about every dataset that can be built.
func TestBuildIsDeterministic(t *testing.T) {
	for ds := range generators {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()
			one, two := t.TempDir(), t.TempDir()
			opts := Options{Seed: 7, Rows: 60, Tool: "test"}

			a, b := mustBuild(t, one, ds, opts), mustBuild(t, two, ds, opts)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the same seed gave different corpora (-first +second):\n%s", diff)
			}

			if err := mustOpen(t, one, ds).Verify(t.Context()); err != nil {
				t.Error(err)
			}

			opts.Seed++
			if other := mustBuild(t, two, ds, opts); other.ContentSHA256 == a.ContentSHA256 {
				t.Error("two seeds gave the same rows")
			}
		})
	}
}

func TestBuildSizes(t *testing.T) {
	dir := t.TempDir()
	for name, opts := range map[string]Options{
		"negative": {Rows: -1}, "too many": {Rows: 1_000_001}, "scale": {Scale: "tiny"},
	} {
		if _, err := Build(t.Context(), dir, toolqa.Coffee, opts); err == nil {
			t.Errorf("%s: Build succeeded", name)
		}
	}

	for ds, g := range generators {
		if g.demo < 1 || g.demo > g.full || g.full > g.most {
			t.Errorf("%s: demo %d, full %d, most %d", ds, g.demo, g.full, g.most)
		}

		if schema, err := layout.SchemaOf(ds); err == nil && g.full != schema.Rows {
			t.Errorf("%s: %d rows are built at full scale; the published file has %d", ds, g.full, schema.Rows)
		}
	}
}

// The work that is told, in thousandths, and how much of it is rows and columns.
const (
	work        = 1000
	rowsWork    = 680
	columnsWork = 130
)

func TestProgress(t *testing.T) {
	var told []int
	opts := Options{Rows: 5000, Progress: func(done, total int) {
		if total != work {
			t.Errorf("of %d", total)
		}

		told = append(told, done)
	}}
	mustBuild(t, t.TempDir(), toolqa.Coffee, opts)

	for i, done := range told {
		if i > 0 && done <= told[i-1] {
			t.Errorf("%d is told after %d", done, told[i-1])
		}
	}

	if len(told) < 10 || told[len(told)-1] != work {
		t.Errorf("told %v", told)
	}
}

func TestBuildStops(t *testing.T) {
	for _, after := range []int{0, 100, rowsWork, rowsWork + columnsWork} {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()

		opts := Options{Rows: 20_000, Progress: func(done, _ int) {
			if done >= after {
				cancel()
			}
		}}
		if _, err := Build(ctx, dir, toolqa.Coffee, opts); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d: error %v", after, err)
		}

		if left := leftBehind(t, dir); len(left) > 0 {
			t.Errorf("after %d: a cancelled build left %v", after, left)
		}

		cancel()
	}
}

// syntheticTable makes n synthetic rows as the tools print them.
func syntheticTable(t testing.TB, ds toolqa.Dataset, seed uint64, n int) *corpus.Table {
	t.Helper()

	schema, err := layout.SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}

	g := generators[ds]
	next := tableRows(ds, rand.New(rand.NewPCG(seed, g.stream)), n)
	var rows [][]string

	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			return corpus.NewTable(ds, schema.Names(), rows)
		}

		if err != nil {
			t.Fatal(err)
		}

		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.Text
			if c.Value == nil && !schema.Columns[i].Optional {
				t.Fatalf("row %d has no %s", len(rows), schema.Columns[i].Name)
			}
		}

		rows = append(rows, texts)
	}
}
