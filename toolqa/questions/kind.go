package questions

import (
	"strings"
	"time"
)

// kind says which texts fit a slot.
type kind func(text string) bool

// kinds are the kinds a template's text can name.
var kinds = map[string]kind{
	"any":        func(string) bool { return true },
	"text":       func(s string) bool { return s != "" },
	"date":       isDate,
	"slashdate":  func(s string) bool { return isDate(strings.ReplaceAll(s, "/", "-")) && !strings.Contains(s, "-") },
	"clock":      isClock,
	"integer":    isInteger,
	"number":     isNumber,
	"airport":    func(s string) bool { return len(s) == 3 && strings.Trim(s, upper+digits) == "" },
	"flight":     isFlight,
	"speed":      func(s string) bool { return s == "" || s == " (miles per minute)" },
	"unavailble": func(s string) bool { return s == "" || s == "unavailble " },
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// isDate reports whether s looks like a day as YYYY-MM-DD. It need not be on the calendar: the
// agenda has a 31st of September.
func isDate(s string) bool {
	if len(s) != len("2000-01-03") || s[4] != '-' || s[7] != '-' {
		return false
	}

	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}

	return "01" <= s[5:7] && s[5:7] <= "12" && "01" <= s[8:] && s[8:] <= "31"
}

// isClock reports whether s is a time of day as the agenda writes it: 9:00 AM, or 2 PM. One is 9:00
// AM (day 1).
func isClock(s string) bool {
	s = strings.TrimSuffix(s, " (day 1)")
	for _, layout := range []string{"3:04 PM", "3 PM"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}

	return false
}

func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, digits) == ""
}

// isFlight reports whether s is a carrier's code of two characters and a flight number: AA2319,
// 9E5021.
func isFlight(s string) bool {
	return len(s) >= 3 && strings.Trim(s[:2], upper+digits) == "" && strings.Trim(s[2:], digits) == ""
}
