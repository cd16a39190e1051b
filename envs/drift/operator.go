package drift

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Operator changes an API into its successor. It is a pure function of the API and of what it
// draws.
type Operator struct {
	Name  string // in commands and changes
	About string // what it does, in a few words

	// Apply returns the successor, and false if the operator does not apply to an API. It is nil
	// for an operator that changes what all APIs of a version have in common.
	Apply func(a toolapi.APISpec, d *Draws) (Step, bool)

	// common takes the place of Apply. It changes the version, and returns false if it does not
	// apply.
	common func(s *toolapi.Spec, d *Draws) (Change, bool)
	group  string  // of factors, if it is a factor by itself; or ""
	chosen *choice // takes the place of draws; nil if nobody chose
	often  float64 // how often Maker.Version applies it if it can; 1 is always
}

// isDrawn draws whether to apply the operator; one that always applies takes no draw.
func (o Operator) isDrawn(r *rand.Rand) bool {
	return o.often == 1 || o.often > 0 && chance(r, o.often)
}

// Step is what an operator made of an API.
type Step struct {
	API      toolapi.APISpec // with the adapter, and an example that fits it
	From, To string          // what has changed; From is "" for what is new
}

// Operators returns all operators. A Maker applies them in this order, unless it is given another.
func Operators() []Operator { return slices.Clone(operators) }

var operators = []Operator{
	{Name: "rename-api", Apply: renameAPI, often: 1, About: "another name"},
	{Name: "number-list", Apply: numberList, often: 0.7, About: "a list becomes rule1, rule2, …"},
	{Name: "prefix-text", Apply: prefixText, often: 0.6, About: "code has to begin with a sentence"},
	{Name: "rename-parameter", Apply: renameParameter, often: 1, About: "other names of parameters; one in ten stays"},
	{Name: "special-characters", Apply: specialCharacters, often: 0.3, About: "underscores in the names"},
	{Name: "merge-parameters", Apply: mergeParameters, often: 0.3, About: "several texts become First[x], Second[y]"},
	{Name: "add-flag", Apply: addFlag, often: 0.25, About: "a parameter that has to be true"},
	{Name: "add-count", Apply: addCount, often: 0.5, About: "a number that has no effect"},
	{Name: "type-to-string", Apply: typeToString, often: 0.4, About: "a number or a boolean is sent as a text"},
	{Name: "swap-required", Apply: swapRequired, often: 0.4, About: "optional becomes required, or the other way"},
	{Name: "flip-default", Apply: flipDefault, often: 0.3, About: "left out, a parameter means something else"},
	{Name: "nest-parameters", Apply: nestParameters, often: 0.4, About: "parameters that belong together in an object"},

	{Name: "reword-api", Apply: rewordAPI, About: "another name, in the style of the one it had"},
	{Name: "reword-parameters", Apply: rewordParameters, About: "other names of all parameters, in their style"},
	{Name: "insert-into-api", Apply: insertIntoAPI, About: "a special character in the name"},
	{Name: "insert-into-parameters", Apply: insertIntoParameters, About: "a special character in each parameter"},
	{Name: "mix-forms", Apply: mixForms, About: "a list is rule, or rule1, rule2, …"},
	{Name: "move-url", Apply: moveURL, About: "the next version in the URL of the document"},
	{Name: "wrap-response", common: wrapResponse, About: "answers are JSON objects of a state and a message"},
	{Name: "style-response", common: styleResponse, About: "answers are text that says how the call went"},

	{Name: "split-tool", common: splitTool, group: groupTools, About: "calls with a parameter are another API's"},
	{Name: "merge-tools", common: mergeTools, group: groupTools,
		About: "two tools have one name, and a parameter chooses"},
	{Name: "add-tool", common: addTool, group: groupTools, About: "another API beside one, which does the same"},
	{Name: "remove-tool", common: removeTool, group: groupTools,
		About: "a tool is gone, and another has its answer"},
	{Name: "add-option", Apply: addOption, group: groupTools,
		About: "an option that has no effect"},
	{Name: "shorten-description", Apply: shortenDescription, group: groupTools,
		About: "documents say less"},

	{Name: "scale-field", common: scaleField, group: groupSubtle, About: "a number in another unit"},
	{Name: "permute-values", common: permuteValues, group: groupSubtle, About: "values of an enumeration trade places"},
	{Name: "quote-field", common: quoteField, group: groupSubtle, About: "a number of an answer is a text"},
	{Name: "reorder-date", common: reorderDate, group: groupSubtle, About: "dates begin with the day"},
	{Name: "shift-time", common: shiftTime, group: groupSubtle, About: "times of another time zone"},
	{Name: "rename-field", common: renameField, group: groupSubtle, About: "a member of answers has another name"},
	{Name: "move-field", common: moveField, group: groupSubtle, About: "a member stands in an object of its own"},
	{Name: "reverse-list", common: reverseList, group: groupSubtle, About: "the last item of an answer comes first"},
	{Name: "shorten-list", common: shortenList, group: groupSubtle, About: "an answer has its first items alone"},
	{Name: "withhold-field", common: withholdField, group: groupSubtle,
		About: "a member is null, and another tool has it"},

	{Name: "rate-limit", common: passingFault(toolapi.RateLimit), group: groupSubtle,
		About: "calls are refused for a while"},
	{Name: "timeout", common: passingFault(toolapi.Timeout), group: groupSubtle,
		About: "calls are not answered in time for a while"},
	{Name: "half-answer", common: passingFault(toolapi.HalfAnswer), group: groupSubtle,
		About: "answers have their first half alone for a while"},
	{Name: "stale-read", common: passingFault(toolapi.StaleRead), group: groupSubtle,
		About: "what was changed is not read yet for a while"},
}

