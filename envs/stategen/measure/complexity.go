package measure

import "maps"

// Complexity is how hard a program is to write (StateGen, Table I).
type Complexity struct {
	Calls    int `json:"calls"`    // in its text, on all paths
	Depth    int `json:"depth"`    // path depth: bindings in the longest chain on a path
	Bindings int `json:"bindings"` // distinct ones, on all paths
}

// Complexity measures a program.
func (f Flow) Complexity() Complexity {
	w := walk{bindings: map[[2]string]bool{}}
	w.steps(f, state{})

	w.Bindings = len(w.bindings)
	return w.Complexity
}

// walk goes through a program.
type walk struct {
	Complexity
	bindings map[[2]string]bool
}

// state holds the origins of each variable at a point of a program, and the length of the chain
// that led to each origin.
type state map[string]map[string]int

// steps goes through a part of a program and returns the state after it.
func (w *walk) steps(f Flow, s state) state {
	for _, step := range f {
		switch {
		case step.Branches != nil:
			s = w.branches(step.Branches, s)
		case step.Tool != "":
			w.call(step, s)
		default:
			origins := s.origins(step.Uses)
			if step.Keeps {
				merge(origins, s[step.Assign])
			}

			s[step.Assign] = origins
		}
	}
	return s
}

// branches goes through each branch from the same state. What follows may see what any of them
// leaves.
func (w *walk) branches(branches []Flow, s state) state {
	after := state{}

	for _, f := range branches {
		for name, origins := range w.steps(f, maps.Clone(s)) {
			merged := maps.Clone(origins)
			merge(merged, after[name])
			after[name] = merged
		}
	}

	return after
}

func (w *walk) call(c Step, s state) {
	w.Calls++

	if c.Assign == "" {
		return
	}

	depth := 0

	for origin, chain := range s.origins(c.Uses) {
		w.bindings[[2]string{origin, c.Assign}] = true
		depth = max(depth, chain+1)
	}

	w.Depth = max(w.Depth, depth)
	s[c.Assign] = map[string]int{c.Assign: depth}
}

// origins returns the origins of some variables.
func (s state) origins(names []string) map[string]int {
	all := map[string]int{}
	for _, name := range names {
		merge(all, s[name])
	}
	return all
}

// merge adds origins to others; the longer of two chains to one origin stays.
func merge(into, from map[string]int) {
	for origin, chain := range from {
		into[origin] = max(into[origin], chain)
	}
}
