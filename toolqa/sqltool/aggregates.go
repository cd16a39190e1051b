package sqltool

import (
	"math"
	"strings"
)

// aggregates are constructors of the aggregate functions of MySQL that SQLite lacks.
func aggregates(r *room) map[string]any {
	population := func() *spread { return &spread{} }
	deviation := func() *spread { return &spread{root: true} }
	return map[string]any{
		"variance": population, "var_pop": population, "var_samp": func() *spread { return &spread{sample: true} },
		"std": deviation, "stddev": deviation, "stddev_pop": deviation,
		"stddev_samp":     func() *spread { return &spread{sample: true, root: true} },
		"concat_distinct": func() *distinct { return &distinct{room: r} },
	}
}

// spread is the variance of numbers, or its root, the standard deviation (Welford's method).
type spread struct {
	sample, root bool

	n           int
	mean, moved float64
}

// Step adds a number.
func (s *spread) Step(v any) {
	v = normal([]any{v})[0]
	if v == nil {
		return
	}
	f := realOf(v)
	s.n++
	d := f - s.mean
	s.mean += d / float64(s.n)
	s.moved += d * (f - s.mean)
}

// Done returns the result: NULL when there are too few numbers.
func (s *spread) Done() any {
	n := s.n
	if s.sample {
		n--
	}
	if n < 1 {
		return nil
	}
	f := s.moved / float64(n)
	if s.root {
		f = math.Sqrt(f)
	}
	return finite(f)
}

// distinct is GROUP_CONCAT(DISTINCT value SEPARATOR separator): SQLite's DISTINCT allows no separator.
type distinct struct {
	room   *room
	seen   map[string]bool
	values []string
	length int // of the result
	taken  int // of the room
	sep    string
}

// Step adds a value.
func (d *distinct) Step(v, separator any) error {
	args := normal([]any{v, separator})
	if args[0] == nil {
		return nil
	}
	s := textOf(args[0])
	d.sep = textOf(args[1])
	if d.seen[s] {
		return nil
	}
	const each = 128 // about what a value takes beside its text
	if d.length += len(s) + len(d.sep); d.length-len(d.sep) > maxText {
		return errTooLong
	}
	if err := d.room.take(len(s) + each); err != nil {
		return err
	}
	d.taken += len(s) + each
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[s] = true
	d.values = append(d.values, s)
	return nil
}

// Done returns the text: NULL when there was no value.
func (d *distinct) Done() (any, error) {
	if d.values == nil {
		return nil, nil
	}
	d.room.take(-d.taken)
	s := strings.Join(d.values, d.sep)
	if len(s) > maxText {
		return nil, errTooLong
	}
	return s, nil
}
