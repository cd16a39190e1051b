package corpus

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"toolevo/toolqa"
)

// syntheticTable makes n synthetic rows as the tools print them.
func syntheticTable(t testing.TB, ds toolqa.Dataset, seed uint64, n int) *Table {
	t.Helper()

	schema, err := SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}

	g := generators()[ds]
	next := g.rows(rand.New(rand.NewPCG(seed, g.stream)), n)
	var rows [][]string

	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			return NewTable(ds, schema.names(), rows)
		}

		if err != nil {
			t.Fatal(err)
		}

		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.text
			if c.value == nil && !schema.Columns[i].Optional {
				t.Fatalf("row %d has no %s", len(rows), schema.Columns[i].Name)
			}
		}

		rows = append(rows, texts)
	}
}
