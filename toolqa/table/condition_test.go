package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa/corpus"
)

// pieces returns the texts and the values of a condition's pieces.
func pieces(t testing.TB, table *corpus.Table, condition string) (texts, values []string) {
	t.Helper()

	for more := true; more; {
		var p piece
		var text string

		var err error
		if p, text, condition, more, err = cut(table, condition); err != nil {
			t.Fatal(err)
		}

		texts, values = append(texts, text), append(values, p.column+"|"+p.operator+"|"+p.value)
	}
	return texts, values
}

func TestPieces(t *testing.T) {
	table := corpus.NewTable("airbnb", []string{"NAME", "lat", "room type"}, [][]string{
		{"Bright, Quiet room", "1", "a"}, {"x, big>small, y", "2", "b"}, {"Bed = 2", "3", "c"}, {"a, lat=3", "3", "c"},
	})
	for _, tt := range []struct {
		condition string
		want      []string // column|operator|value
	}{
		{"NAME=a, lat=1", []string{"NAME|=|a", "lat|=|1"}},
		{" NAME = Bright, Quiet room , room type=a", []string{"NAME|=|Bright, Quiet room", "room type|=|a"}},
		{"NAME=Bright, Quiet room", []string{"NAME|=|Bright, Quiet room"}},
		{"NAME=x, big>small, y, lat<2", []string{"NAME|=|x, big>small, y", "lat|<|2"}},
		{"NAME=x, big>small, z", []string{"NAME|=|x", "big|>|small", "||"}}, // no such cell
		{"NAME=x, z, big>small", []string{"NAME|=|x, z", "big|>|small"}},
		{"NAME=Bed = 2, lat=3", []string{"NAME|=|Bed = 2", "lat|=|3"}},
		{"NAME=a, lat=3", []string{"NAME|=|a", "lat|=|3"}}, // a column that exists begins a piece
		{"NAME>=a, b", []string{"NAME|>=|a", "||"}},        // only the value of an equality goes on
		{"NAME=a, ", []string{"NAME|=|a,"}},
		{"NAME=a,, b", []string{"NAME|=|a,, b"}},
		{"lat>=1, ", []string{"lat|>=|1", "||"}},
		{"nothing=a, b", []string{"nothing|=|a", "||"}},
		{"NAME<=a=b", []string{"NAME|<=|a=b"}},
		{"NAME=>a", []string{"NAME|=|>a"}},
		{"NAME==a", []string{"NAME|=|=a"}},
		{"NAME!=a", []string{"NAME!|=|a"}},
		{"", []string{"||"}},
		{"a, b", []string{"||", "||"}},
	} {
		_, got := pieces(t, table, tt.condition)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.condition, diff)
		}
	}
}

// checkPieces checks that the texts of a condition's pieces are the condition.
func checkPieces(t *testing.T, table *corpus.Table, condition string) {
	texts, _ := pieces(t, table, condition)
	if joined := strings.Join(texts, separator); joined != condition {
		t.Errorf("the pieces of %q join to %q", condition, joined)
	}
}

func TestPublishedPieces(t *testing.T) {
	for text, want := range map[string]piece{
		"a=b=c":   {"a", "=", "b"},
		"a=b>c":   {"a=b", ">", "c"},
		"a<b>=c":  {"a<b", ">=", "c"},
		"a >= 1 ": {"a", ">=", "1"},
		"a==b":    {"a", "=", ""},
		"a":       {},
	} {
		if got := parsePublished(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
