package corpus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// loadTable makes the table, whose columns are read later.
func (c *Corpus) loadTable(ctx context.Context) error {
	var names, stored []string
	var name string
	var other bool

	err := each(ctx, c.db, "SELECT name, stored FROM cells ORDER BY position", func() error {
		if other {
			stored = append(stored, name)
		} else {
			names = append(names, name)
		}

		return nil
	}, &name, &other)
	if err != nil {
		return fmt.Errorf("%w: %s", err, remedy)
	}

	// An undamaged file may come from a program with another schema.
	if !slices.Equal(names, c.schema.Names()) || !slices.Equal(stored, c.schema.Clocks()) {
		return fmt.Errorf("columns %v and, as stored, %v; expected %v and %v: %s", names, stored, c.schema.Names(),
			c.schema.Clocks(), remedy)
	}

	c.table = newTable(c.info.Dataset, names, stored, c.info.Rows, func(name string, stored bool) (*Vector, error) {
		// A column is shared by all callers, so the context of none may end its reading.
		v, err := c.column(context.Background(), name, stored)
		if err != nil {
			return nil, fmt.Errorf("corpus: %s: column %s: %w", c.path, name, err)
		}

		return v, nil
	})
	return nil
}

// column reads a column.
func (c *Corpus) column(ctx context.Context, name string, stored bool) (*Vector, error) {
	var words, codes []byte
	var width int

	err := c.db.QueryRowContext(ctx, "SELECT width, words, codes FROM cells WHERE name = ? AND stored = ?",
		name, stored).Scan(&width, &words, &codes)
	if err != nil {
		return nil, err
	}

	list, err := splitWords(words)
	if err != nil {
		return nil, err
	}
	return newVector(name, list, codes, width)
}

// splitWords returns the words of a dictionary.
func splitWords(blob []byte) ([]string, error) {
	all := string(blob) // one string, of which each word is a part

	n := 0
	for at := 0; at < len(blob); n++ {
		size, k := binary.Uvarint(blob[at:])
		if k <= 0 || size > uint64(len(blob)-at-k) {
			return nil, errors.New("truncated dictionary")
		}

		at += k + int(size)
	}

	words := make([]string, 0, n)

	for at := 0; at < len(all); {
		size, k := binary.Uvarint(blob[at:])
		at += k + int(size)
		words = append(words, all[at-int(size):at])
	}

	return words, nil
}
