package silent

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// decimal matches a number as JSON, tables and calls write it: sign, digits before or after the
// point, exponent.
var decimal = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$`)

// scaled multiplies a number, or a text that is one, by a power of ten. Whole numbers stay whole
// and others keep their point: 2 becomes 2000 and 2.0 becomes 2000.0.
func scaled(v any, zeros int) any {
	switch v := v.(type) {
	case envs.Number:
		return envs.Number(Shifted(string(v), zeros))
	case string:
		return Shifted(v, zeros)
	}

	return v
}

// Shifted moves the point of a number to the right, or to the left if zeros is negative. Other text
// stays.
func Shifted(text string, zeros int) string {
	groups := decimal.FindStringSubmatch(text)
	if groups == nil || groups[2]+groups[3] == "" {
		return text
	}

	// Digits are moved, not multiplied: a float would round, and Restore could not undo that.
	sign, whole, part, exponent := groups[1], groups[2], groups[3], groups[4]
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil { // too large for any reader
			return text
		}

		text, _, _ = strings.Cut(strings.ToLower(text), "e")
		if n += zeros; n < 0 {
			return text + "e" + strconv.Itoa(n)
		}
		return text + "e+" + strconv.Itoa(n)
	}

	if zeros >= 0 {
		digits := part + strings.Repeat("0", max(0, zeros-len(part)))
		whole, digits = whole+digits[:zeros], digits[zeros:]
		return written(sign, whole, digits, part != "")
	}

	padded := strings.Repeat("0", max(0, 1-zeros-len(whole))) + whole
	at := len(padded) + zeros
	return written(sign, padded[:at], padded[at:]+part, part != "")
}

// written returns a number without needless zeros. One that has a point keeps it.
func written(sign, whole, part string, point bool) string {
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}

	part = strings.TrimRight(part, "0")
	if part == "" && !point {
		return sign + whole
	}

	if part == "" {
		part = "0"
	}
	return sign + whole + "." + part
}

// quoted returns a number as a text, and a text that is a number as a number.
func quoted(v any) any {
	switch v := v.(type) {
	case envs.Number:
		return string(v)
	case string:
		if number.MatchString(v) {
			return envs.Number(v)
		}
	}

	return v
}

// number matches a JSON number.
var number = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

var (
	yearFirst = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)`)
	dayFirst  = regexp.MustCompile(`^(\d\d)/(\d\d)/(\d{4})`)
)

// IsDate reports whether a text begins with a date, year first.
func IsDate(text string) bool { return yearFirst.MatchString(text) }

// dated rewrites the date at the beginning of a text in the other order.
func dated(v any) any {
	text, ok := v.(string)

	switch {
	case ok && yearFirst.MatchString(text):
		return yearFirst.ReplaceAllString(text, "$3/$2/$1")
	case ok && dayFirst.MatchString(text):
		return dayFirst.ReplaceAllString(text, "$3-$2-$1")
	}

	return v
}

const hoursOfDay = 24

var (
	timeOfDay = regexp.MustCompile(`^([01]\d|2[0-3])((?::[0-5]\d){1,2})$`)
	timestamp = regexp.MustCompile(`^(\d{4}-\d\d-\d\d[ T]\d\d)(:[0-5]\d.*)$`)
)

// IsTime reports whether a text is a time of day, such as 18:30, or begins with a date and one.
func IsTime(text string) bool { return timeOfDay.MatchString(text) || timestamp.MatchString(text) }

func zoned(v any, hours int) any {
	if text, ok := v.(string); ok {
		return Later(text, hours)
	}
	return v
}

// Later returns a time some hours later, or earlier if they are negative. Other text stays.
func Later(text string, hours int) string {
	if groups := timeOfDay.FindStringSubmatch(text); groups != nil {
		hour, _ := strconv.Atoi(groups[1])
		return fmt.Sprintf("%02d%s", (hour+hours%hoursOfDay+hoursOfDay)%hoursOfDay, groups[2])
	}

	if groups := timestamp.FindStringSubmatch(text); groups != nil {
		layout := "2006-01-02" + groups[1][10:11] + "15"
		if at, err := time.Parse(layout, groups[1]); err == nil {
			return at.Add(time.Duration(hours)*time.Hour).Format(layout) + groups[2]
		}
	}

	// Calls may have a time as people write it, which tables read on 24 hours.
	for _, form := range []string{"3:4 PM", "3 PM"} {
		if at, err := time.Parse(form, strings.ToUpper(text)); err == nil {
			return at.Add(time.Duration(hours) * time.Hour).Format(time.TimeOnly)
		}
	}

	return text
}

// Half returns the first half of an answer: of a list, of the lists of an object, or of a text. A
// single item stays.
func Half(answer string) string {
	value, err := pytext.DecodeStrict(answer)

	switch v := value.(type) {
	case []any:
		return pytext.JSON(half(v))
	case string:
		return pytext.JSON(string(half([]rune(v))))
	case envs.Args:
		object := slices.Clone(v)
		for i, m := range object {
			if list, ok := m.Value.([]any); ok {
				object[i].Value = half(list)
			}
		}

		return pytext.JSON(object)
	}

	if err != nil {
		return string(half([]rune(answer)))
	}
	return answer
}

func half[T any](all []T) []T { return all[:(len(all)+1)/2] }
