// Package layouttest reads cells as tests of corpora check them.
package layouttest

import (
	"fmt"
	"strconv"

	"toolevo/toolqa/corpus/internal/layout"
)

// Typed returns the number that a printed word of a kind means, or an error if it should mean one
// and does not.
func Typed(kind layout.Kind, word string) (number float64, integer int64, err error) {
	switch kind {
	case layout.Real:
		number, err = strconv.ParseFloat(word, 64)
	case layout.Integer:
		var parsed layout.Cell
		if parsed, err = layout.ParseInteger(word); err == nil {
			integer = parsed.Value.(int64)
		}
	case layout.Bool:
		integer, err = layout.BoolCell(word == "True").Value.(int64), nil
		if word != "True" && word != "False" {
			err = fmt.Errorf("%q: expected True or False", word)
		}
	}

	return number, integer, err
}