// ParseOperators returns the operators of some names, in their order; the error of an unknown one
// lists the valid ones.
func ParseOperators(list []string) ([]Operator, error) {
	var all []Operator

	for _, name := range list {
		i := slices.IndexFunc(operators, func(o Operator) bool { return o.Name == name })
		if i < 0 {
			return nil, names.Unknown("operator", name, OperatorNames())
		}

		all = append(all, operators[i])
	}
	return all, nil
}

// OperatorNames returns the names of all operators, in their order.
func OperatorNames() []string {
	var all []string
	for _, o := range operators {
		all = append(all, o.Name)
	}
	return all
}

// Draws are what an operator draws from: numbers, and names that are free.
type Draws struct {
	*rand.Rand
	words *vocabulary     // that new names are made of
	part  Part            // that they belong to
	seed  uint64          // of the version: a parameter of several APIs has the same new name in all of them
	held  map[string]bool // identifiers that are held out
	taken map[string]bool // names that no API or parameter may have, folded
	apis  map[string]bool // names of APIs that others have, folded

	written map[string]bool // names that others have, and those of the source, as they are written
	chosen  *choice         // of the operator
}

// maxDraws is how many names are drawn in vain before letters are appended.
const maxDraws = 100

// name draws names until one is free.
func (d *Draws) name(r *rand.Rand, taken func(folded string) bool, draw func(r *rand.Rand) string) string {
	if d.chosen != nil {
		return d.chosen.as
	}

	for i := 0; ; i++ {
		name := draw(r)
		for n := i; n >= maxDraws; n /= maxDraws {
			name += string(rune('A' + r.IntN(26)))
		}

		if f := fold(name); f != "" && !d.taken[f] && !taken(f) {
			return name
		}
	}
}

// api draws a name for an API other than its current and its published one.
func (d *Draws) api(a toolapi.APISpec, draw func(r *rand.Rand) string) string {
	taken := func(folded string) bool {
		return folded == fold(a.Name) || folded == fold(a.ToolName()) || d.apis[folded] || !d.mayName(folded)
	}
	return d.name(d.Rand, taken, func(r *rand.Rand) string {
		name := draw(r)
		for i := 0; i < maxDraws && shortened(name, "") != name; i++ {
			name = draw(r)
		}
		return shortened(name, "")
	})
}

// spare is how many characters of a name are left for the letters that tell it from others.
const spare = 4

// shortened appends a number to a name, which is cut so that both fit.
func shortened(name, number string) string {
	most := toolapi.MostName - spare - len(number)
	if utf8.RuneCountInString(name) > most {
		name = string([]rune(name)[:most])
		if parts := spans(name); len(parts) > 1 { // the last may not be whole
			name = name[:parts[len(parts)-2].to]
		}
	}

	return name + number
}

// fits reports whether a name is short enough.
func fits(name string) bool { return utf8.RuneCountInString(name) <= toolapi.MostName }

// parameterOf draws a name for a new parameter, or another name for an old one.
func (d *Draws) parameterOf(a toolapi.APISpec, was string, draw func(r *rand.Rand) string) string {
	stem, number := stemmed(was)

	taken := func(folded string) bool {
		is := func(p toolapi.Parameter) bool { return fold(p.Name) == folded }
		return was != "" && !d.mayName(folded) || slices.ContainsFunc(a.Parameters.All, is)
	}
	return d.name(d.ofParameter(stem), taken, func(r *rand.Rand) string { return shortened(draw(r), number) })
}

// added draws a name for a new parameter, from a word of each list.
func (d *Draws) added(a toolapi.APISpec, lists [][]string) string {
	return d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, lists, a) })
}

// another draws another name for a parameter of an API, of which current is partly renamed already.
func (d *Draws) another(a, current toolapi.APISpec, p toolapi.Parameter) string {
	m := meaningOf(a, p)
	return d.parameterOf(current, p.Name, func(r *rand.Rand) string { return d.words.nameOfParameter(r, m) })
}

