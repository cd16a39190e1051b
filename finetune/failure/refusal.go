package failure

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/trajectories"
)

// Refusal is what a deployed version rejected in a call: the levels at which drift disrupts the use
// of tools (DynamicToolBench, section 1).
type Refusal string

// The refusals, in order of precedence: the first that holds is that of the call.
const (
	// RefusedUnreadable are arguments that are no JSON object.
	RefusedUnreadable Refusal = "unreadable"

	// RefusedStructure is a flat value where an object or a list is wanted, or the other way round.
	RefusedStructure Refusal = "structure"

	// RefusedGrounding is a parameter that the API does not have, or one that is missing.
	RefusedGrounding Refusal = "parameter-grounding"

	// RefusedType is a value of another type.
	RefusedType Refusal = "type"

	// RefusedName is the name of an API that is not deployed, with arguments that are not known to
	// be wrong.
	RefusedName Refusal = "name"

	// RefusedValue is a call in which all of this fits.
	RefusedValue Refusal = "value"
)

// Refusals returns every refusal, in order of precedence.
func Refusals() []Refusal {
	return []Refusal{
		RefusedUnreadable, RefusedStructure, RefusedGrounding, RefusedType, RefusedName, RefusedValue,
	}
}

// RefusalOf returns what a deployed version rejected in the call of a turn; nil is an unknown
// version. ok is false if the call was taken, if the turn has none, and for Finish and UpdateTool,
// which do not drift.
func RefusalOf(t *trajectories.Turn, deployed *toolapi.Version) (r Refusal, ok bool) {
	switch t.Outcome {
	case envs.InvalidAction, envs.InvocationError, envs.Deprecated:
	default:
		return "", false
	}

	if t.Tool == envs.FinishTool || t.Tool == envs.UpdateTool {
		return "", false
	}

	// Without a name the text held several actions, of which none was called.
	if _, named := t.UnknownTool(); t.Outcome == envs.InvalidAction && !named {
		return "", false
	}

	// The key is the call as it was read, in one spelling for all formats; of several, the last one
	// that was run was refused.
	calls, _ := action.Played(t.Key, t.Observation, t.Outcome)
	_, text, _ := action.CutKey(calls[len(calls)-1])
	args, _, err := pytext.DecodeObject(text)
	if t.Unreadable() || err != nil {
		return RefusedUnreadable, true
	}

	// A call by an old name is compared with what its tool is now, so that wrong arguments are seen
	// behind a wrong name.
	var api *toolapi.API
	if deployed != nil {
		if api, _ = deployed.Called(t.API, args); api == nil || api.Tool != t.Tool {
			api, _ = deployed.ForTool(t.Tool)
		}
	}

	if api == nil {
		return RefusedName, true
	}

	if r, ok := refusedArguments(args, api); ok {
		return r, true
	}

	// Only now the name: renaming alone is the mildest drift, and would hide the others.
	if t.API != api.Name {
		return RefusedName, true
	}
	return RefusedValue, true
}

// refusedArguments compares arguments with the parameters of an API.
func refusedArguments(args envs.Args, api *toolapi.API) (r Refusal, ok bool) {
	found := map[Refusal]bool{}

	// All are compared before one refusal is chosen: precedence decides, not which parameter comes
	// first.
	for _, p := range api.Parameters {
		wanted := typesOf(p)
		value, given := args.Get(p.Name)
		isWanted := func(t string) bool { return isOf(value, t) }

		switch {
		case !given && p.Optional:
		// A missing object means that the agent still sends its fields flat, as before the drift.
		case !given && areComposed(wanted):
			found[RefusedStructure] = true
		case !given:
			found[RefusedGrounding] = true
		case len(wanted) == 0 || slices.ContainsFunc(wanted, isWanted):
		case areComposed(wanted) || isOf(value, "object") || isOf(value, "array"):
			found[RefusedStructure] = true
		default:
			found[RefusedType] = true
		}
	}

	for _, a := range args {
		// Names that the API does not have were not met above, where its own were gone through.
		isIt := func(p toolapi.Parameter) bool { return p.Name == a.Name }
		if !slices.ContainsFunc(api.Parameters, isIt) {
			found[RefusedGrounding] = true
		}
	}

	for _, r := range Refusals() {
		if found[r] {
			return r, true
		}
	}

	return "", false
}

// typesOf returns the JSON types that a parameter takes; none where it takes any.
func typesOf(p toolapi.Parameter) []string {
	v, _ := p.Schema.Get("type")

	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		all := make([]string, len(v))
		for i, name := range v {
			all[i] = pytext.Str(name)
		}
		return all
	}
	return nil
}

// areComposed reports whether types are only objects and lists.
func areComposed(types []string) bool {
	isFlat := func(t string) bool { return t != "object" && t != "array" }
	return len(types) > 0 && !slices.ContainsFunc(types, isFlat)
}

// isOf reports whether a value is of a JSON type.
func isOf(value any, of string) bool {
	names := map[string][]string{
		"NoneType": {"null"}, "bool": {"boolean"}, "str": {"string"},
		"list": {"array"}, "dict": {"object"},
		"float": {"number"}, "int": {"number", "integer"},
	}
	return slices.Contains(names[pytext.TypeName(value)], of)
}
