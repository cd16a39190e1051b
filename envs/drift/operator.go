package drift

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Operator changes an API into its successor. It is a pure function of the API and of what it draws.
type Operator struct {
	Name string // in commands and changes

	// Apply returns the successor, and false where the operator has nothing to do on an API.
	Apply func(a toolapi.APISpec, d *Draws) (Step, bool)
}

// Step is what an operator made of an API.
type Step struct {
	API      toolapi.APISpec // with the adapter, and an example that fits it
	From, To string          // what has changed; From is "" for what is new
	Adapter  toolapi.AdapterSpec
}

// Operators returns all operators, in the order in which a Maker applies them.
func Operators() []Operator {
	return []Operator{
		{"rename-api", renameAPI},
		{"number-list", numberList},
		{"prefix-text", prefixText},
		{"rename-parameter", renameParameter},
		{"special-characters", specialCharacters},
		{"merge-parameters", mergeParameters},
		{"add-flag", addFlag},
		{"add-count", addCount},
		{"type-to-string", typeToString},
		{"swap-required", swapRequired},
		{"flip-default", flipDefault},
		{"nest-parameters", nestParameters},
	}
}

// Draws are what an operator draws from: numbers, and names that are free.
type Draws struct {
	*rand.Rand
	seed  uint64          // of the version: a parameter of several APIs has the same new name in all of them
	held  map[string]bool // identifiers that are held out
	taken map[string]bool // names that no API or parameter may have, folded
	apis  map[string]bool // names of APIs that others have, folded

	written map[string]bool // names that others have, and those of the source, as they are written
}

// most is how many draws of a name may be taken before letters make it another one.
const most = 100

// name draws names until one is free.
func (d *Draws) name(r *rand.Rand, taken func(folded string) bool, draw func(r *rand.Rand) string) string {
	for i := 0; ; i++ {
		name := draw(r)
		for n := i; n >= most; n /= most {
			name += string(rune('A' + r.IntN(26)))
		}

		if f := fold(name); f != "" && !d.taken[f] && !taken(f) {
			return name
		}
	}
}

// parameterOf draws a name for a new parameter, or for one of a name that is given up.
func (d *Draws) parameterOf(a toolapi.APISpec, was string, draw func(r *rand.Rand) string) string {
	stem, number := stemmed(was)

	has := func(folded string) bool {
		return slices.ContainsFunc(a.Parameters.All, func(p toolapi.Parameter) bool { return fold(p.Name) == folded })
	}

	return d.name(d.ofParameter(stem), has, func(r *rand.Rand) string { return draw(r) + number })
}

// ofParameter is the source of what a parameter gets in all APIs of a version, by its name without the number.
func (d *Draws) ofParameter(stem string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(stem))

	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

// succeed returns the successor of a with other parameters, from which an adapter leads to those of a. It is none where
// the example of a cannot be expressed.
func succeed(a toolapi.APISpec, adapter toolapi.AdapterSpec, parameters ...toolapi.Parameter) (toolapi.APISpec, bool) {
	lifter, err := adapter.Adapter()
	if err != nil {
		return a, false
	}

	if a.Notice.Example != "" {
		decoded, err := pytext.Decode(a.Notice.Example)
		example, ok := decoded.(envs.Args)

		if err != nil || !ok {
			return a, false
		}

		if example, err = lifter.Lift(example); err != nil {
			return a, false
		}

		a.Notice = toolapi.NoticeSpec{Example: string(pytext.AppendJSON(nil, example))}
	}

	a.Notice.Signature = ""
	a.Parameters.All = parameters
	a.Adapters = prepend(adapter, a.Adapters)

	return a, true
}

// prepend puts an adapter before others. A renaming of names becomes one renaming.
func prepend(first toolapi.AdapterSpec, rest []toolapi.AdapterSpec) []toolapi.AdapterSpec {
	if first.Rename == nil || len(rest) == 0 || rest[0].Rename == nil {
		return append([]toolapi.AdapterSpec{first}, rest...)
	}

	both := maps.Clone(rest[0].Rename)
	for now, was := range first.Rename {
		if tool, ok := both[was]; ok {
			delete(both, was)
			both[now] = tool
		} else {
			both[now] = was
		}
	}

	return append([]toolapi.AdapterSpec{{Rename: both}}, rest[1:]...)
}

// has reports whether an API has an adapter of a kind.
func has(a toolapi.APISpec, kind func(toolapi.AdapterSpec) bool) bool {
	return slices.ContainsFunc(a.Adapters, kind)
}

func isNumbered(s toolapi.AdapterSpec) bool  { return s.Numbered != nil }
func isPrefix(s toolapi.AdapterSpec) bool    { return s.Prefix != nil }
func isBracketed(s toolapi.AdapterSpec) bool { return s.Bracketed != nil }
func isFlag(s toolapi.AdapterSpec) bool      { return s.Flag != nil }
func isIgnored(s toolapi.AdapterSpec) bool   { return s.Ignored != nil }

// isPlain reports whether nothing is said of the values of a parameter.
func isPlain(p toolapi.Parameter) bool { return p.Schema == nil && !p.Optional }

// isText reports whether a parameter takes any text, by all that is said of it.
func isText(p toolapi.Parameter) bool {
	kind, _ := p.Schema.Text("type")
	if p.Schema != nil && kind != "string" {
		return false
	}

	return !slices.ContainsFunc(p.Schema.Names(), func(keyword string) bool {
		return keyword != "type" && keyword != "description" && keyword != "title"
	})
}

// without returns the parameters but those of some names.
func without(all []toolapi.Parameter, names ...string) []toolapi.Parameter {
	named := func(p toolapi.Parameter) bool { return slices.Contains(names, p.Name) }

	return slices.DeleteFunc(slices.Clone(all), named)
}

// mentions reports whether one of the words is in a name.
func mentions(name string, of []string) bool {
	return slices.ContainsFunc(split(name), func(w string) bool { return slices.Contains(of, strings.ToLower(w)) })
}

// Change is a step of a version, for people.
type Change struct {
	Tool     string `json:"tool,omitempty"` // whose API changed; "" of all
	Operator string `json:"operator"`       // e.g. "rename-api"
	From     string `json:"from,omitempty"` // what was changed; "" of what is new
	To       string `json:"to"`             // what it is now
}

// String returns "LoadDB: rename-api LoadDB → Open_Store".
func (c Change) String() string {
	text := cmp.Or(c.Tool, "all") + ": " + c.Operator + " "
	if c.From != "" {
		text += c.From + " → "
	}

	return text + c.To
}
