package stategen

import (
	"fmt"
	"math/rand/v2"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Domain is a service, its tools, and the rules of programs that use it. It is safe for concurrent
// use.
type Domain interface {
	// Name is the domain's name and the dataset of its tasks, e.g. "session".
	Name() string

	// APIs returns the tools as the base version has them, with the types of their parameters and a
	// description of each.
	APIs() []toolapi.APISpec

	// Counted names the tools that programs call: the M of adjacent transition coverage.
	Counted() []string

	// Splits lists after how many of n calls a program may branch; n-1 means no branch.
	Splits(n int) []int

	// Init returns the schema of a new program: a random start of variables and service.
	Init(rng *rand.Rand) Schema

	Service
}

// Schema is a growing program, and what is known of its state (StateGen, III-C). It knows the shape
// of values rather than the values: an implementation need not run the calls.
type Schema interface {
	// Candidates returns the transitions that are valid now, each with concrete parameters, in an
	// order that depends only on rng; none if the program cannot continue.
	Candidates(rng *rand.Rand, want Want) []Candidate

	// Apply takes one of the last candidates.
	Apply(c Candidate)

	// Condition returns the test of a branch here: it compares the most recent variable that can be
	// compared, or a property of it, with a new constant. The constant's value is nil: replay finds
	// it. ok is false if there is nothing to compare.
	Condition(rng *rand.Rand) (t Test, constant Variable, ok bool)

	// Result returns the answer of the program up to here: the variables that nothing has consumed.
	Result() (result Expr, ok bool)

	// Program returns the program up to here, all in Main, without a result.
	Program() Program

	// Clone returns a copy that shares no mutable state.
	Clone() Schema
}

// Want says how long the path is that a schema grows.
type Want struct {
	Left  int // counted calls up to the next branch, or to the end of the path, including this one
	After int // counted calls after the branch
}

// Candidate is a transition that could come next.
type Candidate struct {
	Transition string // the name of the tool, or of an edit
	Key        string // its canonical parameters: no path has a transition twice with the same key
	Pairs      []Pair // what it would cover; distinct
	Counts     bool   // false for edits of local variables
	Params     any    // the schema's own
}

// Pair is a data-bound pair of transitions: the one that last touched something, and the one that
// consumes it.
type Pair struct{ Producer, Consumer string }

// None is the producer of what was there from the start.
const None = "NONE"

// Service is what the tools of a domain act on. States are immutable.
type Service interface {
	// Begin returns the state of the service before the first call of a program whose variables
	// have these values.
	Begin(p *Program, values map[string]any) (State, error)

	// Call runs a tool on arguments that fit its parameters. A *[Refusal] is the caller's mistake;
	// every other error is the program's.
	Call(s State, tool string, args envs.Args) (State, any, error)

	// Content returns what a value means in a state, for comparison: handles are replaced by what
	// they refer to, and what the service made up, such as identifiers, is left out.
	Content(s State, v any) any

	// Effects returns what calls have left in the service, for comparison; nil if nothing counts.
	Effects(s State) any

	// Same reports whether contents or effects are the same, within the tolerance of the domain.
	// got may be anything.
	Same(got, want any) bool

	// Record returns a content or effects as a value that can be stored: all of it, or a digest if
	// it is large.
	Record(content any) any
}

// Tools reads the tools of a domain from an embedded file. It panics if the file is invalid.
func Tools(path, text string) []toolapi.APISpec {
	spec, err := toolapi.Parse(toolapi.File{Path: path, Text: text})
	if err != nil {
		panic(fmt.Sprintf("stategen: %v", err))
	}
	return spec.APIs
}

// ToolNames returns the names of tools.
func ToolNames(of []toolapi.APISpec) []string {
	names := make([]string, len(of))
	for i, a := range of {
		names[i] = a.Name
	}
	return names
}

// Pick returns one of several at random.
func Pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// State is the state of a service. Only the service knows what is in it.
type State any

// Refusal is the error of a call that the service cannot do.
type Refusal struct {
	Text string // what the caller reads

	// OfState says that the call does not fit the state, such as what earlier calls returned.
	// Otherwise an argument is wrong in any state, as its document says.
	OfState bool
}

// Refuse returns the refusal of an argument that is wrong in any state.
func Refuse(format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...)}
}

// RefuseState returns the refusal of a call that does not fit the state.
func RefuseState(format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...), OfState: true}
}

// Error implements error.
func (r *Refusal) Error() string { return r.Text }
