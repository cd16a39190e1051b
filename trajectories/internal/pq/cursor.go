package pq

import (
	"errors"
	"fmt"
	"reflect"
)

// position is the place of a column in the schema: its path, and the definition and repetition
// levels of what holds it.
type position struct {
	path     string
	def, rep int16
}

// within returns a position inside, def and rep levels deeper.
func (p position) within(name string, def, rep int16) position {
	if p.path != "" {
		name = p.path + "." + name
	}
	return position{name, p.def + def, p.rep + rep}
}

// cursor reads the values of a column one after another.
type cursor struct {
	read func(v reflect.Value, rep int16) error // reads the next value, which begins at rep, into a struct
	skip func(rep int16) error                  // passes over the next value, whose holder is missing
	peek func() (def, rep int16, more bool)     // returns the levels of the next value
}

// openColumn decodes a column of the group inside a position.
func openColumn(g *group, c *Column, at position) (*cursor, error) {
	switch c.Kind {
	case Struct:
		fields, err := openStruct(g, at.within(c.Name, 1, 0), c.Fields)
		if err != nil {
			return nil, err
		}

		whole := *fields
		whole.read = func(v reflect.Value, rep int16) error { return fields.read(v.FieldByIndex(c.index), rep) }
		return &whole, nil
	case List:
		return openList(g, c, at.within(c.Name, 0, 0))
	}

	l, err := g.leaf(at.within(c.Name, 0, 0))
	if err != nil {
		return nil, err
	}
	return l.cursor(func(v reflect.Value) error { return c.get(l, v) },
		func(def int16) bool { return c.Optional && def >= at.def }), nil
}

// cursor returns a cursor over the leaf's values; get takes the next into a struct. A null is an
// error, unless optional allows it at its definition level.
func (l *leaf) cursor(get func(v reflect.Value) error, optional func(def int16) bool) *cursor {
	return &cursor{
		read: func(v reflect.Value, rep int16) error {
			def, err := l.step(rep)

			switch {
			case err != nil:
				return err
			case def < l.maxDef && optional(def):
				return nil
			case def < l.maxDef:
				return fmt.Errorf("column %s is null", l.path)
			}

			if err := get(v); err != nil {
				return fmt.Errorf("column %s: %w", l.path, err)
			}
			return nil
		},
		skip: func(rep int16) error {
			_, err := l.step(rep)
			return err
		},
		peek: l.peek,
	}
}

// openStruct decodes the fields of the structs at a position. Its cursor reads into a struct.
func openStruct(g *group, at position, columns []Column) (*cursor, error) {
	fields := make([]*cursor, 0, len(columns))
	for i := range columns {
		c := &columns[i]
		// Files leave out columns that no value fills: see Without.
		if c.Omitted && !g.has(at.within(c.Name, 0, 0).path) {
			continue
		}

		field, err := openColumn(g, c, at)
		if err != nil {
			return nil, err
		}

		fields = append(fields, field)
	}
	return &cursor{
		read: func(v reflect.Value, rep int16) error {
			// Parquet has no levels of the struct itself, so its first field tells whether it is
			// null.
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

// openScalar decodes the elements at a position that have no fields. Its cursor reads into one.
func (c *Column) openScalar(g *group, at position, _ []Column) (*cursor, error) {
	l, err := g.leaf(at)
	if err != nil {
		return nil, err
	}
	return l.cursor(func(v reflect.Value) error { return c.set(l, v) }, func(int16) bool { return false }), nil
}

// openList decodes the lists at a position. From the first level on the list is not null, from the
// second it has an element, and from the third that element is not null.
func openList(g *group, c *Column, at position) (*cursor, error) {
	element := at.within("list.element", 3, 1)

	open := openStruct
	if c.element != nil {
		open = c.element.openScalar
	}

	items, err := open(g, element, c.Fields)
	if err != nil {
		return nil, err
	}
	return &cursor{
		read: func(v reflect.Value, rep int16) error {
			// A null or empty list has a level and no value: the field stays nil.
			if def, _, more := items.peek(); more && def < element.def-1 {
				return items.skip(rep)
			}

			list := v.FieldByIndex(c.index)
			itemType, isMap := list.Type().Elem(), list.Kind() == reflect.Map

			if isMap {
				itemType = reflect.TypeFor[pair]()
				list.Set(reflect.MakeMap(list.Type()))
			}

			// The first element begins at the row's level; a lower level than the list's begins the
			// next row.
			for {
				item := reflect.New(itemType).Elem()
				if err := items.read(item, rep); err != nil {
					return fmt.Errorf("element %d: %w", list.Len(), err)
				}

				if isMap {
					list.SetMapIndex(item.Field(0), item.Field(1))
				} else {
					list.Set(reflect.Append(list, item))
				}

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
