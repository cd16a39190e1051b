package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/names"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// The characters that a name may get (ToolEvo, appendix B.2).
const (
	charactersOfAPIs       = "_-@.#%"
	charactersOfParameters = "?@#&.%"
)

// Factor is one thing about APIs that changes while everything else stays as it was: what ToolEvo
// varies in section 5.3 and appendix B.2, and each change that is silent or passes.
type Factor struct {
	Name  string // in commands and in the names of versions, e.g. "names-text"
	About string // what changes, in a few words
	Group string // of factors that an entry of the setting api stands for together

	operators []string // by which it changes
}

// The groups of factors.
const (
	groupPublished = "all"    // those that the paper varies
	groupTools     = "tools"  // which tools there are, and what documents say of them
	groupSubtle    = "subtle" // what is silent or passes
)

// groups are all groups.
var groups = []string{groupPublished, groupTools, groupSubtle}

// Factors returns all factors, group by group: those of the paper's figures 4 to 6 first, in their
// order.
func Factors() []Factor {
	all := []Factor{
		{"names-text", "other words in the names of APIs", groupPublished, []string{"reword-api"}},
		{"names-character", "a special character in the names of APIs", groupPublished, []string{"insert-into-api"}},
		{"parameters-text", "other words in the names of parameters", groupPublished, []string{"reword-parameters"}},
		{"parameters-character", "a special character in the names of parameters", groupPublished,
			[]string{"insert-into-parameters"}},
		{"response", "answers as JSON objects of a state and a message", groupPublished, []string{"wrap-response"}},
	}

	for _, o := range operators {
		if o.group != "" {
			all = append(all, Factor{o.Name, o.About, o.group, []string{o.Name}})
		}
	}

	return all
}

// FactorNames returns the names of all factors, in their order.
func FactorNames() []string {
	var all []string
	for _, f := range Factors() {
		all = append(all, f.Name)
	}
	return all
}

// ParseFactor returns the factor of a name; the error of an unknown one lists the valid ones.
func ParseFactor(name string) (Factor, error) {
	i := slices.IndexFunc(Factors(), func(f Factor) bool { return f.Name == name })
	if i < 0 {
		return Factor{}, names.Unknown("factor", name, FactorNames())
	}
	return Factors()[i], nil
}

// FactorVersion makes the i-th version, i >= 0, in which nothing but a factor changes, and says
// what has changed.
func (m *Maker) FactorVersion(f Factor, i int) (*toolapi.Spec, []Change) {
	operators, err := ParseOperators(f.operators)
	if err != nil {
		panic(err) // every factor names known operators
	}

	made, changes := m.Applied(f.Name, operators, i)
	made.About = fmt.Sprintf("%s, made from %s", f.About, m.source.Version)
	return made, changes
}

// wrapResponse gives a version's answers another form: the published one if they are texts, or else
// a drawn one.
func wrapResponse(s *toolapi.Spec, d *Draws) (Change, bool) {
	now := wire.AnswerForm{State: "State", Message: "Message"}

	if was := s.Response; was != nil {
		for now.State == was.State {
			now.State = pick(d.Rand, d.words.Responses.State)
		}

		for now.Message == was.Message {
			now.Message = pick(d.Rand, d.words.Responses.Message)
		}
	}

	s.Response = &now
	return Change{Operator: "wrap-response", To: now.Wrap(true, "…")}, true
}

// styleResponse has answers say how the call went, as text in one of several styles. It leaves
// answers that have a form already, and never draws the published names.
func styleResponse(s *toolapi.Spec, d *Draws) (Change, bool) {
	if s.Response != nil {
		return Change{}, false
	}

	now := wire.AnswerForm{State: "State", Message: "Message", Style: pick(d.Rand, wire.AnswerStyles())}
	for now.State == "State" {
		now.State = pick(d.Rand, d.words.Responses.State)
	}

	for now.Message == "Message" {
		now.Message = pick(d.Rand, d.words.Responses.Message)
	}

	s.Response = &now
	return Change{Operator: "style-response", To: strings.ReplaceAll(now.Wrap(true, "…"), "\n", " ")}, true
}

// rewordAPI gives an API a name of other words, in the style of its old one.
func rewordAPI(a toolapi.APISpec, d *Draws) (Step, bool) {
	m := meaningOfAPI(a)
	name := func(r *rand.Rand) string { return styled(a.Name, d.words.wordsOfAPI(r, m)) }
	return called(a, d.api(a, name)), true
}

// insertIntoAPI puts a special character into the name of an API.
func insertIntoAPI(a toolapi.APISpec, d *Draws) (Step, bool) {
	name, ok := d.insert(d.Rand, a.Name, charactersOfAPIs, func(name string) bool { return d.written[name] })
	return called(a, name), ok
}

// rewordParameters gives all parameters of an API names of other words, in the style of their old
// ones.
func rewordParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	return rename(a, func(current toolapi.APISpec, p toolapi.Parameter) string {
		stem, _ := stemmed(p.Name)
		m := meaningOf(a, p)
		return d.parameterOf(current, p.Name, func(r *rand.Rand) string {
			return styled(stem, d.words.wordsOfParameter(r, m))
		})
	})
}

// insertIntoParameters puts a special character into the names of all parameters of an API.
func insertIntoParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	return rename(a, func(current toolapi.APISpec, p toolapi.Parameter) string {
		stem, number := stemmed(p.Name)
		if stem == "" {
			stem, number = p.Name, ""
		}

		taken := func(spelt string) bool {
			return slices.ContainsFunc(current.Parameters.All, func(p toolapi.Parameter) bool {
				return p.Name == spelt+number
			})
		}

		spelt, ok := d.insert(d.ofParameter(stem), stem, charactersOfParameters, taken)
		if !ok {
			return p.Name
		}
		return spelt + number
	})
}

// insert draws a spelling of a name with one of the characters that is neither taken nor held out,
// and reports whether it found one.
func (d *Draws) insert(r *rand.Rand, name, characters string, taken func(string) bool) (string, bool) {
	for range maxDraws {
		spelt := inserted(r, name, characters)
		if spelt != name && d.maySpell(spelt) && !taken(spelt) {
			return spelt, true
		}
	}

	return name, false
}
