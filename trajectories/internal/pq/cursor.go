package pq

import (
	"errors"
	"fmt"
)

// position is where a column stands: its path, and the levels at which Parquet says that what it stands in is there
// and repeats.
type position struct {
	path     string
	def, rep int16
}

// within returns the position of something inside, so many levels deeper.
func (p position) within(name string, def, rep int16) position {
	if p.path != "" {
		name = p.path + "." + name
	}

	return position{name, p.def + def, p.rep + rep}
}

// cursor reads the values of a column one after the other.
type cursor[T any] struct {
	read func(v *T, rep int16) error        // the next value, which begins at a repetition level
	skip func(rep int16) error              // the next value, where what it stands in is not there
	peek func() (def, rep int16, more bool) // the levels of what comes next
}

// within returns the cursor of a field as one of what has the field.
func within[T, U any](c *cursor[U], field func(*T) *U) *cursor[T] {
	if c == nil {
		return nil
	}

	return &cursor[T]{
		read: func(v *T, rep int16) error { return c.read(field(v), rep) }, skip: c.skip, peek: c.peek,
	}
}

// openColumn decodes a column of the group that stands at a position.
func openColumn[T any](g *group, c Column[T], at position) (*cursor[T], error) {
	if c.open != nil {
		return c.open(g, at)
	}

	l, err := g.leaf(at.within(c.Name, 0, 0))
	if err != nil {
		return nil, err
	}

	return &cursor[T]{
		read: func(v *T, rep int16) error {
			def, err := l.step(rep)

			switch {
			case err != nil:
				return err
			case def < l.maxDef && c.Optional && def >= at.def:
				return nil
			case def < l.maxDef:
				return fmt.Errorf("column %s is null", l.path)
			}

			if err := c.get(l, v); err != nil {
				return fmt.Errorf("column %s: %w", l.path, err)
			}

			return nil
		},
		skip: func(rep int16) error {
			_, err := l.step(rep)
			return err
		},
		peek: l.peek,
	}, nil
}

// openStruct decodes the fields of the structs at a position.
func openStruct[E any](g *group, at position, elem []Column[E]) (*cursor[E], error) {
	fields := make([]*cursor[E], len(elem))
	for i, c := range elem {
		var err error
		if fields[i], err = openColumn(g, c, at); err != nil {
			return nil, err
		}
	}

	return &cursor[E]{
		read: func(v *E, rep int16) error {
			if def, _, more := fields[0].peek(); more && def < at.def {
				return fmt.Errorf("column %s is null", at.path)
			}

			for _, field := range fields {
				if err := field.read(v, rep); err != nil {
					return err
				}
			}

			return nil
		},
		skip: func(rep int16) error {
			var err error
			for _, field := range fields {
				err = errors.Join(err, field.skip(rep))
			}

			return err
		},
		peek: fields[0].peek,
	}, nil
}

// openList decodes the lists of structs at a position. The list may be null, has an element from the second level on,
// and one that is not null from the third.
func openList[E any](g *group, at position, elem []Column[E]) (*cursor[[]E], error) {
	element := at.within("list.element", 3, 1)

	items, err := openStruct(g, element, elem)
	if err != nil {
		return nil, err
	}

	return &cursor[[]E]{
		read: func(v *[]E, rep int16) error {
			if def, _, more := items.peek(); more && def < element.def-1 {
				return items.skip(rep)
			}

			for {
				var item E
				if err := items.read(&item, rep); err != nil {
					return fmt.Errorf("element %d: %w", len(*v), err)
				}

				*v = append(*v, item)

				if _, next, more := items.peek(); !more || next < element.rep {
					return nil
				}

				rep = element.rep
			}
		},
		skip: items.skip,
		peek: items.peek,
	}, nil
}
