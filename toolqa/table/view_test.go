package table

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// wide returns a table whose selections are large enough not to be kept.
func wide() *corpus.Table {
	rows := make([][]string, 40_000)
	for i := range rows {
		rows[i] = []string{strconv.Itoa(i % 3), fmt.Sprintf("%03d", i%200), fmt.Sprintf("%06d", i),
			strconv.Itoa(i % 1000)}
	}

	return corpus.NewTable(toolqa.Flights, []string{"few", "some", "each", "Distance"}, rows)
}

// numbersOf returns the rows of a selection.
func numbersOf(s *selection) []int {
	var rows []int

	for first, end := range s.runs {
		for row := first; row < end; row++ {
			rows = append(rows, row)
		}
	}

	return rows
}

// Every kind of filter on every kind of selection leaves the rows that a loop over the cells does,
// also when the selection has been forgotten.
func TestChains(t *testing.T) {
	table := wide()

	rapid.Check(t, func(t *rapid.T) {
		view := newView(table)

		keep := make([]bool, table.Rows())
		for i := range keep {
			keep[i] = true
		}

		for range rapid.IntRange(1, 4).Draw(t, "filters") {
			name := rapid.SampledFrom(table.Columns()).Draw(t, "column")
			op := rapid.SampledFrom(operators[:]).Draw(t, "operator")
			col := column(table, name)
			value := col.Word(rapid.IntRange(0, col.Words()-1).Draw(t, "word"))

			narrowed, failure, err := (&FilterDB{}).apply(t.Context(), view, name+op+value)
			if err != nil {
				t.Fatal(err)
			}

			n := 0
			bound, _ := strconv.Atoi(value)

			next := make([]bool, len(keep))
			for row := range keep {
				cell := col.Text(row)
				if name != "Distance" {
					next[row] = keep[row] && holds(cell, op, value)
				} else if keep[row] {
					order := cmp.Compare(row%1000, bound)
					next[row] = holds(string(rune('1'+order)), op, "1")
				}

				if next[row] {
					n++
				}
			}

			if (failure == nil) != (n > 0) {
				t.Fatalf("%s%s%s: %+v, and %d rows", name, op, value, failure, n)
			}

			if failure != nil {
				continue
			}

			view, keep = narrowed, next
			if rapid.Bool().Draw(t, "forget") {
				clear(view.source.recent[:])
			}
		}

		rows := numbersOf(view.selection())
		if len(rows) != view.Len() {
			t.Fatalf("%d rows of a view of %d", len(rows), view.Len())
		}

		for i, row := range rows {
			if !keep[row] || i > 0 && rows[i-1] >= row {
				t.Fatalf("row %d, number %d of the selection", row, i)
			}

			keep[row] = false
		}
	})
}

// However many states a search holds, the selections in memory are bounded.
func TestViewsStaySmall(t *testing.T) {
	root := newView(wide())
	var views []*tableView

	for i := range 400 {
		v, failure, err := (&FilterDB{}).apply(t.Context(), root,
			fmt.Sprintf("each>=%06d, each<%06d", 10*i, 36_000+10*i))
		if err != nil || failure != nil {
			t.Fatal(err, failure)
		}

		views = append(views, v)
	}

	held := 0

	for _, v := range views {
		if v.kept != nil {
			held += v.kept.size()
		}
	}

	for _, r := range root.source.recent {
		held += r.selection.size()
	}

	if most := len(root.source.recent) * (40_000/8 + 8); held > most {
		t.Errorf("400 views hold %d bytes, want at most %d", held, most)
	}

	for i := 0; i < len(views); i += 7 { // among them views whose selections were dropped, and the last, which is kept
		if rows := numbersOf(views[i].selection()); len(rows) != 36_000 || rows[0] != 10*i {
			t.Fatalf("view %d has %d rows from %d on", i, len(rows), rows[0])
		}
	}
}

// What GetValue prints of a large table ends after about a mebibyte; the words before are the same.
func TestGetValueIsBounded(t *testing.T) {
	load := newLoadDB(wide())
	s, _ := call(t, load, toolqa.Session{}, "DBName", "flights")

	_, got := call(t, GetValue{}, s, "column_name", "each, Distance, some, few")
	if n := len(got.Observation); n < maxValue || n > maxValue+maxValue/4 ||
		!strings.HasSuffix(got.Observation, `" ...`) {
		t.Errorf("%d bytes, ending in %q", n, got.Observation[n-40:])
	}

	if !strings.HasPrefix(got.Observation, `{"each": ["000000", "000001", `) || got.Outcome != envs.OK {
		t.Errorf("%v %.100s", got.Outcome, got.Observation)
	}

	_, got = call(t, GetValue{}, s, "column_name", "few")
	if !strings.HasSuffix(got.Observation, `"2", "0"]}`) {
		t.Errorf("40,000 short cells are cut: ...%s", got.Observation[len(got.Observation)-40:])
	}
}

// States of many trees share one table, and its large selections, without a lock of their own.
func TestConcurrentTrees(t *testing.T) {
	load := newLoadDB(wide())
	s, _ := call(t, load, toolqa.Session{}, "DBName", "flights")
	shared, _ := call(t, &FilterDB{}, s, "condition", "each>=000010") // too large to be kept
	source := shared.Table.(*tableView).source

	var wg sync.WaitGroup
	for tree := range 16 {
		wg.Go(func() {
			for i := range 20 {
				if tree == 0 {
					source.remember(newView(source.table), &selection{}) // pushes out others
				}

				next, _ := call(t, &FilterDB{}, shared, "condition",
					fmt.Sprintf("some=%03d, Distance<=%d", i, 500+tree))
				want := 0

				for row := 10; row < 40_000; row++ {
					if row%200 == i && row%1000 <= 500+tree {
						want++
					}
				}

				if next.Table.Len() != want {
					t.Errorf("tree %d, filter %d: %d rows, want %d", tree, i, next.Table.Len(), want)
				}
			}
		})
	}

	wg.Wait()
}
