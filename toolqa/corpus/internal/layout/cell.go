package layout

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

// Cell is one value in all its forms.
type Cell struct {
	Value any    // as the typed table holds it: string, float64, int64, or nil
	Text  string // as the published tools print it

	// Stored is, in Clock columns, the cell as the published file has it; "" in all others, where
	// nothing asks for it.
	Stored string
}

// TextCell is a cell of a text.
func TextCell(s string) Cell { return Cell{Value: s, Text: s} }

// RealCell is a cell of a number, which prints with a fraction.
func RealCell(f float64) Cell { return Cell{Value: f, Text: pytext.FormatFloat(f)} }

// IntegerCell is a cell of a whole number.
func IntegerCell(n int64) Cell { return Cell{Value: n, Text: strconv.FormatInt(n, 10)} }

// BoolCell is a cell of a Boolean.
func BoolCell(b bool) Cell {
	if b {
		return Cell{Value: int64(1), Text: "True"}
	}
	return Cell{Value: int64(0), Text: "False"}
}

// ClockCell is a time of day as the published file has it, "9:00 AM" or "2 PM". Text that is not a
// time stays as it is.
func ClockCell(stored string) Cell {
	s := ClockText(stored)
	return Cell{Value: s, Text: s, Stored: stored}
}

// MissingCell is a cell without a value of the column col. fromJSON is whether the published file
// is JSON.
func MissingCell(col Column, fromJSON bool) Cell {
	if fromJSON && (col.Kind == Text || col.Kind == Object) {
		return Cell{Text: "None"}
	}
	return Cell{Text: "nan"}
}

// ClockText reads a time of day as Python's strptime does with "%I:%M %p" and "%I %p", and prints
// it on 24 hours, "09:00:00". Text that is not a time is returned as it is.
func ClockText(s string) string {
	hours := strings.TrimLeft(s, "0")
	if hours == "" || hours[0] < '1' || hours[0] > '9' {
		return s // on 12 hours there is no hour 0
	}

	for _, form := range []string{"3:4 PM", "3 PM"} {
		if t, err := time.Parse(form, strings.ToUpper(s)); err == nil {
			return t.Format(time.TimeOnly)
		}
	}

	return s
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

// ErrMissing is the error of a missing value in a column that must not have any.
var ErrMissing = errors.New("no value; this column has one in every row")

// ParseCell reads a cell of a published CSV file. The error says what was expected.
func ParseCell(col Column, raw string) (Cell, error) {
	// Before the kind: pandas takes "NA" for a missing value in any column.
	if missing(raw) {
		if !col.Optional {
			return Cell{}, fmt.Errorf("%q: %w", raw, ErrMissing)
		}
		return MissingCell(col, false), nil
	}

	switch col.Kind {
	case Real:
		f, err := strconv.ParseFloat(raw, 64)
		// Go also reads NaN, Inf, 0x1p-2 and the like, which no published file has.
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(raw, "xX_") {
			return Cell{}, fmt.Errorf("%q: expected a number such as 124.0", raw)
		}

		return RealCell(f), nil
	case Integer:
		return ParseInteger(raw)
	case Bool:
		switch raw {
		case "True", "TRUE", "true":
			return BoolCell(true), nil
		case "False", "FALSE", "false":
			return BoolCell(false), nil
		}

		return Cell{}, fmt.Errorf("%q: expected True or False", raw)
	}
	return ParseText(col.Kind, raw)
}

// ParseInteger reads a whole number. One that is written with a decimal point is printed so, as
// pandas prints a column of such numbers.
func ParseInteger(raw string) (Cell, error) {
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return IntegerCell(n), nil
	}

	whole, zeros, ok := strings.Cut(raw, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); ok && err == nil && zeros != "" && strings.Trim(zeros, "0") == "" &&
		n > -1<<53 && n < 1<<53 {
		return Cell{Value: n, Text: pytext.FormatFloat(float64(n))}, nil
	}

	return Cell{}, fmt.Errorf("%q: expected a whole number such as 6640", raw)
}

// ParseText reads a cell that is a text of a kind.
func ParseText(kind Kind, raw string) (Cell, error) {
	if !utf8.ValidString(raw) {
		return Cell{}, fmt.Errorf("%q: not UTF-8", raw)
	}

	switch kind {
	case Date:
		if _, err := time.Parse(time.DateOnly, raw); err != nil {
			return Cell{}, fmt.Errorf("%q: expected a date such as 2000-01-03", raw)
		}
	case Code:
		if !isCode(raw) {
			return Cell{}, fmt.Errorf("%q: expected three upper-case letters such as USD", raw)
		}
	case Clock:
		return ClockCell(raw), nil
	}

	return TextCell(raw), nil
}

func isCode(s string) bool {
	for _, r := range s {
		if r < 'A' || r > 'Z' {
			return false
		}
	}

	return len(s) == 3
}
