package score

import (
	"strconv"
	"strings"
)

// quantity is a number with its unit.
type quantity struct {
	value  float64
	digits string // the significant digits, if there are too many for value to be exact
	unit   string // canonical; "" when none is written
}

// matches reports whether an answer is the quantity. A unit may be left out, but not exchanged, and
// "per cent" may not be added.
func (q quantity) matches(answer quantity) bool {
	if q.value != answer.value || q.digits != answer.digits {
		return false
	}
	return q.unit == answer.unit || answer.unit == "" || q.unit == "" && answer.unit != percent
}

const (
	percent = "percent"
	usd     = "usd"
)

// units maps what follows a number to one name for each unit. Counted things are units, too: "5
// papers".
var units = map[string]string{
	"%": percent, "percent": percent, "per cent": percent, "percentage": percent,
	"$": usd, "us$": usd, "usd": usd, "us dollars": usd, "dollar": usd, "dollars": usd,
	"minute": "minutes", "minutes": "minutes", "min": "minutes", "mins": "minutes",
	"hour": "hours", "hours": "hours", "day": "days", "days": "days", "night": "nights", "nights": "nights",
	"year": "years", "years": "years", "time": "times", "times": "times",
	"mile": "miles", "miles": "miles", "km": "km", "kilometers": "km",
	"mile per minute": "miles per minute", "miles per minute": "miles per minute", "miles/minute": "miles per minute",
	"star": "stars", "stars": "stars", "review": "reviews", "reviews": "reviews", "page": "pages", "pages": "pages",
	"paper": "papers", "papers": "papers", "citation": "citations", "citations": "citations",
	"person": "people", "people": "people", "collaborator": "collaborators", "collaborators": "collaborators",
	"event": "events", "events": "events", "date": "dates", "dates": "dates",
	"flight": "flights", "flights": "flights", "business": "businesses", "businesses": "businesses",
	"airbnb": "airbnbs", "airbnbs": "airbnbs",
}

// parseQuantity reads a sign, a currency, a number and a unit, and nothing else. All but the number
// are optional.
func parseQuantity(s string) (quantity, bool) {
	negative, s := cutSign(s)

	rest, dollars := cutDollars(s)
	if dollars {
		s = strings.TrimLeft(rest, " ")

		// The sign may be on either side of the currency: -$5 or $-5.
		if !negative {
			negative, s = cutSign(s)
		}
	}

	n, grouped := numberLength(s)
	if n == 0 {
		return quantity{}, false
	}

	literal, unit := s[:n], strings.TrimLeft(s[n:], " ")
	q := quantity{}

	if unit != "" {
		known := false
		if q.unit, known = units[strings.ToLower(unit)]; !known {
			return quantity{}, false
		}
	}

	if dollars {
		if q.unit != "" && q.unit != "usd" {
			return quantity{}, false
		}

		q.unit = "usd"
	}

	if grouped {
		literal = strings.ReplaceAll(literal, ",", "")
	}

	value, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return quantity{}, false // too large to compare as a number
	}

	const exact = 15 // decimal digits that a float64 always keeps apart

	// Two long numbers may be one float64, and then their digits tell them apart.
	if len(literal) > exact || value < smallest {
		q.digits = significant(literal)
	}

	if value < smallest && q.digits != "" {
		return quantity{}, false // too small
	}

	if len(q.digits) <= exact {
		q.digits = ""
	}

	q.value = value

	if negative && value != 0 {
		q.value = -value
	}
	return q, true
}

// smallest is the least number that a float64 represents with full precision.
const smallest = 0x1p-1022

// significant returns the digits of a number without its point, its exponent and the zeros around
// them.
func significant(literal string) string {
	if e := strings.IndexAny(literal, "eE"); e >= 0 {
		literal = literal[:e]
	}
	return strings.Trim(strings.Replace(literal, ".", "", 1), "0")
}

// cutDollars removes a sign of US dollars.
func cutDollars(s string) (rest string, ok bool) {
	for _, sign := range []string{"$", "usd", "us$", "us $"} {
		if len(s) > len(sign) && strings.EqualFold(s[:len(sign)], sign) {
			return s[len(sign):], true
		}
	}

	return s, false
}

// cutSign removes a sign and the blanks after it.
func cutSign(s string) (negative bool, rest string) {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		return s[0] == '-', strings.TrimLeft(s[1:], " ")
	}
	return false, s
}

// numberLength returns how many bytes at the start of s are a number, and whether commas group its
// thousands. A number with a leading zero is a code, and not a number.
func numberLength(s string) (n int, grouped bool) {
	for n < len(s) && (isDigit(s[n]) || s[n] == ',' && groupsThousands(s, n)) {
		grouped = grouped || s[n] == ','
		n++
	}

	// A leading zero makes it a code, such as a postal code or a time.
	if n > 1 && s[0] == '0' {
		return 0, false
	}

	whole := n
	if n < len(s) && s[n] == '.' {
		n++
		for n < len(s) && isDigit(s[n]) {
			n++
		}

		// A point without digits is not a number.
		if n == whole+1 && whole == 0 {
			return 0, false
		}
	}

	if n == 0 {
		return 0, false
	}

	// An e without digits after it begins a unit or a word.
	if e := n; e < len(s) && (s[e] == 'e' || s[e] == 'E') {
		e++
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}

		digits := e
		for e < len(s) && isDigit(s[e]) {
			e++
		}

		if e > digits {
			n = e
		}
	}
	return n, grouped
}
