package sqltool

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// moment is what MySQL's date functions read from a value: a day, and maybe a time of day.
type moment struct {
	time.Time      // in UTC
	clock     bool // it has a time of day
}

// String returns "2022-01-14" or "2022-01-14 09:00:00".
func (m moment) String() string {
	if !m.clock {
		return m.Format(time.DateOnly)
	}
	return m.Format(time.DateTime) + fraction(m.Nanosecond())
}

// fraction returns the microseconds of a second, if there are any.
func fraction(nanoseconds int) string {
	if micro := nanoseconds / 1000; micro > 0 {
		return fmt.Sprintf(".%06d", micro)
	}
	return ""
}

// momentOf reads a date, 2022-01-14, 2022/1/14 or 20220114, that a time may follow: 2022-01-14
// 09:00:00. Anything after these is ignored, except a digit. An invalid day, such as 2022-09-31, is
// not a moment.
func momentOf(v any) (moment, bool) {
	s := strings.TrimSpace(textOf(v))
	if n, ok := v.(int64); ok || digits(s) == len(s) {
		if !ok {
			n, _ = strconv.ParseInt(s, 10, 64)
		}
		return packedMoment(n)
	}

	year, s, ok1 := decimal(s, 4, 4)
	month, s, ok2 := afterMark(s, "-/.")

	dayOf, s, ok3 := afterMark(s, "-/.")
	if !ok1 || !ok2 || !ok3 || digits(s) > 0 {
		return moment{}, false
	}

	m, ok := date(year, month, dayOf)
	if !ok || s == "" || s[0] != ' ' && s[0] != 'T' {
		return m, ok
	}

	if d, ok := clockOf(s[1:]); ok && d >= 0 && d < 24*time.Hour {
		return moment{m.Add(d), true}, true
	}
	return m, true
}

// packedMoment reads 20220114 or 20220114090000.
func packedMoment(n int64) (moment, bool) {
	switch {
	case n >= 1000_00_00 && n <= 9999_99_99:
		return date(int(n/10000), int(n/100%100), int(n%100))
	case n >= 1000_00_00_000000 && n <= 9999_99_99_999999:
		m, ok := packedMoment(n / 1_000_000)
		d, okClock := packedClock(n % 1_000_000)
		return moment{m.Add(d), true}, ok && okClock
	}

	return moment{}, false
}

func date(year, month, dayOf int) (moment, bool) {
	t := time.Date(year, time.Month(month), dayOf, 0, 0, 0, 0, time.UTC)
	return moment{Time: t}, t.Year() == year && t.Month() == time.Month(month) && t.Day() == dayOf && year > 0
}

// digits returns how many digits a text begins with.
func digits(s string) int {
	return span(s, func(c byte) bool { return c >= '0' && c <= '9' })
}

// decimal reads a number of least to most digits that a text begins with, and returns what follows
// it.
func decimal(s string, least, most int) (n int, rest string, ok bool) {
	end := min(digits(s), most)
	if end < least {
		return 0, s, false
	}

	n, err := strconv.Atoi(s[:end])
	return n, s[end:], err == nil
}

// afterMark reads one of the given characters and the one or two digits after it.
func afterMark(s, marks string) (n int, rest string, ok bool) {
	if s == "" || !strings.Contains(marks, s[:1]) {
		return 0, s, false
	}
	return decimal(s[1:], 1, 2)
}

// clockOf reads a time: 09:00, -12:30:05.5, that of a moment, or a number such as 1452 for 14
// minutes and 52 seconds.
func clockOf(v any) (time.Duration, bool) {
	// Digits alone are a time, even those that could be a date.
	s := strings.TrimSpace(textOf(v))
	if m, ok := momentOf(s); ok && digits(s) < len(s) {
		return m.Sub(m.Truncate(24 * time.Hour)), true
	}

	// MySQL reads a number from its end: seconds, minutes, hours.
	if _, isText := v.(string); !isText || digits(s) == len(s) && s != "" {
		f, ok := leadingNumber(s)
		if !ok || math.Abs(f) > 838_59_59 {
			return 0, false
		}

		d, ok := packedClock(int64(math.Abs(f)))
		if f < 0 {
			d = -d
		}
		return d, ok
	}

	// MySQL's times end at 838:59:59, and begin with hours and minutes.
	s, negative := strings.CutPrefix(s, "-")
	hours, s, ok1 := decimal(s, 1, 3)

	minutes, s, ok2 := afterMark(s, ":")
	if !ok1 || !ok2 || minutes > 59 || hours > 838 {
		return 0, false
	}

	d := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute

	if seconds, rest, ok := afterMark(s, ":"); ok {
		if seconds > 59 {
			return 0, false
		}

		d += time.Duration(seconds) * time.Second

		// MySQL keeps microseconds.
		if n := digits(strings.TrimPrefix(rest, ".")); strings.HasPrefix(rest, ".") && n > 0 {
			f, _ := strconv.ParseFloat("0."+rest[1:1+n], 64)
			d += time.Duration(math.Round(f*1e6)) * time.Microsecond
		}
	}

	if negative {
		d = -d
	}
	return d, true
}

// packedClock reads 90000 as 09:00:00.
func packedClock(n int64) (time.Duration, bool) {
	h, m, s := n/10000, n/100%100, n%100
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second, m < 60 && s < 60
}

// clockText returns "09:00:00", with as many digits for the hours as they take, and up to MySQL's
// limit.
func clockText(d time.Duration) string {
	const most = 838*time.Hour + 59*time.Minute + 59*time.Second

	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}

	d = min(d, most)
	s := int64(d / time.Second)
	return fmt.Sprintf("%s%02d:%02d:%02d%s", sign, s/3600, s/60%60, s%60, fraction(int(d%time.Second)))
}
