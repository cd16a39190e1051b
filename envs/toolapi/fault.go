package toolapi

import (
	"fmt"
	"slices"

	"toolevo/envs/names"
)

// Fault is something that goes wrong with some tools of a version for a while, and not because of the agent.
type Fault struct {
	Kind  FaultKind `yaml:"kind"`
	Tools []string  `yaml:"tools,omitempty,flow"` // nil is all but Finish and UpdateTool
	Share float64   `yaml:"share"`                // of pairs of a task and a tool that it meets, in 0..1
	Calls int       `yaml:"calls"`                // how many calls of the tool on one path it lasts, at least 1
}

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults. The first two say that there is one, the others answer as if there were none.
const (
	RateLimit  FaultKind = "rate-limit"  // the call is refused
	Timeout    FaultKind = "timeout"     // it is not answered in time, and does nothing
	HalfAnswer FaultKind = "half-answer" // of a call that changes nothing a list, or a text, has its first half alone
	StaleRead  FaultKind = "stale-read"  // such a call reads what was there before the last change
)

// faultTexts are what an agent reads of a fault that says that there is one.
var faultTexts = map[FaultKind]string{
	RateLimit: "Error: too many requests. Please try again later.",
	Timeout:   "Error: the request timed out.",
}

// Text is what an agent reads in place of an answer, "" of a kind that says nothing.
func (k FaultKind) Text() string { return faultTexts[k] }

// IsAbout reports whether a fault may meet a tool.
func (f *Fault) IsAbout(tool string) bool { return f.Tools == nil || slices.Contains(f.Tools, tool) }

// check reports what makes no sense.
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
