package sqltool

import (
	"slices"
	"strings"
)

// translate returns a statement in SQLite's dialect. temporary maps the tables that views in temp
// replace, by their names in lower case, to the schemas in which they are published. Each of views
// replaces a table, too. It refuses anything but one SELECT, WITH or VALUES statement.
func translate(sql string, temporary map[string]string, views ...view) (string, error) {
	s, err := parse(sql)
	if err != nil {
		return "", err
	}

	for i := range s.tokens {
		if err := s.rewrite(i, temporary); err != nil {
			return "", err
		}
	}

	published := len(temporary) > 0
	if published {
		if err := s.publish(temporary); err != nil {
			return "", err
		}
	}

	// Only now, as what is put around operands goes around the changes in them.
	for i := range s.tokens {
		switch {
		case s.kind(i) == symbol && !s.edits[i].changed:
			s.compare(i, published)
		case s.is(i, "BETWEEN"), s.is(i, "IN"):
			s.compareRange(i, published)
		}
	}

	s.readViews(views)
	return s.String(), nil
}

// rewrite makes the changes that begin with a token.
func (s *statement) rewrite(i int, temporary map[string]string) error {
	if s.edits[i].changed { // by a change that began before
		return nil
	}

	switch t := s.tokens[i]; t.kind {
	// MySQL takes double quotes for those of a text, too.
	case text, double:
		if err := s.unescape(i); err != nil {
			return err
		}
	case symbol:
		s.symbol(i)
	case word:
		if s.is(i, "INTERVAL") {
			return s.interval(i)
		}

		// After a dot it is the name of a column, and after an operand an operator.
		if s.is(i+1, "(") && !s.is(i-1, ".") && !(s.isAny(i, "DIV", "MOD") && s.endsOperand(i-1)) {
			s.translateCall(i, strings.ToLower(t.text))
		} else {
			s.keyword(i)
		}
	}

	// The table is a view in temp, whatever the schema in which it is published.
	if t := s.tokens[i]; t.kind != number && s.is(i+1, ".") && i+2 < len(s.tokens) {
		if schema, ok := temporary[strings.ToLower(s.tokens[i+2].identifier())]; ok &&
			strings.EqualFold(t.identifier(), schema) {
			s.change(i, "temp")
		}
	}

	return nil
}

// unescape makes a text that has a backslash, by which MySQL escapes the next character, one of
// SQLite. Before % and _ it stays, as in MySQL.
func (s *statement) unescape(i int) error {
	quote, body := s.tokens[i].text[:1], s.tokens[i].text
	if !strings.Contains(body, `\`) {
		return nil
	}

	// SQLite would find another end of a text that is not closed.
	if len(body) < 2 || !strings.HasSuffix(body, quote) {
		return errRefused
	}

	body = strings.ReplaceAll(body[1:len(body)-1], quote+quote, quote)

	var b strings.Builder

	for i := 0; i < len(body); i++ {
		c := body[i]
		if c == '\\' && i+1 < len(body) {
			i++
			switch c = body[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case '%', '_':
				b.WriteByte('\\')
			}
		}

		b.WriteByte(c)
	}

	// Always in single quotes: SQLite would try a text in double quotes as a name.
	text := "'" + strings.ReplaceAll(b.String(), "'", "''") + "'"
	if s.is(i-1, "LIKE") && !s.is(i+1, "ESCAPE") {
		text += ` ESCAPE '\'` // which is MySQL's by default
	}

	s.change(i, text)
	return nil
}

// symbol translates operators. Division gives a fraction, and so may a remainder; && is AND, and
// <=> is IS.
func (s *statement) symbol(i int) {
	switch {
	case s.is(i, "/"):
		s.change(i, "*1.0/ ")
	case s.is(i, "%"):
		s.remainder(i)
	case s.is(i, "&") && s.is(i+1, "&") && !s.gap[i+1] && !s.edits[i].changed:
		s.change(i, " AND ")
		s.change(i+1, "")
	case s.is(i, "<") && s.is(i+1, "=") && s.is(i+2, ">"):
		s.change(i, " IS ")
		s.change(i+1, "")
		s.change(i+2, "")
	}
}

// keyword translates words that are not functions.
func (s *statement) keyword(i int) {
	operand := s.kind(i-1) == word || s.kind(i-1) == number || s.kind(i-1) == quoted || s.is(i-1, ")")
	switch {
	case s.is(i, "RLIKE"):
		s.change(i, "REGEXP")
	case s.is(i, "DIV") && operand:
		s.change(i, "/")
	case s.is(i, "MOD") && operand:
		s.change(i, "%")
		s.remainder(i)
	case s.isAny(i, "DATE", "TIMESTAMP", "TIME") && s.kind(i+1) == text && digits(s.tokens[i+1].text[1:]) > 0:
		s.change(i, "") // a literal: DATE '2022-01-14'
	}
}

