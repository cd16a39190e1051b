package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

// More cells than fit into what GetValue gathers are written in order, and whole, in every kind of
// view.
func TestManyCells(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("Date,Open,High,Low,Close,Volume,Currency\n")

	var cells []string
	for i := range 2000 {
		cells = append(cells, strings.Repeat("9", i%15)+strconv.Itoa(i))
		day := time.Date(2000, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		fmt.Fprintf(&csv, "%s,1.0,1.0,1.0,1.0,%s,USD\n", day, cells[i])
	}

	c := parsed(toolqa.Coffee, csv.String())
	load := newLoadDB(c)
	// all rows, bits, row numbers, one row
	for _, least := range []string{"", "2", "999999999999999", slices.Max(cells)} {
		s, _ := call(t, load, toolqa.Session{}, "DBName", "coffee")
		if least != "" {
			s, _ = call(t, &FilterDB{}, s, "condition", "Volume>="+least)
		}
		var want []string

		for _, cell := range cells {
			if cell >= least {
				want = append(want, `"`+cell+`"`)
			}
		}

		text := "[" + strings.Join(want, ", ") + "]"
		if len(want) == 1 {
			text = want[0]
		}

		_, got := call(t, GetValue{}, s, "column_name", "Volume")
		if diff := cmp.Diff(`{"Volume": `+text+`}`, got.Observation); diff != "" {
			t.Errorf("from %q on (-want +got):\n%s", least, diff)
		}
	}
}
