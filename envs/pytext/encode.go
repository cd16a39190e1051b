package pyjson

import (
	"fmt"
	"unicode/utf8"

	"toolevo/envs"
)

// Append appends the JSON text of v on one line, with the separators ", " and ": " and every character but control
// characters as it is. Decode reads it back as v when the strings in v are valid UTF-8. An object without members is
// "{ }": a ReAct action with "{}" would be malformed.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return fmt.Append(dst, v)
	case envs.Number:
		return append(dst, v...)
	case string:
		return appendText(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case envs.Args:
		if len(v) == 0 {
			return append(dst, "{ }"...)
		}
		dst = append(dst, '{')
		for i, arg := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendText(dst, arg.Name)
			dst = append(dst, ": "...)
			dst = Append(dst, arg.Value)
		}
		return append(dst, '}')
	}
	panic(fmt.Sprintf("pyjson: %T is not a JSON value", v))
}

func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' || c >= utf8.RuneSelf {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	return append(append(dst, s[start:]...), '"')
}
