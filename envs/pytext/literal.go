package pytext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeLiteral returns the value of a Python literal, such as [Repr] prints: None, True, False,
// numbers, strings, lists, tuples, which are lists here, and dictionaries whose keys are strings.
// Every error is an [*Error].
func DecodeLiteral(s string) (any, error) { return document(&decoder{s: s, python: true}) }

// DecodeLiteralPrefix decodes the literal that s begins with, like DecodeLiteral except that a
// tuple is a [Tuple], and returns what follows it.
func DecodeLiteralPrefix(s string) (v any, rest string, err error) {
	return prefix(&decoder{s: s, python: true, tuples: true})
}

// Tuple is a Python tuple, which [Repr] prints as one.
type Tuple []any

// literal reads a value as Python writes it.
func (d *decoder) literal() (any, *Error) {
	switch {
	case d.word("None"):
		return nil, nil
	case d.word("True"):
		return true, nil
	case d.word("False"):
		return false, nil
	case d.nextIs('\'') || d.nextIs('"'):
		return boxed(d.quoted())
	case d.nextIs('['):
		return boxed(d.array(']'))
	case d.nextIs('('):
		items, err := d.array(')')
		if d.tuples {
			return Tuple(items), err
		}
		return items, err
	case d.nextIs('{'):
		return boxed(d.object())
	}
	return boxed(d.number())
}

// escapes are what a backslash and one more character stand for.
var escapes = map[byte]string{'\\': `\`, '\'': "'", '"': `"`, 'n': "\n", 'r': "\r", 't': "\t"}

// digitsOf is how many hexadecimal digits follow a backslash and one more character.
var digitsOf = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// quoted reads a string in either kind of quotes.
func (d *decoder) quoted() (string, *Error) {
	start, quote := d.i, d.s[d.i]

	var b strings.Builder

	for i := start + 1; i < len(d.s); i++ {
		switch c := d.s[i]; c {
		case quote:
			d.i = i + 1
			return b.String(), nil
		case '\\':
			text, width := escaped(d.s[i+1:])
			if width == 0 {
				return "", d.fail("Invalid \\escape", i)
			}

			b.WriteString(text)
			i += width
		default:
			b.WriteByte(c)
		}
	}

	return "", d.fail("Unterminated string starting at", start)
}

// escaped returns what an escape stands for, and its width. s begins after the backslash. A width
// of 0 means that it is not an escape.
func escaped(s string) (text string, width int) {
	if s == "" {
		return "", 0
	}

	if text, ok := escapes[s[0]]; ok {
		return text, 1
	}

	n := digitsOf[s[0]]
	if n == 0 || len(s) <= n {
		return "", 0
	}

	code, err := strconv.ParseUint(s[1:1+n], 16, 32)
	if err != nil || code > utf8.MaxRune {
		return "", 0
	}
	return string(rune(code)), 1 + n // half of a surrogate pair is U+FFFD
}
