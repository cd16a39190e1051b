package pytext

import (
	"unicode/utf16"
	"unicode/utf8"

	"toolevo/envs"
)

// AppendASCII appends json.dumps(v): one line, the separators ", " and ": ", and everything outside
// printable ASCII escaped, characters beyond the basic plane as a surrogate pair.
func AppendASCII(dst []byte, v any) []byte { return ascii.append(dst, v) }

// AppendJSON appends json.dumps(v, ensure_ascii=False): the same, but with letters of any script
// unchanged. Decode reads it back as v if the strings in v are valid UTF-8.
func AppendJSON(dst []byte, v any) []byte { return unescaped.append(dst, v) }

// JSON returns what [AppendJSON] appends.
func JSON(v any) string { return string(AppendJSON(make([]byte, 0, 256), v)) }

// notation is how values are written.
type notation struct {
	null, yes, no string
	number        func(dst []byte, n envs.Number) []byte
	text          func(dst []byte, s string) []byte
}

var (
	ascii = notation{"null", "true", "false", asWritten,
		func(dst []byte, s string) []byte { return appendText(dst, s, true) }}
	unescaped = notation{"null", "true", "false", asWritten,
		func(dst []byte, s string) []byte { return appendText(dst, s, false) }}
	literal = notation{"None", "True", "False", appendNumber, appendQuoted} // of Python
)

func asWritten(dst []byte, n envs.Number) []byte { return append(dst, n...) }

func (as *notation) append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, as.null...)
	case bool:
		if v {
			return append(dst, as.yes...)
		}
		return append(dst, as.no...)
	case envs.Number:
		return as.number(dst, v)
	case string:
		return as.text(dst, v)
	case []any:
		return append(as.items(append(dst, '['), v), ']')
	case Tuple:
		dst = as.items(append(dst, '('), v)
		// In Python (1) is a number, and (1,) a tuple.
		if len(v) == 1 {
			dst = append(dst, ',')
		}

		return append(dst, ')')
	case envs.Args:
		dst = append(dst, '{')
		for i, arg := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}

			dst = append(as.text(dst, arg.Name), ": "...)
			dst = as.append(dst, arg.Value)
		}
		return append(dst, '}')
	}

	// Python raises a TypeError for what is not a value.
	panic(notValue(v))
}

func (as *notation) items(dst []byte, all []any) []byte {
	for i, item := range all {
		if i > 0 {
			dst = append(dst, ", "...)
		}

		dst = as.append(dst, item)
	}
	return dst
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
