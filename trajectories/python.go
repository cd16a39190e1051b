package trajectories

import (
	"slices"
	"strings"
)

// Python is what ran the programs of a trajectory. Where the environment runs none, its fields are empty.
// Where several did, one after the other in a run that was told to mix them, each field has the words of all,
// separated by "; ", those of the run's first one first; see [Python.Each].
type Python struct {
	Engine  string `json:"engine"`  // what kept the programs inside, e.g. "forkserver"; "unsafe" is nothing
	Version string `json:"version"` // of Python
	// what they could import beside the standard library: "numpy 1.24.2, pandas 2.1"
	Modules string `json:"modules,omitempty"`
	Without string `json:"without,omitempty"` // walls that were missing, and that the user did without: "landlock"
	Limits  string `json:"limits,omitempty"`  // of a program: "wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB"
}

// between separates the words of several Pythons.
const between = "; "

// together is several Pythons as one.
func together(all []Python) Python {
	join := func(field func(Python) string) string {
		words := make([]string, len(all))
		for i, p := range all {
			words[i] = field(p)
		}

		if text := strings.Join(words, between); strings.Trim(text, between) != "" {
			return text
		}

		return ""
	}

	return Python{
		Engine:  join(func(p Python) string { return p.Engine }),
		Version: join(func(p Python) string { return p.Version }),
		Modules: join(func(p Python) string { return p.Modules }),
		Without: join(func(p Python) string { return p.Without }),
		Limits:  join(func(p Python) string { return p.Limits }),
	}
}

// Each returns the Pythons that p stands for: p alone in most runs.
func (p Python) Each() []Python {
	engines := strings.Split(p.Engine, between)
	all := make([]Python, len(engines))
	split := func(words string, field func(*Python) *string) {
		for i, word := range strings.Split(words, between) {
			if i < len(all) {
				*field(&all[i]) = word
			}
		}
	}
	split(p.Engine, func(p *Python) *string { return &p.Engine })
	split(p.Version, func(p *Python) *string { return &p.Version })
	split(p.Modules, func(p *Python) *string { return &p.Modules })
	split(p.Without, func(p *Python) *string { return &p.Without })
	split(p.Limits, func(p *Python) *string { return &p.Limits })

	return all
}

// String is the engine in words, without the limits: "forkserver python 3.11.2 numpy 1.24.2".
func (p Python) String() string {
	all := p.Each()
	if len(all) > 1 {
		words := make([]string, len(all))
		for i, one := range all {
			words[i] = one.String()
		}

		return strings.Join(words, between)
	}

	if p.Engine == "" {
		return ""
	}

	words := []string{p.Engine, "python", p.Version}
	if p.Modules != "" {
		words = append(words, p.Modules)
	}

	if p.Without != "" {
		words = append(words, "without", p.Without)
	}

	return strings.Join(words, " ")
}

func (p Python) valid() Python {
	return Python{valid(p.Engine), valid(p.Version), valid(p.Modules), valid(p.Without), valid(p.Limits)}
}

// Unconfined reports whether programs ran with no walls around them, or with fewer than there should be. The first
// wall of the engine wasi is WebAssembly, and in bwrap a mount namespace stands in for landlock.
func (p Python) Unconfined() bool {
	return slices.ContainsFunc(p.Each(), func(p Python) bool {
		switch p.Engine {
		case "unsafe":
			return true
		case "wasi":
			return false
		case "bwrap":
			return p.Without != "" && p.Without != "landlock"
		}

		return p.Without != ""
	})
}
