package trajectories

import (
	"slices"
	"strings"
)

// KindPython is the kind of makers that run programs in Python.
const KindPython = "python"

// Maker is a program that made part of a trajectory: what ran its programs, simulated a tool, or
// judged an answer.
type Maker struct {
	Kind       string `json:"kind"`                 // what it does, e.g. "python": it runs programs
	Name       string `json:"name"`                 // which one, e.g. the engine "forkserver"
	Version    string `json:"version,omitempty"`    // of it, e.g. of Python
	With       string `json:"with,omitempty"`       // what it has besides, e.g. modules: "numpy 1.24.2, pandas 2.1"
	Without    string `json:"without,omitempty"`    // what it lacks and should have, e.g. walls: "landlock"
	Limits     string `json:"limits,omitempty"`     // of one call: "wall 32s, cpu 8s, memory 1024 MiB"
	Unconfined bool   `json:"unconfined,omitempty"` // fewer walls were around programs than there should be
}

// String returns the maker in words, without its limits: "forkserver python 3.11.2 numpy 1.24.2".
func (m Maker) String() string {
	words := []string{m.Name, m.Kind, m.Version, m.With}
	if m.Without != "" {
		words = append(words, "without", m.Without)
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// between separates the words of several makers.
const between = "; "

// InWords returns makers in words.
func InWords(makers []Maker) string {
	words := make([]string, len(makers))
	for i, m := range makers {
		words[i] = m.String()
	}
	return strings.Join(words, between)
}

// Unconfined reports whether any of the makers is unconfined.
func Unconfined(makers []Maker) bool {
	return slices.ContainsFunc(makers, func(m Maker) bool { return m.Unconfined })
}
