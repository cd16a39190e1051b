package silent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/silent"
)

func inTables(fields ...string) silent.Where { return silent.Where{Fields: fields, SQL: "SQL"} }

var (
	scaledTable = silent.Change{Scaled: &silent.Scaled{Where: inTables("Open"), Zeros: 2}}
	datedTable  = silent.Change{Dated: &silent.Dated{Where: silent.Where{
		Fields: []string{"Date", "day of"}, Conditions: "condition", SQL: "SQL",
	}}}
)

func sqlOf(t *testing.T, call envs.Args) string {
	t.Helper()

	text, ok := call.Text("SQL")
	if !ok {
		t.Fatalf("%v has no query", call)
	}
	return text
}

// A caller that knows asks tables in which the columns are what they were; a query of another
// caller gets a mark for the tool.
func TestQueries(t *testing.T) {
	const former = "(SELECT Open / 100 AS Open, * FROM coffee.coffee_data)"

	changes := silent.Changes{scaledTable}

	for _, tt := range []struct{ sql, lifted string }{
		{"SELECT MAX(Open) FROM coffee.coffee_data", "SELECT MAX(Open) FROM " + former},
		{"select open from coffee.coffee_data c JOIN x.y ON 1", "select open from " + former +
			" c JOIN (SELECT Open / 100 AS Open, * FROM x.y) ON 1"},
		{"SELECT * FROM\n coffee.coffee_data", "SELECT * FROM\n " + former},
		{"SELECT COUNT(*) FROM coffee.coffee_data", "SELECT COUNT(*) FROM coffee.coffee_data"},
		{"SELECT Opening FROM coffee.coffee_data", "SELECT Opening FROM coffee.coffee_data"},
	} {
		lifted := changes.Lift(envs.Object("SQL", tt.sql))
		if diff := cmp.Diff(tt.lifted, sqlOf(t, lifted)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}

		if got := sqlOf(t, changes.Lower(lifted)); got != tt.sql {
			t.Errorf("%s comes back as %s", tt.sql, got)
		}

		sql, marked := silent.Marked(sqlOf(t, changes.Lower(envs.Object("SQL", tt.sql))))
		if about := tt.lifted != tt.sql; sql != tt.sql || about != (cmp.Diff(changes, marked) == "") ||
			about != (len(marked) == 1) {
			t.Errorf("%s is marked with %+v", sql, marked)
		}
	}
}

// What is marked is what nothing undoes, in the order in which it was changed.
func TestMarked(t *testing.T) {
	both := silent.Changes{scaledTable, datedTable}
	ask := "SELECT Open, Date FROM coffee.coffee_data"

	for _, tt := range []struct {
		call string
		want silent.Changes
	}{
		{ask, both},
		{sqlOf(t, both.Lift(envs.Object("SQL", ask))), nil},
		{sqlOf(t, both[:1].Lift(envs.Object("SQL", ask))), both[1:]},
		{sqlOf(t, both[1:].Lift(envs.Object("SQL", ask))), both[:1]},
		{ask + " WHERE Open > (SELECT AVG(Open) FROM (SELECT Open / 100 AS Open, * FROM coffee.coffee_data))", both},
	} {
		sql, marked := silent.Marked(sqlOf(t, both.Lower(envs.Object("SQL", tt.call))))
		if diff := cmp.Diff(tt.want, marked); diff != "" {
			t.Errorf("%s is %s, -want +got:\n%s", tt.call, sql, diff)
		}
	}

	for _, c := range both {
		got, ok := silent.ParseNote(c.Note())
		if diff := cmp.Diff(c, got); diff != "" || !ok {
			t.Errorf("%s: -want +got:\n%s", c.Note(), diff)
		}
	}

	_, notes := both.Answer(envs.Object("SQL", "SELECT Open FROM coffee.coffee_data"), "Open: 3")
	if diff := cmp.Diff([]string{scaledTable.Note()}, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzQueries: who lifts and lowers a query has said the same, and so has who lowers and lifts one
// of a caller of before.
func FuzzQueries(f *testing.F) {
	for _, text := range []string{
		"SELECT Open FROM coffee.coffee_data", "SELECT * FROM a.b JOIN c.d", "Open", "", "FROM x.Open",
		"select Date, Open from (SELECT Open / 100 AS Open, * FROM coffee.coffee_data)", "Open FROM a.b)) /* Note: */",
		"WITH x AS (SELECT Open FROM a.b) SELECT day_of FROM x, a.b -- Open", "SELECT 'FROM a.b' AS Open FROM a.b.c",
		"(SELECT Open / 100 AS Open, * FROM a.b) Open FROM a.b",
	} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, sql string) {
		for _, changes := range []silent.Changes{{scaledTable}, {datedTable}, {scaledTable, datedTable}} {
			if strings.Contains(sql, silent.NoteWord) { // no caller writes marks
				continue
			}

			call := envs.Object("SQL", sql)
			if got := changes.Lower(changes.Lift(call)); cmp.Diff(call, got) != "" {
				t.Errorf("%q comes back as %v", sql, got)
			}

			if got := changes.Lift(changes.Lower(call)); cmp.Diff(call, got) != "" {
				t.Errorf("%q comes back from the tool as %v", sql, got)
			}
		}
	})
}
