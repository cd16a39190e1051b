package sqltool

import (
	"math"
	"strings"
	"time"
)

// dateParts are functions of a day or of a time of day. They are NULL for anything else.
func dateParts() map[string]function {
	all := map[string]function{
		"last_day": takes(1, ofMoment(
			func(m moment) any { return moment{Time: m.AddDate(0, 0, daysIn(m.Time)-m.Day())}.String() })),
		"week":        takesTo(1, 2, week),
		"to_days":     takes(1, ofMoment(func(m moment) any { return toDays(m) })),
		"time_to_sec": takes(1, ofClock(func(d time.Duration) any { return int64(d / time.Second) })),
		"sec_to_time": takes(1, func(a []any) any { return clockText(seconds(realOf(a[0]))) }),
		"dayname":     takes(1, ofMoment(func(m moment) any { return m.Weekday().String() })),
		"monthname":   takes(1, ofMoment(func(m moment) any { return m.Month().String() })),
		"extract":     takes(2, func(a []any) any { return extract(textOf(a[0]), a[1]) }),
	}
	for unit, part := range momentParts {
		all[unit] = takes(1, ofMoment(func(m moment) any { return int64(part(m.Time)) }))
	}

	for unit, part := range clockParts {
		all[unit] = takes(1, ofClock(func(d time.Duration) any { return part(d) }))
	}
	return all
}

// momentParts are the numbers of a day.
var momentParts = map[string]func(time.Time) int{
	"year":       time.Time.Year,
	"quarter":    func(t time.Time) int { return (int(t.Month()) + 2) / 3 },
	"month":      func(t time.Time) int { return int(t.Month()) },
	"day":        time.Time.Day,
	"dayofmonth": time.Time.Day,
	"dayofyear":  time.Time.YearDay,
	"dayofweek":  func(t time.Time) int { return int(t.Weekday()) + 1 },       // 1 is Sunday
	"weekday":    func(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }, // 0 is Monday
	"weekofyear": func(t time.Time) int { _, week := t.ISOWeek(); return week },
}

// clockParts are the numbers of a time.
var clockParts = map[string]func(time.Duration) int64{
	"hour":        func(d time.Duration) int64 { return int64(d.Abs() / time.Hour) },
	"minute":      func(d time.Duration) int64 { return int64(d.Abs() / time.Minute % 60) },
	"second":      func(d time.Duration) int64 { return int64(d.Abs() / time.Second % 60) },
	"microsecond": func(d time.Duration) int64 { return int64(d.Abs() % time.Second / time.Microsecond) },
}

func ofMoment(f func(moment) any) func([]any) any {
	return func(a []any) any {
		m, ok := momentOf(a[0])
		if !ok {
			return nil
		}
		return f(m)
	}
}

func ofClock(f func(time.Duration) any) func([]any) any {
	return func(a []any) any {
		d, ok := clockOf(a[0])
		if !ok {
			return nil
		}
		return f(d)
	}
}

// extract is EXTRACT(unit FROM value).
func extract(unit string, v any) any {
	unit = strings.ToLower(unit)
	if unit == "week" {
		return week([]any{v})
	}

	if part, ok := momentParts[unit]; ok {
		return ofMoment(func(m moment) any { return int64(part(m.Time)) })([]any{v})
	}

	if part, ok := clockParts[unit]; ok {
		return ofClock(func(d time.Duration) any { return part(d) })([]any{v})
	}
	return nil
}

// week is WEEK(value, mode); the mode is 0 if it is left out.
func week(a []any) any {
	m, ok := momentOf(a[0])
	if !ok {
		return nil
	}

	mode := int64(0)
	if len(a) == 2 {
		mode = wholeOf(a[1])
	}

	_, n := weekOf(m.Time, mode)
	return int64(n)
}

// weekOf returns the number of a week, and its year, by a mode of MySQL. The bits of a mode say
// that weeks begin on Mondays and not on Sundays; that the days before the first week are in the
// last one of the year before, and not in week 0; and that the other rule says which week is the
// first.
func weekOf(t time.Time, mode int64) (year, week int) {
	const monday, byYear, otherRule = 1, 2, 4

	first := int(mode & monday)
	key := t.AddDate(0, 0, -(int(t.Weekday())-first+7)%7)

	// By default, Sundays begin the first week in the year, and a week from Monday is the first if
	// it has four days or more of the year. So the year of its first, or fourth, day is that of the
	// week.
	if (mode&monday != 0) != (mode&otherRule != 0) {
		key = key.AddDate(0, 0, 3)
	}

	switch {
	case mode&byYear == 0 && key.Year() < t.Year():
		return t.Year(), 0
	case mode&byYear == 0 && key.Year() > t.Year():
		// The last days of December are in the week after the last whole one.
		key = key.AddDate(0, 0, -7)
		return key.Year(), (key.YearDay()-1)/7 + 2
	}
	return key.Year(), (key.YearDay()-1)/7 + 1
}

// toDays counts the days since the year 0.
func toDays(m moment) int64 {
	const toUnix = 719_528

	// Truncate counts from the year 1, and so rounds down.
	return m.Truncate(24*time.Hour).Unix()/86400 + toUnix
}

// seconds returns a number of seconds, within what a time can be.
func seconds(f float64) time.Duration {
	const most = 839 * 3600
	return time.Duration(math.Round(min(max(f, -most), most)*1e6)) * time.Microsecond
}

