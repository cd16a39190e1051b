package release

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// Inferred is what was understood of a release.
type Inferred struct {
	Version *toolapi.Spec // loads beside the base

	Changes []Change        // in the base's order of tools; also of those that are Broken
	Equal   []string        // tools that are the same in both
	Added   []string        // tools of the release that are new
	Removed []string        // tools of the base that have no successor
	Broken  []NotUnderstood // what old calls have no successor for
}

// Change is a difference that was understood. Its Operator is the one of package drift that does
// the same, or else one of this package.
type Change struct {
	drift.Change

	Sure float64 `json:"sure"` // in [0, 1]: 1 of what both say, less of what is likely
	Why  string  `json:"why"`  // it is not surer
}

// Operators of changes. Those that package drift has bear its names.
const (
	RenameAPI       = "rename-api"
	RenameParameter = "rename-parameter"
	Nest            = "nest-parameters"
	Number          = "number-list"
	Spell           = "type-to-string"
	SwapRequired    = "swap-required"
	FlipDefault     = "flip-default"
	AddFlag         = "add-flag"
	AddOption       = "add-option" // which is left out: the tools as they are have nothing of it

	Unnest       = "unnest-parameter" // a member of an object, that was, is a parameter
	AddFixed     = "add-fixed"        // a parameter of one value, which has to be there
	RemoveOption = "remove-option"
	Narrow       = "narrow-values"
	Constrain    = "constrain-values" // a length, a pattern or a bound is another one
	List         = "list-of-one"      // a list in place of a value
	Widen        = "widen-values"     // of which the version has those that tools as they are take
	Describe     = "describe"
)

// NotUnderstood is a difference that no adapter says.
type NotUnderstood struct {
	Tool string `json:"tool"` // of the base

	// Parameter is one of the base, or else of the release; "" is the tool as a whole.
	Parameter string `json:"parameter,omitempty"`

	Why  string `json:"why"`  // there is no adapter
	Gone bool   `json:"gone"` // the version has removed the tool because of it
}

// Between infers the version that shows the next release of a base's tools. What the base answers
// with or changes silently does not matter. Neither argument is changed.
func Between(base *toolapi.Spec, next []toolapi.APISpec, version string) (*Inferred, error) {
	if !base.Base {
		return nil, fmt.Errorf("release: %s is no base: give the version that defines the tools",
			base.Version)
	}

	if version == base.Version {
		return nil, fmt.Errorf("release: the version has the name of its base, %s", version)
	}

	// The environment's own tools are in no list of a service, and are not looked for there.
	b := &builder{base: base, out: &Inferred{Version: &toolapi.Spec{
		Version: version, About: "inferred from a release after " + base.Version,
		Deprecates: []string{base.Version}, Loose: base.Loose,
	}}}

	for _, a := range base.APIs {
		if !envs.IsSystem(a.Name) {
			b.old = append(b.old, a)
		}
	}

	seen := map[string]bool{}

	for _, a := range next {
		// Calls go by name, so two tools of one name could not be told apart.
		if seen[a.Name] {
			return nil, fmt.Errorf("release: the release has two tools %s", a.Name)
		}

		if seen[a.Name] = true; !envs.IsSystem(a.Name) {
			b.next = append(b.next, a)
		}
	}

	b.words = wordsOf(slices.Concat(b.old, b.next))
	b.build()

	// Loading checks every adapter and example, so that what is returned can be deployed.
	if _, err := toolapi.NewCatalog(base, b.out.Version); err != nil {
		return nil, fmt.Errorf("release: the inferred version: %w", err)
	}
	return b.out, nil
}

// builder makes one version.
type builder struct {
	base      *toolapi.Spec
	old, next []toolapi.APISpec // without the tools of the environment
	words     *weights
	out       *Inferred
}

// build makes the APIs of all tools. The report is in the order of the base, and the version's
// tools are in that of the release.
func (b *builder) build() {
	pairs := b.matchTools()
	made := map[int]toolapi.APISpec{} // by the index in next
	taken := map[int]bool{}

	for i, old := range b.old {
		m, ok := pairs[i]
		if !ok {
			b.out.Removed = append(b.out.Removed, old.Name)
		}

		if ok {
			var api toolapi.APISpec
			if api, ok = b.api(old, m); ok {
				made[m.to] = api
			}

			// A successor that no call reaches is not a new tool either.
			taken[m.to] = true
		}

		if !ok {
			// With or without a successor that works, calls of the tool are told that it is gone.
			b.out.Version.Removed = append(b.out.Version.Removed, silent.Removed{Tool: old.Name})
		}
	}

	for k, a := range b.next {
		if api, ok := made[k]; ok {
			b.out.Version.APIs = append(b.out.Version.APIs, api)
		} else if !taken[k] {
			b.out.Added = append(b.out.Added, a.Name)
		}
	}

	b.out.Version.APIs = append(b.out.Version.APIs, b.system()...)
}

// api returns the API for a tool that has a successor; ok is false if no call reaches the tool.
func (b *builder) api(old toolapi.APISpec, m match) (api toolapi.APISpec, ok bool) {
	t := &tool{builder: b, old: old, now: b.next[m.to], to: map[int]pairing{}}

	if isEqual(old, t.now) {
		b.out.Equal = append(b.out.Equal, old.Name)
		return toolapi.APISpec{
			Name: old.Name, Parameters: old.Parameters, Loose: old.Loose, URL: t.now.URL,
		}, true
	}

	first := len(b.out.Changes)
	if old.Name != t.now.Name {
		t.note(RenameAPI, old.Name, t.now.Name, m.sure, m.why)
	}

	api, ok = t.successor()

	for _, c := range b.out.Changes[first:] {
		if c.Sure < 1 {
			_, change, _ := strings.Cut(c.Change.String(), ": ") // behind the tool
			api.Inferred = append(api.Inferred, toolapi.Inferred{
				Sure: math.Floor(100*c.Sure) / 100, Change: change, Why: c.Why,
			})
		}
	}

	return api, ok
}

// isEqual reports whether a tool is the same but for its URL.
func isEqual(old, now toolapi.APISpec) bool {
	return old.Name == now.Name && old.Description == now.Description &&
		reflect.DeepEqual(old.Parameters.Schema(), now.Parameters.Schema())
}

// system returns the tools of the environment, which stay.
func (b *builder) system() (all []toolapi.APISpec) {
	for _, a := range b.base.APIs {
		if envs.IsSystem(a.Name) {
			all = append(all, a)
		}
	}

	return all
}

// String returns a change in one line, with how sure it is.
func (c Change) String() string {
	return fmt.Sprintf("%s (%.2f: %s)", cmp.Or(c.Change.String(), c.Operator), c.Sure, c.Why)
}
