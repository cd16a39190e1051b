// Package response is the form in which a server answers calls: the text alone, or a JSON object of a state and the
// text (ToolEvo, section 5.3 and appendix B.2).
//
//	{"State": "Success", "Message": "We have successfully loaded the flights database, …"}
//	{"State": "Failed", "Message": "There is something wrong with the arguments you send. Please modify it."}
//
// # Guarantees
//
//   - Read(f.Wrap(success, text)) = text, for every valid format and text.
//   - Read returns what is no such object as it is.
//
// # Caveats
//
// A reader is not told the names of a version's format: [Read] goes by the words for the state. A tool that prints such
// an object itself is read for its second text.
package response

import (
	"errors"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The states of a call, as published.
const (
	success = "Success"
	failure = "Failed"
)

// Format is an answer as an object: the names of its two members.
type Format struct {
	State   string `yaml:"state" json:"state"`     // the member that says whether the call succeeded
	Message string `yaml:"message" json:"message"` // the member that has the text
}

// Validate reports what a format lacks.
func (f Format) Validate() error {
	if f.State == "" || f.Message == "" || f.State == f.Message {
		return errors.New("a response needs two names that differ: state and message")
	}

	return nil
}

// Wrap writes the answer to a call as one line. Letters of any script stay as they are.
func (f Format) Wrap(succeeded bool, text string) string {
	state := failure
	if succeeded {
		state = success
	}

	return string(pytext.AppendJSON(nil, envs.Args{{Name: f.State, Value: state}, {Name: f.Message, Value: text}}))
}

// wrapped is how such an object begins. Most answers are told from it by their first bytes, the others without being
// decoded.
var wrapped = regexp.MustCompile(`^\{"(?:[^"\\]|\\.)+": "(?:` + success + `|` + failure + `)", "`)

// Read returns the text of an answer: the message of an object, and anything else as it is.
func Read(answer string) string {
	if !strings.HasPrefix(answer, `{"`) || !wrapped.MatchString(answer) {
		return answer
	}

	decoded, err := pytext.Decode(answer)
	if err != nil {
		return answer
	}

	object, _ := decoded.(envs.Args)
	if len(object) != 2 {
		return answer
	}

	if message, ok := object[1].Value.(string); ok {
		return message
	}

	return answer
}
