package toolapi

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/names"
)

// Fault is something that goes wrong with some tools of a version for a while, and is not the
// agent's fault.
type Fault struct {
	Kind  FaultKind `yaml:"kind" json:"kind"`                            // what goes wrong
	Tools []string  `yaml:"tools,omitempty,flow" json:"tools,omitempty"` // all but Finish and UpdateTool if missing
	Share float64   `yaml:"share" json:"share"`                          // of pairs of a task and a tool, in 0..1
	Calls int       `yaml:"calls" json:"calls"`                          // how many calls of the tool on one path it lasts, at least 1
}

// Cell is how a version has changed: whether an old call is refused, or succeeds and means
// something else, and whether that lasts.
type Cell string

// The cells. A version in several cells has their names with a + between them.
const (
	ExplicitLasting Cell = "explicit lasting" // names, parameters or forms of answers are others
	ExplicitPassing Cell = "explicit passing" // a [Fault] that says that there is one
	SilentLasting   Cell = "silent lasting"   // changes of package silent
	SilentPassing   Cell = "silent passing"   // a fault that answers as if there were none
)

// Cell returns the cell of a version that is not the one of the prompt.
func (v *Version) Cell() Cell {
	var cells []string

	add := func(c Cell) {
		if !slices.Contains(cells, string(c)) {
			cells = append(cells, string(c))
		}
	}

	for _, a := range v.APIs {
		if len(a.Silent) > 0 {
			add(SilentLasting)
		}
	}

	for _, f := range v.Faults {
		if f.Kind.Text() != "" {
			add(ExplicitPassing)
		} else {
			add(SilentPassing)
		}
	}

	// Without silent changes and faults, a version can only have changed openly. Beside them, only
	// deprecated names prove it: outdated also has APIs that take the same calls as before.
	if len(cells) == 0 || len(v.deprecated) > 0 {
		add(ExplicitLasting)
	}

	// Sorted, so that every combination has one name.
	slices.Sort(cells)
	return Cell(strings.Join(cells, " + "))
}

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults. The first two say that there is a fault; the others answer as if all were
// well.
const (
	RateLimit  FaultKind = "rate-limit"  // the call is refused
	Timeout    FaultKind = "timeout"     // it is not answered in time, and does nothing
	HalfAnswer FaultKind = "half-answer" // a call that changes nothing returns the first half of a list or text
	StaleRead  FaultKind = "stale-read"  // such a call returns what was there before the last change
)

// faultTexts are what an agent reads about a fault that shows itself.
var faultTexts = map[FaultKind]string{
	RateLimit: "Error: too many requests. Please try again later.",
	Timeout:   "Error: the request timed out.",
}

// Text returns what an agent reads in place of an answer, or "" if the fault does not show itself.
func (k FaultKind) Text() string { return faultTexts[k] }

// IsAbout reports whether a fault may meet a tool.
func (f *Fault) IsAbout(tool string) bool { return f.Tools == nil || slices.Contains(f.Tools, tool) }

// check returns what is wrong with the fault.
func (f *Fault) check(v *Version) error {
	all := []string{string(RateLimit), string(Timeout), string(HalfAnswer), string(StaleRead)}
	if _, err := names.Parse("kind of fault", string(f.Kind), all); err != nil {
		return err
	}

	for _, tool := range f.Tools {
		if v.byTool[tool] == nil {
			return fmt.Errorf("there is no tool %s", tool)
		}
	}

	if !(f.Share >= 0 && f.Share <= 1) || f.Calls < 1 {
		return fmt.Errorf("share is %v and calls %d, want 0..1 and at least 1", f.Share, f.Calls)
	}
	return nil
}
