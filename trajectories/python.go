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

// texts are its fields, in the order of those of a maker after its kind.
func (p *Python) texts() []*string {
	return []*string{&p.Engine, &p.Version, &p.Modules, &p.Without, &p.Limits}
}

// Pythons are the makers that run Python.
func Pythons(makers []Maker) []Maker {
	return slices.DeleteFunc(slices.Clone(makers), func(m Maker) bool { return m.Kind != KindPython })
}

// PythonOf returns what is said of some makers.
func PythonOf(makers []Maker) (p Python) {
	for i, text := range p.texts() {
		var words []string
		for _, m := range Pythons(makers) {
			words = append(words, *m.texts()[1+i])
		}

		if strings.Join(words, "") != "" {
			*text = strings.Join(words, between)
		}
	}

	return p
}

// Makers returns the makers that an earlier program said this of.
func (p Python) Makers() []Maker {
	if p.Engine == "" {
		return nil
	}

	all := make([]Maker, strings.Count(p.Engine, between)+1)
	for i, text := range p.texts() {
		for k, word := range strings.Split(*text, between) {
			if k < len(all) {
				*all[k].texts()[1+i] = word
			}
		}
	}

	for i := range all {
		m := &all[i]
		m.Kind = KindPython

		switch m.Name {
		case "unsafe":
			m.Unconfined = true
		case "bwrap": // in which a mount namespace stands in for landlock
			m.Unconfined = m.Without != "" && m.Without != "landlock"
		default:
			m.Unconfined = m.Without != ""
		}
	}

	return all
}
