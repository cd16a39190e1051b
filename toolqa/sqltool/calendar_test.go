package sqltool

import (
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
)

// What day it is, and where, is not for a statement to know: the same one must give the same
// forever.
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
	defer c.conn.Close()

	// A library for such tests would have every child of this package start a third later.
	r := rand.New(rand.NewPCG(1, 2))
	one := func(of ...any) any { return of[r.IntN(len(of))] }
	value := func() any {
		return one("2000-02-29", "2001-12-31 23:59:59.5", "12:00", "2000-13-01", "", []byte(nil), []byte{},
			[]byte("2000-01-01"), 2451545.5, int64(1), int64(r.Uint64()), math.Float64frombits(r.Uint64()),
			fmt.Sprintf("%d-%02d-%02d", 1000+r.IntN(2000), r.IntN(20), r.IntN(40)),
			fmt.Sprintf("%d-%02d-%02d %02d:%02d", 1000+r.IntN(2000), r.IntN(20), r.IntN(40), r.IntN(30), r.IntN(60)))
	}
	names := slices.Sorted(maps.Keys(dateFunctions))

	for i := range 300 {
		name := names[i%len(names)]

		args := []any{value()}
		if name == "strftime" {
			args = []any{one("%Y", "%m-%d %H", "%s", "%j%%", "now", "%", ""), args[0]}
		}

		for range r.IntN(4) {
			args = append(args, one("+1 day", "-3 months", "start of year", "weekday 0", "unixepoch", "auto", "subsec",
				"never", []byte(nil), int64(2)))
		}

		var want any

		query := "SELECT " + name + "(?" + strings.Repeat(", ?", len(args)-1) + ")"
		if err := own.QueryRowContext(t.Context(), query, args...).Scan(&want); err != nil {
			t.Fatal(err)
		}

		for range 2 {
			if got, err := c.call(name, args); err != nil || got != want {
				t.Errorf("%s(%#v) = %#v, %v, want %#v", name, args, got, err, want)
			}
		}
	}
}