// dateArithmetic are functions that compare and move moments.
func dateArithmetic() map[string]function {
	moved := func(sign float64) func([]any) any {
		return func(a []any) any {
			// ADDDATE(value, n) without a unit counts days.
			unit := "day"
			if len(a) == 3 {
				unit = textOf(a[2])
			}
			return move(a[0], sign*realOf(a[1]), unit)
		}
	}
	return map[string]function{
		"datediff": takes(2, dateDiff),
		"date_add": takesTo(2, 3, moved(1)),
		"adddate":  takesTo(2, 3, moved(1)),
		"date_sub": takesTo(2, 3, moved(-1)),
		"subdate":  takesTo(2, 3, moved(-1)),
		// The unit comes first here, and the moment last.
		"timestampadd":  takes(3, func(a []any) any { return move(a[2], realOf(a[1]), textOf(a[0])) }),
		"timestampdiff": takes(3, timestampDiff),
		"timediff":      takes(2, func(a []any) any { return sumClocks(a[0], a[1], -1) }),
		"addtime":       takes(2, func(a []any) any { return sumClocks(a[0], a[1], 1) }),
		"subtime":       takes(2, func(a []any) any { return sumClocks(a[0], a[1], -1) }),
		// Not by takes: a format can grow a text until it is too long, which is an error.
		"date_format": {
			least: 2,
			most:  2,
			call:  func(a []any) (any, error) { return dateFormat(a[0], textOf(a[1])) },
		},
		"time_format": {
			least: 2,
			most:  2,
			call:  func(a []any) (any, error) { return dateFormat(a[0], textOf(a[1])) },
		},
		"str_to_date": takes(2, func(a []any) any { return strToDate(textOf(a[0]), textOf(a[1])) }),
	}
}

// dateDiff returns a - b in days, whatever the time of day.
func dateDiff(a []any) any {
	x, ok1 := momentOf(a[0])

	y, ok2 := momentOf(a[1])
	if !ok1 || !ok2 {
		return nil
	}
	return toDays(x) - toDays(y)
}

// units are the units of an INTERVAL: how many months they are, or how long.
var units = map[string]struct {
	months int
	length time.Duration
}{
	"microsecond": {0, time.Microsecond}, "second": {0, time.Second}, "minute": {0, time.Minute},
	"hour": {0, time.Hour},
	"day":  {0, 24 * time.Hour}, "week": {0, 7 * 24 * time.Hour}, "month": {1, 0}, "quarter": {3, 0}, "year": {12, 0},
}

// unitOf returns the name of a unit, which may be that of ODBC, as in SQL_TSI_DAY.
func unitOf(name string) string { return strings.TrimPrefix(strings.ToLower(name), "sql_tsi_") }

// move returns a moment n units later: a day, unless it or the unit is shorter. In a month without
// that day it is the last one.
func move(v any, n float64, unit string) any {
	m, ok := momentOf(v)

	u, known := units[unitOf(unit)]
	if !ok || !known || math.Abs(n) > 1e9 {
		return nil
	}

	if u.months > 0 {
		m.Time = addMonths(m.Time, int(math.Round(n))*u.months)
	} else {
		// MySQL rounds all numbers but that of seconds, which may have a fraction.
		if u.length != time.Second {
			n = math.Round(n)
		}

		seconds := n * u.length.Seconds()

		// Whole days apart from the rest, since a time.Duration ends at 292 years.
		days := math.Trunc(seconds / 86400)
		if math.Abs(days) > 366*9999 {
			return nil
		}

		rest := math.Round((seconds - float64(86400*days)) * 1e6)
		m.Time = m.AddDate(0, 0, int(days)).Add(time.Duration(rest) * time.Microsecond)
		m.clock = m.clock || u.length < 24*time.Hour
	}

	// Beyond MySQL's calendar the value is NULL.
	if m.Year() < 1 || m.Year() > 9999 {
		return nil
	}
	return m.String()
}

func addMonths(t time.Time, n int) time.Time {
	first := t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, 0)
	return first.AddDate(0, 0, min(t.Day(), daysIn(first))-1)
}

// daysIn returns how many days the month of t has.
func daysIn(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// timestampDiff is TIMESTAMPDIFF(unit, a, b): b - a in whole units.
func timestampDiff(a []any) any {
	u, known := units[unitOf(textOf(a[0]))]
	x, ok1 := momentOf(a[1])

	y, ok2 := momentOf(a[2])
	if !known || !ok1 || !ok2 {
		return nil
	}

	if u.months == 0 {
		seconds := y.Unix() - x.Unix()
		micro := seconds*1_000_000 + int64(y.Nanosecond()-x.Nanosecond())/1000
		return micro / int64(u.length/time.Microsecond)
	}

	sign := 1
	if y.Before(x.Time) {
		x, y, sign = y, x, -1
	}

	n := 12*(y.Year()-x.Year()) + int(y.Month()) - int(x.Month())
	if y.Day() < x.Day() || y.Day() == x.Day() && y.Sub(y.Truncate(24*time.Hour)) < x.Sub(x.Truncate(24*time.Hour)) {
		n--
	}
	return int64(sign * (n / u.months))
}

// sumClocks adds a time to a moment or a time, or subtracts it. The difference of two moments is a
// time.
func sumClocks(a, b any, sign int64) any {
	x, isMoment := momentOf(a)

	isMoment = isMoment && digits(textOf(a)) < len(textOf(a))
	if y, ok := momentOf(b); isMoment && ok && sign < 0 && digits(textOf(b)) < len(textOf(b)) {
		const most = 839 * 3600
		return clockText(time.Duration(min(max(x.Unix()-y.Unix(), -most), most)) * time.Second)
	}

	d, ok := clockOf(b)
	if !ok {
		return nil
	}

	if isMoment {
		return moment{x.Add(time.Duration(sign) * d), true}.String()
	}

	c, ok := clockOf(a)
	if !ok {
		return nil
	}
	return clockText(c + time.Duration(sign)*d)
}
