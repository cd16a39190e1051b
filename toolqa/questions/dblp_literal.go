package questions

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
)

// parseLiteral reads the Python literal that text begins with, as the graph tools print nodes and edges:
// texts, whole numbers, None, True, False, and lists, tuples and dictionaries of them. The values are those
// of package pytext; a tuple is a list. rest is the text behind it.
func parseLiteral(text string) (value any, rest string, ok bool) {
	l := literal{rest: text}
	value, ok = l.value(0)
	return value, l.rest, ok
}

// literal is a text being read.
type literal struct{ rest string }

// maxLiteralDepth is far more than any node or edge has.
const maxLiteralDepth = 32

func (l *literal) value(depth int) (any, bool) {
	if l.rest == "" || depth > maxLiteralDepth {
		return nil, false
	}

	switch c := l.rest[0]; {
	case c == '\'' || c == '"':
		return l.text()
	case c == '[' || c == '(':
		return l.list(depth)
	case c == '{':
		return l.dict(depth)
	case c == '-' || isDigit(c):
		return l.number()
	}

	for word, value := range map[string]any{"None": nil, "True": true, "False": false} {
		if l.skip(word) {
			return value, true
		}
	}

	return nil, false
}

func (l *literal) skip(prefix string) (ok bool) {
	l.rest, ok = strings.CutPrefix(l.rest, prefix)
	return ok
}

func (l *literal) number() (any, bool) {
	end := 1
	for end < len(l.rest) && strings.IndexByte("0123456789.eE+-", l.rest[end]) >= 0 {
		end++
	}

	n := l.rest[:end]
	l.rest = l.rest[end:]

	return envs.Number(n), isNumber(n)
}

func (l *literal) list(depth int) (any, bool) {
	closing := map[byte]string{'[': "]", '(': ")"}[l.rest[0]]
	l.rest = l.rest[1:]

	items := []any{}
	for !l.skip(closing) {
		if len(items) == 1 && closing == ")" && l.skip(",)") {
			break // a tuple of one
		}

		if len(items) > 0 && !l.skip(", ") {
			return nil, false
		}

		item, ok := l.value(depth + 1)
		if !ok {
			return nil, false
		}

		items = append(items, item)
	}

	return items, true
}

func (l *literal) dict(depth int) (any, bool) {
	l.rest = l.rest[1:]

	entries := envs.Args{}
	for !l.skip("}") {
		if len(entries) > 0 && !l.skip(", ") {
			return nil, false
		}

		key, ok := l.value(depth + 1)

		name, isText := key.(string)
		if !ok || !isText || !l.skip(": ") {
			return nil, false
		}

		value, ok := l.value(depth + 1)
		if !ok {
			return nil, false
		}

		entries = append(entries, envs.Arg{Name: name, Value: value})
	}

	return entries, true
}

// escapes are those of one letter that repr writes, and what they stand for.
var escapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}

// text reads a quoted text.
func (l *literal) text() (any, bool) {
	quote := l.rest[0]
	var b strings.Builder

	for s := l.rest[1:]; s != ""; {
		switch c := s[0]; {
		case c == quote:
			l.rest = s[1:]
			return b.String(), true
		case c != '\\':
			b.WriteByte(c)

			s = s[1:]
		case len(s) < 2:
			return nil, false
		case escapes[s[1]] != 0:
			b.WriteByte(escapes[s[1]])
			s = s[2:]
		default:
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
			if width == 0 || len(s) < 2+width {
				return nil, false
			}

			code, err := strconv.ParseUint(s[2:2+width], 16, 32)
			if err != nil || code > utf8.MaxRune {
				return nil, false
			}

			b.WriteRune(rune(code))

			s = s[2+width:]
		}
	}

	return nil, false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
