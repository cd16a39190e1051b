package sqltool

import (
	"errors"
	"slices"
	"strings"
)

// errRefused is why a statement is not run; the agent sees the published text only.
var errRefused = errors.New("sqltool: statement refused")

// statement is one statement and the changes to it that make it one of SQLite.
type statement struct {
	tokens []token // without space
	gap    []bool  // there was space before the token
	edits  []edit  // of the token of the same number
	match  []int   // the other parenthesis of a pair; -1 for other tokens
	call   []int   // the open parenthesis that a token is directly inside, or -1
	start  []int   // for the last token of an INTERVAL, the first of its sum; -1 for others

	// For the last token of a remainder, the first of the product that it ends, or -1 where that is
	// not clear; 0 for others.
	product []int
}

// edit is what becomes of a token.
type edit struct {
	before, after string // inserted
	to            string
	changed       bool // the token becomes to
}

// parse reads a statement. It refuses anything but one SELECT, WITH or VALUES.
func parse(sql string) (*statement, error) {
	// SQLite would end the statement there.
	if strings.Contains(sql, "\x00") {
		return nil, errRefused
	}

	s := &statement{}
	gap := false

	for _, t := range tokenize(sql) {
		// A comment becomes a blank: SQLite does not know MySQL's #, and the only comments must be
		// the marks around changes.
		if t.kind == space {
			gap = true
			continue
		}

		s.tokens, s.gap = append(s.tokens, t), append(s.gap, gap)
		gap = false
	}

	// Semicolons may end the statement, but not begin another.
	if end := slices.IndexFunc(s.tokens, func(t token) bool { return t.is(";") }); end >= 0 {
		if slices.ContainsFunc(s.tokens[end:], func(t token) bool { return !t.is(";") }) {
			return nil, errRefused
		}

		s.tokens = s.tokens[:end]
	}

	if !s.is(0, "SELECT") && !s.is(0, "WITH") && !s.is(0, "VALUES") {
		return nil, errRefused
	}

	s.pair()
	return s, nil
}

// pair fills in what depends on parentheses.
func (s *statement) pair() {
	s.edits = make([]edit, len(s.tokens))
	s.match = slices.Repeat([]int{-1}, len(s.tokens))
	s.call = slices.Repeat([]int{-1}, len(s.tokens))
	s.start = slices.Repeat([]int{-1}, len(s.tokens))
	s.product = make([]int, len(s.tokens))

	var open []int
	for i := range s.tokens {
		if s.is(i, ")") && len(open) > 0 {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			s.match[i], s.match[last] = last, i
		}

		if len(open) > 0 {
			s.call[i] = open[len(open)-1]
		}

		if s.is(i, "(") {
			open = append(open, i)
		}
	}
}

// is reports whether there is a token of that number, and it is the given keyword or symbol, in any
// case.
func (s *statement) is(i int, word string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].is(word)
}

// isAny reports whether a token is one of the given keywords.
func (s *statement) isAny(i int, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return s.is(i, w) })
}

// kind returns the kind of a token, or space if there is no token of that number.
func (s *statement) kind(i int) tokenKind {
	if i < 0 || i >= len(s.tokens) {
		return space
	}
	return s.tokens[i].kind
}

// function returns the name, in lower case, of the function that a token is directly an argument
// of, or "".
func (s *statement) function(i int) string {
	if open := s.call[i]; open > 0 && s.kind(open-1) == word {
		return strings.ToLower(s.tokens[open-1].text)
	}
	return ""
}

// find returns the number of the first of the given keywords directly inside the parenthesis that
// token i is directly inside, from i on, or -1.
func (s *statement) find(i int, words ...string) int {
	for j := i; j < len(s.tokens); j++ {
		if s.call[j] == s.call[i] && s.isAny(j, words...) {
			return j
		}

		if s.match[j] == s.call[i] && s.call[i] >= 0 {
			break
		}
	}
	return -1
}

// change replaces a token.
func (s *statement) change(i int, to string) { s.edits[i].to, s.edits[i].changed = to, true }

// The marks around a change: SQLite names a column without an alias after the text of its
// expression, comments and all, and untranslate restores from them what the agent wrote.
const (
	markStart = "/*<*/"
	markFrom  = "/*:"
	markEnd   = ":*/"
)

// String returns the statement with its changes.
func (s *statement) String() string {
	var b strings.Builder

	for i, t := range s.tokens {
		if s.gap[i] {
			b.WriteByte(' ')
		}

		e := s.edits[i]
		if e.before != "" {
			writeChange(&b, "", e.before)
		}

		if e.changed {
			writeChange(&b, t.text, e.to)
		} else {
			b.WriteString(t.text)
		}

		if e.after != "" {
			writeChange(&b, "", e.after)
		}
	}
	return b.String()
}

// writeChange writes to in place of from.
func writeChange(b *strings.Builder, from, to string) {
	if strings.Contains(from, "*/") {
		b.WriteString(to)
		return
	}

	b.WriteString(markStart + to + markFrom + from + markEnd)
}

// untranslate undoes the changes of a statement in the name of a column. A column's name begins
// after a mark that its expression begins with.
func untranslate(column string) string {
	var b strings.Builder

	for {
		from := strings.Index(column, markFrom)
		if from < 0 {
			break
		}

		end := strings.Index(column[from:], markEnd)
		if end < 0 {
			break
		}

		start := max(0, strings.LastIndex(column[:from], markStart))
		b.WriteString(column[:start])
		b.WriteString(column[from+len(markFrom) : from+end])
		column = column[from+end+len(markEnd):]
	}

	b.WriteString(column)
	return b.String()
}
