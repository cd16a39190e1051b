package toolapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/wire"
)

// argumentError begins what an agent reads about arguments of the wrong type when the API has no
// text of its own.
const argumentError = "argument error: "

// MostName is the most characters of a generated name of an API or parameter: servers with function
// calls cut longer ones, or refuse them.
const MostName = 64

// Version is one API version.
type Version struct {
	Name  string // e.g. "p_s"
	About string // one line for people
	APIs  []*API // in the order of the tool list

	Response *wire.AnswerForm // the form in which deployed APIs answer; nil is plain text
	Faults   []Fault          // that pass

	Removed []silent.Removed // tools that it does not expose

	byName     map[string][]*API // several where an argument tells them apart
	byTool     map[string][]*API // several where each takes some of the tool's calls
	deprecated map[string]Deprecation
	outdated   map[string][]Deprecation // by a name that is still exposed

	deprecatedText, invalidText *template.Template
}

// API is a tool as a version exposes it.
type API struct {
	Name        string      // the exposed name
	Tool        string      // the tool's name: that of its API in the base
	Parameters  []Parameter // as its signature shows them
	Description string      // what follows the signature in a tool list, "which …"
	Guideline   string      // a sentence of prompts that list it, on when to use it; or ""
	URL         string      // where its document says that it is served, or ""; calls ignore it
	Inferred    []Inferred  // changes that are less than sure

	// Silent are changes of what calls mean and of their answers, which no call is refused for.
	Silent silent.Changes

	base          *API      // the tool's API in the base, which may be this one
	keywords      envs.Args // of the arguments' JSON Schema, beside those of Schema
	loose         bool      // the types are for readers
	form          *Form     // nil when calls are not held to types
	adapters      []Adapter
	exact         bool // a call has no other parameters; false when an adapter takes a list of any length
	argumentsText string
	valueText     string
	notice        notice
}

// API returns the API of that name as documents show it. Several become one, whose Tool is that of
// the first.
func (v *Version) API(name string) (*API, bool) { return first(Shown(v.byName[name])) }

// ForTool returns the API that exposes a tool, or the first of several.
func (v *Version) ForTool(tool string) (*API, bool) { return first(v.byTool[tool]) }

// Exposing returns all APIs that expose a tool, each some of its calls, or none if the version does
// not have the tool.
func (v *Version) Exposing(tool string) []*API { return v.byTool[tool] }

// removal returns what is known about a tool that the version does not expose.
func (v *Version) removal(tool string) (silent.Removed, bool) {
	i := slices.IndexFunc(v.Removed, func(r silent.Removed) bool { return r.Tool == tool })
	if i < 0 {
		return silent.Removed{}, false
	}
	return v.Removed[i], true
}

// Lacks reports whether the version has removed a tool.
func (v *Version) Lacks(tool string) bool {
	_, ok := v.removal(tool)
	return ok
}

// Named returns all APIs of a name, which an argument tells apart.
func (v *Version) Named(name string) []*API { return v.byName[name] }

func first(all []*API) (*API, bool) {
	if len(all) == 0 {
		return nil, false
	}
	return all[0], true
}

// Called returns the API that a call belongs to. If several have the name, an argument chooses one,
// or else it is the first.
func (v *Version) Called(name string, args envs.Args) (*API, bool) {
	all := v.byName[name]

	i := slices.IndexFunc(all, func(a *API) bool { return a.choice().chooses(args) })
	return first(all[max(i, 0):])
}

// ToolOf returns the tool of the API that a call belongs to, or "" for an unknown API; nil is an
// unknown version.
func (v *Version) ToolOf(c envs.Call) string {
	if v == nil {
		return ""
	}

	if a, ok := v.Called(c.Name, c.Args); ok {
		return a.Tool
	}
	return ""
}

// Has reports whether a version has an API unchanged: with its name and parameters.
func (v *Version) Has(a *API) bool {
	return slices.ContainsFunc(v.byTool[a.Tool], func(own *API) bool {
		return a.Name == own.Name &&
			bytes.Equal(pytext.AppendJSON(nil, a.Schema()), pytext.AppendJSON(nil, own.Schema()))
	})
}

// Lift returns the call of this version that does what a tool's call does: the exposed name and its
// arguments. It is an error if there is no such tool, if the arguments are not the tool's, or if
// the version cannot express them.
func (v *Version) Lift(tool string, args envs.Args) (name string, deployed envs.Args, err error) {
	err = fmt.Errorf("no tool %q", tool)

	for i, a := range v.byTool[tool] {
		deployed, wrong := a.Lift(args)
		if wrong == nil {
			return a.Name, deployed, nil
		}

		if i == 0 {
			err = wrong
		}
	}
	return "", nil, fmt.Errorf("toolapi: lift %s%v to %s: %w", tool, args.Names(), v.Name, err)
}

