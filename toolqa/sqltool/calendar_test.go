package sqltool

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
)

// What day it is, and where, is not for a statement to know: the same one must give the same forever.
func TestClock(t *testing.T) {
	in := interpreter(t, Options{}, small(t))

	for _, expr := range []string{
		"date('now')", `date("now")`, `"date"('now')`, "[date]('NOW')", "`date`('now')", "date ( )", "date/**/()",
		"DATE('Now', '-1 day')", "date(x'6e6f77')",
		"date(replace('nxow', 'x', ''))", "date('no' || 'w')", "date(char(110, 111, 119, 0, 65))",
		"date((SELECT 'now'))",
		"time()", "time('now')", "datetime()", "datetime('now')", `julianday("now")`, "julianday()", "unixepoch()",
		"unixepoch('now')",
		"unixepoch('subsec')", "datetime('subsecond')", "strftime('%Y')", "strftime('%s')", "strftime('%s', 'now')",
		"strftime('%f', 'subsec')",
		"timediff('2000-01-01')", "date('2000-01-01', 'localtime')",
		"datetime('2000-01-01', 'LocalTime')", "datetime('2000-01-01', '+1 day', 'utc')",
		"datetime(0, 'unixepoch', 'localtime')",
		"julianday('now') - julianday(Date)", "strftime('%Y', 'now') - YEAR(Date)", "CURRENT_DATE", "CURRENT_TIME",
		"CURRENT_TIMESTAMP", "NOW()",
	} {
		for _, sql := range []string{"SELECT " + expr + " FROM coffee.coffee_data",
			"SELECT 1 FROM coffee.coffee_data WHERE Date < " + expr} {
			if got := query(t, in, sql); got.Observation != wrongSQL || got.Outcome != envs.ToolError {
				t.Errorf("%s: %v %q", sql, got.Outcome, got.Observation)
			}
		}
	}
}

// The calendar returns what SQLite's own functions do, also for a call that it has met before.
func TestCalendarAgainstSQLite(t *testing.T) {
	own, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()

	c, err := newCalendar()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	value := rapid.OneOf(
		rapid.SampledFrom([]any{"2000-02-29", "2001-12-31 23:59:59.5", "12:00", "2000-13-01", "", []byte(nil), []byte{},
			[]byte("2000-01-01"), 2451545.5, int64(1)}),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.StringMatching(`[12]\d{3}-[01]\d-[0-3]\d( [0-2]\d:[0-5]\d)?`), func(s string) any { return s }))
	modifier := rapid.SampledFrom([]any{"+1 day", "-3 months", "start of year", "weekday 0", "unixepoch", "auto",
		"subsec", "never", []byte(nil), int64(2)})

	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(dateFunctions))).Draw(t, "name")

		args := []any{value.Draw(t, "value")}
		if name == "strftime" {
			args = append([]any{rapid.SampledFrom([]any{"%Y", "%m-%d %H", "%s", "%j%%", "now", "%", ""}).Draw(t,
				"format")}, args...)
		}

		args = append(args, rapid.SliceOfN(modifier, 0, 3).Draw(t, "modifiers")...)
		var want any

		query := "SELECT " + name + "(?" + strings.Repeat(", ?", len(args)-1) + ")"
		if err := own.QueryRowContext(context.Background(), query, args...).Scan(&want); err != nil {
			t.Fatal(err)
		}

		for range 2 {
			if got, err := c.call(name, args); err != nil || got != want {
				t.Fatalf("%s(%#v) = %#v, %v, want %#v", name, args, got, err, want)
			}
		}
	})
}
