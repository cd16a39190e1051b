package trajectories

import (
	"slices"
	"strings"
)

// KindPython is the kind of makers that run programs in Python.
const KindPython = "python"

// Python is what the columns and keys called python say of the makers of that kind, and all that files of earlier
// programs say. Of several makers each field has the words of all, in their order, separated by "; ".
type Python struct {
	Engine  string `json:"engine"`  // what kept the programs inside, e.g. "forkserver"; "unsafe" is nothing
	Version string `json:"version"` // of Python
	// what they could import beside the standard library: "numpy 1.24.2, pandas 2.1"
	Modules string `json:"modules,omitempty"`
	Without string `json:"without,omitempty"` // walls that were missing, and that the user did without: "landlock"
	Limits  string `json:"limits,omitempty"`  // of a program: "wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB"
}

// pythons are the makers that run Python.
func pythons(makers []Maker) []Maker {
	return slices.DeleteFunc(slices.Clone(makers), func(m Maker) bool { return m.Kind != KindPython })
}

// pythonOf returns what is said of some makers.
func pythonOf(makers []Maker) Python {
	join := func(field func(Maker) string) string {
		var words []string
		for _, m := range pythons(makers) {
			words = append(words, field(m))
		}

		if strings.Join(words, "") == "" {
			return ""
		}

		return strings.Join(words, between)
	}

	return Python{
		Engine:  join(func(m Maker) string { return m.Name }),
		Version: join(func(m Maker) string { return m.Version }),
		Modules: join(func(m Maker) string { return m.With }),
		Without: join(func(m Maker) string { return m.Without }),
		Limits:  join(func(m Maker) string { return m.Limits }),
	}
}

// makers returns the makers that an earlier program said this of.
func (p Python) makers() []Maker {
	if p.Engine == "" {
		return nil
	}

	word := func(words string, i int) string {
		if all := strings.Split(words, between); i < len(all) {
			return all[i]
		}

		return ""
	}

	var all []Maker

	for i, engine := range strings.Split(p.Engine, between) {
		m := Maker{
			Kind:    KindPython,
			Name:    engine,
			Version: word(p.Version, i),
			With:    word(p.Modules, i),
			Without: word(p.Without, i),
			Limits:  word(p.Limits, i),
		}

		switch engine {
		case "unsafe":
			m.Unconfined = true
		case "wasi": // whose first wall is WebAssembly
		case "bwrap": // in which a mount namespace stands in for landlock
			m.Unconfined = m.Without != "" && m.Without != "landlock"
		default:
			m.Unconfined = m.Without != ""
		}

		all = append(all, m)
	}

	return all
}
