package toolapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Adapter turns the arguments of a deployed call into those of the tool's call, and back. It passes
// on the parameters that it is not about. Both directions leave their argument unchanged.
type Adapter interface {
	// Lower returns the tool's arguments, or what the agent reads about arguments that do not fit.
	Lower(deployed envs.Args) (envs.Args, *ArgError)

	// Lift returns the arguments that Lower turns into these, or an error if no arguments do.
	Lift(tool envs.Args) (envs.Args, error)
}

// ArgError is an agent's mistake in the arguments of a call.
type ArgError struct {
	// Text is what the agent reads. An adapter leaves it empty to use the text of its API. If the
	// API has no text either, the ArgError of API.Lower has none, and the version answers with its
	// invalid-action message.
	Text string
	// Value is true if the parameters are right and a value does not fit.
	Value bool
	// Reason says in one line which parameter is wrong, but not how a right call is written.
	// API.Lower fills it in.
	Reason string

	parameter, problem string // from an adapter: the wrong parameter, and what is wrong: "is missing"
}

// Rename gives parameters other names. It maps deployed names to the tool's.
type Rename map[string]string

func (r Rename) check() error {
	if targets := slices.Sorted(maps.Values(r)); len(slices.Compact(targets)) != len(r) {
		return errors.New("rename gives two parameters one name")
	}
	return nil
}

// Lower renames to the tool's names.
func (r Rename) Lower(args envs.Args) (envs.Args, *ArgError) {
	lowered := slices.Clone(args)
	for i, arg := range lowered {
		if to, ok := r[arg.Name]; ok {
			lowered[i].Name = to
		}
	}

	return lowered, nil
}

// Lift renames to the deployed names.
func (r Rename) Lift(args envs.Args) (envs.Args, error) {
	lifted := slices.Clone(args)
	for i, arg := range lifted {
		for from, to := range r {
			if arg.Name == to {
				lifted[i].Name = from
			}
		}
	}

	return lifted, nil
}

// Ignored is a parameter that has to be given and is not used. Value is what a caller that knows
// the version sends: nil, a bool, a number or a string.
type Ignored struct {
	Parameter string `yaml:"parameter"`
	Value     any    `yaml:"value"`
}

func (g Ignored) check() error {
	if !isScalar(g.Value) {
		return fmt.Errorf("ignored value %v is not null, a bool, a number or a string", g.Value)
	}
	return nil
}

// Lower removes the parameter.
func (g Ignored) Lower(args envs.Args) (envs.Args, *ArgError) {
	return args.Without(g.Parameter), nil
}

// Lift adds the parameter.
func (g Ignored) Lift(args envs.Args) (envs.Args, error) {
	return args.With(g.Parameter, scalar(g.Value)), nil
}

// Flag is a parameter that has to be true: "True", "true", true, or a number equal to 1.
type Flag struct {
	Parameter string `yaml:"parameter"`
	Optional  bool   `yaml:"optional,omitempty"` // it may be missing
}

// Lower checks and removes the flag.
func (f Flag) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, ok := args.Get(f.Parameter)
	if !ok {
		if f.Optional {
			return args, nil
		}
		return nil, missing(f.Parameter)
	}

	if !truthy(v) {
		return nil, &ArgError{Value: true, parameter: f.Parameter, problem: "is not true"}
	}
	return args.Without(f.Parameter), nil
}

// Lift adds the flag as the notices show it.
func (f Flag) Lift(args envs.Args) (envs.Args, error) { return args.With(f.Parameter, "True"), nil }

func truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v == "True" || v == "true"
	case envs.Number: // to Python 1 == True
		n, ok := pytext.ParseFloat(string(v))
		return ok && n == 1
	}

	return false
}

// Prefix is a text that a parameter has to begin with.
type Prefix struct {
	Parameter string `yaml:"parameter"`
	Text      string `yaml:"text"`
	Trim      bool   `yaml:"trim,omitempty"` // the tool gets the rest without surrounding white space
	Join      string `yaml:"join,omitempty"` // white space a caller puts after Text; needs Trim
}

func (p Prefix) check() error {
	if p.Join != "" && (!p.Trim || pytext.Strip(p.Join) != "") {
		return errors.New("join is white space and needs trim")
	}
	return nil
}

// Lower cuts the prefix.
func (p Prefix) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(p.Parameter)
	if !given { // it is optional
		return args, nil
	}

	text, _ := v.(string)

	rest, ok := strings.CutPrefix(text, p.Text)
	if !ok {
		return nil, &ArgError{Value: true, parameter: p.Parameter,
			problem: "does not begin as it has to"}
	}

	if p.Trim {
		rest = pytext.Strip(rest)
	}
	return replaced(args, p.Parameter, rest), nil
}

// Lift puts the prefix before the text. With Trim, white space around the text does not come back.
func (p Prefix) Lift(args envs.Args) (envs.Args, error) {
	v, given := args.Get(p.Parameter)
	if !given {
		return args, nil
	}

	text, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("%s is not a text", p.Parameter)
	}
	return replaced(args, p.Parameter, p.Text+p.Join+text), nil
}

// missing is the error of a call without a parameter.
func missing(parameter string) *ArgError {
	return &ArgError{parameter: parameter, problem: "is missing"}
}

func replaced(args envs.Args, name string, v any) envs.Args {
	changed := slices.Clone(args)
	for i := range changed {
		if changed[i].Name == name {
			changed[i].Value = v
		}
	}

	return changed
}
