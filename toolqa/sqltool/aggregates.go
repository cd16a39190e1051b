package sqltool

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// spread is the state of a variance (Welford's method).
type spread struct {
	sample, root bool // what is made of it

	n             float64
	mean, squares float64 // of all values, and of their distances from it
}

// spreads are the aggregate functions of MySQL that measure one.
var spreads = map[string]spread{
	"variance":    {},
	"var_pop":     {},
	"var_samp":    {sample: true},
	"std":         {root: true},
	"stddev":      {root: true},
	"stddev_pop":  {root: true},
	"stddev_samp": {sample: true, root: true},
}

// Step takes one value.
func (s *spread) Step(v any) {
	if b, ok := v.([]byte); ok && b == nil { // NULL
		return
	}

	x := realOf(sqlValues([]any{v})[0])
	d := x - s.mean
	s.n++
	s.mean += d / s.n
	s.squares += float64(d * (x - s.mean))
}

// Done returns NULL if there are too few numbers, or the result is not finite.
func (s *spread) Done() any {
	n := s.n
	if s.sample {
		n--
	}

	if n < 1 {
		return nil
	}

	f := s.squares / n
	if s.root {
		f = math.Sqrt(f)
	}
	return finite(f)
}

// budget is how much memory the running statement may still take in Go, for what it keeps from row
// to row.
type budget struct {
	left int64
	over bool // it wanted more
}

func (b *budget) take(n int) error {
	if b.left -= int64(n); b.left < 0 {
		b.over = true
		return errTooLong
	}
	return nil
}

// slotSize is about what one value takes in a map beside its text.
const slotSize = 48

// distinct is the state of GROUP_CONCAT(DISTINCT text SEPARATOR separator): SQLite's own DISTINCT
// allows no separator.
type distinct struct {
	seen   map[string]bool
	text   strings.Builder
	budget *budget
}

// Step takes one value and the separator before it.
func (d *distinct) Step(text, separator any) error {
	args := sqlValues([]any{text, separator})

	value, ok := args[0].(string)
	if !ok || d.seen[value] {
		return nil
	}

	if len(d.seen) > 0 {
		d.text.WriteString(textOf(args[1]))
	}

	if d.text.Len()+len(value) > maxText {
		return errTooLong
	}

	if err := d.budget.take(2*len(value) + slotSize); err != nil {
		return err
	}

	d.text.WriteString(value)
	d.seen[value] = true
	return nil
}

// Done returns NULL if there was no value.
func (d *distinct) Done() any {
	if len(d.seen) == 0 {
		return nil
	}
	return d.text.String()
}

// compareValues returns -1, 0 or 1 as MySQL compares: two texts as texts, anything else as numbers,
// of a text the number that it begins with.
func compareValues(args []any) any {
	a, ok := args[0].(string)
	b, both := args[1].(string)

	if ok && both {
		return int64(strings.Compare(a, b))
	}
	return int64(cmp.Compare(realOf(args[0]), realOf(args[1])))
}

// registerAggregates adds the aggregate functions of MySQL that SQLite lacks.
func registerAggregates(c *sqlite3.SQLiteConn, b *budget) error {
	for name, kind := range spreads {
		if err := c.RegisterAggregator(name, func() *spread { s := kind; return &s }, true); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}

	newDistinct := func() *distinct { return &distinct{seen: map[string]bool{}, budget: b} }
	return c.RegisterAggregator("concat_distinct", newDistinct, true)
}
