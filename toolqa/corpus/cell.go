package corpus

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"toolevo/envs/pytext"
)

// cell is one value in all its forms.
type cell struct {
	value any    // as the typed table holds it: string, float64, int64, or nil
	text  string // as the published tools print it

	// stored is, in Clock columns, the cell as the published file has it; "" in all others, where nothing asks for it.
	stored string
}

// The makers of cells, for generators.

func textCell(s string) cell { return cell{value: s, text: s} }

func realCell(f float64) cell { return cell{value: f, text: pytext.FormatFloat(f)} }

func integerCell(n int64) cell { return cell{value: n, text: strconv.FormatInt(n, 10)} }

func boolCell(b bool) cell {
	if b {
		return cell{value: int64(1), text: "True"}
	}

	return cell{value: int64(0), text: "False"}
}

// clockCell is a time of day as the published file has it, "9:00 AM" or "2 PM". Text that is not a time stays as it is.
func clockCell(stored string) cell {
	s := clock(stored)
	return cell{value: s, text: s, stored: stored}
}

// missingCell is a cell without a value of the column col. FromJSON tells how the published file says so.
func missingCell(col Column, fromJSON bool) cell {
	if fromJSON && (col.Kind == Text || col.Kind == Object) {
		return cell{text: "None"}
	}

	return cell{text: "nan"}
}

// clock reads a time of day as Python's strptime does with "%I:%M %p" and "%I %p", and prints it on 24 hours,
// "09:00:00". Text that is not a time is returned as it is.
func clock(s string) string {
	digits, half, ok := strings.Cut(s, " ")
	half = strings.TrimLeft(half, " ")

	pm := strings.EqualFold(half, "PM")
	if !ok || !pm && !strings.EqualFold(half, "AM") {
		return s
	}

	hours, minutes, ok := strings.Cut(digits, ":")
	if !ok {
		minutes = "0"
	}

	h, okHour := twoDigits(hours)

	m, okMinute := twoDigits(minutes)
	if !okHour || !okMinute || h < 1 || h > 12 || m > 59 {
		return s
	}

	h %= 12
	if pm {
		h += 12
	}

	return fmt.Sprintf("%02d:%02d:00", h, m)
}

// twoDigits reads a number of one or two digits.
func twoDigits(s string) (int, bool) {
	if len(s) < 1 || len(s) > 2 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}

	n, err := strconv.Atoi(s)

	return n, err == nil
}

// missing reports whether pandas takes the text of a CSV cell for a missing value.
func missing(s string) bool {
	switch s {
	case "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
		"NULL", "NaN", "None", "n/a", "nan", "null":
		return true
	}

	return false
}

var errMissing = errors.New("no value; this column has one in every row")

// parseCell reads a cell of a published CSV file. The error says what was expected.
func parseCell(col Column, raw string) (cell, error) {
	if missing(raw) {
		if !col.Optional {
			return cell{}, fmt.Errorf("%q: %w", raw, errMissing)
		}

		return missingCell(col, false), nil
	}

	switch col.Kind {
	case Real:
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(raw, "xX_") {
			return cell{}, fmt.Errorf("%q: expected a number such as 124.0", raw)
		}

		return realCell(f), nil
	case Integer:
		return parseInteger(raw)
	case Bool:
		switch raw {
		case "True", "TRUE", "true":
			return boolCell(true), nil
		case "False", "FALSE", "false":
			return boolCell(false), nil
		}

		return cell{}, fmt.Errorf("%q: expected True or False", raw)
	}

	return parseText(col.Kind, raw)
}

// parseInteger reads a whole number. One that is written with a decimal point is printed so, as pandas prints a column
// of such numbers.
func parseInteger(raw string) (cell, error) {
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return integerCell(n), nil
	}

	whole, zeros, ok := strings.Cut(raw, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); ok && err == nil && zeros != "" && strings.Trim(zeros, "0") == "" &&
		n > -1<<53 && n < 1<<53 {
		return cell{value: n, text: pytext.FormatFloat(float64(n))}, nil
	}

	return cell{}, fmt.Errorf("%q: expected a whole number such as 6640", raw)
}

func parseText(kind Kind, raw string) (cell, error) {
	if !utf8.ValidString(raw) {
		return cell{}, fmt.Errorf("%q: not UTF-8", raw)
	}

	switch kind {
	case Date:
		if _, err := time.Parse(time.DateOnly, raw); err != nil {
			return cell{}, fmt.Errorf("%q: expected a date such as 2000-01-03", raw)
		}
	case Code:
		if !isCode(raw) {
			return cell{}, fmt.Errorf("%q: expected three upper-case letters such as USD", raw)
		}
	case Clock:
		return clockCell(raw), nil
	}

	return textCell(raw), nil
}

func isCode(s string) bool {
	for _, r := range s {
		if r < 'A' || r > 'Z' {
			return false
		}
	}

	return len(s) == 3
}