// mayName reports whether a new name, folded, belongs to the part. Names that differ by a number
// stay together.
func (d *Draws) mayName(folded string) bool {
	stem, _ := stemmed(folded)
	return d.part.has(stem)
}

// maySpell reports whether a name that differs from an old one in spelling only may be used.
func (d *Draws) maySpell(name string) bool {
	return fits(name) && !d.held[name] && (!d.taken[fold(name)] || d.part.has(name))
}

// ofParameter returns the random source of a parameter, by its name without the number: it is the
// same in all APIs of a version.
func (d *Draws) ofParameter(stem string) *rand.Rand {
	return envs.Random(d.seed, stem)
}

// called returns the step to an API of another name.
func called(a toolapi.APISpec, name string) Step {
	was := a.Name
	a.Name, a.Notice.Signature = name, ""
	return Step{API: a, From: was, To: name}
}

// succeed returns the step to a successor of a with other parameters, which the adapter leads back
// to those of a. It fails if the example of a cannot be expressed.
func succeed(a toolapi.APISpec, from, to string, adapter toolapi.AdapterSpec,
	parameters ...toolapi.Parameter) (Step, bool) {
	lifter, err := adapter.Adapter()
	if err != nil {
		return Step{}, false
	}

	if a.Notice.Example != "" {
		decoded, err := pytext.Decode(a.Notice.Example)
		example, ok := decoded.(envs.Args)

		if err != nil || !ok {
			return Step{}, false
		}

		if example, err = lifter.Lift(example); err != nil {
			return Step{}, false
		}

		a.Notice = toolapi.NoticeSpec{Example: pytext.JSON(example)}
	}

	a.Notice.Signature = ""
	a.Parameters.All = parameters
	a.Adapters = prepend(adapter, a.Adapters)
	return Step{API: a, From: from, To: to}, true
}

// prepend puts an adapter before others. Two renamings in a row become one.
func prepend(first toolapi.AdapterSpec, rest []toolapi.AdapterSpec) []toolapi.AdapterSpec {
	if first.Rename == nil || len(rest) == 0 || rest[0].Rename == nil {
		return append([]toolapi.AdapterSpec{first}, rest...)
	}

	// Each name that the first one gives takes the place of the name that it had in between.
	both := maps.Clone(rest[0].Rename)
	for _, was := range first.Rename {
		delete(both, was)
	}

	for now, was := range first.Rename {
		both[now] = cmp.Or(rest[0].Rename[was], was)
	}

	return append([]toolapi.AdapterSpec{{Rename: both}}, rest[1:]...)
}

// has reports whether an API has an adapter of one of some kinds.
func has(a toolapi.APISpec, kinds ...func(toolapi.AdapterSpec) bool) bool {
	return slices.ContainsFunc(kinds, func(kind func(toolapi.AdapterSpec) bool) bool {
		return slices.ContainsFunc(a.Adapters, kind)
	})
}

func isNumbered(s toolapi.AdapterSpec) bool   { return s.Numbered != nil }
func isEnumerated(s toolapi.AdapterSpec) bool { return s.Enumerated != nil }
func isPrefix(s toolapi.AdapterSpec) bool     { return s.Prefix != nil }
func isBracketed(s toolapi.AdapterSpec) bool  { return s.Bracketed != nil }
func isFlag(s toolapi.AdapterSpec) bool       { return s.Flag != nil }
func isIgnored(s toolapi.AdapterSpec) bool    { return s.Ignored != nil }

// isTyped reports whether calls are held to the type of a parameter.
func isTyped(a toolapi.APISpec, p toolapi.Parameter) bool {
	return p.Schema != nil && !a.Parameters.Loose
}

// isPlain reports whether a parameter is required and takes any value.
func isPlain(a toolapi.APISpec, p toolapi.Parameter) bool { return !isTyped(a, p) && !p.Optional }

// isText reports whether a parameter takes any text, as far as its schema says.
func isText(p toolapi.Parameter) bool {
	kind, _ := p.Schema.Text("type")
	if p.Schema != nil && kind != "string" {
		return false
	}
	return saysOnly(p, "type", "description", "title")
}

// without returns the parameters except those of some names.
func without(all []toolapi.Parameter, names ...string) []toolapi.Parameter {
	named := func(p toolapi.Parameter) bool { return slices.Contains(names, p.Name) }
	return slices.DeleteFunc(slices.Clone(all), named)
}

// Change is a step of a version, for people to read.
type Change struct {
	Tool     string `json:"tool,omitempty"` // whose API changed; "" for all
	Operator string `json:"operator"`       // e.g. "rename-api"
	From     string `json:"from,omitempty"` // what was changed; "" if it is new
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
