package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/yamltext"
)

// Document is an API as a tool document of ToolBench describes it.
type Document struct {
	Name, Description, URL string
	Required, Optional     []DocumentParameter
}

// DocumentParameter is a parameter of a Document.
type DocumentParameter struct {
	Name, Type, Description string
	Default                 any      // a value of JSON
	Fields                  []string // of an object that was made of other parameters; it has no default
}

// DocumentChange says what became of a Document, as a line of DynamicToolBench's record does.
type DocumentChange struct {
	URL        bool     // it moved
	Renamed    []string // new names, of required parameters first, as are the others
	Types      []string // parameters that are texts now
	Defaults   []string // parameters with the opposite default
	Swapped    []string // parameters that moved between required and optional, in order; one may move back
	Nested     []string // parameters that went into an object
	Duplicates []string // names that it has twice since they were renamed, which the published scripts do not notice
}

// Faithful is one of DynamicToolBench's drift scripts, with the defects that it has: numbers never drift, an object has
// a single member, and what step one of the swap moves step two may move back. It changes documents alone, and has no
// adapters: versions to deploy come from the operators of a [Maker].
//
// As published, one generator seeded with 42 serves all documents in their order, which is that of a walk through the
// folders. It is Go's generator and not Python's: what is drawn for a document is not what was drawn then, and only
// statistics can be compared.
type Faithful struct {
	URL      []URLMove
	Rename   bool    // parameters, by the 48 pairs of faithful.yaml
	Types    bool    // integers and booleans become strings
	Defaults bool    // asc, desc, true and false become their opposite
	Nest     float64 // how often parameters of a place are put into an object
	Swap     float64 // how often a required parameter becomes optional, and then an optional one required
}

// URLMove replaces parts of URLs, with one draw for each document.
type URLMove struct {
	Chance float64
	Parts  []string // old, new, old, new, …
}

// The published scripts. FaithfulV3 is applied to what FaithfulV2 made.
var (
	FaithfulCombined = Faithful{
		URL:    []URLMove{{0.99, []string{"/get", "/fetch", "/post", "/submit"}}},
		Rename: true, Types: true, Defaults: true, Nest: 0.99, Swap: 0.99,
	}
	FaithfulV2 = Faithful{
		URL:    []URLMove{{1, []string{"/v1/", "/v2/", "rapidapi.com", "api-service.io", "/get", "/fetch"}}},
		Rename: true,
	}
	FaithfulV3 = Faithful{
		URL: []URLMove{
			{1, []string{"/v2/", "/v3/", "rapidapi.com", "api-service.io"}},
			{0.3, []string{"/get", "/fetch", "/post", "/submit"}},
		},
		Types: true, Defaults: true, Nest: 0.3, Swap: 0.2,
	}
)

// faithfulSeed is the published one.
const faithfulSeed = 42

// faithfulNames returns the new names of parameters, by the old ones.
var faithfulNames = yamltext.Once[map[string]string](files, "faithful.yaml")

// opposites are the defaults that flip.
var opposites = map[string]string{"asc": "desc", "desc": "asc", "true": "false", "false": "true"}

// Apply returns the documents as the script changes them, and a change for each. The documents stay.
func (f Faithful) Apply(documents []Document) ([]Document, []DocumentChange) {
	r := rand.New(rand.NewPCG(faithfulSeed, 0))
	changed, changes := slices.Clone(documents), make([]DocumentChange, len(documents))

	for i := range changed {
		f.change(&changed[i], &changes[i], r)
	}

	return changed, changes
}

// change does what the script does to a document, in its order.
func (f Faithful) change(d *Document, c *DocumentChange, r *rand.Rand) {
	was := d.URL

	for _, move := range f.URL {
		if chance(r, move.Chance) {
			d.URL = replaceInTurn(d.URL, move.Parts)
		}
	}

	c.URL = d.URL != was

	before := duplicates(d)
	d.Required, d.Optional = slices.Clone(d.Required), slices.Clone(d.Optional)
	for _, list := range [][]DocumentParameter{d.Required, d.Optional} {
		for i := range list {
			f.drift(&list[i], c)
		}
	}

	if after := duplicates(d); len(after) > len(before) {
		c.Duplicates = after
	}

	if f.Nest > 0 && chance(r, f.Nest) {
		nestPlace(d, c)
	}

	f.swap(d, c, r)
}

// replaceInTurn replaces all of each part, one after the other: a later one meets what an earlier one wrote.
func replaceInTurn(text string, parts []string) string {
	for pair := range slices.Chunk(parts, 2) {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}

	return text
}

// drift changes one parameter.
func (f Faithful) drift(p *DocumentParameter, c *DocumentChange) {
	if name, ok := faithfulNames()[p.Name]; ok && f.Rename {
		p.Name = name
		c.Renamed = append(c.Renamed, name)
	}

	if f.Types && slices.Contains([]string{"int", "integer", "boolean"}, strings.ToLower(p.Type)) {
		p.Type = "string"
		c.Types = append(c.Types, p.Name)
	}

	if other, ok := opposites[strings.ToLower(fmt.Sprint(p.Default))]; ok && f.Defaults && p.Fields == nil {
		p.Default = other
		c.Defaults = append(c.Defaults, p.Name)
	}
}

// nestPlace puts the required parameters that seem to be about a place into one object, in which nothing is left of
// them but their names.
func nestPlace(d *Document, c *DocumentChange) {
	isPlace := func(p DocumentParameter) bool {
		return slices.ContainsFunc([]string{"address", "geo", "coord"}, func(s string) bool {
			return strings.Contains(p.Name, s)
		})
	}

	for _, p := range d.Required {
		if isPlace(p) {
			c.Nested = append(c.Nested, p.Name)
		}
	}

	if len(c.Nested) == 0 {
		return
	}

	d.Required = append(slices.DeleteFunc(d.Required, isPlace), DocumentParameter{
		Name: "address", Type: "OBJECT", Description: "The place, as one object.", Fields: c.Nested,
	})
}

// swap makes a required parameter optional, and then an optional one required.
func (f Faithful) swap(d *Document, c *DocumentChange, r *rand.Rand) {
	move := func(from, to *[]DocumentParameter) {
		if len(*from) == 0 || f.Swap == 0 || !chance(r, f.Swap) {
			return
		}

		i := r.IntN(len(*from))
		p := (*from)[i]
		*from, *to = slices.Delete(*from, i, i+1), append(*to, p)
		c.Swapped = append(c.Swapped, p.Name)
	}

	move(&d.Required, &d.Optional)
	move(&d.Optional, &d.Required)
}

// duplicates are the names that a document has more than once.
func duplicates(d *Document) []string {
	var all []string

	seen := map[string]bool{}

	for _, p := range slices.Concat(d.Required, d.Optional) {
		if seen[p.Name] {
			all = append(all, p.Name)
		}

		seen[p.Name] = true
	}

	return all
}