// remainder makes a call of mod of the operator at token i: SQLite's makes whole numbers of both
// operands first, and stays where they are. It stays, too, where an operand is not clear.
func (s *statement) remainder(i int) {
	left, right := s.productBefore(i), s.simpleAfter(i+1)
	if right >= 0 {
		s.product[right] = left
	}

	if left < 0 || right < 0 || s.is(right+1, "|") ||
		s.isWhole(left, i-1) && s.isWhole(i+1, right) {
		return
	}

	s.surround(left, right, "mod(", ")")
	s.change(i, ",")
}

// isWhole reports whether the tokens from first to last are plainly a whole number.
func (s *statement) isWhole(first, last int) bool {
	n := s.tokens[last].text
	return s.isCall(first, last, whole) || s.isNumber(first, last) && digits(n) == len(n)
}

// productBefore returns where the product begins that ends before token i, an operator, without its
// sign; -1 where that is not clear.
func (s *statement) productBefore(i int) int {
	for at := i - 1; s.endsOperand(at); {
		// One that a remainder ends is not searched again: many in a row would take quadratic time.
		start := s.product[at]
		if start == 0 {
			start = s.operand(at)
		}

		before := start - 1
		for s.isAny(before, "-", "+") && !s.endsOperand(before-1) { // signs
			before--
		}

		switch {
		case start < 0 || s.endsOperand(start-1) || s.isAny(start-1, ".", "|"):
			return -1
		case !s.isAny(before, "*", "/", "%", "DIV", "MOD"):
			return start
		}

		at = before - 1
	}

	return -1
}

// renamed are functions that SQLite has by another name.
var renamed = map[string]string{
	"greatest": "max", "least": "min", "lcase": "lower", "ucase": "upper", "mid": "substr", "char_length": "length",
	"character_length": "length", "isnull": "is_null", "any_value": "min", "position": "locate",
}

// translateCall translates a call of the function that token i names, in lower case.
func (s *statement) translateCall(i int, name string) {
	if to, ok := renamed[name]; ok {
		s.change(i, to)
	}

	// A call that is not closed, or has no arguments, needs only the other name.
	first := i + 2
	if s.match[i+1] <= first {
		return
	}

	switch name {
	case "cast":
		s.cast(i, s.find(first, "AS"), s.match[i+1])
	// CONVERT(value USING charset) has no comma, and is left for SQLite to refuse.
	case "convert":
		if comma := s.lastComma(first); comma > 0 {
			s.change(i, "CAST")
			s.change(comma, " AS")
			s.cast(i, comma, s.match[i+1])
		}
	case "timestampdiff", "timestampadd":
		s.unit(first)
	case "round":
		// SQLite takes a negative number of digits for 0.
		if comma := s.lastComma(first); comma > 0 && s.is(comma+1, "-") {
			s.change(i, "round_tens")
		}
	case "extract":
		s.unit(first)
		s.comma(s.find(first, "FROM"))
	case "position":
		s.comma(s.find(first, "IN"))
	case "substring", "substr", "mid":
		s.comma(s.find(first, "FROM"))
		s.comma(s.find(first, "FOR"))
	case "group_concat":
		s.groupConcat(i)
	}
}

// comma replaces a keyword between arguments.
func (s *statement) comma(i int) {
	if i >= 0 {
		s.change(i, ",")
	}
}

// unit turns the name of a unit of time into a text.
func (s *statement) unit(i int) {
	if s.kind(i) == word {
		s.change(i, "'"+strings.ToLower(s.tokens[i].text)+"'")
	}
}

// lastComma returns the last comma between the arguments from token i on, or -1.
func (s *statement) lastComma(i int) int {
	last := -1
	for j := s.find(i, ","); j >= 0; j = s.find(j+1, ",") {
		last = j
		if j+1 >= len(s.tokens) || s.call[j+1] != s.call[i] {
			break
		}
	}

	return last
}

// castTypes maps MySQL's types to those that SQLite casts to in the same sense, or to functions.
// Others are left as they are.
var castTypes = map[string]string{
	"signed": "INTEGER", "unsigned": "INTEGER", "year": "INTEGER",
	"decimal": "REAL", "dec": "REAL", "numeric": "REAL", "float": "REAL", "double": "REAL", "real": "REAL",
	"char": "TEXT", "nchar": "TEXT", "varchar": "TEXT", "binary": "TEXT", "datetime": "TEXT",
	"date": "DATE", "time": "TIME",
}

