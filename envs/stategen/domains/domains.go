// Package domains lists the domains that tasks are generated for.
package domains

import (
	"fmt"
	"slices"
	"sync"

	"toolevo/envs/names"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
	"toolevo/envs/stategen/tensor"
	"toolevo/envs/stategen/voice"
)

var all = sync.OnceValue(func() map[string][]stategen.Domain {
	return map[string][]stategen.Domain{
		"":             {session.New(), tensor.Domain{}, voice.Domain{}},
		stategen.Paper: {session.Paper(), tensor.Paper{}, voice.Paper{}},
	}
})

// All returns the domains, in the order of lists.
func All() []stategen.Domain { return With("") }

// With returns the domains with a set of APIs, or none if it is unknown; see [stategen.Program].
func With(apis string) []stategen.Domain { return all()[apis] }

// Of returns the domain of a program, with the set of APIs that it is for.
func Of(p *stategen.Program) (stategen.Domain, error) { return lookup(With(p.APIs), p.Domain) }

// Names lists the names of the domains.
func Names() []string {
	all := make([]string, len(All()))
	for i, d := range All() {
		all[i] = d.Name()
	}
	return all
}

// Lookup returns the domain called name; the error for an unknown name lists the valid ones.
func Lookup(name string) (stategen.Domain, error) { return lookup(All(), name) }

func lookup(all []stategen.Domain, name string) (stategen.Domain, error) {
	for _, d := range all {
		if d.Name() == name {
			return d, nil
		}
	}

	return nil, names.Unknown("domain", name, Names())
}

// Parse returns the domains of these names, or all if there are none. A name that is unknown or
// repeated is an error.
func Parse(named []string) (chosen []stategen.Domain, err error) {
	if len(named) == 0 {
		return All(), nil
	}

	for i, name := range named {
		d, err := Lookup(name)
		if err == nil && slices.Contains(named[:i], name) {
			err = fmt.Errorf("%s is there twice: name it once", name)
		}

		if err != nil {
			return nil, err
		}

		chosen = append(chosen, d)
	}
	return chosen, nil
}
