package sqltool

import (
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// registerFunctions adds the MySQL functions that SQLite lacks. They return NULL for arguments they make no sense of.
func registerFunctions(c *sqlite3.SQLiteConn) error {
	for name, impl := range map[string]any{
		"year":       func(v any) any { return part(v, time.Time.Year) },
		"month":      func(v any) any { return part(v, func(t time.Time) int { return int(t.Month()) }) },
		"day":        func(v any) any { return part(v, time.Time.Day) },
		"dayofmonth": func(v any) any { return part(v, time.Time.Day) },
		"datediff":   dateDiff,
		"left":       func(v any, n int64) any { return slice(v, n, false) },
		"right":      func(v any, n int64) any { return slice(v, n, true) },
	} {
		if err := c.RegisterFunc(name, impl, true); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// day returns the calendar day that a SQL value names, e.g. '2000-01-14' or '2000-01-14 09:00:00'.
func day(v any) (time.Time, bool) {
	s, ok := v.(string)
	if !ok || len(s) < len(time.DateOnly) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)])
	return t, err == nil
}

func part(v any, of func(time.Time) int) any {
	t, ok := day(v)
	if !ok {
		return nil
	}
	return int64(of(t))
}

// dateDiff returns a - b in days.
func dateDiff(a, b any) any {
	x, ok1 := day(a)
	y, ok2 := day(b)
	if !ok1 || !ok2 {
		return nil
	}
	return int64(x.Sub(y) / (24 * time.Hour))
}

// slice returns the first or the last n characters of a value's text.
func slice(v any, n int64, last bool) any {
	if v == nil {
		return nil
	}
	runes := []rune(format(v))
	n = min(max(n, 0), int64(len(runes)))
	if last {
		return string(runes[int64(len(runes))-n:])
	}
	return string(runes[:n])
}
