package sqltool

import (
	"slices"
	"strings"
)

// publish changes a statement so that it means what it would in the published database, MySQL
// without a current database. views has the tables that views replace, by their names in lower
// case.
func (s *statement) publish(views map[string]string) error {
	for i, t := range s.tokens {
		_, view := views[strings.ToLower(t.identifier())]
		if view && s.isAny(i-1, "FROM", "JOIN", ",") && !s.is(i+1, ".") && !s.is(0, "WITH") {
			return errRefused // no database is selected
		}
	}

	s.labelColumns()
	return nil
}

// labelColumns names the columns of the outermost SELECT that are columns of a table as the
// statement writes them, not as the table does.
func (s *statement) labelColumns() {
	// A SELECT in parentheses is one of a WITH: the outermost follows it.
	i := slices.IndexFunc(s.tokens, func(t token) bool { return t.is("SELECT") })
	for i >= 0 && s.call[i] >= 0 {
		next := slices.IndexFunc(s.tokens[i+1:], func(t token) bool { return t.is("SELECT") })
		if next < 0 {
			return
		}

		i += 1 + next
	}

	if i < 0 {
		return
	}

	for first := i + 1; ; {
		for s.isAny(first, "DISTINCT", "ALL") {
			first++
		}

		end := s.find(first, ",", "FROM")
		if end < 0 {
			end = len(s.tokens)
		}

		// What has an alias of its own is more than a name, and keeps it.
		if end > first && s.isName(first, end-1) {
			s.edits[end-1].after += ` AS "` + strings.ReplaceAll(s.tokens[end-1].identifier(), `"`, `""`) + `"`
		}

		if !s.is(end, ",") {
			return
		}

		first = end + 1
	}
}

// isName reports whether the tokens from first to last are the name of a column.
func (s *statement) isName(first, last int) bool {
	for i := first; i <= last; i++ {
		if k := s.kind(i); (i-first)%2 == 1 != s.is(i, ".") || k == text || k == number ||
			(k == symbol && !s.is(i, ".")) {
			return false
		}
	}

	return (last-first)%2 == 0
}

// operandBefore returns where the operand begins that ends before token i, a comparison; -1 where
// that is not clear.
func (s *statement) operandBefore(i int) int {
	start := -1
	for at := i - 1; at >= 0 && s.endsOperand(at); {
		start = s.operand(at)
		if start < 0 || !s.operator(start-1) {
			break
		}

		at = start - 2
		if !s.endsOperand(at) { // a sign
			start--
			break
		}
	}

	if start > 0 && (s.endsOperand(start-1) || s.isAny(start-1, "<", ">", "=", "!", ".")) {
		return -1
	}
	return start
}

// operandAfter returns where the operand beginning at token i ends; -1 where that is not clear.
func (s *statement) operandAfter(i int) int {
	i = s.simpleAfter(i)

	switch {
	case i < 0:
	case s.is(i+2, "INTERVAL"):
		// Translating INTERVAL has marked its unit as the end of the whole operand.
		for end := i + 2; end < len(s.tokens); end++ {
			if s.start[end] >= 0 {
				return end
			}
		}
	case s.operator(i + 1): // binds tighter than the comparison
		return s.operandAfter(i + 2)
	}

	return i
}

// simpleAfter is operandAfter for an operand without operators but signs.
func (s *statement) simpleAfter(i int) int {
	for s.isAny(i, "-", "+") {
		i++
	}

	// A parenthesis begins an operand, too, and is no word.
	if !s.is(i, "(") && !s.beginsOperand(i) {
		return -1
	}

	for !s.is(i, "(") && s.is(i+1, ".") && i+2 < len(s.tokens) {
		i += 2
	}

	if s.kind(i) == word && s.is(i+1, "(") {
		i++
	}

	if s.is(i, "(") {
		i = s.match[i]
	}

	// Where it ends is not clear behind a parenthesis that stays open, or at a window.
	if i < 0 || s.is(i+1, "OVER") {
		return -1
	}
	return i
}

// operator reports whether a token is an operator that binds more than a comparison.
func (s *statement) operator(i int) bool {
	return s.isAny(i, "+", "-", "*", "/", "%", "|", "DIV", "MOD") && (s.kind(i) == symbol || s.endsOperand(i-1))
}

// operandBounds are the keywords before or after an operand.
var operandBounds = strings.Fields(`ALL AND AS ASC BETWEEN BY CASE DESC DISTINCT DIV ELSE END EXCEPT FROM GROUP HAVING IN INTERSECT
	INTERVAL IS JOIN LIKE LIMIT MOD NOT ON OR ORDER OVER REGEXP RLIKE SELECT THEN UNION WHEN WHERE WITH XOR`)

func (s *statement) beginsOperand(i int) bool {
	k := s.kind(i)
	return k != space && k != symbol && !s.isAny(i, operandBounds...)
}

func (s *statement) endsOperand(i int) bool { return s.is(i, ")") || s.beginsOperand(i) }
