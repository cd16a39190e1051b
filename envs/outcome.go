package envs

import "fmt"

// Outcome is the kind of observation that a turn ended with.
type Outcome uint8

// The outcomes. The paper's "invocation errors" (section 2.2) are Malformed, InvalidAction,
// InvocationError and ToolError; its "deprecation errors" are Deprecated. Unavailable is neither:
// the agent made no mistake, and the environment does what its version says.
const (
	OK              Outcome = iota // the tool ran and answered
	Malformed                      // no Action or Action Input could be read from the text
	InvalidAction                  // no tool of that name in the deployed version
	InvocationError                // the arguments do not fit the tool's deployed signature
	Deprecated                     // the name or its parameters are of a version no longer deployed
	ToolError                      // the call was valid and the tool could not do what it asked
	Correct                        // the task was ended with the right answer
	Incorrect                      // the task was ended with a wrong answer
	Unavailable                    // a passing fault of the API: the same call succeeds later
)

var outcomeNames = [...]string{
	OK: "ok", Malformed: "malformed", InvalidAction: "invalid-action",
	InvocationError: "invocation-error", Deprecated: "deprecated", ToolError: "tool-error",
	Correct: "correct", Incorrect: "incorrect", Unavailable: "unavailable",
}

// Unreadable reports whether no action could be read from the text of a turn: it has none, or its
// arguments are not JSON. The run's codec could not parse it, whatever the outcome is called. api
// is the API's name as the turn has it.
func Unreadable(api string, o Outcome) bool { return api == "" && o.IsError() }

// Outcomes lists every outcome, in the order of the constants.
func Outcomes() []Outcome {
	all := make([]Outcome, len(outcomeNames))
	for i := range all {
		all[i] = Outcome(i)
	}
	return all
}

// String returns the outcome's name in rows and reports, e.g. "invocation-error".
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// MarshalText returns the outcome as JSON shows it.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (o *Outcome) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOutcome(string(text))
	return err
}

// ParseOutcome is the inverse of String.
func ParseOutcome(name string) (Outcome, error) {
	for i, n := range outcomeNames {
		if n == name {
			return Outcome(i), nil
		}
	}

	return 0, fmt.Errorf("envs: unknown outcome %q", name)
}

// IsInvocationError reports whether the observation is an error of the agent with APIs that are not
// deprecated: what self-reflection (paper, section 3.3) corrects without learning a new API, and
// what ends a task in the ablation "w/o self-reflection".
func (o Outcome) IsInvocationError() bool {
	return o == Malformed || o == InvalidAction || o == InvocationError || o == ToolError
}

// IsError reports whether the observation is an error of either kind of section 2.2.
func (o Outcome) IsError() bool { return o == Deprecated || o.IsInvocationError() }

// Ends reports whether the outcome ends the task.
func (o Outcome) Ends() bool { return o == Correct || o == Incorrect }
