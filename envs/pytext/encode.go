package pytext

import (
	"unicode/utf16"
	"unicode/utf8"

	"toolevo/envs"
)

// AppendASCII appends json.dumps(v): one line, the separators ", " and ": ", and everything outside printable ASCII
// escaped, characters beyond the basic plane as a surrogate pair.
func AppendASCII(dst []byte, v any) []byte { return appendJSON(dst, v, true) }

// AppendJSON appends json.dumps(v, ensure_ascii=False): the same, but letters of any script as they are.
// Decode reads it back as v when the strings in v are valid UTF-8.
func AppendJSON(dst []byte, v any) []byte { return appendJSON(dst, v, false) }

func appendJSON(dst []byte, v any, ascii bool) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}

		return append(dst, "false"...)
	case envs.Number:
		return append(dst, v...)
	case string:
		return appendText(dst, v, ascii)
	case []any:
		dst = append(dst, '[')

		for i, item := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}

			dst = appendJSON(dst, item, ascii)
		}

		return append(dst, ']')
	case envs.Args:
		dst = append(dst, '{')

		for i, arg := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}

			dst = appendText(dst, arg.Name, ascii)
			dst = append(dst, ": "...)
			dst = appendJSON(dst, arg.Value, ascii)
		}

		return append(dst, '}')
	}

	panic(foreign(v))
}

func appendText(dst []byte, s string, ascii bool) []byte {
	dst = append(dst, '"')

	for _, r := range s {
		switch {
		case ' ' <= r && r < 0x7f && r != '"' && r != '\\':
			dst = append(dst, byte(r))
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = appendControl(dst, r)
		case !ascii:
			dst = utf8.AppendRune(dst, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendUTF16(appendUTF16(dst, high), low)
		default:
			dst = appendUTF16(dst, r)
		}
	}

	return append(dst, '"')
}

func appendControl(dst []byte, r rune) []byte {
	switch r {
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}

	return appendUTF16(dst, r)
}

// appendUTF16 appends the \u escape of a UTF-16 unit.
func appendUTF16(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&0xf], hex[r>>8&0xf], hex[r>>4&0xf], hex[r&0xf])
}
