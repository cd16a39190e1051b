package envs

import (
	"context"
	"fmt"
)

// Environment is everything outside the agent (paper, section 2.2). Implementations are safe for
// concurrent use.
type Environment interface {
	// Reset returns the first state of a task. A task the environment does not know is an error.
	Reset(ctx context.Context, t Task) (State, error)

	// Step runs one action. The turn keeps its text, without what the agent wrote after it. The
	// state is unchanged, and the same state and action give the same transition. Stepping from a
	// state that is not Running is an error. Every error is the program's, never the agent's, and
	// wraps a StageError.
	Step(ctx context.Context, s State, a Action) (Transition, error)
}

// Canonicalizer is implemented by environments that can tell two actions are the same without
// running them.
type Canonicalizer interface {
	// Canonical returns a key that is equal for actions that call the same tool with the same
	// arguments, whatever their thoughts and spacing, and never for others. Keys are also what
	// people read in drawings of trees.
	Canonical(a Action) string
}

// Comparer is implemented by environments that can tell when nothing a failure depends on has
// changed.
type Comparer interface {
	// Alike reports whether every action that fails in one of two states of a task fails the same
	// way in the other, because they differ only in their turns and the descriptions learned. What
	// tools remember, and any count that decides an answer, belongs to a state: where a call may
	// succeed later, the states are not alike. False is always safe.
	Alike(a, b State) bool
}

// Alike asks env if it is a [Comparer]; otherwise no two states are known to be alike.
func Alike(env Environment, a, b State) bool {
	c, ok := env.(Comparer)
	return ok && c.Alike(a, b)
}

// Lifter is implemented by environments that can translate a call of the prompt version into the
// deployed version. No agent sees the result: it serves yardsticks that know what an agent has to
// find out.
type Lifter interface {
	// Lift returns the call that does what c means after the history so far. It is an error if the
	// deployed version cannot express it.
	Lift(so History, c Call) (Call, error)
}

// Lift asks env if it is a [Lifter], and fails otherwise.
func Lift(env Environment, so History, c Call) (Call, error) {
	l, ok := env.(Lifter)
	if !ok {
		return Call{}, fmt.Errorf("envs: lift %s: %T has no versions of APIs", c.Name, env)
	}
	return l.Lift(so, c)
}

// Documenter is implemented by environments whose APIs may not answer as their documents in the
// prompt say.
type Documenter interface {
	// Notes returns what the deployed document of the called API says about that, a line each, in
	// the words of package silent, and whether policies see it.
	Notes(so History, c Call) (notes []string, shown bool)
}

// Notes asks env if it is a [Documenter].
func Notes(env Environment, so History, c Call) (notes []string, shown bool) {
	d, ok := env.(Documenter)
	if !ok {
		return nil, false
	}
	return d.Notes(so, c)
}

// State is one point of an environment: immutable, and opaque to the search.
type State interface {
	History() History
	Status() Status
}

// Status says whether a task is still running.
type Status uint8

// The statuses.
const (
	Running    Status = iota // the agent may act
	Terminated               // the agent ended the task
	Truncated                // a limit ended it
)

var statusNames = [...]string{Running: "running", Terminated: "terminated", Truncated: "truncated"}

// String returns "running", "terminated" or "truncated".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// MarshalText returns the status as JSON shows it.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (s *Status) UnmarshalText(text []byte) (err error) {
	*s, err = ParseStatus(string(text))
	return err
}

// ParseStatus is the inverse of String.
func ParseStatus(name string) (Status, error) {
	for i, n := range statusNames {
		if n == name {
			return Status(i), nil
		}
	}

	return 0, fmt.Errorf("envs: unknown status %q", name)
}

// Transition is what one action leads to.
type Transition struct {
	State  State // the state after the action; its history ends with Turn
	Turn   Turn
	Reward float64 // equation 1: +1 or -1 when the task has ended, 0 while it runs
	Grade  Grade   // how a final answer was graded; zero unless the outcome is Correct or Incorrect
}

// Grade is the verdict on a final answer.
type Grade struct {
	Answer   string `json:"answer"`   // the answer as the agent gave it
	Official bool   `json:"official"` // right by the benchmark's own matcher
	Strict   bool   `json:"strict"`   // right by the strict one, which honours signs and points

	// Reason is why, in the words of the language model that judged the answer, or "". No agent
	// sees it.
	Reason string `json:"reason,omitempty"`
}
