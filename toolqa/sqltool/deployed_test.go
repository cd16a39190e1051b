package sqltool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/silent"
	"toolevo/toolqa"
)

// scaledColumn is a change of a column that queries see.
func scaledColumn(name string, zeros int) silent.Change {
	where := silent.Where{Fields: []string{name}, SQL: "SQL"}
	return silent.Change{Scaled: &silent.Scaled{Where: where, Zeros: zeros}}
}

var datedColumn = silent.Change{Dated: &silent.Dated{Where: silent.Where{Fields: []string{"Date"}, SQL: "SQL"}}}

// asked is what a caller reads of a query under changes.
func asked(t *testing.T, in *Interpreter, changes silent.Changes, sql string) string {
	t.Helper()

	call := envs.Object("SQL", sql)
	lowered, _ := changes.Lower(call).Text("SQL")
	text, _ := changes.Answer(call, query(t, in, lowered).Observation)
	return text
}

// What a query computes is computed of the columns as they are deployed: sums, what is largest,
// conditions and orders. A query that says that it is about the columns as they were is about
// those.
func TestDeployedColumns(t *testing.T) {
	c := small(t)
	in := interpreter(t, Options{}, c)

	open, volume := silent.Changes{scaledColumn("Open", 3)}, silent.Changes{scaledColumn("Volume", 2)}
	both, date := silent.Changes{scaledColumn("Open", 3), datedColumn}, silent.Changes{datedColumn}

	for _, tt := range []struct {
		changes silent.Changes
		sql     string
		want    string
	}{
		{open, "SELECT Open FROM coffee.coffee_data LIMIT 2", "Open: 122250.0\nOpen: 116250.0"},
		{open, "SELECT SUM(Open) FROM coffee.coffee_data", "SUM(Open): 572000.0"}, // 572.0
		{open, "SELECT AVG(Open) AS mean FROM coffee.coffee_data", "mean: 114400.0"},
		{open, "SELECT COUNT(*) AS n FROM coffee.coffee_data WHERE Open > 116250", "n: 2"},
		{open, "SELECT COUNT(*) AS n FROM coffee.coffee_data WHERE Open > '116250'", "n: 2"},
		{open, "SELECT COUNT(*) AS n FROM coffee.coffee_data WHERE High > 121", "n: 3"},
		{open, "select max(coffee_data.open) m from `coffee`.`coffee_data`", "m: 122250.0"},
		{open, "SELECT c.Open - c.Close AS d FROM coffee.coffee_data AS c LIMIT 1", "d: 122133.5"},
		{open, "SELECT MAX(a.Open) AS m FROM coffee_data a JOIN coffee.coffee_data AS b ON b.Open = a.Open",
			"m: 122250.0"},
		{open, "WITH x AS (SELECT Open AS o FROM coffee.coffee_data) SELECT MIN(o) AS least FROM x", "least: 99500.0"},
		{open, "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 2) SELECT n, MAX(Open) AS m " +
			"FROM x, coffee.coffee_data GROUP BY n", "n: 1, m: 122250.0\nn: 2, m: 122250.0"},
		{open, "SELECT * FROM coffee.coffee_data WHERE Volume = 10", "Date: 2000-02-07, Open: 99500.0, High: 121.4, " +
			"Low: 98.5, Close: 99.5, Volume: 10, Currency: USD"},
		{open, "SELECT MAX(Open / 1000) AS m FROM coffee.coffee_data -- by hand", "m: 122.25"},
		{open, "SELECT MAX(High) AS m FROM coffee.coffee_data", "m: 124.0"},
		{volume, "SELECT SUM(Volume) FROM coffee.coffee_data", "SUM(Volume): 2340100"}, // whole numbers stay whole
		{volume, "SELECT Volume FROM coffee.coffee_data ORDER BY Volume LIMIT 1", "Volume: 1000"},
		{date, "SELECT MIN(Date) FROM coffee.coffee_data", "MIN(Date): 03/01/2000"},
		{date, "SELECT Date FROM coffee.coffee_data ORDER BY Date DESC LIMIT 1", "Date: 07/02/2000"},
		{date, "SELECT COUNT(*) AS n FROM coffee.coffee_data WHERE Date >= '2000-01-01'", "n: 0"},
		{date, "SELECT Close FROM coffee.coffee_data WHERE Date = '06/01/2000';", "Close: 116.85"},
		{both, "SELECT Date, Open FROM coffee.coffee_data WHERE Date = '04/01/2000'",
			"Date: 04/01/2000, Open: 116250.0"},
		{open, "SELECT FROM Open", wrongSQL},
	} {
		if got := asked(t, in, tt.changes, tt.sql); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.sql, got, tt.want)
		}

		was := query(t, in, tt.sql).Observation

		lifted, _ := tt.changes.Lift(envs.Object("SQL", tt.sql)).Text("SQL")
		if got := asked(t, in, tt.changes, lifted); got != was {
			t.Errorf("%s:\n%s, but it was\n%s", lifted, got, was)
		}
	}
}

