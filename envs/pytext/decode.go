package pytext

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
)

// MaxDepth is how deep arrays and objects may nest; Python's own limit is about the same.
const MaxDepth = 1000

// Error is the error about a text that is not JSON.
type Error struct {
	Msg  string // what is wrong, e.g. "Expecting value"
	Line int    // from 1
	Col  int    // from 1, in code points
	Char int    // from 0, in code points
}

// Error returns what str prints for Python's JSONDecodeError, e.g. "Extra data: line 1 column 5
// (char 4)".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%s: line %d column %d (char %d)", e.Msg, e.Line, e.Col, e.Char)
}

// Decode returns the value of a JSON text as json.loads(s, strict=False) does: raw control
// characters in strings are legal, the last of two equal keys wins (in the place of the first), and
// NaN, Infinity and -Infinity are numbers. Every error is an *Error.
func Decode(s string) (any, error) { return document(&decoder{s: s}) }

// DecodeStrict is Decode, but as json.loads(s): control characters in strings must be escaped.
func DecodeStrict(s string) (any, error) { return document(&decoder{s: s, strict: true}) }

// DecodeObject decodes the JSON object at the beginning of s, after any space, as Decode does, and
// returns what follows it.
func DecodeObject(s string) (args envs.Args, rest string, err error) {
	v, rest, err := prefix(&decoder{s: s})
	if err != nil {
		return nil, "", fmt.Errorf("not a JSON object: %w", err)
	}

	args, ok := v.(envs.Args)
	if !ok {
		return nil, "", errors.New("not a JSON object")
	}
	return args, rest, nil
}

// prefix reads a value, and returns what follows it.
func prefix(d *decoder) (v any, rest string, err error) {
	d.space()

	v, wrong := d.value()
	if wrong != nil {
		return nil, "", wrong
	}
	return v, d.s[d.i:], nil
}

type decoder struct {
	s      string
	i      int // the next byte
	depth  int
	strict bool
	python bool // the text is a literal of Python's, see DecodeLiteral
	tuples bool // tuples are not read as lists
}

// document reads a value and nothing else.
func document(d *decoder) (any, error) {
	if strings.HasPrefix(d.s, "\ufeff") {
		return nil, d.fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}

	d.space()

	v, err := d.value()
	if err != nil {
		return nil, err
	}

	if d.space(); d.i < len(d.s) {
		return nil, d.fail("Extra data", d.i)
	}
	return v, nil
}

// fail returns the error msg at byte at.
func (d *decoder) fail(msg string, at int) *Error {
	before := d.s[:at]
	return &Error{
		Msg:  msg,
		Line: strings.Count(before, "\n") + 1,
		Col:  utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1,
		Char: utf8.RuneCountInString(before),
	}
}

func (d *decoder) space() {
	for d.i < len(d.s) {
		switch d.s[d.i] {
		case ' ', '\t', '\n', '\r':
			d.i++
		default:
			return
		}
	}
}

// nextIs reports whether the next byte is c.
func (d *decoder) nextIs(c byte) bool { return d.i < len(d.s) && d.s[d.i] == c }

func (d *decoder) value() (any, *Error) {
	if d.i >= len(d.s) {
		return nil, d.fail("Expecting value", d.i)
	}

	// A literal of Python has other words and quotes, but the same lists and numbers.
	if d.python {
		return d.literal()
	}

	switch d.s[d.i] {
	case '"':
		return boxed(d.text())
	case '{':
		return boxed(d.object())
	case '[':
		return boxed(d.array(']'))
	case 'n':
		if d.word("null") {
			return nil, nil
		}
	case 't':
		if d.word("true") {
			return true, nil
		}
	case 'f':
		if d.word("false") {
			return false, nil
		}
	case 'N':
		if d.word("NaN") {
			return envs.Number("NaN"), nil
		}
	case 'I':
		if d.word("Infinity") {
			return envs.Number("Infinity"), nil
		}
	case '-':
		if d.word("-Infinity") {
			return envs.Number("-Infinity"), nil
		}
	}

	// Anything else, such as nul, gets Python's error for a text where no value begins.
	return boxed(d.number())
}

// boxed turns a typed result into a value, which is meaningless if there is an error.
func boxed[T any](v T, err *Error) (any, *Error) { return v, err }

// word reads the literal w, such as null, if it comes next, and reports whether it did.
func (d *decoder) word(w string) bool {
	if !strings.HasPrefix(d.s[d.i:], w) {
		return false
	}

	d.i += len(w)
	return true
}

