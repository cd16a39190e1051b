package table

import (
	"regexp"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// numeric are the columns that are compared as numbers.
var numeric = [...]string{"Distance", "latitude", "longitude", "lat", "long"}

// castSet is a set of numeric columns. Bit i is that of numeric[i].
type castSet uint8

func (c castSet) has(column string) bool {
	i := slices.Index(numeric[:], column)
	return i >= 0 && c>>i&1 == 1
}

func (c castSet) with(column string) castSet { return c | 1<<slices.Index(numeric[:], column) }

// compare returns the comparison of a piece with an operator, and the columns that are numbers
// after it. It is not ok when the published code would have raised an exception.
func (f *FilterDB) compare(t *corpus.Table, p piece, cast castSet) (_ predicate, _ castSet, ok bool, _ error) {
	column, err := t.Column(p.column)
	if err != nil || column == nil {
		return predicate{}, cast, false, err
	}

	switch {
	case slices.Contains(numeric[:], p.column):
		if value, ok := pytext.ParseFloat(p.value); ok {
			if f.Cast {
				cast = cast.with(p.column)
			}
			return compareNumbers(column, p.operator, value), cast, true, nil
		}

		if cast.has(p.column) {
			return predicate{column: column}, cast, p.operator == "=", nil
		}
	case p.column == "start_time" || p.column == "end_time":
		p.value = corpus.ClockText(p.value)
	case p.column == "categories" && p.operator == "=":
		filter, ok := f.search(column, p.value)
		return filter, cast, ok, nil
	}

	return compareTexts(column, p.operator, p.value), cast, true, nil
}

// compareTexts compares the cells of a column with a text, by code point.
func compareTexts(column *corpus.Vector, operator, value string) predicate {
	lo, hi := column.Bounds(value)

	switch operator {
	case ">=":
		hi = column.Words()
	case ">":
		lo, hi = hi, column.Words()
	case "<=":
		lo = 0
	case "<":
		lo, hi = 0, lo
	}

	return predicate{column: column, lo: lo, hi: hi}
}

// compareNumbers compares the cells of a column with a number, which may be infinite or nan.
func compareNumbers(column *corpus.Vector, operator string, value float64) predicate {
	return predicate{column: column, set: column.FilterCodes(func(code int) bool {
		f, ok := column.NumberOf(code)
		if !ok {
			return false
		}

		switch operator {
		case ">=":
			return f >= value
		case "<=":
			return f <= value
		case ">":
			return f > value
		case "<":
			return f < value
		default:
			return f == value
		}
	})}
}

// maxPattern is the length of the longest regular expression that is searched for, in bytes.
const maxPattern = 1000

// search finds a text, or a regular expression, in the cells of a column. It is not ok when the
// expression is invalid.
func (f *FilterDB) search(column *corpus.Vector, value string) (_ predicate, ok bool) {
	found := func(cell string) bool { return strings.Contains(cell, value) }

	if f.Regex && regexp.QuoteMeta(value) != value {
		if len(value) > maxPattern {
			return predicate{}, false
		}

		pattern, err := regexp.Compile(value)
		if err != nil {
			return predicate{}, false
		}

		found = pattern.MatchString
	}
	return predicate{column: column, set: column.Filter(found)}, true
}