// cast translates the CAST at i, whose type is between as and end. Of a number with a fraction,
// MySQL makes the nearest whole one. A DATE or a TIME is what its function of that name returns.
func (s *statement) cast(i, as, end int) {
	if as < 0 || as+1 >= end {
		return
	}

	to, ok := castTypes[strings.ToLower(s.tokens[as+1].text)]
	if !ok {
		return
	}

	for k := as + 1; k < end; k++ {
		s.change(k, "")
	}

	switch s.change(as+1, to); to {
	case "INTEGER":
		s.change(i+1, "(nearest_whole(")
		s.change(as, ") AS")
	case "DATE", "TIME":
		s.change(i, to)
		s.change(as, "")
		s.change(as+1, "")
	}
}

// groupConcat translates GROUP_CONCAT([DISTINCT] value [ORDER BY …] [SEPARATOR text]): SQLite has
// the separator as the second argument, before ORDER BY, and none beside DISTINCT.
func (s *statement) groupConcat(i int) {
	first, end := i+2, s.match[i+1]

	// Without a separator SQLite takes the call as it is, and with more after it SQLite refuses it.
	separator := s.find(first, "SEPARATOR")
	if separator < 0 || separator+2 != end {
		return
	}

	// rewrite would unescape the separator only later, so that is done here. If it fails, it fails
	// there again, and the statement is refused.
	with := s.tokens[separator+1].text
	if s.unescape(separator+1) != nil {
		return
	}

	s.change(separator, "")

	if e := s.edits[separator+1]; e.changed {
		with = e.to
	}

	s.change(separator+1, "")

	at := separator
	if order := s.find(first, "ORDER"); order >= 0 {
		at = order
	}

	s.edits[at].before = ", " + with + " "
	if s.is(first, "DISTINCT") {
		s.change(i, "concat_distinct")
		s.change(first, "concat(") // writes numbers as all other functions do
		s.edits[at].before = ")" + s.edits[at].before
	}
}

// interval translates INTERVAL n UNIT: in DATE_ADD(value, INTERVAL n UNIT) it is two arguments, and
// value + INTERVAL n UNIT becomes a call.
func (s *statement) interval(i int) error {
	// The search stops at another INTERVAL too, so that many in a row do not take quadratic time.
	unit := s.find(i+1, unitsOrInterval...)
	if i < 2 || unit < i+2 || s.call[unit] != s.call[i] || s.is(unit, "INTERVAL") {
		return errRefused
	}

	s.change(i, "")
	s.unit(unit)

	s.edits[unit].before = ", "
	switch f := s.function(i); {
	// As an argument it becomes two, the number and the unit's name, which only these take.
	case s.is(i-1, ","):
		if !slices.Contains([]string{"date_add", "date_sub", "adddate", "subdate"}, f) {
			return errRefused
		}
	case s.is(i-1, "+"), s.is(i-1, "-"):
		from := s.operand(i - 2)
		if from < 0 {
			return errRefused
		}

		call := "date_add("
		if s.is(i-1, "-") {
			call = "date_sub("
		}

		// In front, because where several follow each other the later call encloses the earlier.
		s.change(i-1, ",")
		s.edits[from].before = call + s.edits[from].before
		s.edits[unit].after = ")"
		s.start[unit] = from
	default:
		return errRefused
	}

	return nil
}

// unitNames are the names of the units of INTERVAL.
var unitNames = []string{"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}

// unitsOrInterval are these and the word before which one of them must come.
var unitsOrInterval = append([]string{"INTERVAL"}, unitNames...)

// operand returns where the operand begins that ends with token i: a name, a literal, a call, or
// something in parentheses. It is -1 if there is no operand.
func (s *statement) operand(i int) int {
	switch {
	case s.start[i] >= 0: // the end of an INTERVAL before
		return s.start[i]
	case s.is(i, ")") && s.match[i] >= 0:
		i = s.match[i]
		if s.kind(i-1) != word || s.isAny(i-1, "SELECT", "WHERE", "AND", "OR", "ON", "WHEN", "THEN", "ELSE", "BETWEEN",
			"BY", "NOT", "IN") {
			return i
		}
		i--
	case s.kind(i) == space, s.kind(i) == symbol:
		return -1
	}

	for s.is(i-1, ".") && i >= 2 && s.kind(i-2) != symbol {
		i -= 2
	}

	if s.kind(i) == text && s.isAny(i-1, "DATE", "TIMESTAMP") {
		i--
	}
	return i
}
