package toolapi

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"toolevo/envs"
)

// Spelled is a number or a boolean that has to be sent as a text: "3", "true".
type Spelled struct {
	Parameter string `yaml:"parameter"`
	Type      string `yaml:"type"` // of the tool's parameter: number, integer or boolean
}

// literals match the texts of each type that a Spelled reads, as JSON writes them.
var literals = map[string]*regexp.Regexp{
	"number":  regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`),
	"integer": regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`),
	"boolean": regexp.MustCompile(`^(true|false)$`),
}

func (s Spelled) check() error {
	if literals[s.Type] == nil {
		return fmt.Errorf("spelled type %q is not number, integer or boolean", s.Type)
	}
	return nil
}

// Lower reads the text.
func (s Spelled) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(s.Parameter)
	if !given { // it is optional
		return args, nil
	}

	text, _ := v.(string)
	if !literals[s.Type].MatchString(text) {
		return nil, &ArgError{Value: true, parameter: s.Parameter, problem: "is not " + s.Type +
			" as a text"}
	}

	if s.Type == "boolean" {
		return replaced(args, s.Parameter, text == "true"), nil
	}
	return replaced(args, s.Parameter, envs.Number(text)), nil
}

// Lift writes the value as a text.
func (s Spelled) Lift(args envs.Args) (envs.Args, error) {
	v, given := args.Get(s.Parameter)
	if !given {
		return args, nil
	}

	text := fmt.Sprint(v)
	if _, isText := v.(string); isText || !literals[s.Type].MatchString(text) {
		return nil, fmt.Errorf("%s is not of the type %s", s.Parameter, s.Type)
	}
	return replaced(args, s.Parameter, text), nil
}

// Nested is an object whose members are several of the tool's parameters.
type Nested struct {
	Parameter string   `yaml:"parameter"`
	Members   []string `yaml:"members"` // of the tool, and of the object under the same names
}

func (n Nested) check() error {
	if len(n.Members) == 0 {
		return errors.New("nested has no members")
	}
	return nil
}

// Lower takes the members out of the object.
func (n Nested) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(n.Parameter)
	if !given { // it is optional
		return args, nil
	}

	object, ok := v.(envs.Args)
	if !ok || slices.ContainsFunc(object,
		func(m envs.Arg) bool { return !slices.Contains(n.Members, m.Name) }) {
		return nil, &ArgError{Value: true, parameter: n.Parameter,
			problem: "is not an object of its members"}
	}

	return append(args.Without(n.Parameter), object...), nil
}

// Lift puts the members into the object, which is left out if there are none.
func (n Nested) Lift(args envs.Args) (envs.Args, error) {
	object, rest := envs.Args{}, envs.Args{}

	for _, arg := range args {
		if slices.Contains(n.Members, arg.Name) {
			object = append(object, arg)
		} else {
			rest = append(rest, arg)
		}
	}

	if len(object) == 0 {
		return args, nil
	}
	return rest.With(n.Parameter, object), nil
}

// Fallback is a parameter that a call may leave out and the tool needs. Value, a scalar, is what
// the tool gets then.
type Fallback struct {
	Parameter string `yaml:"parameter"`
	Value     any    `yaml:"value"`
}

func (f Fallback) check() error {
	if !isScalar(f.Value) {
		return fmt.Errorf("fallback value %v is not null, a bool, a number or a string", f.Value)
	}
	return nil
}

func (f Fallback) about() string { return f.Parameter }

// Lower fills in what is missing.
func (f Fallback) Lower(args envs.Args) (envs.Args, *ArgError) {
	if _, given := args.Get(f.Parameter); given {
		return args, nil
	}
	return args.With(f.Parameter, scalar(f.Value)), nil
}

// Lift changes nothing: the tool's call has the parameter.
func (f Fallback) Lift(args envs.Args) (envs.Args, error) { return args, nil }

// Nullable is a parameter that has to be given, as null where a call of the tool leaves it out.
type Nullable struct {
	Parameter string `yaml:"parameter"`
}

func (n Nullable) about() string { return n.Parameter }

// Lower leaves out a null.
func (n Nullable) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(n.Parameter)

	switch {
	case !given:
		return nil, missing(n.Parameter)
	case v == nil:
		return args.Without(n.Parameter), nil
	}

	return args, nil
}

// Lift adds a null for what is left out.
func (n Nullable) Lift(args envs.Args) (envs.Args, error) {
	v, given := args.Get(n.Parameter)

	switch {
	case !given:
		return args.With(n.Parameter, nil), nil
	case v == nil:
		return nil, fmt.Errorf("%s is null, which is what leaving it out means", n.Parameter)
	}

	return args, nil
}

// Flipped is an optional parameter with another default than the tool's. A call that names the
// tool's default means the same as one that leaves the parameter out: Lower leaves it out.
type Flipped struct {
	Parameter string `yaml:"parameter"`
	Tool      any    `yaml:"tool"`    // the tool's default, a scalar
	Default   any    `yaml:"default"` // that of the API, another one
}

func (f Flipped) check() error {
	if !isScalar(f.Tool) || !isScalar(f.Default) || scalar(f.Tool) == scalar(f.Default) {
		return errors.New("flipped needs two defaults that differ: null, a bool, a number or a string")
	}
	return nil
}

func (f Flipped) about() string { return f.Parameter }

// Lower names the API's default if a call relies on it.
func (f Flipped) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(f.Parameter)

	switch {
	case !given:
		return args.With(f.Parameter, scalar(f.Default)), nil
	case v == scalar(f.Tool):
		return args.Without(f.Parameter), nil
	}

	return args, nil
}

// Lift names the tool's default if a call relies on it.
func (f Flipped) Lift(args envs.Args) (envs.Args, error) {
	if _, given := args.Get(f.Parameter); given {
		return args, nil
	}
	return args.With(f.Parameter, scalar(f.Tool)), nil
}

// isScalar reports whether a value of a file is null, a boolean, a text or a number.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, bool, string, int64, uint64, float64, envs.Number:
		return true
	}
	return false
}

// scalar returns such a value as an argument.
func scalar(v any) any {
	switch v.(type) {
	case nil, bool, string, envs.Number:
		return v
	}
	return envs.Number(fmt.Sprint(v))
}
