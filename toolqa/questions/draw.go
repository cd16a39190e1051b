package questions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// attempt draws the values of a template's slots, in the order of its text, and reports whether they make a question.
type attempt func(r *rand.Rand, s *Corpus) ([]string, bool, error)

// attempts makes a way to draw of a hook that may fail, each time with other values.
func attempts(hook func(t *Template, argument string) attempt) func(*Template, string) (drawer, error) {
	return func(t *Template, argument string) (drawer, error) {
		return t.drawUntilItFits(patience, hook(t, argument)), nil
	}
}

// drawUntilItFits makes a drawer. The query only must find 1, if there is one, and where the template is avoided, both
// rules must give the same answer.
func (t *Template) drawUntilItFits(tries int, try attempt) drawer {
	return func(r *rand.Rand, s *Corpus) ([]string, error) {
		for range tries {
			values, ok, err := try(r, s)
			if err == nil && ok && t.only != nil {
				ok, err = t.answers(s, values, t.only, func(*Corpus, slotValues) (string, error) { return "1", nil })
			}

			if err == nil && ok && t.avoided {
				ok, err = t.answers(s, values, t.gold, t.official)
			}

			if err != nil || ok {
				return values, err
			}
		}

		return nil, fmt.Errorf("%d draws gave no question; the corpus is too small", tries)
	}
}

// answers reports whether two rules have the same answer.
func (t *Template) answers(s *Corpus, values []string, one, other rule) (bool, error) {
	slots, err := t.fill(values)
	if err != nil {
		return false, err
	}

	a, err := one(s, slots)
	if err != nil {
		return false, ignoreNoAnswer(err)
	}

	b, err := other(s, slots)

	return err == nil && a == b, ignoreNoAnswer(err)
}

func ignoreNoAnswer(err error) error {
	if isNoAnswer(err) {
		return nil
	}

	return err
}

// slotOrigin is what a slot is drawn from: the columns whose cells, put together, are its value, or the value itself.
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

// cells returns the slots' values in a row of the table, as they are published.
func (t *Template) cells(s *Corpus, row int) ([]string, error) {
	values := make([]string, len(t.slots))

	for i, slot := range t.slots {
		origin := t.origins[slot.name]
		if origin == nil {
			continue
		}

		values[i] = origin.text

		for _, name := range origin.columns {
			column, err := s.stored(name)
			if err != nil {
				return nil, err
			}

			values[i] += column.Text(row)
		}
	}

	return values, nil
}

// columnsOfSlots returns the column of each slot, where each is the cell of one.
func (t *Template) columnsOfSlots() []string {
	columns := make([]string, len(t.slots))
	for i, slot := range t.slots {
		columns[i] = t.origins[slot.name].columns[0]
	}

	return columns
}

// drawRow draws the values of the slots from a random row.
func drawRow(t *Template, _ string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		row, err := s.anyRow(r)
		if err != nil {
			return nil, false, err
		}

		values, err := t.cells(s, row)

		return values, err == nil && t.fits(values), err
	}
}

// anyRow draws a row of the table.
func (s *Corpus) anyRow(r *rand.Rand) (int, error) {
	if s.table.Rows() == 0 {
		return 0, fmt.Errorf("an empty corpus is too small")
	}

	return r.IntN(s.table.Rows()), nil
}

// fits reports whether the values can stand in the slots.
func (t *Template) fits(values []string) bool {
	for i, v := range values {
		if !t.slots[i].kind(v) {
			return false
		}
	}

	return true
}

// drawLine draws the values of the slots from a random row where they are lines that come back from a question. Where
// the argument is a column, its cell must not be missing.
func drawLine(t *Template, column string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		row, err := s.anyRow(r)
		if err != nil {
			return nil, false, err
		}

		values, err := t.cells(s, row)
		if err != nil || column == "" || slices.ContainsFunc(values, unfit) {
			return values, !slices.ContainsFunc(values, unfit), err
		}

		asked, err := s.column(column)

		return values, err == nil && asked.Text(row) != noCell, err
	}
}

// unfit reports whether a value would not come back from a question, or not from a condition.
func unfit(value string) bool {
	return value == "" || value == noCell || value != pytext.Strip(value) || strings.ContainsAny(value, "\r\n")
}

// stored returns a column of the table as it is published.
func (s *Corpus) stored(name string) (*corpus.Vector, error) {
	v, err := s.table.Stored(name)
	if err == nil && v == nil {
		err = fmt.Errorf("questions: %s has no column %q", s.dataset, name)
	}

	return v, err
}
