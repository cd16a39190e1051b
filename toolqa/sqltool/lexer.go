package sqltool

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a piece of SQL text.
type tokenKind uint8

const (
	space  tokenKind = iota // blanks and comments
	word                    // a keyword or an unquoted name
	quoted                  // a name in backquotes or brackets
	text                    // a text in single quotes
	double                  // a name or a text in double quotes: SQLite tries both
	number
	symbol // any other character
)

// token is a piece of SQL text. The tokens of a statement joined are the statement.
type token struct {
	kind tokenKind
	text string
}

// is reports whether the token is the given keyword or symbol, in any case.
func (t token) is(s string) bool {
	return (t.kind == word || t.kind == symbol) && strings.EqualFold(t.text, s)
}

// identifier returns the name that the token writes, without its quotes; "" when it cannot be a
// name. SQLite takes a text for a name where only a name can be.
func (t token) identifier() string {
	switch t.kind {
	case word:
		return t.text
	case quoted, double, text:
		if len(t.text) >= 2 {
			return t.text[1 : len(t.text)-1]
		}
	}

	return ""
}

// tokenize splits SQL text. It never fails: what is not closed reaches to the end.
func tokenize(sql string) []token {
	var tokens []token

	for sql != "" {
		kind, n := scan(sql)
		tokens = append(tokens, token{kind, sql[:n]})
		sql = sql[n:]
	}

	return tokens
}

// scan returns the kind and the length of the token that sql starts with.
func scan(sql string) (tokenKind, int) {
	switch c := sql[0]; {
	case isSpace(c):
		return space, span(sql, isSpace)
	case strings.HasPrefix(sql, "--"), c == '#':
		return space, through(sql, 1, "\n")
	case strings.HasPrefix(sql, "/*"):
		return space, through(sql, 2, "*/")
	case c == '\'':
		return text, closing(sql, '\'', true)
	case c == '"':
		return double, closing(sql, '"', true)
	case c == '`':
		return quoted, closing(sql, '`', false)
	case c == '[':
		return quoted, through(sql, 1, "]")
	case c >= '0' && c <= '9':
		return number, span(sql, func(c byte) bool { return isName(c) || c == '.' })
	case isName(c):
		return word, span(sql, isName)
	default:
		_, size := utf8.DecodeRuneInString(sql)
		return symbol, size
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c >= utf8.RuneSelf
}

func span(s string, in func(byte) bool) int {
	for i := range len(s) {
		if !in(s[i]) {
			return i
		}
	}

	return len(s)
}

// through returns the length of s up to and with the first end found from start on.
func through(s string, start int, end string) int {
	if i := strings.Index(s[start:], end); i >= 0 {
		return start + i + len(end)
	}
	return len(s)
}

// closing returns the length of the quoted text that s starts with. A doubled quote is part of the
// text, and so is one after a backslash if that escapes.
func closing(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			if escapes && s[i] == '\\' {
				i++
			}

			continue
		}

		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(s)
}
