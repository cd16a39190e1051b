package envs

import "slices"

// Args are the arguments of a call in the order they were written. Names are distinct. The order
// matters: some deployed APIs number their parameters.
type Args []Arg

// Arg is one named argument. Value holds what JSON can say: nil, bool, Number, string, []any, or
// Args for an object.
type Arg struct {
	Name  string
	Value any
}

// Number is a JSON number as it was written, e.g. "3" or "2.50". NaN, Infinity and -Infinity also
// occur: models write them and Python's decoder accepts them.
type Number string

// Get returns the value of the argument called name, and whether there is one.
func (a Args) Get(name string) (any, bool) {
	for _, arg := range a {
		if arg.Name == name {
			return arg.Value, true
		}
	}

	return nil, false
}

// Text returns the value of the argument called name when it is a string.
func (a Args) Text(name string) (string, bool) {
	v, _ := a.Get(name)
	s, ok := v.(string)
	return s, ok
}

// Names returns the argument names in order.
func (a Args) Names() []string {
	names := make([]string, len(a))
	for i, arg := range a {
		names[i] = arg.Name
	}
	return names
}

// Object returns an object made of alternating names and values. It panics if a name is not a
// string.
func Object(pairs ...any) Args {
	object := make(Args, 0, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		object = append(object, Arg{pair[0].(string), pair[1]})
	}
	return object
}

// With returns the arguments with one more appended.
func (a Args) With(name string, value any) Args { return append(slices.Clip(a), Arg{name, value}) }

// Without returns the arguments except those of the given names.
func (a Args) Without(names ...string) Args {
	return slices.DeleteFunc(slices.Clone(a),
		func(arg Arg) bool { return slices.Contains(names, arg.Name) })
}

// Object returns the value of the argument called name if it is an object, or nil.
func (a Args) Object(name string) Args {
	v, _ := a.Get(name)
	object, _ := v.(Args)
	return object
}

// List returns the value of the argument called name if it is a list, or nil.
func (a Args) List(name string) []any {
	v, _ := a.Get(name)
	list, _ := v.([]any)
	return list
}
