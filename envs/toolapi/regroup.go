package toolapi

import (
	"errors"
	"fmt"

	"toolevo/envs"
)

// Unnested are several parameters that are the members of an object of the tool: the reverse of
// [Nested].
type Unnested struct {
	Parameter string   `yaml:"parameter"` // of the tool
	Members   []string `yaml:"members"`   // of the object, and of a call under the same names
}

func (u Unnested) check() error { return Nested(u).check() }

// Lower puts the members into the object, which is left out if there are none.
func (u Unnested) Lower(args envs.Args) (envs.Args, *ArgError) {
	lowered, _ := Nested(u).Lift(args) // it always can
	return lowered, nil
}

// Lift takes the members out of the object.
func (u Unnested) Lift(args envs.Args) (envs.Args, error) {
	lifted, wrong := Nested(u).Lower(args)
	if wrong != nil {
		return nil, fmt.Errorf("%s %s", u.Parameter, wrong.problem)
	}
	return lifted, nil
}

// Listed is a list in place of the one item that the tool takes. An empty list leaves the item out.
type Listed struct {
	Parameter string `yaml:"parameter"`
}

func (l Listed) check() error {
	if l.Parameter == "" {
		return errors.New("listed has no parameter")
	}
	return nil
}

// Lower takes the item out of the list.
func (l Listed) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(l.Parameter)
	if !given { // it is optional
		return args, nil
	}

	items, ok := v.([]any)

	switch {
	case !ok || len(items) > 1:
		return nil, &ArgError{
			Value: true, parameter: l.Parameter, problem: "is not a list of one item",
		}
	case len(items) == 0:
		return args.Without(l.Parameter), nil
	}

	return replaced(args, l.Parameter, items[0]), nil
}

// Lift makes a list of the item.
func (l Listed) Lift(args envs.Args) (envs.Args, error) {
	v, given := args.Get(l.Parameter)
	if !given {
		return args, nil
	}
	return replaced(args, l.Parameter, []any{v}), nil
}