// The way back is SQL that anybody may write: it is the query of before for what nothing converts,
// too.
func TestFormerColumnsInSQL(t *testing.T) {
	c := small(t)
	in := interpreter(t, Options{}, c)

	open := scaledColumn("Open", 3)
	for _, changes := range []silent.Changes{{open}, {datedColumn}, {open, datedColumn}} {
		for _, sql := range []string{
			"SELECT MAX(Open) AS m, MIN(Date) AS d FROM coffee.coffee_data",
			"SELECT Date FROM coffee.coffee_data WHERE Date >= '2000-01-05' AND Open < 117 ORDER BY Date",
			"SELECT x.Open FROM coffee.coffee_data AS x JOIN coffee.coffee_data AS y ON y.Date > x.Date " +
				"WHERE x.Volume < 6000",
		} {
			lifted, _ := changes.Lift(envs.Object("SQL", sql)).Text("SQL")
			lifted = strings.ReplaceAll(lifted, ", * FROM", " , * FROM") // nothing knows it

			if got, want := asked(t, in, changes, lifted), query(t, in, sql).Observation; got != want {
				t.Errorf("%s:\n%s, want\n%s", lifted, got, want)
			}
		}
	}
}

// Numbers are moved in decimal arithmetic: none gets digits that it has not.
func TestDeployedNumbersAreExact(t *testing.T) {
	c := synthetic(t)
	in := interpreter(t, Options{MaxRows: 100_000}, c)

	for zeros := range 3 {
		changes := silent.Changes{scaledColumn("Open", zeros+1), scaledColumn("Volume", zeros+1)}
		was := query(t, in, "SELECT Open, Volume FROM coffee.coffee_data").Observation
		now := asked(t, in, changes, "SELECT Open, Volume FROM coffee.coffee_data")

		var want []string
		for line := range strings.SplitSeq(was, "\n") {
			open, volume, _ := strings.Cut(strings.TrimPrefix(line, "Open: "), ", Volume: ")
			want = append(want, fmt.Sprintf("Open: %s, Volume: %s", silent.Shifted(open, zeros+1),
				silent.Shifted(volume, zeros+1)))
		}

		if got := strings.Split(now, "\n"); len(got) < 5000 || !slices.Equal(got, want) {
			t.Errorf("%d zeros: %d rows, want %d: %.100s…", zeros+1, len(got), len(want), now)
		}
	}

	for sql, want := range map[string]string{
		"SELECT shift_point('1.1', 3) AS x": "x: 1100.0", "SELECT shift_point(1.1, -1) AS x": "x: 0.11",
		"SELECT shift_point('$5', 3) AS x": "x: $5", "SELECT shift_point(NULL, 3) AS x": "x: None",
		"SELECT LENGTH(shift_point(1, 999999999)) AS x": fmt.Sprint("x: ", 1+mostShift),
	} {
		if got := query(t, in, sql).Observation; got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// The published tables of texts change, too.
func TestDeployedTexts(t *testing.T) {
	c := small(t)
	in := interpreter(t, Options{TextColumns: true}, c)

	for sql, want := range map[string]string{
		"SELECT Open FROM coffee.coffee_data LIMIT 1":                        "Open: 122250.0",
		"SELECT COUNT(*) AS n FROM coffee.coffee_data WHERE Open > 116250":   "n: 2",
		"SELECT Date FROM coffee.coffee_data WHERE Date LIKE '%/02/2000'":    "Date: 07/02/2000",
		"SELECT Volume FROM coffee.coffee_data WHERE Date = '03/01/2000'":    "Volume: 6640",
		"SELECT COUNT(*) AS n FROM coffee_data WHERE Date = '03/01/2000'":    wrongSQL, // no database is selected
		"SELECT Currency FROM coffee.coffee_data WHERE Open < '116' LIMIT 1": "Currency: USD",
	} {
		if got := asked(t, in, silent.Changes{scaledColumn("Open", 3), datedColumn}, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// A mark that says nothing of a table, or nothing at all, is a comment.
func TestMarksOfNothing(t *testing.T) {
	in := interpreter(t, Options{}, small(t))

	const sql = "SELECT MAX(Open) AS m FROM coffee.coffee_data"
	const other = "Distance, also in the tables of SQL: numbers are 10 times what they were."
	for _, note := range []string{other, "x", ""} {
		if got := query(t, in, sql+"\n/* "+silent.NoteWord+note+" */").Observation; got != "m: 122.25" {
			t.Errorf("%q: %s", note, got)
		}
	}

	mark := "\n/* " + silent.NoteWord + datedColumn.Note() + " */"

	_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Object("SQL", mark))
	if err != nil || r.Observation != wrongSQL {
		t.Errorf("no query: %s, %v", r.Observation, err)
	}
}

// Times are those of the other zone for what a query computes, too; who knows gets those that were.
func TestZonedColumns(t *testing.T) {
	in := interpreter(t, Options{}, five(t)...)
	changes := silent.Changes{{Zoned: &silent.Zoned{
		Where: silent.Where{Fields: []string{"start_time"}, SQL: "SQL"}, Hours: 13,
	}}}

	for sql, want := range map[string]string{
		"SELECT event, start_time FROM agenda.agenda_data ORDER BY start_time": "event: Lunch, start_time: 01:30:00\n" +
			"event: Opera, start_time: 22:00:00",
		"SELECT event FROM agenda.agenda_data WHERE start_time = '22:00:00'": "event: Opera",
	} {
		if got := asked(t, in, changes, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}

		lifted, _ := changes.Lift(envs.Object("SQL", sql)).Text("SQL")
		by := strings.ReplaceAll(lifted, ", * FROM", " , * FROM") // nothing knows it

		was := query(t, in, sql).Observation
		for _, sql := range []string{lifted, by} {
			if got := asked(t, in, changes, sql); got != was {
				t.Errorf("%s: %q, but it was %q", sql, got, was)
			}
		}
	}
}