// Touches reports whether the version refuses a call of another version's API, understands it
// differently, or answers it differently: a call with all parameters, or with the required ones
// only.
func (v *Version) Touches(a *API) bool {
	if now, ok := v.ForTool(a.Tool); ok && len(now.Silent) > 0 {
		return true
	}

	all, err := a.Lift(a.Sample())
	if err != nil {
		return v.byName[a.Name] == nil // it has no sample that it takes
	}

	calls := []envs.Args{all, Needed(all, a.Parameters)}
	return slices.ContainsFunc(calls, func(call envs.Args) bool {
		meant, wrong := a.Lower(call)
		now, named := v.Called(a.Name, call)

		if wrong != nil || !named {
			return !named
		}

		takes, wrong := now.Lower(call)
		return wrong != nil || now.Tool != a.Tool ||
			!reflect.DeepEqual(a.base.withoutDefaults(takes), a.base.withoutDefaults(meant))
	})
}

// Signature returns "Name[p1, p2]".
func (a *API) Signature() string {
	return a.Name + "[" + strings.Join(ParameterNames(a.Parameters), ", ") + "]"
}

// Lower turns the arguments of a call to this API into those of the tool's call, in the order of
// the tool's signature.
func (a *API) Lower(deployed envs.Args) (envs.Args, *ArgError) {
	known := !a.exact || fits(deployed, a.Parameters)
	if why := a.mismatch(deployed); why != "" || !known {
		reason := cmp.Or(why, missed(deployed, a.Parameters))

		wrong := a.withText(&ArgError{Value: known, Reason: reason})
		if wrong.Text == "" && why != "" {
			wrong.Text = argumentError + why
		}
		return nil, wrong
	}

	// A list of any length would leave it to the adapters, which know the names of before.
	if name := a.formerName(deployed); name != "" {
		return nil, a.withText(&ArgError{Reason: parameterWords(name) + " is not known"})
	}

	args := a.Silent.Lower(deployed)
	for i, adapter := range a.adapters {
		lowered, wrong := adapter.Lower(args)
		if wrong != nil {
			wrong.Reason = parameterWords(a.deployedName(wrong.parameter, i)) + " " + wrong.problem
			return nil, a.withText(wrong)
		}

		args = lowered
	}

	if !fits(args, a.base.Parameters) {
		return nil, &ArgError{Text: a.argumentsText, Reason: "the parameters do not belong together"}
	}
	return inOrder(args, a.base.Parameters), nil
}

// formerName returns an argument under a name that the first adapter replaces by another, and would
// pass on as it is, or "". A call of an exact API is held to its parameters, and has none.
func (a *API) formerName(args envs.Args) string {
	if a.exact {
		return ""
	}

	renaming, _ := a.adapters[0].(Rename)
	for _, name := range args.Names() {
		_, known := renaming[name]
		if !known && slices.Contains(slices.Collect(maps.Values(renaming)), name) {
			return name
		}
	}

	return ""
}

// deployedName returns the name that a call has for a parameter of the adapter at an index.
func (a *API) deployedName(parameter string, adapter int) string {
	for _, before := range slices.Backward(a.adapters[:adapter]) {
		renaming, _ := before.(Rename)
		for now, was := range renaming {
			if was == parameter {
				parameter = now
				break
			}
		}
	}

	return parameter
}

// withText gives an adapter's error the text of the API.
func (a *API) withText(e *ArgError) *ArgError {
	switch {
	case e.Text != "":
	case e.Value && a.valueText != "":
		e.Text = a.valueText
	default:
		e.Text = a.argumentsText
	}

	return e
}

// Lift turns the arguments of the tool's call into those of a call to this API. They may come in
// any order.
func (a *API) Lift(tool envs.Args) (envs.Args, error) {
	if !fits(tool, a.base.Parameters) {
		return nil, fmt.Errorf("%s takes %v, not %v", a.Tool, ParameterNames(a.base.Parameters),
			tool.Names())
	}

	// Lower runs the adapters forward, so the last one is next to the tool and comes first here.
	args := inOrder(tool, a.base.Parameters)
	for _, adapter := range slices.Backward(a.adapters) {
		lifted, err := adapter.Lift(args)
		if err != nil {
			return nil, err
		}

		args = lifted
	}

	args = a.Silent.Lift(args)

	// What the tool takes, the types of this version may refuse.
	if why := a.mismatch(args); why != "" {
		return nil, errors.New(why)
	}

	// A list of any length has names that are not in the signature.
	if !a.exact {
		return args, nil
	}

	if !fits(args, a.Parameters) {
		return nil, fmt.Errorf("%s cannot do without a parameter of %v", a.Signature(), args.Names())
	}
	return inOrder(args, a.Parameters), nil
}