func (d *decoder) number() (envs.Number, *Error) {
	start, i := d.i, d.i
	if i < len(d.s) && d.s[i] == '-' {
		i++
	}

	switch {
	case i < len(d.s) && d.s[i] == '0':
		// A zero ends the whole part, so that 01 is a 0 and extra data, as in Python.
		i++
	case digit(d.s, i):
		i = digits(d.s, i)
	default:
		return "", d.fail("Expecting value", start)
	}

	// As in Python, a point or an e without digits after it does not belong to the number.
	if i < len(d.s) && d.s[i] == '.' && digit(d.s, i+1) {
		i = digits(d.s, i+1)
	}

	if i < len(d.s) && (d.s[i] == 'e' || d.s[i] == 'E') {
		e := i + 1
		if e < len(d.s) && (d.s[e] == '-' || d.s[e] == '+') {
			e++
		}

		if digit(d.s, e) {
			i = digits(d.s, e)
		}
	}

	d.i = i
	return envs.Number(d.s[start:i]), nil
}

func digit(s string, i int) bool { return i < len(s) && isDigit(s[i]) }

// enter goes one level deeper. what names the construct as Python does.
func (d *decoder) enter(what string) *Error {
	if d.depth++; d.depth > MaxDepth {
		return &Error{Msg: "maximum recursion depth exceeded while decoding a JSON " + what +
			" from a unicode string"}
	}
	return nil
}

// array reads items up to a bracket. Python allows a comma before it.
func (d *decoder) array(closing byte) ([]any, *Error) {
	if err := d.enter("array"); err != nil {
		return nil, err
	}
	d.i++
	d.space()

	items := []any{}

	for first := true; !((first || d.python) && d.nextIs(closing)); first = false {
		v, err := d.value()
		if err != nil {
			return nil, err
		}

		items = append(items, v)

		if more, err := d.more(closing); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	d.i++
	d.depth--

	return items, nil
}

// more reads the comma before a further item. Without a comma, the closing bracket must follow.
func (d *decoder) more(closing byte) (bool, *Error) {
	if d.space(); d.nextIs(closing) {
		return false, nil
	}

	if !d.nextIs(',') {
		return false, d.fail("Expecting ',' delimiter", d.i)
	}
	d.i++
	d.space()

	return true, nil
}

// manyKeys is the size from which an object keeps an index of its keys.
const manyKeys = 16

func (d *decoder) object() (envs.Args, *Error) {
	if err := d.enter("object"); err != nil {
		return nil, err
	}
	d.i++
	d.space()

	args := envs.Args{}
	var index map[string]int

	for first := true; !((first || d.python) && d.nextIs('}')); first = false {
		name, v, err := d.member()
		if err != nil {
			return nil, err
		}

		args, index = set(args, index, name, v)

		if more, err := d.more('}'); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	d.i++
	d.depth--

	return args, nil
}

// member reads a key, the colon and the value.
func (d *decoder) member() (name string, v any, err *Error) {
	if name, err = d.key(); err != nil {
		return "", nil, err
	}

	if d.space(); !d.nextIs(':') {
		return "", nil, d.fail("Expecting ':' delimiter", d.i)
	}
	d.i++
	d.space()
	v, err = d.value()

	return name, v, err
}

func (d *decoder) key() (string, *Error) {
	switch {
	case d.python && (d.nextIs('\'') || d.nextIs('"')):
		return d.quoted()
	case d.python:
		return "", d.fail("Expecting a key in quotes", d.i)
	case !d.nextIs('"'):
		return "", d.fail("Expecting property name enclosed in double quotes", d.i)
	}

	return d.text()
}

// set adds an argument, or replaces the value of one that exists. The index appears once the object
// is large.
func set(args envs.Args, index map[string]int, name string, v any) (envs.Args, map[string]int) {
	if index == nil && len(args) == manyKeys {
		index = make(map[string]int, 2*manyKeys)
		for i, a := range args {
			index[a.Name] = i
		}
	}

	if index != nil {
		if i, ok := index[name]; ok {
			args[i].Value = v
			return args, index
		}

		index[name] = len(args)
		return append(args, envs.Arg{Name: name, Value: v}), index
	}

	for i := range args {
		if args[i].Name == name {
			args[i].Value = v
			return args, nil
		}
	}

	return append(args, envs.Arg{Name: name, Value: v}), nil
}
