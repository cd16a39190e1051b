package measure

import "slices"

// Coverage is adjacent transition coverage, cumulative over programs (StateGen, equation 3).
type Coverage struct {
	tools []string
	seen  map[[2]string]bool
}

// NewCoverage returns the coverage of no program, over pairs of these tools. Calls of other tools
// are ignored.
func NewCoverage(tools []string) *Coverage {
	return &Coverage{tools: tools, seen: map[[2]string]bool{}}
}

// Add counts a program and returns the coverage with it, in 0..1.
func (c *Coverage) Add(f Flow) float64 {
	c.steps(f, map[string]bool{})
	return float64(len(c.seen)) / float64(len(c.tools)*len(c.tools))
}

// steps counts the pairs of a part of a program. before has the tools that may have been called
// last, on one path or another; it returns those that may have been called last after the part.
func (c *Coverage) steps(f Flow, before map[string]bool) map[string]bool {
	for _, step := range f {
		switch {
		case step.Branches != nil:
			after := map[string]bool{}

			for _, branch := range step.Branches {
				for tool := range c.steps(branch, before) {
					after[tool] = true
				}
			}

			before = after
		case slices.Contains(c.tools, step.Tool):
			for tool := range before {
				c.seen[[2]string{tool, step.Tool}] = true
			}

			before = map[string]bool{step.Tool: true}
		}
	}
	return before
}

// Branches reports whether a program has a branch.
func (f Flow) Branches() bool {
	return slices.ContainsFunc(f, func(s Step) bool { return s.Branches != nil })
}
