package code

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Class is how a program fails (StateGen, RQ4); "" if it passes.
type Class string

// The classes of errors.
const (
	Syntax    Class = "syntax"    // there is no code, or it cannot be parsed
	Execution Class = "execution" // it starts, but does not finish
	Result    Class = "result"    // it finishes, but RESULT or the effects of its calls are wrong
)

// Classes lists the classes in the order of the paper's figure 5.
func Classes() []Class { return []Class{Syntax, Execution, Result} }

// Cause is the cause of a failure, as far as a program can tell: data for the paper's RQ5.
type Cause string

// The causes.
const (
	NoCode       Cause = "no-code"
	Unparsable   Cause = "unparsable"
	UnknownAPI   Cause = "unknown-api"  // a call of an API that no version has
	OutdatedAPI  Cause = "outdated-api" // a call that fits another version than the deployed one
	Arguments    Cause = "arguments"    // a call with an argument that is never valid
	WrongURL     Cause = "url"          // a request to an address that nothing serves
	Refused      Cause = "refused"      // a call that does not fit what the service has
	NoVariable   Cause = "variable"     // an unknown name
	NoModule     Cause = "module"       // a module that cannot be imported
	Data         Cause = "data"         // a missing part of a value, or a value of the wrong type
	Exception    Cause = "exception"    // any other exception
	Time         Cause = "time"         // it used up its time
	Space        Cause = "space"        // it used up its memory, or what it may write
	Crash        Cause = "crash"        // it crashed the interpreter
	TooManyCalls Cause = "calls"        // it made more calls than a program may
	Unsteady     Cause = "unsteady"     // it made other requests when it ran again
	Broken       Cause = "broken"       // it ended without a frame, or with an unreadable one
	NoResult     Cause = "no-result"    // RESULT is missing, or nothing that JSON can say
	WrongResult  Cause = "wrong-result" // only RESULT is wrong
	WrongState   Cause = "wrong-state"  // the effects of the calls are wrong, whatever RESULT is
)

// Verdict says how a program fares in the cases of its task.
type Verdict struct {
	Class  Class  `json:"class"`  // "" if it passed
	Cause  Cause  `json:"cause"`  // of a class
	Case   string `json:"case"`   // the path of the first case that failed, or of the last one
	Line   int    `json:"line"`   // of the program, where an exception came from, or 0
	Text   string `json:"text"`   // what the exception, the service or the sandbox said
	Calls  int    `json:"calls"`  // that the program made in that case
	Result string `json:"result"` // RESULT in that case as JSON, or ""

	// OtherTools says that the calls of a program that finished are not the reference's, by tool
	// and number.
	OtherTools bool `json:"other_tools"`
}

// Passed reports whether every case was passed.
func (v Verdict) Passed() bool { return v.Class == "" }

// The last lines of an episode, as in other environments.
const (
	correctText   = "Answer is CORRECT"
	incorrectText = "Answer is INCORRECT"
)

// Observation writes a verdict as the observation of an episode: a line for people, and a line of
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
