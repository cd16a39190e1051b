package pytext

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"toolevo/envs"
)

// Str returns what Python's str prints for v: a string as it is, None, True, False, 3, 2.5, ['a',
// 1], {'a': None}.
func Str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

// Repr returns what Python's repr prints for v.
func Repr(v any) string { return string(literal.append(nil, v)) }

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

	panic(notValue(v))
}

// notValue returns the text of the panic about a v that is not a value. It keeps v off the heap.
func notValue(v any) string { return "pytext: " + reflect.TypeOf(v).String() + " is not a JSON value" }

// appendNumber prints an integer as it was written and anything else as Python prints the float it
// denotes.
func appendNumber(dst []byte, n envs.Number) []byte {
	if n == "-0" {
		return append(dst, '0')
	}

	if isFloat(n) {
		if f, ok := ParseFloat(string(n)); ok {
			return AppendFloat(dst, f)
		}
	}

	return append(dst, n...)
}

func isFloat(n envs.Number) bool { return strings.ContainsAny(string(n), ".eENI") }

// appendQuoted quotes with ', or with " if the text contains ' but no ".
func appendQuoted(dst []byte, s string) []byte {
	quote := '\''

	// As in Python, a quote is escaped only if the text has both kinds.
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}

	dst = append(dst, byte(quote))

	for _, r := range s {
		// Python escapes what is not printable, in the shortest of three forms.
		switch {
		case r == '\\' || r == quote:
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

	return append(dst, byte(quote))
}
