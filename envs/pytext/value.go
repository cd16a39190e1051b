// Package pyfmt prints and cuts text as Python does. Observations, answers and gold answers of the benchmark are what
// Python's str, repr, strip and split made of them, so that an environment has to agree with them to the letter.
//
// The values are those of [envs.Arg]: nil, bool, [envs.Number], string, []any and [envs.Args].
package pyfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"toolevo/envs"
)

// Str returns what Python's str prints for v: a string as it is, None, True, False, 3, 2.5, ['a', 1], {'a': None}.
func Str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(appendRepr(nil, v))
}

// Repr returns what Python's repr prints for v.
func Repr(v any) string { return string(appendRepr(nil, v)) }

// TypeName returns the name of the Python type a JSON value decodes to, e.g. "dict" or "NoneType".
func TypeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case []any:
		return "list"
	case envs.Args:
		return "dict"
	case envs.Number:
		if isFloat(v) {
			return "float"
		}
		return "int"
	}
	return fmt.Sprintf("%T", v)
}

// Float returns the value of a JSON number as Python's float; ok is false when n is not a number at all.
func Float(n envs.Number) (f float64, ok bool) {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func appendRepr(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "None"...)
	case bool:
		if v {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case envs.Number:
		return append(dst, number(v)...)
	case string:
		return appendQuoted(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendRepr(dst, item)
		}
		return append(dst, ']')
	case envs.Args:
		dst = append(dst, '{')
		for i, arg := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendQuoted(dst, arg.Name)
			dst = append(dst, ": "...)
			dst = appendRepr(dst, arg.Value)
		}
		return append(dst, '}')
	}
	return fmt.Append(dst, v)
}

// number prints an integer as it was written and anything else as Python prints the float it denotes.
func number(n envs.Number) string {
	if !isFloat(n) {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f, ok := Float(n)
	if !ok {
		return string(n)
	}
	return formatFloat(f)
}

func isFloat(n envs.Number) bool { return strings.ContainsAny(string(n), ".eENI") }

// formatFloat is Python's repr of a float: the shortest digits that read back, with an exponent below 1e-4 and from
// 1e16, and always a point or an exponent.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// appendQuoted quotes with ' unless the text holds ' and no ".
func appendQuoted(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, r := range s {
		switch {
		case r == '\\' || r == rune(quote):
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = append(dst, string(r)...)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, quote)
}
