package sqltool

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// A SQL value in Go is nil, an int64, a float64 or a string. A blob is taken for the text it holds.

// sqlValues returns the arguments of a call as SQL values: the driver hands over NULL as a nil
// slice of bytes.
func sqlValues(args []any) []any {
	for i, arg := range args {
		if b, ok := arg.([]byte); ok {
			args[i] = nil
			if b != nil {
				args[i] = string(b)
			}
		}
	}

	return args
}

// textOf returns a value as text. A number is written as Python does: 124.0.
func textOf(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return pytext.FormatFloat(v)
	case string:
		return v
	}

	return ""
}

// realOf returns a value as a number, as MySQL does: of a text, the number that it begins with, or
// 0.
func realOf(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case string:
		f, _ := leadingNumber(v)
		return f
	}

	return 0
}

// wholeOf returns a value as a whole number, rounded.
func wholeOf(v any) int64 {
	if n, ok := v.(int64); ok {
		return n
	}
	return toInt(math.Round(realOf(v)))
}

// toInt returns the whole part of a number; one that is out of range is the nearest that is not.
func toInt(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}

	return int64(f)
}

// leadingNumber returns the number that a text begins with, and whether there is one.
func leadingNumber(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t\r\n\v\f")
	end, digits := 0, 0
	digit := func() bool { return end < len(s) && s[end] >= '0' && s[end] <= '9' }

	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		end++
	}

	for ; digit(); end++ {
		digits++
	}

	if end < len(s) && s[end] == '.' {
		for end++; digit(); end++ {
			digits++
		}
	}

	if digits == 0 {
		return 0, false
	}

	// An exponent without digits is not part of the number: "1e" begins with 1.
	if mantissa := end; end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		end++
		if end < len(s) && (s[end] == '+' || s[end] == '-') {
			end++
		}

		if !digit() {
			end = mantissa
		}

		for digit() {
			end++
		}
	}

	// The only error left is a number that is too large, and then f is infinity.
	f, _ := strconv.ParseFloat(s[:end], 64)
	return f, true
}

// finite returns a finite number as a value, and NULL for others.
func finite(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}

// truth returns a truth value as SQL has it.
func truth(ok bool) any {
	if ok {
		return int64(1)
	}
	return int64(0)
}

var errTooLong = errors.New("sqltool: text too long")
