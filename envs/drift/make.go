package drift

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Maker makes versions from a source. It is safe for concurrent use.
type Maker struct {
	source   *toolapi.Spec
	seed     uint64
	part     Part
	held     map[string]bool   // identifiers that are held out
	taken    map[string]bool   // these, and the source's names, folded
	examples map[string]string // JSON objects, by tool: calls of the source
}

// NewMaker returns a maker of versions from one of a catalog. They share no identifier with the
// versions held out.
func NewMaker(c *toolapi.Catalog, source string, heldOut []string, seed uint64) (*Maker, error) {
	version, err := c.Version(source)
	if err != nil {
		return nil, fmt.Errorf("drift: make versions: %w", err)
	}

	m := &Maker{
		seed: seed,
		held: map[string]bool{}, taken: map[string]bool{}, examples: map[string]string{},
	}

	// Operators edit the file of a version rather than what was loaded from it.
	if m.source, err = c.Spec(source); err != nil {
		return nil, err
	}

	for _, name := range heldOut {
		held, err := c.Spec(name)
		if err != nil {
			return nil, fmt.Errorf("drift: hold out: %w", err)
		}

		for _, identifier := range Identifiers(held) {
			m.held[identifier], m.taken[fold(identifier)] = true, true
		}
	}

	// A new name that differs from an old one only in spelling would not be another name.
	for _, identifier := range Identifiers(m.source) {
		m.taken[fold(identifier)] = true
	}

	// Notices of made versions show these calls, in whatever shape they have by then.
	for _, a := range version.APIs {
		if m.examples[a.Tool], err = example(c, a); err != nil {
			return nil, fmt.Errorf("drift: an example of %s for its notice: %w", a.Tool, err)
		}
	}

	return m, nil
}

// example returns a call of an API: its own example, or else another version's as a call of this
// one, or values of its types.
func example(c *toolapi.Catalog, a *toolapi.API) (string, error) {
	if a.Example() != "" {
		return a.Example(), nil
	}

	// A published example shows values that make sense for the tool, unlike those of a sample.
	for _, name := range c.Names() {
		v, err := c.Version(name)
		if err != nil {
			return "", err
		}

		other, ok := v.ForTool(a.Tool)
		if !ok || other.Example() == "" {
			continue
		}

		decoded, _ := pytext.Decode(other.Example()) // a catalog's examples are calls
		args, _ := decoded.(envs.Args)

		// By way of the tool's own arguments, a call of one version becomes one of another.
		call, wrong := other.Lower(args)
		if wrong != nil {
			continue
		}

		for i, arg := range call {
			// The other version's prefix is gone by now, but not the white space behind it.
			if text, ok := arg.Value.(string); ok {
				call[i].Value = pytext.Strip(text)
			}
		}

		if lifted, err := a.Lift(call); err == nil {
			return pytext.JSON(lifted), nil
		}
	}

	// No version has an example that both can express.
	lifted, err := a.Lift(a.Sample())
	return pytext.JSON(lifted), err
}

// Of returns the maker restricted to a part of the words.
func (m *Maker) Of(part Part) *Maker {
	other := *m
	other.part = part
	return &other
}

// name returns the name of the i-th version, which begins with a word.
func (m *Maker) name(word string, i int) string {
	if m.part == Unseen {
		word += "_unseen"
	}
	return fmt.Sprintf("%s_%d_%03d", word, m.seed, i)
}

// Version makes the i-th version, i >= 0, by operators that are drawn for each API, and says what
// has changed.
func (m *Maker) Version(i int) (*toolapi.Spec, []Change) {
	return m.version(m.name("made", i), i, plan{operators: operators, drawn: true})
}

// Applied makes the i-th version, i >= 0, by operators in their order, each wherever it can be
// applied, and says what has changed. An API that changed has a text for arguments that do not fit,
// as the APIs of Version have. The name of the version begins with a word.
func (m *Maker) Applied(word string, operators []Operator, i int) (*toolapi.Spec, []Change) {
	made, changes := m.version(m.name(word, i), i, plan{operators: operators})

	var names []string
	for _, o := range operators {
		names = append(names, o.Name)
	}

	made.About += " by " + strings.Join(names, ", ")
	return made, changes
}

// plan says which operators make a version.
type plan struct {
	operators []Operator
	drawn     bool                  // each is applied as often as it says; otherwise wherever it can be
	ofTool    map[string][]Operator // before operators, if a script or a model names them for each tool
}

