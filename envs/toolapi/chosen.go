package toolapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
)

// Chosen is a parameter that tells APIs of one name apart. It is the first adapter of each of them.
type Chosen struct {
	Parameter string `yaml:"parameter"`
	Value     string `yaml:"value"` // of a call of this API
}

func (c *Chosen) check() error {
	if c.Parameter == "" || c.Value == "" {
		return errors.New("chosen wants a parameter and a value")
	}
	return nil
}

// choice returns how calls choose the API, or nil if its name is enough.
func (a *API) choice() *Chosen {
	if len(a.adapters) == 0 {
		return nil
	}

	c, _ := a.adapters[0].(*Chosen)
	return c
}

// chooses reports whether a call chooses the API.
func (c *Chosen) chooses(call envs.Args) bool {
	if c == nil {
		return false
	}

	value, _ := call.Text(c.Parameter)
	return value == c.Value
}

// differs reports whether two APIs of one name can be told apart.
func (c *Chosen) differs(other *Chosen) bool {
	return c != nil && other != nil && c.Parameter == other.Parameter && c.Value != other.Value
}

// Lower checks and removes the parameter.
func (c *Chosen) Lower(args envs.Args) (envs.Args, *ArgError) {
	if _, given := args.Get(c.Parameter); !given {
		return nil, missing(c.Parameter)
	}

	if !c.chooses(args) {
		return nil, &ArgError{Value: true, parameter: c.Parameter, problem: "is not " + c.Value}
	}
	return args.Without(c.Parameter), nil
}

// Lift adds the parameter.
func (c *Chosen) Lift(args envs.Args) (envs.Args, error) {
	return args.With(c.Parameter, c.Value), nil
}

// Shown returns APIs as documents and function calls show them. Those of one name become one API,
// in the place of the first. It has the parameters of all of them, optional if one of them can do
// without, and then the one that chooses.
func Shown(apis []*API) []*API {
	var shown []*API

	for i, a := range apis {
		other := func(b *API) bool {
			return a.choice() == nil || b.choice() == nil || a.Name != b.Name
		}

		if !slices.ContainsFunc(apis[:i], func(b *API) bool { return !other(b) }) {
			shown = append(shown, mergedAPI(a, slices.DeleteFunc(slices.Clone(apis[i+1:]), other)))
		}
	}
	return shown
}

// mergedAPI returns the API that documents show in place of one and others of its name.
func mergedAPI(a *API, others []*API) *API {
	if len(others) == 0 {
		return a
	}

	var (
		merged = *a
		all    = append([]*API{a}, others...)
		abouts []string
		values []any
	)

	merged.Parameters, merged.Silent = nil, nil

	for _, a := range all {
		c := a.choice()

		// One description has to say what each choice does.
		abouts = append(abouts, fmt.Sprintf("%s %q: %s", c.Parameter, c.Value, a.Sentence()))
		values = append(values, c.Value)
		merged.Silent = append(merged.Silent, a.Silent...)

		for _, p := range a.Parameters {
			// The parameter that chooses follows once for all of them.
			is := func(q Parameter) bool { return q.Name == p.Name }
			if p.Name == c.Parameter || slices.ContainsFunc(merged.Parameters, is) {
				continue
			}

			// A call that chooses an API without this parameter leaves it out.
			p.Optional = slices.ContainsFunc(all, func(other *API) bool {
				at := slices.IndexFunc(other.Parameters, is)
				return at < 0 || other.Parameters[at].Optional
			})
			merged.Parameters = append(merged.Parameters, p)
		}
	}

	merged.Parameters = append(merged.Parameters, Parameter{
		Name: merged.choice().Parameter, Schema: envs.Object("type", "string", "enum", values),
	})
	merged.Description = "which does several things. " + strings.Join(abouts, " ")
	return &merged
}
