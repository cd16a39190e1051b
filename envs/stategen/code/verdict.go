package code

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Class is how a program fails (StateGen, RQ4); "" is of one that passes.
type Class string

// The classes of errors.
const (
	Syntax    Class = "syntax"    // there is no code, or it cannot be parsed
	Execution Class = "execution" // it begins, and does not come to its end
	Result    Class = "result"    // it ends, and RESULT or what its calls have left is not what was wanted
)

// Classes lists them in the order of the paper's figure 5.
func Classes() []Class { return []Class{Syntax, Execution, Result} }

// Cause is what a failure comes from, as far as it can be told without a reader: data for the
// paper's RQ5.
type Cause string

// The causes.
const (
	NoCode       Cause = "no-code"
	Unparsable   Cause = "unparsable"
	UnknownAPI   Cause = "unknown-api"  // a call of what no version has
	OutdatedAPI  Cause = "outdated-api" // a call as another version than the deployed one takes it
	Arguments    Cause = "arguments"    // a call with an argument that its API or the service never takes
	WrongURL     Cause = "url"          // a request to where nothing is served
	Refused      Cause = "refused"      // a call that does not fit what the service has
	NoVariable   Cause = "variable"     // a name that is not there
	NoModule     Cause = "module"       // a module that cannot be imported
	Data         Cause = "data"         // a part of a value that is not there, or a value of the wrong type
	Exception    Cause = "exception"    // any other exception
	Time         Cause = "time"         // it used up its time
	Space        Cause = "space"        // it used up its memory, or what it may write
	Crash        Cause = "crash"        // the interpreter died of it
	TooManyCalls Cause = "calls"        // it made more calls than a program may
	Unsteady     Cause = "unsteady"     // it did not ask the same when it ran again
	Broken       Cause = "broken"       // it ended without a word, or with one that cannot be read
	NoResult     Cause = "no-result"    // RESULT is missing, or nothing that JSON can say
	WrongResult  Cause = "wrong-result" // RESULT alone is not what was wanted
	WrongState   Cause = "wrong-state"  // what the calls have left is not, whatever RESULT is
)

// Verdict is what came of a program in the cases of its task.
type Verdict struct {
	Class  Class  `json:"class"`  // "" is passed
	Cause  Cause  `json:"cause"`  // of a class
	Case   string `json:"case"`   // the path of the first case that failed, or of the last one
	Line   int    `json:"line"`   // of the program, where an exception came from; 0 is none
	Text   string `json:"text"`   // what the exception, the service or the sandbox said
	Calls  int    `json:"calls"`  // that the program made in that case
	Result string `json:"result"` // RESULT in that case as JSON; "" is none

	// OtherTools says of a program that came to its end that the calls that were done are not of
	// the reference's tools, each as often.
	OtherTools bool `json:"other_tools"`
}

// Passed reports whether every case was passed.
func (v Verdict) Passed() bool { return v.Class == "" }

// What an episode ends with, as in other environments.
const (
	correctText   = "Answer is CORRECT"
	incorrectText = "Answer is INCORRECT"
)

// Observation writes a verdict as the observation of an episode: a line for people, and one of
// JSON.
func (v Verdict) Observation() string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("code: encode a verdict: %v", err)) // texts and numbers only
	}

	if v.Passed() {
		return correctText + "\n" + string(text)
	}
	return incorrectText + "\n" + string(text)
}

// ReadVerdict reads the observation of an episode in code mode. Any other text is an error.
func ReadVerdict(observation string) (v Verdict, err error) {
	_, text, _ := strings.Cut(observation, "\n")
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("code: read a verdict from an observation: %w", err)
	}
	return v, nil
}
