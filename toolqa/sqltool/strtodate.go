package sqltool

import (
	"strconv"
	"strings"
	"time"
)

// parsed is what strToDate has read.
type parsed struct {
	year, month, day, hour, minute, second, yearDay int
	micro                                           time.Duration
	half                                            string // "AM" or "PM"
	date, clock                                     bool
}

// strToDate reads a text in a format of MySQL. The value is a day, a time of day, or both, by what
// the format names; NULL if the text does not fit, or names an invalid date. What follows the
// format is ignored.
func strToDate(s, layout string) any {
	var p parsed

	for i := 0; i < len(layout); i++ {
		c := layout[i]
		switch {
		case c == '%' && i+1 < len(layout):
			i++

			var ok bool
			if s, ok = p.read(strings.TrimLeft(s, " "), layout[i]); !ok {
				return nil
			}
		case c == ' ':
			s = strings.TrimLeft(s, " ")
		case s == "" || s[0] != c:
			return nil
		default:
			s = s[1:]
		}
	}

	return p.value()
}

// composed are the fields of a format that abbreviate others.
var composed = map[byte]string{'T': "%H:%i:%S", 'r': "%h:%i:%S %p"}

// read reads one field from the start of a text.
func (p *parsed) read(s string, field byte) (rest string, ok bool) {
	switch field {
	case 'Y', 'y', 'm', 'c', 'd', 'e', 'j', 'b', 'M', 'a', 'W', 'D':
		p.date = true
		return p.readDate(s, field)
	case 'H', 'k', 'h', 'I', 'l', 'i', 's', 'S', 'f', 'p':
		p.clock = true
		return p.readClock(s, field)
	case '%':
		return strings.CutPrefix(s, "%")
	}

	inner, ok := composed[field]
	for i := 0; ok && i < len(inner); i++ {
		if inner[i] == '%' {
			i++
			s, ok = p.read(s, inner[i])
		} else {
			s, ok = strings.CutPrefix(s, inner[i:i+1])
		}
	}

	return s, ok
}

func (p *parsed) readDate(s string, field byte) (rest string, ok bool) {
	switch field {
	case 'Y':
		p.year, s, ok = decimal(s, 1, 4)
	case 'y':
		if p.year, s, ok = decimal(s, 1, 2); p.year < 70 {
			p.year += 100
		}

		p.year += 1900
	case 'm', 'c':
		p.month, s, ok = decimal(s, 1, 2)
	case 'd', 'e':
		p.day, s, ok = decimal(s, 1, 2)
	case 'D':
		if p.day, s, ok = decimal(s, 1, 2); ok && len(s) >= 2 {
			s = s[2:] // "st", "nd", "rd" or "th"
		}
	case 'j':
		p.yearDay, s, ok = decimal(s, 1, 3)
	case 'M', 'b':
		p.month, s, ok = name(s, field == 'b', func(i int) string { return time.Month(i).String() }, 12)
	case 'W', 'a':
		_, s, ok = name(s, field == 'a', func(i int) string { return time.Weekday(i % 7).String() }, 7)
	}

	return s, ok
}

func (p *parsed) readClock(s string, field byte) (rest string, ok bool) {
	switch field {
	case 'H', 'k':
		p.hour, s, ok = decimal(s, 1, 2)
	case 'h', 'I', 'l':
		p.hour, s, ok = decimal(s, 1, 2)
		ok = ok && p.hour >= 1 && p.hour <= 12
	case 'i':
		p.minute, s, ok = decimal(s, 1, 2)
	case 's', 'S':
		p.second, s, ok = decimal(s, 1, 2)
	case 'f':
		n := min(digits(s), 6)
		micro, _ := strconv.Atoi((s[:n] + "000000")[:6]) // six digits
		p.micro, s, ok = time.Duration(micro)*time.Microsecond, s[n:], n > 0
	case 'p':
		if ok = len(s) >= 2; ok {
			p.half, s = strings.ToUpper(s[:2]), s[2:]
			ok = p.half == "AM" || p.half == "PM"
		}
	}

	return s, ok
}

// name reads one of the names of 1 to n, or the first three letters of one.
func name(s string, short bool, nth func(int) string, n int) (number int, rest string, ok bool) {
	for i := 1; i <= n; i++ {
		name := nth(i)
		if short {
			name = name[:3]
		}

		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			return i, s[len(name):], true
		}
	}
	return 0, s, false
}

func (p *parsed) value() any {
	// 12 AM is midnight, and 12 PM noon.
	if p.half != "" {
		p.hour %= 12
		if p.half == "PM" {
			p.hour += 12
		}
	}

	if p.hour > 23 || p.minute > 59 || p.second > 59 {
		return nil
	}

	clock := time.Duration(p.hour)*time.Hour + time.Duration(p.minute)*time.Minute +
		time.Duration(p.second)*time.Second + p.micro
	if !p.date {
		if !p.clock {
			return nil
		}
		return clockText(clock)
	}

	// A day of the year replaces month and day, which the format need not name then.
	m, ok := date(p.year, p.month, p.day)
	if p.yearDay > 0 {
		m, ok = date(p.year, 1, 1)
		m.Time = m.AddDate(0, 0, p.yearDay-1)
	}

	if !ok {
		return nil
	}
	return moment{m.Add(clock), p.clock}.String()
}