// successor applies the plan to an API.
func (p plan) successor(a toolapi.APISpec, d *Draws) (toolapi.APISpec, []Change) {
	var changes []Change

	operators := p.operators
	if its := p.ofTool[a.ToolName()]; len(its) > 0 {
		operators = slices.Concat(its, operators)
	}

	for _, o := range operators {
		if envs.IsSystem(a.ToolName()) || o.Apply == nil || p.drawn && !o.isDrawn(d.Rand) {
			continue
		}

		d.chosen = o.chosen
		if step, ok := o.Apply(a, d); ok {
			a = step.API
			changes = append(changes, Change{a.ToolName(), o.Name, step.From, step.To})
		}
	}

	if p.drawn || len(changes) > 0 {
		a.Errors.Arguments = cmp.Or(a.Errors.Arguments, words().Errors.Arguments)
	}
	return a, changes
}

// version makes a version of that name, drawing by the number i.
func (m *Maker) version(name string, i int, p plan) (*toolapi.Spec, []Change) {
	made := *m.source
	made.Version, made.Base = name, false
	made.About = fmt.Sprintf("made from %s", m.source.Version)
	made.Deprecates = append([]string{m.source.Version}, m.source.Deprecates...)
	made.APIs = slices.Clone(m.source.APIs)

	if m.source.Base {
		made.Messages = toolapi.Messages{} // it inherits them
	}

	var (
		changes       []Change
		apis, written = map[string]bool{}, map[string]bool{}
	)

	// Names with special characters fold to those of the source, and are compared as written.
	for _, a := range made.APIs {
		written[a.Name] = true
	}

	// The first to draw a name has it, so the order must not be that of a file.
	for _, k := range byTool(made.APIs) {
		d := m.draws(i, made.APIs[k].ToolName())
		d.apis, d.written = apis, written

		a, steps := p.successor(m.inherited(made.APIs[k]), d)
		// A text that has not changed is inherited from the base, too.
		if m.source.Base && a.Description == m.source.APIs[k].Description {
			a.Description, a.Guideline = "", ""
		}

		made.APIs[k] = a
		apis[fold(a.Name)], written[a.Name] = true, true
		changes = append(changes, steps...)
	}

	// What all APIs share changes last, when every name is final. Random versions leave it alone.
	for _, o := range p.operators {
		if o.common == nil || p.drawn {
			continue
		}

		d := m.draws(i, o.Name)
		d.apis, d.written, d.chosen = apis, written, o.chosen

		if change, ok := o.common(&made, d); ok {
			change.Operator = o.Name
			changes = append(changes, change)
		}
	}

	// Operators needed to know what tools answer; the version inherits it from the base.
	if m.source.Base {
		for k := range made.APIs {
			a := &made.APIs[k]
			a.Answer, a.Conditions, a.SQL, a.Of = "", "", "", ""
		}
	}

	return &made, changes
}

// byTool returns the indexes of APIs in the order of their tools and names.
func byTool(apis []toolapi.APISpec) []int {
	order := make([]int, len(apis))
	for k := range order {
		order[k] = k
	}

	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(apis[x].ToolName(), apis[y].ToolName()),
			cmp.Compare(apis[x].Name, apis[y].Name))
	})
	return order
}

// draws returns the draws of a tool in the i-th version.
func (m *Maker) draws(i int, tool string) *Draws {
	return &Draws{
		Rand: rand.New(rand.NewPCG(m.seed, hash(uint64(i), tool))), seed: hash(m.seed, fmt.Sprint("version ", i)),
		held: m.held, taken: m.taken, words: m.part.words(), part: m.part,
	}
}

// inherited returns an API of the source as a successor without changes, with an example for its
// notice.
func (m *Maker) inherited(a toolapi.APISpec) toolapi.APISpec {
	if tool := a.ToolName(); !envs.IsSystem(tool) {
		a.Tool = tool
		a.Notice = toolapi.NoticeSpec{Example: m.examples[tool]}
	}
	return a
}

// hash makes a seed from a number and a text.
func hash(n uint64, text string) uint64 {
	return rand.NewPCG(envs.Hash(fmt.Sprintf("%d %s", n, text)), n).Uint64()
}

// Identifiers lists, in alphabetical order, what a caller has to know of a version: the names of
// APIs and parameters, labels, and prefixes, but for those of Finish and UpdateTool, which are the
// same in all versions.
func Identifiers(s *toolapi.Spec) []string {
	all := map[string]bool{}

	for _, a := range s.APIs {
		// All versions share these, so knowing them gives nothing away.
		if envs.IsSystem(a.ToolName()) {
			continue
		}

		all[a.Name] = true
		for _, p := range a.Parameters.All {
			all[p.Name] = true
		}

		// Calls have these, too, though they name no parameter.
		for _, adapter := range a.Adapters {
			if adapter.Numbered != nil {
				all[adapter.Numbered.Item] = true
			}

			if adapter.Enumerated != nil {
				all[adapter.Enumerated.Item] = true
			}

			if adapter.Prefix != nil {
				all[adapter.Prefix.Text] = true
			}

			if adapter.Bracketed != nil {
				for _, f := range adapter.Bracketed.Fields {
					all[f.Label] = true
				}
			}
		}
	}

	return slices.Sorted(maps.Keys(all))
}
