package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// drawing is how the slots of a template are drawn: a row at random, and their values as cells of
// that row, or by a query that has the number of the row, :row, and random numbers.
type drawing struct {
	from    *query // finds the numbers of the rows, each drawn as often as any other; nil: all rows of the table
	query   *query // finds, by their names, the slots that are no cells; nil: there are none
	origins map[string]*slotOrigin
	lines   bool // values must come back from a line of a question, and from a condition
}

// drawParameters are the parameters that a query may have: the row, three numbers of [0, 1) and an
// exponential one of mean 1.
var drawParameters = []string{"row", "u", "v", "w", "exp"}

// newDrawing returns how a template's file and its definition draw the slots.
func newDrawing(f *templateFile, from, text string, slots []slot) *drawing {
	d := &drawing{origins: f.Slots, lines: f.Lines}
	if from != "" {
		d.from = newQuery(from)
	}

	for _, s := range slots {
		if f.Slots[s.name] == nil {
			d.query = newQuery(text, drawParameters...)
		}
	}

	return d
}

// slotOrigin is what a slot is drawn from: the columns whose cells, put together, are its value, or
// the value itself.
type slotOrigin struct {
	columns []string
	text    string
}

// UnmarshalYAML reads a list of columns, or a text.
func (o *slotOrigin) UnmarshalYAML(decode func(any) error) error {
	if decode(&o.columns) == nil {
		return nil
	}
	return decode(&o.text)
}

// value returns the value in a row of the table, as it is published.
func (o *slotOrigin) value(c *Corpus, row int64) (string, error) {
	value := o.text

	for _, name := range o.columns {
		column, err := c.stored(name)
		if err != nil {
			return "", err
		}

		value += column.Text(int(row) - 1)
	}
	return value, nil
}

// draw draws the values of the slots, in the order of the text. If the template has a query only,
// it must find 1, and if the template is avoided, both rules must give the same answer.
func (t *Template) draw(r *rand.Rand, c *Corpus) ([]string, error) {
	for range maxDraws {
		values, err := t.drawing.attempt(r, c, t.slots)
		ok := values != nil

		if ok && t.only != nil {
			ok, err = t.agree(c, values, t.only, func(*Corpus, slotValues) (string, error) { return "1", nil })
		}

		if ok && t.avoided {
			ok, err = t.agree(c, values, t.gold, t.official)
		}

		if err != nil || ok {
			return values, err
		}
	}
	return nil, fmt.Errorf("%d draws gave no question; the corpus is too small", maxDraws)
}

// attempt draws values once; nil when they do not make a question.
func (d *drawing) attempt(r *rand.Rand, c *Corpus, slots []slot) ([]string, error) {
	row, err := c.anyRow(r, d.from)
	if err != nil {
		return nil, err
	}

	var found map[string]string

	if d.query != nil {
		// All are drawn, whatever the query uses, so that later draws do not depend on the query.
		random := map[string]any{
			"row": row,
			"u":   r.Float64(),
			"v":   r.Float64(),
			"w":   r.Float64(),
			"exp": r.ExpFloat64(),
		}
		if found, err = d.query.record(c, random); found == nil {
			return nil, err
		}
	}

	values := make([]string, len(slots))

	for i, s := range slots {
		value, ok := found[s.name]

		if origin := d.origins[s.name]; !ok && origin == nil {
			return nil, fmt.Errorf("nothing draws the slot %s", s.name)
		} else if !ok {
			if value, err = origin.value(c, row); err != nil {
				return nil, err
			}
		}

		// No error: this draw was in vain, and the caller draws again.
		if !s.kind(value) || d.lines && !isLine(value) {
			return nil, nil
		}

		values[i] = value
	}
	return values, nil
}

// agree reports whether two rules have the same answer.
func (t *Template) agree(c *Corpus, values []string, one, other rule) (bool, error) {
	slots, err := t.fill(values)
	if err != nil {
		return false, err
	}

	a, err := one(c, slots)
	if err != nil {
		return false, ignoreNoAnswer(err)
	}

	b, err := other(c, slots)
	return err == nil && a == b, ignoreNoAnswer(err)
}

func ignoreNoAnswer(err error) error {
	if isNoAnswer(err) {
		return nil
	}
	return err
}

// ErrNothing is that a corpus has no row that some template could be about.
var ErrNothing = errors.New("a corpus without anything to ask about is too small")

// anyRow draws one of the rows that a query finds, or of all rows of the table. If the query finds
// none, the error is [ErrNothing].
func (c *Corpus) anyRow(r *rand.Rand, from *query) (int64, error) {
	if from == nil {
		if c.table == nil || c.table.Rows() == 0 {
			return 0, fmt.Errorf("an empty corpus is too small")
		}
		return 1 + r.Int64N(int64(c.table.Rows())), nil
	}

	rows, err := c.list(from)
	if err != nil {
		return 0, err
	}

	if len(rows) == 0 {
		return 0, ErrNothing
	}
	return rows[r.IntN(len(rows))], nil
}

// noCell is what the tools print for a missing cell.
const noCell = "nan"

// isLine reports whether a value would come back from a question, and from a condition.
func isLine(value string) bool {
	return value != "" && value != noCell && value == pytext.Strip(value) &&
		!strings.ContainsFunc(value, unicode.IsControl)
}

// stored returns a column of the table as it is published.
func (c *Corpus) stored(name string) (*corpus.Vector, error) {
	v, err := c.table.Stored(name)
	if err == nil && v == nil {
		err = fmt.Errorf("questions: %s has no column %q", c.dataset, name)
	}
	return v, err
}
