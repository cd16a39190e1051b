package sqltool

import (
	"math"
	"strings"
)

// aggregates are constructors of the aggregate functions of MySQL that SQLite lacks.
func aggregates() map[string]any {
	population := func() *spread { return &spread{} }
	deviation := func() *spread { return &spread{root: true} }
	return map[string]any{
		"variance": population, "var_pop": population, "var_samp": func() *spread { return &spread{sample: true} },
		"std": deviation, "stddev": deviation, "stddev_pop": deviation,
		"stddev_samp":     func() *spread { return &spread{sample: true, root: true} },
		"concat_distinct": func() *distinct { return &distinct{} },
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
	seen   map[string]bool
	values []string
	size   int
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
	if d.size += len(s) + len(d.sep) + 64; d.size > 16*maxText {
		return errTooLong
	}
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
	s := strings.Join(d.values, d.sep)
	if len(s) > maxText {
		return nil, errTooLong
	}
	return s, nil
}
