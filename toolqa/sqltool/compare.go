package sqltool

import (
	"slices"
	"strconv"
	"strings"
)

// compare translates a comparison that begins with token i, if one does. MySQL compares a text with
// a number as numbers, where SQLite takes every text to be greater, unless it is compared with a
// column of numbers. Texts with a text stay as they are. In the published database, where columns
// are texts, so do two names, which may be an index.
func (s *statement) compare(i int, published bool) {
	// Every character is a token of its own: ">=" is two without a gap.
	n := 1
	for s.isAny(i+n, "<", ">", "=") && !s.gap[i+n] {
		n++
	}

	op := ""
	for _, t := range s.tokens[i : i+n] {
		op += t.text
	}

	if !slices.Contains([]string{"=", "==", "<", "<=", ">", ">=", "<>", "!="}, op) {
		return
	}

	left, right := s.operandBefore(i), s.operandAfter(i+n)
	if left < 0 || right < 0 || s.numbers(left, i-1, i+n, right) ||
		s.numbers(i+n, right, left, i-1) ||
		!published || s.isText(left, i-1) || s.isText(i+n, right) {
		return
	}

	if op[0] == '=' && s.isName(left, i-1) && s.isName(i+n, right) {
		return
	}

	// With a number on one side MySQL compares numbers, which SQLite does without a call for each
	// row.
	if s.isNumber(left, i-1) || s.isNumber(i+n, right) {
		s.surround(left, i-1, "CAST(", " AS REAL)")
		s.surround(i+n, right, "CAST(", " AS REAL)")
		return
	}

	// Otherwise only the values can tell whether they are compared as texts or as numbers.
	s.surround(left, right, "compare_values(", ") "+op+" 0")
	s.change(i, ",")

	for j := i + 1; j < i+n; j++ {
		s.change(j, "")
	}
}

// numbers makes a text one if the other operand is a number. It reports whether both are numbers
// then.
func (s *statement) numbers(first, last, other, end int) bool {
	switch {
	case !s.isNumeric(first, last):
		return false
	case s.unquote(other, end):
		return true
	case s.isCall(other, end, textual):
		s.surround(other, end, "CAST(", " AS REAL)")
		return true
	}

	return false
}

// unquote takes the quotes away if the tokens from first to last are a number in quotes. It reports
// whether they are.
func (s *statement) unquote(first, last int) bool {
	if first != last || s.kind(first) != text && s.kind(first) != double {
		return false
	}

	n := strings.TrimSpace(s.tokens[first].identifier())
	// What Go reads as a number beside digits, such as Inf, is none in SQL.
	if _, err := strconv.ParseFloat(n, 64); err != nil || strings.Trim(n, "0123456789.eE+-") != "" {
		return false
	}

	s.change(first, n)
	return true
}

// surround inserts something before a token, and after another one.
func (s *statement) surround(first, last int, before, after string) {
	s.edits[first].before = before + s.edits[first].before
	s.edits[last].after += after
}

// isNumber reports whether the tokens from first to last are a number.
func (s *statement) isNumber(first, last int) bool {
	for first < last && s.isAny(first, "-", "+") {
		first++
	}
	return first == last && s.kind(first) == number
}

// compareRange makes numbers of what is compared by BETWEEN or IN if what is before it, or the
// first value behind it, is one.
func (s *statement) compareRange(i int, published bool) {
	first := i + 1
	if s.is(i, "IN") && s.is(first, "(") {
		first++
	}

	for s.is(first, "-") {
		first++
	}

	end := i - 1
	if s.is(end, "NOT") {
		end--
	}

	left := s.operandBefore(end + 1)

	switch {
	case left < 0:
	case s.isNumeric(left, end):
		for _, at := range s.values(i) {
			s.unquote(at, at)
		}
	case s.kind(first) == number && (published || s.isCall(left, end, textual)):
		s.surround(left, end, "0+(", ")")
	}
}

// values returns which tokens are, by themselves, one of the values behind BETWEEN or IN.
func (s *statement) values(i int) (all []int) {
	if s.is(i, "BETWEEN") {
		low := s.operandAfter(i + 1)
		if low < 0 || !s.is(low+1, "AND") {
			return nil
		}

		for _, at := range []int{i + 1, low + 2} {
			if s.operandAfter(at) == at {
				all = append(all, at)
			}
		}
		return all
	}

	if !s.is(i+1, "(") {
		return nil
	}

	for at := i + 2; at < s.match[i+1]; at++ {
		if s.call[at] == i+1 && s.isAny(at-1, "(", ",") && s.isAny(at+1, ",", ")") {
			all = append(all, at)
		}
	}
	return all
}

// whole are the functions whose value is a whole number, and fractional those whose value is a
// number.
var (
	whole = strings.Fields(`ascii ceil ceiling char_length character_length count datediff day
		dayofmonth dayofweek dayofyear extract field find_in_set floor hour instr length locate
		microsecond minute month octet_length position quarter second sign strcmp time_to_sec
		timestampdiff to_days unicode week weekday weekofyear year`)
	fractional = strings.Fields(`abs acos asin atan atan2 avg cos degrees exp julianday ln log log10
		log2 mod pi pow power radians round sin sqrt std stddev stddev_pop stddev_samp sum tan total
		trunc truncate unixepoch var_pop var_samp variance`)
)

// isNumeric reports whether an operand is a number, whatever the tables hold.
func (s *statement) isNumeric(first, last int) bool {
	if s.isText(first, last) {
		return false
	}

	if s.is(first, "(") && s.match[first] == last {
		return s.operandAfter(first+1) == last-1 && s.isNumeric(first+1, last-1)
	}

	computed := false

	for i := first; i <= last; i++ {
		if s.is(i, "|") {
			return false
		}

		computed = computed || s.operator(i)
		i = max(i, s.match[i])
	}
	return computed || s.isNumber(first, last) || s.isCall(first, last, whole) ||
		s.isCall(first, last, fractional)
}

// textual are the functions whose value is a text, and dated those whose value is a day or a time,
// which MySQL does not compare with a number as it does a text.
var (
	textual = strings.Fields(`concat concat_ws date_format dayname format group_concat lcase left
		lower lpad ltrim mid monthname regexp_substr replace reverse right rpad rtrim strftime
		substr substring substring_index time_format trim ucase upper`)
	dated = strings.Fields(`adddate date date_add date_sub str_to_date subdate time`)
)

// isText reports whether an operand is a text, whatever the tables hold.
func (s *statement) isText(first, last int) bool {
	if s.kind(last) == text || s.kind(last) == double {
		return true
	}
	// The start is that of a date and an INTERVAL.
	return s.start[last] >= 0 || s.isCall(first, last, textual) || s.isCall(first, last, dated)
}

// isCall reports whether the tokens from first to last are a call of one of the functions.
func (s *statement) isCall(first, last int, of []string) bool {
	return s.is(first+1, "(") && s.match[first+1] == last &&
		slices.Contains(of, strings.ToLower(s.tokens[first].text))
}
