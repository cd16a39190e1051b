package pytext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string; the next byte is its opening quote. A string without escapes shares the
// memory of the input.
func (d *decoder) text() (string, *Error) {
	begin := d.i
	rest := d.i + 1
	var b []byte // what the escapes before rest made; nil before the first escape

	for {
		n := strings.IndexAny(d.s[rest:], `"\`)

		// A control character comes before the missing quote, so Python names it first.
		if err := d.controls(rest, n); err != nil {
			return "", err
		}

		if n < 0 {
			return "", d.fail("Unterminated string starting at", begin)
		}

		chunk := d.s[rest : rest+n]

		rest += n
		if d.s[rest] == '"' {
			d.i = rest + 1

			// Most strings have no escapes, and so need no memory of their own.
			if b == nil {
				return chunk, nil
			}
			return string(append(b, chunk...)), nil
		}

		if b == nil {
			b = make([]byte, 0, len(chunk)+16)
		}

		b = append(b, chunk...)

		if rest+1 >= len(d.s) {
			return "", d.fail("Unterminated string starting at", begin)
		}

		var err *Error
		if b, rest, err = d.escape(b, rest); err != nil {
			return "", err
		}
	}
}

// controls returns the error of a strict decoder if there is a control character among the n bytes
// at from, or among all from there on if n is negative.
func (d *decoder) controls(from, n int) *Error {
	if !d.strict {
		return nil
	}

	chunk := d.s[from:]
	if n >= 0 {
		chunk = chunk[:n]
	}

	if at := strings.IndexFunc(chunk, func(r rune) bool { return r < ' ' }); at >= 0 {
		return d.fail("Invalid control character at", from+at)
	}
	return nil
}

var simpleEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape appends what the escape at byte at stands for, and returns the index after it.
func (d *decoder) escape(b []byte, at int) ([]byte, int, *Error) {
	c := d.s[at+1]
	if c != 'u' {
		if simpleEscapes[c] == 0 {
			return nil, 0, d.fail(`Invalid \escape`, at)
		}
		return append(b, simpleEscapes[c]), at + 2, nil
	}

	r, ok := hex4(d.s, at+2)
	if !ok {
		return nil, 0, d.fail(`Invalid \uXXXX escape`, at+1)
	}

	end := at + 6
	if 0xd800 <= r && r < 0xdc00 && strings.HasPrefix(d.s[end:], `\u`) && d.roomAfter(end) {
		low, ok := hex4(d.s, end+2)
		if !ok {
			return nil, 0, d.fail(`Invalid \uXXXX escape`, end+1)
		}

		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(b, pair), end + 6, nil
		}
	}
	return utf8.AppendRune(b, r), end, nil
}

// roomAfter reports whether six more characters and a quote fit after byte at: Python looks for the
// second half of a surrogate pair only then.
func (d *decoder) roomAfter(at int) bool {
	for range 6 {
		if at >= len(d.s) {
			return false
		}

		_, size := utf8.DecodeRuneInString(d.s[at:])
		at += size
	}
	return at < len(d.s)
}

// hex4 reads four hexadecimal digits at i. At least one character must follow them, or the string
// has no end.
func hex4(s string, i int) (rune, bool) {
	if i+4 >= len(s) {
		return 0, false
	}
	var r rune

	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}

	return r, true
}
