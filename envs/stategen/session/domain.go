package session

import (
	"embed"
	"slices"
	"strings"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// The tools.
const (
	List   = "list_sessions"
	Add    = "add_session"
	Query  = "query_sessions"
	Get    = "get_session"
	Update = "update_session"
	Delete = "delete_session"
)

// edit is the transition that changes a copy.
const edit = "edit"

//go:embed tools.yaml
var tools string

//go:embed words
var words embed.FS

// Domain is the domain. Make one with New.
type Domain struct {
	apis                                 []toolapi.APISpec
	types, sources, titles, descriptions []string
}

var _ stategen.Domain = (*Domain)(nil)

// New returns the domain.
func New() *Domain {
	return &Domain{
		apis: stategen.Tools("session/tools.yaml", tools), types: lines("types"), sources: lines("sources"),
		titles: lines("titles"), descriptions: lines("descriptions"),
	}
}

// Paper returns the domain with the five APIs that the paper counts.
func Paper() *Domain {
	d := New()
	d.apis = slices.DeleteFunc(d.apis, func(a toolapi.APISpec) bool { return a.Name == Get })
	return d
}

// lines returns the lines of a word list.
func lines(name string) []string {
	text, err := words.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic(err) // the file is embedded
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// Name implements [stategen.Domain].
func (*Domain) Name() string { return "session" }

// APIs implements [stategen.Domain].
func (d *Domain) APIs() []toolapi.APISpec { return d.apis }

// Counted implements [stategen.Domain]: the paper counts five of the six tools and does not say
// which. Here they are all but get_session, which programs do not call: a program that knows an id
// has seen the session.
func (*Domain) Counted() []string { return []string{List, Add, Query, Update, Delete} }

// Splits implements [stategen.Domain].
func (*Domain) Splits(n int) []int { return []int{max(1, n-2), n - 1} }

// Stock returns the texts that a variable may have, by its type in words; nil for numbers.
func (d *Domain) Stock(words string) []string {
	return map[string][]string{typeOf(title): d.titles, typeOf("description"): d.descriptions}[words]
}
